import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Runs
import Vitals

/// Results as each runner allows (RUN-10), and one runner's with a picture to share (RUN-11).
struct ResultsPages: Sendable {
    let site: WatchSite
    let pictures: PictureTool
    let exports: RaceExports

    private static let pageRows = 200

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/results") { request, context in try await list(site.visit(request, context), request) }
        router.get("/runs/:code/results/:bib") { request, context in
            let visit = try site.visit(request, context), name = try context.parameters.require("bib")
            // `12`, `12.png`, `12.svg`, `12.gpx`.
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count <= 2, let bib = parts.first.flatMap({ Int($0) }), String(bib) == parts[0], bib > 0 else {
                throw HTTPError(.notFound)
            }
            switch parts.count == 2 ? parts[1] : "" {
            case "": return try await runner(visit, bib, request)
            case "png": return try await picture(visit, bib, isDrawing: false)
            case "svg": return try await picture(visit, bib, isDrawing: true)
            case "gpx": return try await exports.track(visit, bib)
            default: throw HTTPError(.notFound)
            }
        }
        exports.routes(router)
    }

    // MARK: All

    private func list(_ visit: WatchSite.Visit, _ request: Request) async throws -> Response {
        let texts = visit.texts, query = request.uri.queryParameters, run = visit.run
        let shown = try await site.results(of: run, for: visit.reader), model = ResultsModel(visit, shown)
        let typed = WatchSite.typed(request), page = min(max(0, query["page"].flatMap { Int($0) } ?? 0), 10_000)
        let found = model.found(typed), from = min(found.count, page * Self.pageRows)
        let rows = found[from..<min(found.count, from + Self.pageRows)].map(model.row)
        let values = ResultsPage(
            when: "\(texts.instant(run.plan.starts, in: run.plan.timeZone)) · \(run.plan.place)", code: run.code,
            isLive: run.state(at: site.now) == .live, q: typed, isEmpty: rows.isEmpty,
            nothing: texts[typed.isEmpty ? "watch.noResults" : "watch.noneFound"],
            hasHeart: shown.lines.contains { $0.result?.heart.map { $0.average > 0 } ?? false },
            hasCategories: shown.lines.contains { $0.result?.category != nil }, rows: rows,
            hidden: shown.hidden > 0 ? texts.counted("watch.hidden", shown.hidden) : nil,
            previous: page > 0 ? Self.link(visit, typed, page - 1) : nil,
            next: from + Self.pageRows < found.count ? Self.link(visit, typed, page + 1) : nil, isOrganiser: visit.isOrganiser)
        return site.templates.page(
            values, visit.frame, title: texts.filled("watch.resultsTitle", ["run": run.plan.name]), help: WatchSite.help)
    }

    private static func link(_ visit: WatchSite.Visit, _ typed: String, _ page: Int) -> String {
        var link = URLComponents()
        link.path = "\(visit.path)/results"
        link.queryItems = [URLQueryItem(name: "page", value: String(page))] + (typed.isEmpty ? [] : [URLQueryItem(name: "q", value: typed)])
        return link.string ?? visit.path
    }

    // MARK: One

    /// - Throws: `HTTPError`, the same for a number that nobody has and for somebody who published nothing.
    private func line(
        _ visit: WatchSite.Visit, _ bib: Int, _ reader: RunResultService.Reader
    ) async throws -> (ShownResult, ShownResults) {
        let shown = try await site.results(of: visit.run, for: reader)
        guard let line = shown.lines.first(where: { $0.bib == bib }) else { throw HTTPError(.notFound) }
        return (line, shown)
    }

    private func runner(_ visit: WatchSite.Visit, _ bib: Int, _ request: Request) async throws -> Response {
        let (line, shown) = try await line(visit, bib, visit.reader), texts = visit.texts, run = visit.run
        let model = ResultsModel(visit, shown)
        let name = texts.runnerName(line.name, line.bib), isOwn = line.isOwn(visit.reader)
        let title = texts.filled("watch.resultOf", ["name": name, "run": run.plan.name]), path = "\(visit.path)/results/\(bib)"
        let splits = model.splits(line), named = request.uri.queryParameters["with"].flatMap { Int($0) }
        var values = ResultPage(
            when: "\(texts.instant(run.plan.starts, in: run.plan.timeZone)) · \(run.plan.place)", isOwn: isOwn,
            figures: model.figures(line),
            hasSplits: !splits.isEmpty, splitsPrivate: isOwn && !line.published.contains(.splits), splits: splits,
            comparison: model.other(of: line, named: named).map { model.comparison(line, $0) }, code: run.code, bib: String(bib),
            with: named.map(String.init) ?? "", hasTrack: line.published.contains(.track))
        if let account = visit.account, !visit.people.isEmpty {
            let own = line.person.flatMap { visit.people.contains($0) ? $0 : nil } ?? account.id.person
            let friends = try site.resultService.friends(of: own, among: shown).filter { $0.result.bib != bib }
            values.friends = .init(
                isEmpty: friends.isEmpty,
                list: friends.map { friend in
                    .init(
                        href: "\(path)?with=\(friend.result.bib ?? 0)#compared", name: friend.name,
                        time: friend.result.time.map(Texts.clock) ?? texts[friend.result.group.textKey])
                })
        }
        // What is shared is what everybody sees, also when the runner looks.
        if run.plan.isPublic, line.published.contains(.time), line.time != nil {
            let picture = site.address() + path + (pictures.isThere ? ".png" : ".svg")
            values.card = .init(
                title: title, description: card(line, shown, texts), url: site.address() + path, picture: picture,
                alt: texts.filled("watch.pictureAlt", ["name": name, "time": line.time.map(Texts.clock) ?? "", "run": run.plan.name]))
        }
        return site.templates.page(values, visit.frame, title: title, help: WatchSite.help)
    }

    private func card(_ line: ShownResult, _ shown: ShownResults, _ texts: Texts) -> String {
        let time = line.time.map(Texts.clock) ?? ""
        guard let place = line.place else { return time }
        return texts.filled("watch.cardLine", ["place": texts.number(place), "count": texts.number(shown.ranked), "time": time])
    }

    /// The picture of what everybody sees. Without the tool that makes pictures of drawings it is the drawing.
    private func picture(_ visit: WatchSite.Visit, _ bib: Int, isDrawing: Bool) async throws -> Response {
        let (line, shown) = try await line(visit, bib, .everybody), texts = visit.texts
        guard line.time != nil else { throw HTTPError(.notFound) }
        let course = try site.finder.course(of: visit.run).flatMap { try? Course($0) }
        let drawing = ResultPicture(
            run: visit.run.plan.name, when: TimeMarks.text(texts.instant(visit.run.plan.starts, in: visit.run.plan.timeZone)),
            place: visit.run.plan.place,
            name: texts.runnerName(line.name, line.bib), bib: line.name.isEmpty ? nil : bib, time: line.time.map(Texts.clock) ?? "",
            rank: line.place.map { texts.filled("watch.placeOf", ["place": texts.number($0), "count": texts.number(shown.ranked)]) },
            pace: line.result?.secondsPerKilometre.map(texts.pace), course: course?.simplified(tolerance: 10, pointsMax: 400) ?? []
        ).svg
        if !isDrawing, let picture = await pictures.picture(of: drawing) {
            return Self.image(ByteBuffer(bytes: picture), "image/png")
        }
        return Self.image(ByteBuffer(string: drawing), "image/svg+xml")
    }

    private static func image(_ bytes: ByteBuffer, _ type: String) -> Response {
        // Networks keep what they showed; nobody else does, as a runner may take it back.
        Response(status: .ok, headers: [.contentType: type, .cacheControl: "no-store"], body: .init(byteBuffer: bytes))
    }
}

struct ResultsPage: FramedPage {
    static let template = "results"

    struct Row: TemplateModel {
        let place: String
        var href: String?
        let name: String, bib: String
        let isOwn: Bool
        let time: String, pace: String, heart: String, netTime: String, category: String
    }

    let when: String, code: String
    let isLive: Bool
    /// What was typed.
    let q: String
    let isEmpty: Bool
    let nothing: String
    let hasHeart: Bool
    let hasCategories: Bool
    let rows: [Row]
    /// How many show nothing.
    var hidden: String?
    var previous: String?
    var next: String?
    let isOrganiser: Bool
}

/// One runner's result.
struct ResultPage: FramedPage {
    static let template = "result"

    struct Figure: TemplateModel {
        let name: String, value: String
        let isPrivate: Bool
    }

    struct Split: TemplateModel {
        let at: String, time: String, leg: String
        let isGuess: Bool
    }

    struct Comparison: TemplateModel {
        struct Part: TemplateModel {
            let at: String, behind: String, leg: String
        }

        let href: String, name: String
        var hasParts = false
        var parts: [Part] = []
        var pace: String?
        var heart: String?
    }

    struct Friends: TemplateModel {
        struct Friend: TemplateModel {
            let href: String, name: String, time: String
        }

        let isEmpty: Bool
        let list: [Friend]
    }

    /// What other sites show of a link to it.
    struct Card: TemplateModel {
        let title: String, description: String, url: String, picture: String, alt: String
    }

    var card: Card?
    let when: String
    let isOwn: Bool
    let figures: [Figure]
    let hasSplits: Bool
    let splitsPrivate: Bool
    let splits: [Split]
    var comparison: Comparison?
    let code: String, bib: String
    /// The number that was typed to compare with.
    let with: String
    var friends: Friends?
    let hasTrack: Bool
}
