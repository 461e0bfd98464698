import Foundation
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals
import Workouts

/// Two workouts beside each other (DATA-17).
struct WorkoutCompareModel {
    let one: WorkoutRecords.Detail, other: WorkoutRecords.Detail
    let base: String
    let words: WorkoutWords

    private var texts: Texts { words.texts }

    /// Steps of the longer one's curves.
    private static let steps = 300

    var page: WorkoutComparePage {
        let plots = plots
        return WorkoutComparePage(
            one: link(one), other: link(other), oneName: name(one), otherName: name(other), rows: rows, hasPlots: !plots.isEmpty,
            plots: plots, back: base)
    }

    private func name(_ detail: WorkoutRecords.Detail) -> String {
        "\(words.title(detail.record, detail.content)), \(words.began(detail.record.span.lowerBound))"
    }

    private func link(_ detail: WorkoutRecords.Detail) -> Link { Link(href: "\(base)/\(detail.record.id)", text: name(detail)) }

    // MARK: Figures

    private var rows: [WorkoutComparePage.Row] {
        let (one, other) = (one.statistics, other.statistics)
        func row(_ label: String, _ values: (Double?, Double?), _ text: (Double) -> String) -> WorkoutComparePage.Row? {
            guard values.0 != nil || values.1 != nil else { return nil }
            var change = "–"
            if let first = values.0, let second = values.1 { change = (second < first ? "−" : "+") + text(abs(second - first)) }
            return .init(label: label, one: values.0.map(text) ?? "–", other: values.1.map(text) ?? "–", change: change)
        }
        func fact(_ name: String) -> String { texts["workouts.fact_\(name)"] }
        func clock(_ milliseconds: Double) -> String { words.clock(Milliseconds(milliseconds)) }
        func pace(_ seconds: Double) -> String { "\(WorkoutModel.clock(Milliseconds(seconds.rounded()))) /km" }
        func known(_ metres: Double) -> Double? { metres >= 10 ? metres : nil }
        func moving(_ figures: WorkoutStatistics) -> Double? { known(figures.metres).map { _ in Double(figures.moving) } }
        let figures = [
            row(fact("distance"), (known(one.metres), known(other.metres)), words.distance),
            row(fact("moving"), (moving(one), moving(other)), clock),
            row(fact("time"), (Double(one.duration), Double(other.duration)), clock),
            row(fact("pace"), (one.pace, other.pace), pace),
            row(fact("heartMean"), (one.heart?.average, other.heart?.average), words.rate),
            row(fact("heartMax"), (one.heart.map { Double($0.max) }, other.heart.map { Double($0.max) }), words.rate),
            row(fact("up"), (one.up, other.up), words.height),
        ]
        let efforts = BestEffort.distances.map { distance in
            func duration(_ statistics: WorkoutStatistics) -> Double? {
                statistics.efforts.first { $0.distance == distance }.map { Double($0.duration) }
            }
            let label = texts.filled("workouts.record_effort", ["distance": words.effort(Int(distance))])
            return row(label, (duration(one), duration(other)), clock)
        }
        return (figures + efforts).compactMap(\.self)
    }

    // MARK: Curves

    /// Along the distance, both from their beginning; along the time where one has no way.
    private var plots: [WorkoutComparePage.Plot] {
        guard let first = one.line, let second = other.line else { return [] }
        let isAlongWay = first.metres >= 10 && second.metres >= 10, axis: WorkoutCurves.Axis = isAlongWay ? .distance : .time
        func length(_ line: WorkoutLine) -> Double {
            isAlongWay ? line.metres : Double(max(1, line.span.upperBound - line.span.lowerBound))
        }
        let longest = max(length(first), length(second))
        let lines = [first, second].map { line in
            WorkoutCurves(line, by: axis, count: max(2, Int((Double(Self.steps) * length(line) / longest).rounded()))).steps
        }
        let count = lines.map(\.count).max() ?? 0
        func plot(
            _ name: String, _ value: (WorkoutCurves.Step) -> Double?, isFlipped: Bool = false, _ text: (Double) -> String
        ) -> WorkoutComparePage.Plot? {
            let values = lines.map { steps in steps.map(value) + Array(repeating: nil, count: count - steps.count) }
            guard values.allSatisfy({ $0.compactMap(\.self).count > 1 }),
                let scale = WorkoutDrawing.Scale(values.joined().compactMap(\.self), isFlipped: isFlipped, least: 20)
            else { return nil }
            let title = texts["workouts.curve_\(name)"], marks = (text(scale.bottom), text(scale.top))
            return .init(
                title: "\(title) · \(texts["workouts.axis_\(axis.rawValue)"])",
                svg: WorkoutDrawing.curves(
                    [("first", values[0]), ("second", values[1])], scale, label: "\(title): \(marks.0) – \(marks.1)", marks: marks))
        }
        return [
            plot("heartRate", \.heartRate) { words.rate($0) }, plot("pace", \.pace, isFlipped: true) { words.pace($0) },
            plot("elevation", \.elevation) { "\(Int($0.rounded())) m" },
        ].compactMap(\.self)
    }
}

extension WorkoutRecordModel {
    /// What a workout can be compared with.
    struct Others {
        /// The newest first.
        let records: [StoredWorkoutRecord]
        /// There are workouts that are not listed, and may be of the same kind.
        let isCut: Bool

        /// - Parameter newest: one more than are looked at, where there are so many.
        init(_ newest: [StoredWorkoutRecord], beside id: WorkoutRecordID, of kind: WorkoutKind?) {
            let alike = newest.prefix(WorkoutRecordPages.newestMax).filter { $0.id != id && $0.content?.kind == kind }
            records = Array(alike.prefix(WorkoutRecordPages.othersMax))
            isCut = newest.count > WorkoutRecordPages.newestMax || alike.count > records.count
        }

        /// What is not listed; nil for nothing.
        func note(_ texts: Texts) -> String? {
            guard isCut else { return nil }
            let values = [
                "shown": texts.number(WorkoutRecordPages.othersMax), "newest": texts.number(WorkoutRecordPages.newestMax),
            ]
            return texts.filled(records.isEmpty ? "workouts.compareNone" : "workouts.compareNewest", values)
        }
    }
}

extension WorkoutRecordPages {
    /// Workouts of the same kind that one is compared with, at most; and among so many of the newest.
    static let othersMax = 20, newestMax = 40

    func compare(_ request: Request, _ context: HubContext) async throws -> Response {
        let place = try place(request, context), records = records, sent = request.uri.queryParameters
        guard let one = sent["one"].flatMap({ WorkoutRecordID(String($0)) }),
            let other = sent["other"].flatMap({ WorkoutRecordID(String($0)) })
        else { throw HTTPError(.notFound) }
        let found = try await reads.run(for: place.subject.session.account.id) {
            let wearer = try self.wearer(place)
            return try [one, other].compactMap { try records.detail(place.grant, $0, wearer) }
        }
        guard found.count == 2 else { throw HTTPError(.notFound) }
        let model = WorkoutCompareModel(one: found[0], other: found[1], base: place.base, words: place.words)
        return templates.page(model.page, place.frame, title: title(place, "compared"), help: "workouts")
    }
}

struct WorkoutComparePage: FramedPage {
    static let template = "workoutCompare"

    struct Row: TemplateModel {
        let label: String, one: String, other: String
        /// How the other differs.
        let change: String
    }

    struct Plot: TemplateModel {
        /// Markup of ``WorkoutDrawing``.
        let title: String, svg: String
    }

    let one: Link, other: Link
    /// For the heads of the columns.
    let oneName: String, otherName: String
    let rows: [Row]
    let hasPlots: Bool
    let plots: [Plot]
    let back: String
}
