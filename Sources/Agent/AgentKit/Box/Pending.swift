internal import Seams

/// A result from somewhere that may never answer: a disk that hangs, a device.
struct Pending<Value: Sendable>: Sendable {
    private let values: AsyncStream<Value>
    private let machine: Machine

    /// - Parameters:
    ///   - machine: by which ``value(within:)`` waits.
    ///   - begin: begins the work at once, and hands on what calls back with its result.
    init(on machine: Machine, _ begin: (@escaping @Sendable (Value) -> Void) -> Void) {
        let (values, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingOldest(1))
        (self.values, self.machine) = (values, machine)
        begin { value in
            continuation.yield(value)
            continuation.finish()
        }
    }

    /// The result, if it comes within the limit; else the work goes on without anybody waiting. To be asked once: a second one learns only that
    /// it has come.
    func value(within limit: Duration) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { [values] in
                for await value in values { return value }
                return nil
            }
            group.addTask { [machine] in
                try? await machine.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}

extension Pending {
    /// Begins a task of its own.
    static func task(on machine: Machine, _ work: @escaping @Sendable () async -> Value) -> Pending {
        Pending(on: machine) { done in
            machine.start { done(await work()) }
        }
    }
}
