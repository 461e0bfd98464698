import Foundation
import History
import HubServices
import HubStore
import Privacy
import Vitals

/// Reads what the page of today shows of a person's own day.
struct TodayReader: Sendable {
    let history: HistoryService
    let series: SeriesReader
    let records: WorkoutRecords
    let now: @Sendable () -> Milliseconds

    /// As far back as positions and what the box told are looked for before the newest sample, milliseconds.
    private static let lookBack: Milliseconds = 12 * 3_600_000
    private static let samples = 600

    /// - Parameter zone: where the day is one.
    /// - Returns: nil when the grant does not hold (any more).
    func read(_ grant: Grant, in zone: TimeZone) throws -> TodayReading? {
        let time = now(), span = HealthSpan(.day, around: time, in: zone)
        guard let latest = try history.latest(grant), var newest = try series.last(Self.samples, grant, within: Self.lookBack, now: time),
            let points = try history.points(grant, of: .heartRate, by: .minute, from: span.from, to: span.to)
        else { return nil }
        // A strap that is on while the phone is off says nothing of where: the place of before stands there with its age.
        if newest.positions.isEmpty, let place = try series.newestPosition(grant, now: time) { newest.positions = [place] }
        return TodayReading(
            latest: latest, newest: newest, points: points.merged { $0 / TodayReading.bucket * TodayReading.bucket }, span: span,
            workout: try records.list(grant, count: 5).first { $0.content != nil })
    }
}

/// What the page of today shows of a person's own day.
struct TodayReading: Sendable {
    /// A point of the curve, milliseconds.
    static let bucket: Milliseconds = 600_000

    let latest: HistoryService.Latest
    /// The newest positions and events.
    let newest: Reading
    /// Heart rates of the day, each of ``bucket``.
    let points: [HistoryService.Point]
    let span: HealthSpan
    /// The last one.
    let workout: StoredWorkoutRecord?

    func last(_ code: StateEvent.Code) -> StateEvent? { newest.events.last { $0.code == code } }
}
