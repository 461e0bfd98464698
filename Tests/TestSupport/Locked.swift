import Synchronization

/// What several tasks of a test share.
public final class Locked<Value: Sendable>: Sendable {
    private let value: Mutex<Value>

    public init(_ value: Value) { self.value = Mutex(value) }

    public var current: Value { value.withLock { $0 } }

    public func change(_ change: @Sendable (inout Value) -> Void) { value.withLock { change(&$0) } }
}
