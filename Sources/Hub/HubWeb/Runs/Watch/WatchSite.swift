import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Seams
import Vitals

/// The shared part of the pages of spectators and results: who asks, and which run.
struct WatchSite: Sendable {
    let finder: RunFinder
    let resultService: RunResultService
    let care: CareStore
    let ledger: LedgerStore
    let templates: Templates
    let map: HubConfiguration.Map
    /// How browsers reach this hub, without a slash at its end.
    let address: @Sendable () -> String
    let time: MonotonicUTC

    var now: Milliseconds { time.now }

    var reads = WatchSite.reads(on: .system)

    /// On whose thread results are read.
    static func reads(on machine: Machine) -> ReadPool<RunID> { ReadPool(width: 1, readerMax: 64, machine: machine) }

    static let help = "watch"

    /// Somebody who asks for a run's page.
    struct Visit {
        let run: StoredRun
        let frame: Frame
        /// Logged in, in full; nil for a spectator.
        let account: StoredAccount?
        /// For whom the account decides: itself and its children.
        let people: Set<PersonID>

        var isOrganiser: Bool { account.map { $0.id == run.organiser } ?? false }
        var texts: Texts { frame.texts }
        /// The address of the run's pages, without the site's.
        var path: String { "/runs/\(run.code)" }

        /// Spectators and everybody else see what is public; who ran sees all of the own result.
        var reader: RunResultService.Reader { people.isEmpty ? .everybody : .own(people) }
    }

    /// - Throws: `HTTPError`, the same for a run that there is not and for one that is not shown.
    func visit(_ request: Request, _ context: HubContext) throws -> Visit {
        let frame = Frame(request, context)
        let account = frame.session.flatMap { $0.strength == .full ? $0.account : nil }
        let people = try account.map { try [$0.id.person] + care.wards(of: $0.id, now: now) } ?? []
        guard let run = try finder.run(code: try context.parameters.require("code"), for: account, people: people) else {
            throw HTTPError(.notFound)
        }
        return Visit(run: run, frame: frame, account: account, people: Set(people))
    }

    /// Results for a reader. Those of a large run take their time: no thread that answers requests works them out.
    /// - Throws: `RunProblem` for a run that was called off: ``ErrorPages`` says so.
    func results(of run: StoredRun, for reader: RunResultService.Reader) async throws -> ShownResults {
        let service = resultService
        if reader == .everybody, service.isKnown(run) { return try service.results(of: run, for: reader) }
        return try await read(run) { try service.results(of: run, for: reader) }
    }

    /// - Throws: `ReadPoolBusy` where so many wait for the same: ``ErrorPages`` says so.
    func read<Value: Sendable>(_ run: StoredRun, _ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await reads.run(for: run.id, work)
    }

    /// - Throws: `PageRefusal` for who is not logged in; `HTTPError` for another one's run, as for one that there is not.
    func organiser(_ request: Request, _ context: HubContext) throws -> (visit: Visit, account: StoredAccount) {
        let account = try Frame(request, context).session(asOneOf: RunOrganisers.roles).account, visit = try visit(request, context)
        guard visit.isOrganiser else { throw HTTPError(.notFound) }
        return (visit, account)
    }

    /// What was typed into a search, as forms send it: `+` is a blank.
    static func typed(_ request: Request) -> String {
        request.uri.queryParameters["q"].map { String($0.prefix(80)).replacingOccurrences(of: "+", with: " ") } ?? ""
    }
}

extension RankingRow.Group {
    /// The text of it: `watch.NAME`.
    var textKey: String {
        switch self {
        case .finished: "watch.finished"
        case .running: "watch.running"
        case .incomplete: "watch.incomplete"
        case .notStarted: "watch.notStarted"
        case .didNotFinish: "watch.didNotFinish"
        case .didNotStart: "watch.didNotStart"
        case .disqualified: "watch.disqualified"
        }
    }
}

extension Texts {
    /// `1:02:03`; milliseconds, begun seconds counted as results do.
    static func clock(_ time: Milliseconds) -> String {
        let seconds = (max(time, 0) + 999) / 1000
        func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : String(value) }
        let minutes = "\(seconds / 60 % 60)"
        return seconds < 3600 ? "\(minutes):\(two(seconds % 60))" : "\(seconds / 3600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    /// `+1:02`, `−0:15`.
    static func difference(_ time: Milliseconds) -> String {
        let seconds = Int64((Double(time) / 1000).rounded())
        return (seconds < 0 ? "−" : "+") + clock(abs(seconds) * 1000)
    }

    /// Metres as `10 km`, `7.25 km`.
    func wayText(_ metres: Double) -> String { filled("watch.km", ["km": decimal((metres / 10).rounded() / 100, 2)]) }

    /// A runner as everybody knows them.
    func runnerName(_ name: String, _ bib: Int?) -> String {
        guard let bib else { return self["watch.anonymous"] }
        return name.isEmpty ? filled("watch.bib", ["bib": String(bib)]) : name
    }

    func pace(_ secondsPerKilometre: Double) -> String {
        filled("watch.paceOf", ["pace": Texts.clock(Milliseconds(secondsPerKilometre.rounded()) * 1000)])
    }
}
