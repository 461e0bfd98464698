internal import Seams
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Looks from outside whether the box still watches. A box that stands still cannot say so itself: then its last word goes to the hub once
/// more, with "my detector is down", so that the hub watches instead long before it would miss the box.
final class StallDetector: Sendable {
    /// No sign of life for so long: stuck. The box gives one each second; the hub misses it only after 90 s.
    static let stuckAfter: Milliseconds = 20_000
    /// While it stands still the hub hears it again so often.
    private static let every: Milliseconds = 10_000

    private struct State {
        var beat: Milliseconds?
        var told: Milliseconds?
        var reports: [PersonID: SOSReport] = [:]
    }
    private let state = Mutex(State())

    /// The last word to the hub about a person.
    func note(_ report: SOSReport) { state.withLock { $0.reports[report.person] = report } }

    /// The box has gone through everything that was due.
    /// - Returns: how long it stood still before, where the hub was told so.
    func beat(at now: Milliseconds) -> Milliseconds? {
        state.withLock { state in
            defer { (state.beat, state.told) = (now, nil) }
            return state.told == nil ? nil : state.beat.map { now - $0 }
        }
    }

    /// The message that the hub must hear now; nothing while the box is alive, or has not begun.
    func due(at now: Milliseconds) -> [SOSReport] {
        state.withLock { state in
            guard let beat = state.beat, now - beat > Self.stuckAfter, state.told.map({ now - $0 >= Self.every }) ?? true else { return [] }
            state.told = now
            return state.reports.values.map { report in
                var report = report
                // Revisions are times, as far as they can be: newer than all before it, older than what the box says once it lives again,
                // be it in the same millisecond.
                (report.revision, report.sentAt, report.detectorDown) = (max(report.revision + 1, UInt64(clamping: now - 1)), now, true)
                return report
            }
        }
    }

    /// Until cancelled. Touches nothing of the box but its clock.
    func run(_ hub: any SOSHub, _ clock: BoxClock, every pause: Duration = .seconds(5)) async {
        while !Task.isCancelled {
            try? await clock.machine.sleep(for: pause)
            for report in due(at: clock.boottime()) { clock.machine.start(priority: .medium) { _ = await hub.report(report) } }
        }
    }
}
