import Accounts
import Foundation
import History
import HubServices
import Vitals

/// Health in words.
struct HealthWords: Sendable {
    let texts: Texts

    private var measures: Measures { texts.measures }

    /// The days of a span: `23 November 2026`, `November 2026`.
    func days(_ span: HealthSpan) -> String {
        let first = span.firstDay, last = span.lastDay
        switch span.length {
        case .all: return texts["health.span_all"]
        case .month: return "\(month(first)) \(first.year)"
        case .year: return "\(first.year)"
        case .hours:
            let from = clock(span.from, span.zone), to = clock(span.to, span.zone)
            if first == last { return texts.filled("health.hours", ["day": texts.day(first), "from": from, "to": to]) }
            return texts.filled("health.days", ["from": "\(texts.day(first)), \(from)", "to": "\(texts.day(last)), \(to)"])
        case .day, .week, .any:
            return first == last ? texts.day(first) : texts.filled("health.days", ["from": texts.day(first), "to": texts.day(last)])
        }
    }

    private func month(_ date: CalendarDate) -> String {
        let months = texts["date.months"].split(separator: " ")
        return months.indices.contains(date.month - 1) ? String(months[date.month - 1]) : "\(date.month)"
    }

    /// The first three letters of a month.
    private func shortMonth(_ date: CalendarDate) -> String { String(month(date).prefix(3)) }

    /// When a point of a plot begins.
    func time(_ begin: Milliseconds, _ bucket: HealthBucket, in span: HealthSpan) -> String {
        let date = HealthSpan.day(begin, span.zone)
        switch bucket {
        case .minute, .tenMinutes, .hour:
            let clock = clock(begin, span.zone)
            return span.days == 1 ? clock : "\(date.day) \(shortMonth(date)), \(clock)"
        case .day: return texts.day(date)
        case .month: return "\(month(date)) \(date.year)"
        }
    }

    private func clock(_ time: Milliseconds, _ zone: TimeZone, isShort: Bool = false) -> String {
        let parts = HealthSpan.calendar(zone).dateComponents([.hour, .minute], from: Date(milliseconds: time))
        return measures.clock(hour: parts.hour ?? 0, minute: parts.minute ?? 0, isShort: isShort)
    }

    /// The marks of the time axis: so few that they stand beside each other on a phone.
    func marks(_ span: HealthSpan) -> [HealthDrawing.Mark] {
        let calendar = HealthSpan.calendar(span.zone)
        let minutes = Int(span.to - span.from) / 60_000
        let (unit, step): (Calendar.Component, Int) =
            switch span.days {
            case _ where span.length == .hours: (.minute, Self.steps.first { minutes / $0 <= 4 } ?? 720)
            case ...1: (.hour, 6)
            case 2: (.hour, 12)
            case 3...8: (.day, 1)
            case 9...14: (.day, 2)
            case 15...35: (.day, 7)
            case 36...70: (.day, 14)
            case 71...200: (.month, 1)
            case 201...400: (.month, 3)
            case 401...800: (.month, 6)
            default: (.year, 1 + span.days / 1830)
            }
        var marks: [HealthDrawing.Mark] = [], time = first(unit, step, span, calendar)
        while time < span.to, marks.count < 10 {
            marks.append(.init(time: time, text: mark(time, unit, span)))
            guard let next = calendar.date(byAdding: unit, value: step, to: Date(milliseconds: time)) else { break }
            time = next.milliseconds
        }
        return marks
    }

    /// Minutes between marks of hours.
    private static let steps = [5, 10, 15, 30, 60, 120, 180, 360]

    /// Where months and years begin that lie within the span; hours and days are counted from its beginning.
    private func first(_ unit: Calendar.Component, _ step: Int, _ span: HealthSpan, _ calendar: Calendar) -> Milliseconds {
        if unit == .minute {
            // Full steps of the reader's clock, counted from midnight.
            let midnight = calendar.interval(.day, around: span.from).lowerBound, length = Milliseconds(step) * 60_000
            return midnight + (span.from - midnight + length - 1) / length * length
        }
        guard unit == .month || unit == .year else { return span.from }
        let around = calendar.interval(unit, around: span.from)
        return around.lowerBound == span.from ? span.from : around.upperBound
    }

    private func mark(_ time: Milliseconds, _ unit: Calendar.Component, _ span: HealthSpan) -> String {
        let date = HealthSpan.day(time, span.zone)
        switch unit {
        case .hour, .minute: return clock(time, span.zone, isShort: true)
        case .day: return span.days <= 14 ? "\(date.day)" : "\(date.day) \(shortMonth(date))"
        case .month: return span.days > 400 ? "\(shortMonth(date)) \(date.year)" : shortMonth(date)
        default: return "\(date.year)"
        }
    }

    // MARK: Values

    /// A kind's unit as a plot names it; empty for states.
    func unit(of kind: DataKind) -> String {
        if let own = measures.unit(of: kind) { return own.name }
        let name = kind.entry.unit
        return kind == .heartRate ? texts["live.bpm"] : name.isEmpty ? "" : texts.unit(name)
    }

    /// A value that was measured, or a state with how long it lasted.
    func amount(_ sample: ScalarSample) -> String {
        let amount = texts.amount(sample)
        guard !sample.kind.entry.codes.isEmpty, let end = sample.end else { return amount }
        // It stays on one line.
        return "\(amount), \(duration(minutes: Int((end - sample.time) / 60_000)).replacing(" ", with: "\u{A0}"))"
    }

    /// A value in its unit.
    func measured(_ value: Double, _ digits: Int, _ unit: String) -> String { "\(texts.decimal(value, digits)) \(unit)" }

    /// Digits behind the mark with which a kind's values are read.
    func decimals(of kind: DataKind) -> Int { measures.unit(of: kind)?.decimals ?? kind.entry.decimals }

    /// `1 h 25 min`
    func duration(minutes: Int) -> String {
        let rest = texts.filled("live.ageMinutes", ["n": texts.number(minutes % 60)])
        return minutes < 60 ? rest : "\(texts.filled("live.ageHours", ["n": texts.number(minutes / 60)])) \(rest)"
    }

    /// What a plot of a kind shows, where that is one part of its values.
    func plotted(_ kind: DataKind) -> String {
        let name = texts["field.kind\(kind.rawValue)"]
        guard kind.entry.second?.isRequired == true, let part = texts.find("entry.\(kind.name)") else { return name }
        return "\(name) – \(part)"
    }
}
