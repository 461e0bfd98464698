import Accounts
import Foundation
import HubServices
import HubStore
import Hummingbird
import Privacy
import Runs
import Vitals
import Workouts

/// Where somebody has been (DATA-7): the ways of their workouts on one map, for themselves, for a parent, and for whoever was granted their
/// positions by name.
struct TracksPages: Sendable {
    static let ofFollowed = "/following/:id/tracks"

    let workouts: WorkoutRecordPages
    let consents: ConsentService

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [WorkoutRecordPages.own, WorkoutRecordPages.ofWard] {
            router.get("\(base)/map") { request, context in
                let place = try workouts.place(request, context), subject = place.subject
                let reader = Reader(
                    account: subject.session.account.id, grant: place.grant, name: subject.isOwn ? nil : subject.account.name,
                    path: "\(place.base)/map", workouts: place.base, back: place.base)
                return try await page(place.frame, reader, request)
            }
        }
        router.get("\(Self.ofFollowed)") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            guard Navigation.mayFollow(account), let id = ConsentID(try context.parameters.require("id")),
                let followed = try consents.followed(id, by: account)
            else { throw PageRefusal.notAllowed }
            // Where the person is at home is nobody's business: friends see nothing of it either.
            let reader = Reader(
                account: account.id, grant: followed.grant, name: followed.name, path: "/following/\(id)/tracks", workouts: nil,
                back: "/following/\(id)", homes: try workouts.records.homes(of: followed.grant.person))
            return try await page(frame, reader, request)
        }
    }

    /// Who looks, and at whom.
    private struct Reader: Sendable {
        let account: AccountID
        let grant: Grant
        /// Of the person; nil for oneself.
        let name: String?
        let path: String
        /// Where the pages of single workouts are; nil where the reader has none.
        let workouts: String?
        let back: String
        var homes: [HomeZone] = []
    }

    /// The spans of a map. A day or a week is on the page of its workout.
    static let lengths: [HealthSpan.Length] = [.month, .year, .all]

    private func page(_ frame: Frame, _ reader: Reader, _ request: Request) async throws -> Response {
        let texts = frame.texts, zone = texts.zone ?? .gmt, sent = request.uri.queryParameters, now = workouts.now()
        let length = sent["span"].map { HealthSpan.Length(rawValue: String($0)) } ?? .year
        let day = sent["day"].map { CalendarDate(String($0)) } ?? HealthSpan.day(now, zone)
        guard let length, Self.lengths.contains(length), let noon = day.flatMap(HealthSpan.calendar(zone).noon) else {
            throw HTTPError(.badRequest)
        }
        let span = HealthSpan(length, around: length == .all ? now : noon, in: zone), records = workouts.records
        let found = try await workouts.reads.run(for: reader.account) {
            try records.ways(reader.grant, in: min(span.from, span.to)..<span.to, hiding: reader.homes)
        }
        guard let found else { throw PageRefusal.notAllowed }
        let words = WorkoutWords(texts: texts, zone: zone)
        func link(_ span: HealthSpan?, _ key: String) -> Link? {
            span.map { Link(href: "\(reader.path)?\($0.query)", text: texts["health.\(key)_\(length.rawValue)"]) }
        }
        let metres = found.ways.reduce(0) { $0 + $1.content.statistics.metres }
        let page = TracksPage(
            intro: reader.name.map { texts.filled("tracks.introOf", ["name": $0]) } ?? texts["tracks.intro"],
            about: HealthWords(texts: texts).days(span),
            spans: Self.lengths.map { other in
                let around = HealthSpan(other, around: span.length == .all ? now : span.from, in: zone)
                return Choice(
                    href: "\(reader.path)?\(around.query)", text: texts["health.span_\(other.rawValue)"], isHere: other == length)
            },
            previous: link(span.shifted(-1), "previous"), next: span.to <= now ? link(span.shifted(1), "next") : nil,
            sum: texts.filled(
                found.ways.count == 1 ? "tracks.sumOne" : "tracks.sumOther",
                ["n": texts.number(found.ways.count), "distance": words.distance(metres)]),
            hasTracks: !found.ways.isEmpty, tracks: found.ways.map { entry($0, words, reader) },
            kinds: WorkoutKind.allCases.filter { kind in found.ways.contains { $0.content.kind == kind } }.map {
                .init(name: "\($0)", text: words.kind($0))
            },
            cut: found.isCut ? texts.filled("tracks.cut", ["n": texts.number(WorkoutRecords.waysMax)]) : nil,
            isHomeHidden: !reader.homes.isEmpty, mapConfig: try workouts.map.configuration(texts), back: reader.back)
        let title = reader.name.map { texts.filled("tracks.titleOf", ["name": $0]) } ?? texts["tracks.title"]
        return workouts.templates.page(page, frame, title: title, help: reader.workouts == nil ? "following" : "workouts")
    }

    private func entry(_ way: WorkoutRecords.Way, _ words: WorkoutWords, _ reader: Reader) -> TracksPage.Track {
        // What somebody else was granted are positions: neither titles nor paces.
        let kind = words.kind(way.content.kind), title = reader.workouts == nil ? kind : words.title(way.record, way.content)
        return .init(
            href: reader.workouts.map { "\($0)/\(way.record.id)" },
            text: "\(title) · \(words.distance(way.content.statistics.metres)) · \(words.began(way.record.span.lowerBound))",
            kind: "\(way.content.kind)", line: WayOverview.text(way.pieces))
    }
}

struct TracksPage: FramedPage {
    static let template = "tracks"

    struct Track: TemplateModel {
        /// The page of the workout; nil where the reader has none.
        var href: String?
        let text: String, kind: String
        /// Of ``Workouts/WayOverview/text(_:)``, for the script.
        let line: String
    }

    /// The kinds of the ways, each in its colour.
    struct Kind: TemplateModel {
        let name: String, text: String
    }

    let intro: String
    /// The days, in words.
    let about: String
    let spans: [Choice]
    var previous: Link?
    var next: Link?
    let sum: String
    let hasTracks: Bool
    let tracks: [Track]
    let kinds: [Kind]
    /// That there are more than a map holds.
    var cut: String?
    let isHomeHidden: Bool
    /// JSON.
    let mapConfig: String
    let back: String
}
