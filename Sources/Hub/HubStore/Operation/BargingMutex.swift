import NIOConcurrencyHelpers

/// A value that one thread at a time has, and next whoever runs first.
///
/// Swift's `Mutex` goes from hand to hand: a thread that waited gets it, and nobody else until the system lets that thread run. Where every core has
/// work that takes milliseconds, and all that stand behind a page of low priority take as long, an alarm among them. For what alarms and segments
/// share with pages; else a `Mutex` does.
public final class BargingMutex<Value: Sendable>: Sendable {
    private let value: NIOLockedValueBox<Value>

    public init(_ value: Value) { self.value = NIOLockedValueBox(value) }

    /// Has the value alone, for as long as `body` takes. Not within itself.
    public func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result { try value.withLockedValue(body) }
}
