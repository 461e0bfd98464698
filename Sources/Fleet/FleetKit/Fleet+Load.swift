import NIOCore
import NIOPosix
import SyncProtocol
import Vitals

extension Fleet {
    /// Connections of one run, at most: each takes a file descriptor here and at the hub.
    public static let connectionsMax = 10_000

    /// Sends all of `work` over `connections` connections, each with one request in flight, and measures. Connections and bodies are made
    /// before the clock starts. One thread, as the hub's other cores are the hub's.
    public mutating func load(_ work: Workload, connections: Int) async throws -> LoadResult {
        guard (1...Self.connectionsMax).contains(connections) else {
            throw FleetError("Connections: 1 to \(Self.connectionsMax), not \(connections).")
        }
        let hub = try HubConnection(state)
        let requests = try await requests(work, to: hub)
        progress("\(requests.count) requests are ready; opening \(connections) connections")
        let run = LoadRun(requests: requests)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            let result = try await Self.measure(run, hub, connections: connections, on: group)
            try await group.shutdownGracefully()
            guard result.answers + result.errors > 0 else { throw FleetError("There was nothing to send.") }
            if let error = result.firstError { progress("first of \(result.errors) errors: \(error)") }
            return result.summary(samples: work.samplesPerRequest)
        } catch {
            try? await group.shutdownGracefully()
            throw error
        }
    }

    private mutating func requests(_ work: Workload, to hub: HubConnection) async throws -> [ByteBuffer] {
        let token = try await token()
        let head = hub.head("POST", SyncRoute.segments, Self.segmentFields(token: token))
        progress("making the requests")
        var all = ByteBuffer()
        var ends: [Int] = []
        try work.forEachBody(of: state) { body in
            all.writeString(head)
            all.writeString("Content-Length: \(body.count)\r\n\r\n")
            all.writeBytes(body)
            ends.append(all.writerIndex)
        }
        return zip([0] + ends, ends).compactMap { all.getSlice(at: $0, length: $1 - $0) }
    }

    static func segmentFields(token: String) -> [(String, String)] {
        [
            ("Authorization", "Bearer \(token)"), ("Content-Type", SyncRoute.segmentsMediaType),
            (ProtocolVersion.header, String(ProtocolVersion.current)),
        ]
    }

    private static func measure(
        _ run: LoadRun, _ hub: HubConnection, connections: Int, on group: any EventLoopGroup
    ) async throws -> TimedOutcome {
        let warmUp = ByteBuffer(string: hub.head("GET", SyncRoute.certificateAuthority, []) + "\r\n")
        var channels: [any Channel] = []
        var finished: [EventLoopFuture<Void>] = []
        for _ in 0..<connections {
            let loop = group.next()
            let (ready, done) = (loop.makePromise(of: Void.self), loop.makePromise(of: Void.self))
            finished.append(done.futureResult)
            do {
                channels.append(
                    try await hub.open(on: loop) { LoadConnection(run, warmUp: warmUp, ready: ready, finished: done) }.get())
            } catch {
                ready.fail(error)
                done.fail(error)
                throw FleetError("No connection to the hub at \(hub.host):\(hub.port): \(error). Is trackme-hub running?")
            }
            try await ready.futureResult.get()
        }
        let (start, processor) = (NIODeadline.now(), Clocks.processorSeconds())
        for channel in channels { channel.pipeline.fireUserInboundEventTriggered(LoadConnection.Order.begin) }
        for future in finished { try await future.get() }
        let wall = Double((NIODeadline.now() - start).nanoseconds) / 1e9
        return TimedOutcome(outcome: run.result, wall: wall, processor: Clocks.processorSeconds() - processor)
    }
}

/// An outcome with the time that it took.
private struct TimedOutcome: Sendable {
    var outcome: LoadRun.Outcome
    var wall: Double
    var processor: Double

    var answers: Int { outcome.answers }
    var errors: Int { outcome.errors }
    var firstError: String? { outcome.firstError }

    func summary(samples perRequest: Double) -> LoadResult {
        let samples = Int(Double(max(0, answers - errors)) * perRequest)
        return LoadResult(
            requests: answers, errors: errors, samples: samples, samplesPerSecond: (Double(samples) / wall).rounded(),
            requestsPerSecond: (Double(answers) / wall).rounded(), wallSeconds: wall.rounded3,
            p50Milliseconds: outcome.delays.quantile(0.5)?.rounded3, p99Milliseconds: outcome.delays.quantile(0.99)?.rounded3,
            maxMilliseconds: outcome.delays.quantile(1)?.rounded3, clientProcessorSeconds: processor.rounded3)
    }
}
