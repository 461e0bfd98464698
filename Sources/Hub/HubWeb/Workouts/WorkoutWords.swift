import Accounts
import Foundation
import HubServices
import HubStore
import Runs
import Vitals
import Workouts

/// What the address of a page of a workout asks for.
struct WorkoutLook: Sendable {
    enum Unit: String, Sendable, CaseIterable {
        case kilometres = "km"
        case miles = "mi"

        /// Metres.
        var length: Double { self == .miles ? WorkoutStatistics.mile : 1000 }

        init(_ measures: Measures) { self = measures.hasMiles ? .miles : .kilometres }
    }

    var unit = Unit.kilometres
    var colour = TrackColours.Measure.heartRate
    var axis = WorkoutCurves.Axis.time

    var query: String { "?colour=\(colour.rawValue)&axis=\(axis.rawValue)&unit=\(unit.rawValue)" }
}

/// Workouts in words.
struct WorkoutWords: Sendable {
    let texts: Texts
    let zone: TimeZone
    let unit: WorkoutLook.Unit

    /// - Parameter unit: what somebody chose on a page; the reader's own with nil.
    init(texts: Texts, zone: TimeZone, unit: WorkoutLook.Unit? = nil) {
        (self.texts, self.zone, self.unit) = (texts, zone, unit ?? WorkoutLook.Unit(texts.measures))
    }

    func distance(_ metres: Double) -> String {
        unit == .kilometres ? texts.kilometres(metres) : "\(texts.decimal((metres / unit.length * 100).rounded() / 100, 2)) mi"
    }

    /// - Parameter pace: seconds a kilometre.
    func pace(_ pace: Double?) -> String {
        guard let pace, pace.isFinite, pace > 0, pace < 86_400 else { return "–" }
        return "\(WorkoutModel.clock(Milliseconds((pace * unit.length / 1000).rounded()))) /\(unit.rawValue)"
    }

    func clock(_ milliseconds: Milliseconds) -> String { WorkoutModel.clock((milliseconds + 500) / 1000) }

    func rate(_ rate: Double) -> String { "\(Int(rate.rounded())) \(texts["live.bpm"])" }

    /// Metres up or down; feet beside miles.
    func height(_ metres: Double) -> String {
        let shown = unit == .miles ? abs(metres) / 0.3048 : abs(metres)
        return "\(texts.number(Int(shown.rounded()))) \(unit == .miles ? "ft" : "m")"
    }

    func began(_ time: Milliseconds) -> String { texts.instant(time, in: zone.identifier) }

    func kind(_ kind: WorkoutKind) -> String { texts["workouts.kind_\(kind)"] }

    func title(_ record: StoredWorkoutRecord, _ content: WorkoutRecordContent) -> String {
        if let title = content.edit?.title, !title.isEmpty { return title }
        return kind(content.kind)
    }

    /// Days since 1970 as a date.
    func day(_ day: Int64) -> String { texts.day(CalendarDate(utc: day * 86_400_000)) }

    /// In the list; nil for one that was deleted.
    func entry(_ record: StoredWorkoutRecord, _ base: String) -> WorkoutRecordsPage.Entry? {
        guard let content = record.content else { return nil }
        let figures = content.statistics
        var parts: [String] = []
        if figures.metres >= 10 { parts.append(distance(figures.metres)) }
        parts.append(clock(figures.metres >= 10 ? figures.moving : figures.duration))
        if figures.pace != nil { parts.append(pace(figures.pace)) }
        if let heart = figures.heart { parts.append(rate(heart.average)) }
        return .init(
            href: "\(base)/\(record.id)", title: title(record, content), kind: kind(content.kind), when: began(record.span.lowerBound),
            text: parts.joined(separator: " · "), svg: content.sketch.isEmpty ? nil : WorkoutDrawing.sketch(content.sketch))
    }
}

/// The list.
struct WorkoutRecordsPage: FramedPage {
    static let template = "workouts"

    struct Entry: TemplateModel {
        let href: String, title: String, kind: String, when: String, text: String
        /// Markup of ``WorkoutDrawing``.
        var svg: String?
    }

    /// The child's name.
    var child: String?
    let hasNone: Bool
    let workouts: [Entry]
    /// Samples that are being looked through: the page shows itself again.
    struct Looking: TemplateModel {
        let again: String, text: String
    }

    var looking: Looking?
    /// That no more workouts are added.
    var full: String?
    /// Where older ones are.
    var more: String?
    let trends: String, map: String, live: String
}
