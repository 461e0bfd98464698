import Accounts
import Foundation
import HubServices
import HubStore
import Hummingbird
import Privacy
import Runs
import Vitals
import Workouts

/// Where somebody has been (DATA-7): the ways of their workouts and of their days on one map, for themselves, for a parent, and for whoever
/// was granted their positions: by name, as a relative, or as an organisation.
struct TracksPages: Sendable {
    static let ofFollowed = "/following/:id/tracks", ofCared = "/care/person/:id/tracks", ofConsent = "/organisation/people/:consent/tracks"

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
            var until: Milliseconds?
            if followed.consent.scope.term == .once, case .accepted(let since, _) = followed.consent.shown { until = since }
            let reader = try granted(account.id, followed.grant, followed.name, "/following/\(id)", until: until, help: "following")
            return try await page(frame, reader, request)
        }
        router.get("\(Self.ofCared)") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            guard let person = PersonID(try context.parameters.require("id")) else { throw PageRefusal.notAllowed }
            let grants = try consents.careGrants(of: account.id).map(\.grant)
            guard let grant = grants.first(where: { $0.person == person && $0.kinds.contains(.position) }),
                let name = try workouts.accounts.person(person)?.name
            else { throw PageRefusal.notAllowed }
            return try await page(frame, granted(account.id, grant, name, "/care/person/\(person)", help: "care"), request)
        }
        router.get("\(Self.ofConsent)") { request, context in
            let frame = Frame(request, context), account = try frame.session(as: .organisation).account
            let organisation = Privacy.Reader.organisation(OrganisationID(account.id))
            guard let id = ConsentID(try context.parameters.require("consent")),
                let asked = try consents.downloadable(id, of: organisation),
                let (grant, span) = try consents.download(id, as: organisation)
            else { throw PageRefusal.notAllowed }
            let until = asked.scope.term == .once ? span.upperBound : nil
            let base = "/organisation/people/\(id)", isRunning = try consents.running(id, of: organisation) != nil
            var reader = try granted(account.id, grant, frame.texts.person(asked), base, until: until, help: "people")
            if !isRunning { reader.back = "/requests" }
            return try await page(frame, reader, request)
        }
    }

    /// Somebody who was granted positions. Where the person is at home is nobody's business: friends see nothing of it either.
    private func granted(
        _ account: AccountID, _ grant: Grant, _ name: String, _ base: String, until: Milliseconds? = nil, help: String
    ) throws -> Reader {
        Reader(
            account: account, grant: grant, name: name, path: "\(base)/tracks", workouts: nil, back: base,
            homes: try workouts.records.homes(of: grant.person), until: until, help: help)
    }

    /// Where whoever was granted positions finds the map; nil for others.
    /// - Parameter base: of the pages about somebody.
    static func link(_ base: String, _ kinds: [Set<DataKind>], _ texts: Texts) -> Link? {
        kinds.contains { $0.contains(.position) } ? Link(href: "\(base)/tracks", text: texts["tracks.link"]) : nil
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
        var back: String
        var homes: [HomeZone] = []
        /// The last instant of which anything may be seen, UTC milliseconds; nil without an end.
        var until: Milliseconds?
        var help = "workouts"
    }

    /// The spans of a map.
    static let lengths: [HealthSpan.Length] = [.day, .week, .month, .year, .all]

    private func page(_ frame: Frame, _ reader: Reader, _ request: Request) async throws -> Response {
        let texts = frame.texts, zone = texts.zone ?? .gmt, sent = request.uri.queryParameters, now = workouts.now()
        let length = sent["span"].map { HealthSpan.Length(rawValue: String($0)) } ?? .year
        let day = sent["day"].map { CalendarDate(String($0)) } ?? HealthSpan.day(now, zone)
        guard let length, Self.lengths.contains(length), let noon = day.flatMap(HealthSpan.calendar(zone).noon) else {
            throw HTTPError(.badRequest)
        }
        let span = HealthSpan(length, around: length == .all ? now : noon, in: zone), records = workouts.records
        let isAlone = sent["only"] == "workouts", end = min(span.to, reader.until.map { $0 + 1 } ?? .max)
        let found = try await workouts.reads.run(for: reader.account) {
            try records.ways(reader.grant, in: min(span.from, end)..<end, withDays: !isAlone, hiding: reader.homes)
        }
        guard var found else { throw PageRefusal.notAllowed }
        if let until = reader.until { found = found.ended(by: until) }
        let words = WorkoutWords(texts: texts, zone: zone)
        let only = isAlone ? "&only=workouts" : ""
        func link(_ span: HealthSpan?, _ key: String) -> Link? {
            span.map { Link(href: "\(reader.path)?\($0.query)\(only)", text: texts["health.\(key)_\(length.rawValue)"]) }
        }
        let page = TracksPage(
            intro: reader.name.map { texts.filled("tracks.introOf", ["name": $0]) } ?? texts["tracks.intro"],
            about: HealthWords(texts: texts).days(span),
            spans: Self.lengths.map { other in
                let around = HealthSpan(other, around: span.length == .all ? now : span.from, in: zone)
                return Choice(
                    href: "\(reader.path)?\(around.query)\(only)", text: texts["health.span_\(other.rawValue)"], isHere: other == length)
            },
            which: [false, true].map { alone in
                Choice(
                    href: "\(reader.path)?\(span.query)\(alone ? "&only=workouts" : "")",
                    text: texts[alone ? "tracks.workouts" : "tracks.everything"], isHere: alone == isAlone)
            },
            previous: link(span.shifted(-1), "previous"), next: span.to <= now ? link(span.shifted(1), "next") : nil,
            sum: sum(found.ways, words),
            hasTracks: !(found.ways.isEmpty && found.days.isEmpty),
            tracks: found.ways.map { entry($0, words, reader) } + found.days.map { entry($0, words) },
            kinds: kinds(found, words),
            cut: found.isCut ? texts.filled("tracks.cut", ["n": texts.number(WorkoutRecords.waysMax)]) : nil,
            isHomeHidden: !reader.homes.isEmpty, mapConfig: try workouts.map.configuration(texts), back: reader.back)
        let title = reader.name.map { texts.filled("tracks.titleOf", ["name": $0]) } ?? texts["tracks.title"]
        return workouts.templates.page(page, frame, title: title, help: reader.help)
    }

    private func sum(_ ways: [WorkoutRecords.Way], _ words: WorkoutWords) -> String? {
        guard !ways.isEmpty else { return nil }
        let metres = ways.reduce(0) { $0 + $1.content.statistics.metres }
        return words.texts.filled(
            ways.count == 1 ? "tracks.sumOne" : "tracks.sumOther",
            ["n": words.texts.number(ways.count), "distance": words.distance(metres)])
    }

    private func kinds(_ found: WorkoutRecords.Ways, _ words: WorkoutWords) -> [TracksPage.Kind] {
        var kinds = WorkoutKind.allCases.filter { kind in found.ways.contains { $0.content.kind == kind } }.map {
            TracksPage.Kind(name: "\($0)", text: words.kind($0))
        }
        if !found.days.isEmpty { kinds.append(.init(name: "day", text: words.texts["tracks.beside"])) }
        return kinds
    }

    private func entry(_ way: WorkoutRecords.DayWay, _ words: WorkoutWords) -> TracksPage.Track {
        let day = CalendarDate(utc: way.begin)
        return .init(
            text: "\(words.texts["tracks.beside"]) · \(words.distance(way.metres)) · \(words.texts.day(day))", kind: "day",
            line: WayOverview.text(way.pieces))
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
    /// Whether workouts alone are shown.
    let which: [Choice]
    var previous: Link?
    var next: Link?
    /// Of workouts; nil without any.
    var sum: String?
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
