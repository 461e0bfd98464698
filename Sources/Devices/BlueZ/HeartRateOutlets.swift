import Sensing
import SourceThread
import Vitals

/// Where a source hands on what it has, and the clock that its times are of.
struct HeartRateOutlets: Sendable {
    let now: @Sendable () -> Milliseconds
    /// Problems that do not end the delivery.
    let report: @Sendable (SourceProblem) -> Void
    let sink: @Sendable (HeartRateEvent) -> Void

    init(
        now: (@Sendable () -> Milliseconds)?, report: @escaping @Sendable (SourceProblem) -> Void,
        sink: @escaping @Sendable (HeartRateEvent) -> Void
    ) {
        (self.now, self.report, self.sink) = (now ?? Boottime.now, report, sink)
    }
}
