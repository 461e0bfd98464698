internal import NIOCore

extension Channel {
    /// Runs `body`, and closes the connection when it takes longer than `limit`: whatever it waits for on the connection ends then.
    func closing<Result>(
        after limit: TimeAmount, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        let alarm = eventLoop.scheduleTask(in: limit) { self.close(promise: nil) }
        defer { alarm.cancel() }
        return try await body()
    }
}
