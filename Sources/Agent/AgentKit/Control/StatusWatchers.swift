/// Those who watch the state of the box.
struct StatusWatchers {
    private var streams: [Int: AsyncStream<BoxStatus>.Continuation] = [:]
    private var nextID = 0
    /// The last status that they were told.
    private var told: BoxStatus?

    var isEmpty: Bool { streams.isEmpty }

    /// - Parameter end: called with the number of the watcher who left.
    mutating func add(_ status: BoxStatus, end: @escaping @Sendable (Int) -> Void) -> AsyncStream<BoxStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: BoxStatus.self, bufferingPolicy: .bufferingNewest(4))
        let id = nextID
        nextID += 1
        streams[id] = continuation
        continuation.onTermination = { _ in end(id) }
        continuation.yield(status)
        return stream
    }

    mutating func remove(_ id: Int) { streams[id] = nil }

    /// Time alone is no news: whoever shows the status counts ages on.
    mutating func tell(_ status: BoxStatus) {
        var comparable = status
        (comparable.time, comparable.utc) = (0, 0)
        guard comparable != told else { return }
        told = comparable
        for stream in streams.values { stream.yield(status) }
    }

    mutating func finish() {
        for stream in streams.values { stream.finish() }
        streams = [:]
    }
}
