internal import Dispatch
internal import Seams

extension Machine {
    /// Work that waits for a device, on a queue of its own, so that it does not hold up Swift's shared threads.
    func wait<Value: Sendable>(named name: String, _ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await makeQueue(label: "trackme.\(name)", quality: .unspecified, isConcurrent: false).run(body)
    }
}
