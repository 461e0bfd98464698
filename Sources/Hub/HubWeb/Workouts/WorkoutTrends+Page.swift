import Foundation
import HubServices
import Vitals
import Workouts

/// Trends and records as their page shows them.
struct WorkoutTrendsModel {
    let trends: TrendsByPeriod
    let kind: WorkoutKind
    /// Since 1970 by the reader's clock.
    let today: Int64
    let base: String
    let words: WorkoutWords

    /// Weeks or months that are shown.
    private static let count: Int64 = 12

    private var texts: Texts { words.texts }

    var page: WorkoutTrendsPage {
        let last = trends.period.number(ofDay: today), sums = trends.sums(of: kind)
        let numbers = Array(last - Self.count + 1...last), distances = numbers.map { sums[$0]?.metres ?? 0 }
        let hasDistance = distances.contains { $0 > 0 }
        let times = numbers.map { Double(sums[$0]?.moving ?? 0) }
        let label = texts["workouts.\(hasDistance ? "barsOfDistance" : "barsOfTime")"]
        let records = records
        return WorkoutTrendsPage(
            periods: TrendPeriod.allCases.map { period in
                Choice(
                    href: address(period, kind), text: texts["workouts.by_\(period.rawValue)"], isHere: period == trends.period)
            },
            kinds: WorkoutKind.allCases.map { one in
                Choice(href: address(trends.period, one), text: words.kind(one), isHere: one == kind)
            }, svg: WorkoutDrawing.bars(hasDistance ? distances : times, label: label), about: label,
            change: change(in: last), rows: numbers.reversed().map { row($0, sums[$0]) }, hasRecords: !records.isEmpty, records: records,
            back: base)
    }

    private func address(_ period: TrendPeriod, _ kind: WorkoutKind) -> String { "\(base)/trends?by=\(period.rawValue)&kind=\(kind)" }

    /// Nothing is compared before a period is over but what it has so far.
    private func change(in number: Int64) -> String? {
        trends.change(of: kind, in: number - 1).map { change in
            let percent = Int((min(abs(change), 99) * 100).rounded())
            return texts.filled(
                "workouts.change_\(trends.period.rawValue)\(change < 0 ? "Less" : "More")", ["n": texts.number(percent)])
        }
    }

    private func row(_ number: Int64, _ sums: TrendsByPeriod.Sums?) -> WorkoutTrendsPage.Row {
        let sums = sums ?? .init()
        return .init(
            begin: words.day(trends.period.firstDay(of: number)), workouts: texts.number(sums.workouts),
            distance: sums.metres > 0 ? words.distance(sums.metres) : "–", time: sums.moving > 0 ? words.clock(sums.moving) : "–",
            pace: words.pace(sums.pace), up: sums.up > 0 ? words.height(sums.up) : "–")
    }

    private var records: [WorkoutTrendsPage.Record] {
        guard let found = trends.records[kind] else { return [] }
        let efforts = BestEffort.distances.map { TrendsByPeriod.Record.effort(metres: Int($0)) }
        return ([.distance, .moving, .up] + efforts).compactMap { record in
            found[record].map { best in
                switch record {
                case .distance: .init(name: texts["workouts.record_distance"], value: words.distance(best.value), day: words.day(best.day))
                case .moving:
                    .init(name: texts["workouts.record_moving"], value: words.clock(Milliseconds(best.value)), day: words.day(best.day))
                case .up: .init(name: texts["workouts.record_up"], value: words.height(best.value), day: words.day(best.day))
                case .effort(let metres):
                    .init(
                        name: texts.filled("workouts.record_effort", ["distance": words.effort(metres)]),
                        value: words.clock(Milliseconds(best.value)), day: words.day(best.day))
                }
            }
        }
    }
}

struct WorkoutTrendsPage: FramedPage {
    static let template = "workoutsTrends"

    struct Row: TemplateModel {
        let begin: String, workouts: String, distance: String, time: String, pace: String, up: String
    }

    struct Record: TemplateModel {
        let name: String, value: String, day: String
    }

    let periods: [Choice], kinds: [Choice]
    /// Markup of ``WorkoutDrawing``.
    let svg: String
    /// What a bar is.
    let about: String
    var change: String?
    let rows: [Row]
    let hasRecords: Bool
    let records: [Record]
    let back: String
}
