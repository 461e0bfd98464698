import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Synchronization
import Vitals

/// A run as spectators see it, without an account (RUN-7, RUN-8): the page around watch.js, and a table for browsers without scripts.
struct WatchPages: Sendable {
    let site: WatchSite
    let live: LiveRuns
    private let known = KnownRows()

    init(site: WatchSite, live: LiveRuns) { (self.site, self.live) = (site, live) }

    /// Runners of a table's page.
    private static let pageRows = 50
    /// The page's scripts behind watch.js, fetched at once with it.
    private static let scripts = [
        "watchrace.js", "watchline.js", "watchlist.js", "watchmotion.js", "watchreplay.js", "colours.js", "format.js",
    ]
    /// Of the texts of the other live page: ages, directions, zoom, and what the map says.
    private static let borrowed = [
        "ageSeconds", "ageMinutes", "ageHours", "ageDays", "north", "south", "east", "west", "zoomIn", "zoomOut", "groundNear",
        "groundOpen", "groundOpenStreetMap",
        "groundStreets", "searchPlace", "searchPlaces", "searchNone", "searchFailed", "searchHospital",
        "searchPharmacy", "searchStation", "searchPark", "searchPeak",
    ]

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/live") { request, context in try page(site.visit(request, context), request) }
    }

    private struct Configuration: Encodable {
        let code: String
        let name: String
        let state: String
        let tiles: String?
        let attribution: String?
        let t: [String: String]
    }

    private func page(_ visit: WatchSite.Visit, _ request: Request) throws -> Response {
        let run = visit.run, texts = visit.texts, state = run.state(at: site.now)
        let when = texts.instant(run.plan.starts, in: run.plan.timeZone)
        var t = (texts.sections["watch"] ?? [:]).merging((texts.sections["live"] ?? [:]).filter { Self.borrowed.contains($0.key) }) { $1 }
        // An empty list says why it is empty.
        if state == .scheduled { t["nobody"] = texts.filled("watch.notYet", ["when": when]) }
        let configuration = Configuration(
            code: run.code, name: run.plan.name, state: "\(state)", tiles: site.map.tiles, attribution: site.map.attribution, t: t)
        let table = try table(visit, state, when, request)
        let page = WatchPage(
            lang: texts.lang, t: texts.sections, languages: texts.choices, name: run.plan.name,
            card: run.plan.isPublic
                ? .init(
                    description: texts.filled("watch.description", ["place": run.plan.place, "when": when]),
                    url: site.address() + visit.path + "/live") : nil,
            scripts: Self.scripts, isLive: state == .live, when: "\(when) · \(run.plan.place)", code: run.code, table: Inline(table),
            config: try ScriptJSON.text(configuration))
        return site.templates.page(page)
    }

    // MARK: Without scripts

    private func table(_ visit: WatchSite.Visit, _ state: RunState, _ when: String, _ request: Request) throws -> WatchPage.Table {
        let texts = visit.texts, query = request.uri.queryParameters
        let typed = WatchSite.typed(request), page = min(max(0, query["page"].flatMap { Int($0) } ?? 0), 10_000)
        let all = state == .live ? known.rows(of: visit.run, live).filter { $0.fits(typed) } : []
        let from = min(all.count, page * Self.pageRows)
        let shown = all[from..<min(all.count, from + Self.pageRows)], now = site.now
        let nothing =
            switch state {
            case .draft, .scheduled: texts.filled("watch.notYet", ["when": when])
            case .live: texts[typed.isEmpty ? "watch.nobody" : "watch.noneFound"]
            case .finished: texts["watch.overText"]
            case .cancelled: texts["watch.cancelled"]
            }
        var table = WatchPage.Table(
            q: typed, isTable: !shown.isEmpty, rows: shown.map { $0.model(texts, now: now) }, nothing: nothing)
        if from + Self.pageRows < all.count {
            var next = URLComponents()
            next.path = "\(visit.path)/live"
            next.queryItems =
                [URLQueryItem(name: "page", value: String(page + 1))] + (typed.isEmpty ? [] : [URLQueryItem(name: "q", value: typed)])
            table.next = next.string ?? ""
        }
        return table
    }
}

/// Tables of runs, kept for a second: thousands may open the page at once, and who takes a consent back is gone by then (design rule 10).
private final class KnownRows: Sendable {
    private let known = Mutex<[RunID: (made: Milliseconds, rows: [WatchRow])]>([:])
    private static let runsMax = 50

    func rows(of run: StoredRun, _ live: LiveRuns) -> [WatchRow] {
        let now = live.now
        if let known = known.withLock({ $0[run.id] }), (0..<1000).contains(now - known.made) { return known.rows }
        let rows = live.shown(run).map(WatchRow.init)
        known.withLock { known in
            if known.count >= Self.runsMax { known.removeAll() }
            known[run.id] = (now, rows)
        }
        return rows
    }
}

/// A runner in the table for browsers without scripts.
struct WatchRow: Sendable, Hashable {
    var bib: Int
    var name: String
    var group: RankingRow.Group
    var place: Int?
    var metres: Double
    var secondsPerKilometre: Double?
    /// Seconds behind the first.
    var gap: Int?
    var heartRate: Int?
    /// Of the newest fix that everybody knows, UTC milliseconds.
    var seen: Milliseconds?
    var isOffCourse = false

    /// What is older is not current, milliseconds: as watchrace.js has it.
    static let staleAfter: Milliseconds = 15_000

    init(bib: Int, name: String, group: RankingRow.Group) {
        (self.bib, self.name, self.group, metres) = (bib, name, group, 0)
    }

    init(_ shown: ShownRunner) {
        (bib, name, group, place) = (shown.bib, shown.name, shown.group, shown.place)
        (metres, secondsPerKilometre) = (Double(shown.metres), shown.pace.map(Double.init))
        (gap, heartRate, seen, isOffCourse) = (shown.gap, shown.heartRate, shown.seen, shown.isOffCourse)
    }

    /// Whether it fits what was typed: the beginning of the bib number, or words of the public name.
    func fits(_ typed: String) -> Bool {
        func folded(_ text: String) -> String { text.folding(options: [.diacriticInsensitive, .caseInsensitive], locale: nil) }
        let name = folded(self.name)
        return folded(typed).split(separator: " ").prefix(8).allSatisfy { word in
            (word.allSatisfy(\.isNumber) && String(bib).hasPrefix(word)) || name.contains(word)
        }
    }

    func model(_ texts: Texts, now: Milliseconds) -> WatchPage.Row {
        let age = seen.map { max(0, now - $0) }, isOut = group == .running || group == .incomplete
        var state = group == .running ? [] : [texts[group.textKey]]
        if isOffCourse { state.append(texts["watch.offCourse"]) }
        if isOut {
            if let age, age > Self.staleAfter { state.append(texts.age(age)) }
            if age == nil { state.append(texts["watch.notSeen"]) }
        }
        return .init(
            place: place.map(texts.number) ?? "–", runner: name.isEmpty ? texts.runnerName(name, bib) : "\(name), \(bib)",
            distance: isOut ? texts.wayText(metres) : "", pace: isOut ? secondsPerKilometre.map(texts.pace) ?? "" : "",
            gap: gap.map { $0 > 0 ? Texts.difference(Milliseconds($0) * 1000) : "" } ?? "", heart: heartRate.map(String.init) ?? "",
            state: state.joined(separator: ", "))
    }
}

struct WatchPage: BarePage {
    static let template = "watch"

    /// What other sites show of a link to it.
    struct Card: TemplateModel {
        let description: String, url: String
    }

    struct Row: TemplateModel {
        let place: String, runner: String, distance: String, pace: String, gap: String, heart: String, state: String
    }

    /// For browsers without scripts.
    struct Table: TemplateModel {
        /// What was typed.
        let q: String
        let isTable: Bool
        let rows: [Row]
        /// Why there is nobody.
        let nothing: String
        var next: String?
    }

    let lang: String
    let t: [String: [String: String]]
    let languages: [FrameModel.Language]
    let name: String
    var card: Card?
    let scripts: [String]
    let isLive: Bool
    let when: String, code: String
    let table: Inline<Table>
    /// JSON.
    let config: String
}
