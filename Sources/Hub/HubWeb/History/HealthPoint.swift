import Foundation
import History
import HubServices
import Privacy
import Vitals

/// One point of a plot, in the kind's unit.
struct HealthPoint: Sendable, Hashable {
    /// How much of a state such as deep sleep there was.
    struct State: Sendable, Hashable {
        let code: Int
        let hours: Double
    }

    let begin: Milliseconds
    let end: Milliseconds
    /// Of readings. An amount, or the hours of all states that are drawn, is `high` above 0.
    private(set) var low: Double, mean: Double, high: Double
    /// How many readings or amounts.
    let count: Int
    /// Whether a part of it was worked out, and measured by nobody.
    let isDerived: Bool
    var states: [State] = []

    /// The same in another unit. Amounts begin at 0 in each.
    func shown(in unit: Measures.Unit) -> HealthPoint {
        var point = self
        (point.low, point.mean, point.high) = (unit.value(low), unit.value(mean), unit.value(high))
        return point
    }

    /// nil for what is no reading, amount or state.
    init?(_ point: HistoryService.Point, until end: Milliseconds, _ kind: DataKind, _ rule: RollupRule) {
        (begin, self.end, isDerived) = (point.time, end, point.isDerived)
        let rollup = point.rollup
        count = Int(rollup.count)
        switch rule.measure {
        case .readings:
            guard let minimum = rollup.minimum, let maximum = rollup.maximum, let mean = rollup.mean else { return nil }
            (low, self.mean, high) = (Double(minimum) * kind.scale, mean * kind.scale, Double(maximum) * kind.scale)
        case .amounts:
            let sum = Double(rollup.sum) * kind.scale
            (low, mean, high) = (0, sum, sum)
        case .seconds:
            let found = rollup.histogram.map { State(code: Int($0.number), hours: Double($0.count) / 3600) }
            let sum = Self.drawn(found, of: kind).reduce(0) { $0 + $1.hours }
            states = found
            (low, mean, high) = (0, sum, sum)
        case .presence: return nil
        }
    }

    /// The states that stand on top of each other: somebody is in bed while they sleep.
    static func drawn(_ states: [State], of kind: DataKind) -> [State] {
        let stages = kind == .sleep ? states.filter { $0.code != 0 } : states
        return stages.isEmpty ? states : stages
    }
}

/// How long one point of a plot is.
enum HealthBucket: String, Sendable {
    case minute, tenMinutes, hour, day, month

    /// Longer spans have no points of a minute: four hours.
    static let minutesMax: Milliseconds = 4 * 3_600_000

    /// So that a plot has some hundred points at most.
    init(_ measure: RollupRule.Measure, _ span: HealthSpan) {
        switch span.days {
        case _ where measure == .readings && span.to - span.from <= Self.minutesMax: self = .minute
        case ...2: self = measure == .readings ? .tenMinutes : .hour
        case 3...14: self = measure == .readings ? .hour : .day
        case 15...400: self = .day
        default: self = .month
        }
    }

    /// The points of a kind within a span, as they can be drawn.
    /// - Parameter read: by ``read(_:_:of:in:hours:)``.
    func points(_ read: [HistoryService.Point], of kind: DataKind, in span: HealthSpan) -> [HealthPoint] {
        guard let rule = RollupRule(kind) else { return [] }
        let calendar = HealthSpan.calendar(span.zone)
        return read.compactMap { HealthPoint($0, until: end(of: $0.time, calendar), kind, rule) }
    }

    /// Reads the points of a kind within a span.
    /// - Parameter hours: those of the span, where they were read already.
    /// - Returns: nil when the grant does not hold (any more).
    func read(
        _ history: HistoryService, _ grant: Grant, of kind: DataKind, in span: HealthSpan, hours: [HistoryService.Point]? = nil
    ) throws -> [HistoryService.Point]? {
        func read(_ bucket: HistoryService.Bucket) throws -> [HistoryService.Point]? {
            try history.points(grant, of: kind, by: bucket, from: span.from, to: span.to, withDerived: true)
        }
        switch self {
        case .minute: return try read(.minute)
        case .tenMinutes: return try read(.minute)?.merged { $0 / 600_000 * 600_000 }
        case .hour: return try hours ?? read(.hour)
        case .day, .month: break
        }
        let zone = span.zone
        let days = try (hours ?? read(.hour))?.days { Milliseconds(zone.secondsFromGMT(for: Date(milliseconds: $0))) * 1000 }
        guard self == .month else { return days }
        let calendar = HealthSpan.calendar(zone)
        var month = 0..<0 as Range<Milliseconds>
        return days?.merged { day in
            // A calendar takes its time.
            if !month.contains(day) { month = calendar.interval(.month, around: day) }
            return month.lowerBound
        }
    }

    private func end(of begin: Milliseconds, _ calendar: Calendar) -> Milliseconds {
        switch self {
        case .minute: begin + 60_000
        case .tenMinutes: begin + 600_000
        case .hour: begin + 3_600_000
        case .day: calendar.interval(.day, around: begin).upperBound
        case .month: calendar.interval(.month, around: begin).upperBound
        }
    }
}

extension DataKind {
    /// The kinds that have a plot, in the order of the table. Where somebody was is shown on maps.
    static let plotted = allCases.filter { kind in
        kind.entry.uses.contains(.shown) && RollupRule(kind).map { $0.measure != .presence } == true
    }
}
