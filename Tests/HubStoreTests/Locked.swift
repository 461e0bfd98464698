import Synchronization

/// What several tasks of a test share.
final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    var current: Value { value.withLock { $0 } }

    func change(_ change: @Sendable (inout Value) -> Void) { value.withLock { change(&$0) } }
}
