import Accounts
import Foundation
import HTTPTypes
import History
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// What the address of a page of health asks for.
struct HealthQuery: Sendable {
    /// What cannot be taken as it was written, at its field.
    enum Problem: String, Sendable {
        case days = "from"
        case maximum
    }

    /// nil for whichever there is.
    let kind: DataKind?
    let span: HealthSpan
    /// The maximal heart rate as it was written.
    let maximum: String
    /// The first and the last day as they were written, where they are no span.
    let days: (first: String, last: String)?
    let problem: Problem?

    /// - Throws: `HTTPError` for what no link and no form of the page has in it.
    init(_ request: Request, now: Milliseconds, in zone: TimeZone) throws {
        let sent = request.uri.queryParameters
        func text(_ name: Substring) -> String { sent[name].map { $0.trimmingCharacters(in: .whitespaces) } ?? "" }
        kind = try Self.kind(text("kind"))
        maximum = text("maximum")
        let isWrong = !maximum.isEmpty && Self.zones(maximum) == nil
        let today = HealthSpan.day(now, zone), (first, last) = (text("from"), text("to"))
        guard first.isEmpty, last.isEmpty else {
            let end = last.isEmpty ? today : CalendarDate(last)
            let found = CalendarDate(first).flatMap { begin in end.flatMap { HealthSpan(from: begin, to: $0, in: zone) } }
            span = found?.named ?? HealthSpan(.day, around: now, in: zone)
            days = found == nil ? (first, last) : nil
            problem = found == nil ? .days : isWrong ? .maximum : nil
            return
        }
        if text("span") == HealthSpan.Length.hours.rawValue {
            let drawn = Milliseconds(text("begin")).flatMap { begin in
                Milliseconds(text("end")).flatMap { HealthSpan(begin: begin, end: $0, in: zone) }
            }
            guard let drawn else { throw HTTPError(.badRequest) }
            (span, days, problem) = (drawn, nil, isWrong ? .maximum : nil)
            return
        }
        let length: HealthSpan.Length? = text("span").isEmpty ? .day : HealthSpan.Length(rawValue: text("span"))
        let day = text("day").isEmpty ? today : CalendarDate(text("day"))
        guard let length, length != .any, let noon = day.flatMap(HealthSpan.calendar(zone).noon) else { throw HTTPError(.badRequest) }
        span = HealthSpan(length, around: noon, in: zone)
        days = nil
        problem = isWrong ? .maximum : nil
    }

    /// The kind that an address names, if it is one.
    static func named(_ request: Request) -> DataKind? { request.uri.queryParameters["kind"].flatMap { DataKind(name: String($0)) } }

    private static func kind(_ name: String) throws -> DataKind? {
        guard !name.isEmpty else { return nil }
        guard let kind = DataKind(name: name), DataKind.plotted.contains(kind) else { throw HTTPError(.notFound) }
        return kind
    }

    private static func zones(_ maximum: String) -> HeartRateZones? { Int(maximum).flatMap { HeartRateZones(maximum: $0) } }

    /// The zones of the maximum that was written, else of the age at the end of the span; nil where neither is known.
    /// - Parameter account: nil where the age is not the reader's to know.
    func zones(of account: StoredAccount?) -> HealthReading.Zones? {
        if let zones = Self.zones(maximum) { return .init(zones: zones, age: nil) }
        let day = span.lastDay
        guard let account, let born = CalendarDate(account[.dateOfBirth]),
            let birth = try? DateOfBirth("\(born)", today: max(born, day))
        else { return nil }
        let age = birth.age(on: day)
        return HeartRateZones(age: age).map { .init(zones: $0, age: age) }
    }
}

/// What a page of health shows, read in one go.
struct HealthReading: Sendable {
    struct Zones: Sendable {
        let zones: HeartRateZones
        /// By which they are; nil for a maximum of one's own.
        let age: Int?
    }

    let latest: HistoryService.Latest
    /// Of the last seven full days.
    let means: HistoryService.DailyMeans
    let body: HealthBody
    /// What is usual among people like the person; nothing where their sex, age and place are not the reader's to know.
    let peers: [DataKind: GroupComparison]
    /// What AutomatedSOS says of the person; nil where that is not the reader's to know.
    let protection: SOSView?
    /// Of the days that are shown, up to a week.
    let derived: [HistoryService.DerivedDay]
    let kind: DataKind
    let span: HealthSpan
    let bucket: HealthBucket
    let points: [HealthPoint]
    let statistics: Statistics?
    let zones: Zones?
    let heart: HistoryService.HeartSummary?
    /// The units of ``points``; everything else is in those of the table of kinds.
    let measures: Measures

    /// What is asked beside the address.
    struct Asked: Sendable {
        let source: HealthSource
        let zones: Zones?
        let protection: SOSView?
        var peers: [DataKind: GroupComparison] = [:]
        let measures: Measures
        /// UTC milliseconds.
        let now: Milliseconds
    }

    /// - Returns: nil when the grant does not hold (any more), and for a kind that it does not name.
    init?(_ query: HealthQuery, _ history: HistoryService, _ asked: Asked) throws {
        let grant = asked.source.grant
        guard let latest = try history.latest(grant) else { return nil }
        let zone = query.span.zone, today = HealthSpan(.day, around: asked.now, in: zone)
        let week = (today.shifted(-7)?.from ?? today.from)..<today.from
        let means =
            try history.isOpen
            ? history.dailyMeans(grant, in: week) { Milliseconds(zone.secondsFromGMT(for: Date(milliseconds: $0))) * 1000 } : .nothing
        guard let means else { return nil }
        let body = HealthBody(asked.source.account, on: HealthSpan.day(asked.now, zone), latest.scalars), zones = asked.zones
        guard let kind = query.kind ?? Self.preferred(latest, asked.source), grant.kinds.contains(kind), let rule = RollupRule(kind) else {
            return nil
        }
        var span = query.span
        var hours: [HistoryService.Point]?
        if span.length == .all {
            hours = try history.points(grant, of: kind, by: .hour, from: span.from, to: span.to, withDerived: true)
            span = span.beginning(with: hours?.first?.time ?? span.to - 1)
        }
        let bucket = HealthBucket(rule.measure, span)
        guard let read = try bucket.read(history, grant, of: kind, in: span, hours: hours) else { return nil }
        let points = bucket.points(read, of: kind, in: span)
        let derived = try history.derived(
            grant, on: span.each(until: asked.now), body: body.energy, maximum: zones?.zones.maximum)
        guard let derived else { return nil }
        (self.latest, self.kind, self.span, self.bucket, self.zones) = (latest, kind, span, bucket, zones)
        (self.means, self.body, protection, self.derived) = (means, body, asked.protection, derived)
        (measures, peers) = (asked.measures, asked.peers)
        self.points = measures.unit(of: kind).map { unit in points.map { $0.shown(in: unit) } } ?? points
        statistics = try history.statistics(grant, of: kind, from: span.from, to: span.to, points: read)
        heart =
            try kind.column == .heartRate
            ? history.heartSummary(grant, zones: zones?.zones, from: span.from, to: span.to) : nil
    }

    /// The heart rate where it was granted and there is one, else the first kind with a value.
    private static func preferred(_ latest: HistoryService.Latest, _ source: HealthSource) -> DataKind? {
        let granted = source.kinds.filter(source.grant.kinds.contains)
        if latest.heartRate != nil, granted.contains(.heartRate) { return .heartRate }
        return latest.scalars.map(\.sample.kind).first(where: granted.contains) ?? granted.first { $0 == .heartRate } ?? granted.first
    }
}
