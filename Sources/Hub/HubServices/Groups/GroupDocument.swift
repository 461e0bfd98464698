public import Accounts
import Foundation
public import Groups
public import HubStore
public import Vitals

/// A request about a group and its answers, in the one shape that programs, downloads and webhooks get (GRP-7, CONS-12): statistics per window, and
/// nothing about anybody (GRP-3). A refusal has the same members as an answer, and nothing in them.
///
/// | member of a result | |
/// | --- | --- |
/// | `kind`, `unit` | unit: UCUM |
/// | `status` | `released`, `refused` |
/// | `count`, `mean`, `median` | `value`, and the interval `low` to `high` that holds the truth 95 times in 100 |
/// | `percentiles` | the same with `percent` |
/// | `histogram` | people in each class of values: `from` (null in the first class) to `below` (null in the last) |
/// | `shares` | the share of the people at or above a value, `from`, 0 to 1 |
/// | `missing` | parts of the group of which nothing was released: they are not in the figures |
public struct GroupDocument: Sendable {
    private let stored: StoredGroupRequest
    private let list: RegionList

    public static let percents = [5, 25, 75, 95]
    /// Parts of a group that are named, at most; `missing_more` says that there are others.
    static let missingMax = 100

    public init(_ stored: StoredGroupRequest, list: RegionList) { (self.stored, self.list) = (stored, list) }

    // MARK: JSON

    /// The request with its windows, the newest first.
    /// - Parameter windows: nil leaves them out, as lists do.
    public func json(_ windows: [GroupDelivery]?, now: Milliseconds) throws -> [UInt8] {
        try Self.encoded(Request(stored, list, windows?.map { Window($0, list) }, now: now))
    }

    /// Several requests without their windows.
    public static func json(_ all: [StoredGroupRequest], list: RegionList, now: Milliseconds) throws -> [UInt8] {
        try encoded(all.map { Request($0, list, nil, now: now) })
    }

    /// The question that a draft became.
    public static func json(_ ask: GroupAsk, list: RegionList) throws -> [UInt8] { try encoded(Question(ask, list)) }

    /// The payload of one window for webhooks.
    func posted(_ delivery: GroupDelivery) throws -> [UInt8] {
        try Self.encoded(Post(request: stored.id.description, window: Window(delivery, list)))
    }

    private static func encoded(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    // MARK: CSV

    static let header = "from_utc,to_utc,kind,unit,status,figure,at,value,low,high"

    /// One line for each figure, the oldest window first (RFC 4180). A refusal is one line without a figure. No field can be taken for a formula: all
    /// are numbers and words from fixed lists.
    public func csv(_ windows: [GroupDelivery]) -> [UInt8] {
        var lines = [Self.header]
        for delivery in windows.sorted(by: { $0.window < $1.window }) {
            let span = "\(DocumentTime.text(delivery.window.start)),\(DocumentTime.text(delivery.window.end))"
            for result in delivery.results {
                let row = Result(result, list), head = "\(span),\(row.kind),\(row.unit),\(row.status)"
                let figures = row.figures
                if figures.isEmpty { lines.append("\(head),,,,,") }
                lines += figures.map { figure in
                    let estimate = figure.estimate, numbers = [estimate.value, estimate.low, estimate.high].map(Self.text)
                    return ([head, figure.name, figure.at] + numbers).joined(separator: ",")
                }
            }
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    static func text(_ value: Double) -> String { value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)" }
}

/// Times in documents and in the API: RFC 3339, UTC, with milliseconds.
public enum DocumentTime {
    public static func text(_ time: Milliseconds) -> String {
        Date(timeIntervalSince1970: Double(time) / 1000).formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }
}

extension GroupDocument {
    struct Post: Encodable {
        let type = "group"
        let request: String
        let window: Window

        enum CodingKeys: CodingKey { case type, request, window }
    }

    struct Request: Encodable {
        let id: String, created: String, purpose: String, state: String
        /// Of a subscription; null for one answer.
        let days: Double?
        let since: String?, until: String?, ended: String?
        let past: Int
        let mails: Bool
        let question: Question
        let windows: [Window]?

        init(_ stored: StoredGroupRequest, _ list: RegionList, _ windows: [Window]?, now: Milliseconds) {
            let request = stored.request
            (id, purpose, past, mails) = (stored.id.description, request.purpose, request.past, request.mails)
            created = DocumentTime.text(request.created)
            if case .lasting(let time) = request.term { days = Double(time) / 86_400_000 } else { days = nil }
            switch stored.state(at: now) {
            case .awaitingOperator: (state, since, until, ended) = ("awaiting-operator", nil, nil, nil)
            case .active(let from, let to):
                (state, since, until, ended) = ("active", DocumentTime.text(from), to.map(DocumentTime.text), nil)
            case .over(let ending, let at): (state, since, until, ended) = (ending.word, nil, nil, DocumentTime.text(at))
            }
            (question, self.windows) = (Question(request.ask, list), windows)
        }
    }

    struct Question: Encodable {
        struct Ages: Encodable {
            let from: Int
            let through: Int?
        }

        struct Place: Encodable {
            let code: String, name: String
        }

        struct Range: Encodable {
            let kind: String, unit: String
            let from: Double?, below: Double?
        }

        let kinds: [String]
        let sexes: [String]?
        let ages: [Ages]?
        let regions: [Place]?
        let ranges: [Range]
        let secondDoor: Bool

        enum CodingKeys: String, CodingKey {
            case kinds, sexes, ages, regions, ranges
            case secondDoor = "second_door"
        }

        init(_ ask: GroupAsk, _ list: RegionList) {
            kinds = ask.kinds.map(\.name)
            sexes = ask.sexes?.map(\.word)
            ages = ask.bands.map { AgeBand.spans($0).map { Ages(from: $0.from, through: $0.through) } }
            regions = ask.regions?.map { code in
                var names: [String] = []
                for name in list.path(of: code).map(\.name) where names.last != name { names.append(name) }
                return Place(code: code.text, name: names.joined(separator: ", "))
            }
            ranges = ask.ranges.map { range in
                let limits = range.limits
                return Range(kind: range.kind.name, unit: GroupBins(range.kind)?.unit ?? "", from: limits.from, below: limits.below)
            }
            secondDoor = ask.needsDoor
        }
    }

    struct Window: Encodable {
        let from: String, to: String, delivered: String
        let results: [Result]

        init(_ delivery: GroupDelivery, _ list: RegionList) {
            (from, to) = (DocumentTime.text(delivery.window.start), DocumentTime.text(delivery.window.end))
            delivered = DocumentTime.text(delivery.at)
            results = delivery.results.map { Result($0, list) }
        }
    }

    struct Figure: Encodable {
        let value: Double, low: Double, high: Double

        init(_ estimate: Estimate) {
            // The noise is far above a thousandth of any unit.
            func rounded(_ value: Double) -> Double { (value * 10_000).rounded() / 10_000 }
            (value, low, high) = (rounded(estimate.value), rounded(estimate.low), rounded(estimate.high))
        }
    }

    struct Percentile: Encodable {
        let percent: Int
        let value: Double, low: Double, high: Double
    }

    struct Class: Encodable {
        let number: Int
        let from: Double?, below: Double?
        let count: Double, low: Double, high: Double
    }

    struct Share: Encodable {
        let from: Double
        let share: Double, low: Double, high: Double
    }

    struct Missing: Encodable {
        let sex: String
        let from: Int
        let through: Int?
        let region: String
    }
}
