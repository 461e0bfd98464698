import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals

/// What all pages of runs need.
struct RunSite: Sendable {
    let finder: RunFinder
    let enrolments: EnrolmentService
    let store: RunsStore
    let accounts: AccountStore
    let templates: Templates
    let map: PlacesMap
    /// How browsers reach this hub, without a slash at its end.
    let address: @Sendable () -> String
    let time: MonotonicUTC

    var now: Milliseconds { time.now }

    static let help = "runs"
    /// Within 100 × 60.
    private static let sketch = CourseSketch(x: 50, y: 30, width: 96, height: 56, digits: 2)

    /// The pages of runners and organisers.
    func routes(_ router: some RouterMethods<HubContext>, _ runs: RunServices) {
        RunsPages(site: self, organisers: runs.organising.organisers).routes(router)
        EnrolPages(site: self, track4Run: runs.track4Run).routes(router)
        CheckInPages(site: self, checkIns: runs.checkIns).routes(router)
        MyRunPages(site: self, organising: runs.organising, checkIns: runs.checkIns).routes(router)
        RunLinkPages(site: self, friendships: runs.workouts, invitations: runs.invitations).routes(router)
        NearbyPages(site: self).routes(router)
        OrganiseEditPages(site: self, organising: runs.organising, machine: accounts.machine).routes(router)
        OrganisePages(site: self, organising: runs.organising, invitations: runs.invitations, results: runs.results).routes(router)
    }

    /// Whose runs somebody arranges: their own, and those of the children for whom they decide.
    struct Runner {
        let person: PersonID
        let name: String
        let isOwn: Bool
        /// As the address has it; empty for oneself.
        var query: String { isOwn ? "" : "?person=\(person)" }
    }

    func runners(of account: StoredAccount) throws -> [Runner] {
        let wards = try accounts.care.wards(of: account.id, now: now).compactMap { ward in
            try accounts.person(ward).map { Runner(person: ward, name: $0.name, isOwn: false) }
        }
        return (account.roles.contains(.person) ? [Runner(person: account.id.person, name: account.name, isOwn: true)] : []) + wards
    }

    /// The one that was named, else the first; nil for somebody else's child and for accounts that run for nobody.
    func runner(_ who: String, of account: StoredAccount) throws -> Runner? {
        let all = try runners(of: account)
        return who.isEmpty ? all.first : all.first { $0.person.description == who }
    }

    /// A run, as far as whoever asks may see it.
    /// - Throws: `HTTPError`, the same for one that there is not.
    func run(_ context: HubContext, _ session: StoredSession?) throws -> StoredRun {
        let account = session?.account
        let people = try account.map { try accounts.care.wards(of: $0.id, now: now) } ?? []
        guard let run = try finder.run(code: try context.parameters.require("code"), for: account, people: people) else {
            throw HTTPError(.notFound)
        }
        return run
    }

    /// A run of whoever organises it.
    /// - Throws: `PageRefusal`; `HTTPError`, the same for another one's and for none.
    func own(_ context: HubContext, _ frame: Frame) throws -> (run: StoredRun, account: StoredAccount) {
        let account = try frame.session(asOneOf: RunOrganisers.roles).account
        guard let run = try finder.run(code: try context.parameters.require("code"), for: account), run.organiser == account.id else {
            throw HTTPError(.notFound)
        }
        return (run, account)
    }

    /// A run that somebody takes part in, as far as `account` decides for them.
    /// - Throws: `PageRefusal` for who runs for nobody; `HTTPError`, the same for one that there is not.
    func mine(_ context: HubContext, _ account: StoredAccount, who: String) throws -> (mine: EnrolmentService.MyRun, runner: Runner) {
        let code = try context.parameters.require("code")
        guard let runner = try runner(who, of: account) else { throw PageRefusal.notAllowed }
        guard let run = try finder.run(code: code, for: account, people: [runner.person]) else { throw HTTPError(.notFound) }
        do { return (try enrolments.run(run.id, of: runner.person, for: account), runner) } catch is EnrolmentRefusal {
            throw HTTPError(.notFound)
        }
    }

    func page(_ page: some FramedPage, _ frame: Frame, title: String, status: HTTPResponse.Status = .ok) -> Response {
        templates.page(page, frame, title: title, help: Self.help, status: status)
    }

    /// The newest messages to all runners.
    func messages(to run: StoredRun, _ texts: Texts) throws -> [TimedText] {
        try store.notices.messages(to: run, count: 20).map {
            TimedText(time: texts.instant($0.time, in: run.plan.timeZone), text: $0.text)
        }
    }

    /// What scripts say: the texts `runs.js_NAME`, as JSON.
    static func scriptTexts(_ texts: Texts) -> String {
        let own = (texts.sections["runs"] ?? [:]).filter { $0.key.hasPrefix("js_") }
        let named = Dictionary(own.map { (String($0.key.dropFirst(3)), $0.value) }, uniquingKeysWith: { $1 })
        return (try? ScriptJSON.text(named)) ?? "{}"
    }

    // MARK: The course

    private struct CourseModel: Encodable {
        var points: [[Double]]
        var length: Int
        var splits: [Split]
        var places: [Place]

        struct Split: Encodable {
            var at: [Double]
            var text: String
        }
        struct Place: Encodable {
            var at: [Double]
            var name: String
            var kind: String
        }
    }

    /// A course as the pages show it: text, a sketch for browsers without scripts, and what course.js draws. nil for a course that is gone.
    func course(_ plan: CoursePlan?, _ texts: Texts) throws -> CoursePart? {
        guard let plan, let course = try? Course(plan) else { return nil }
        func degrees(_ point: CoursePoint) -> [Double] { [Double(point.latitude / 10) / 1e6, Double(point.longitude / 10) / 1e6] }
        let points = course.simplified(tolerance: 3, pointsMax: 1500)
        let model = CourseModel(
            points: points.map(degrees), length: Int(course.length.rounded()),
            splits: course.splits.prefix(200).map { split in
                .init(at: degrees(course.point(at: split.metres)), text: split.name ?? texts.kilometres(split.metres))
            },
            places: plan.places.map { .init(at: degrees($0.point), name: $0.name, kind: $0.kind.rawValue) })
        return CoursePart(
            length: texts.filled("runs.length", ["km": texts.kilometres(course.length)])
                + (plan.laps > 1 ? ", " + texts.filled("runs.lapsOf", ["n": texts.number(plan.laps)]) : ""),
            sketch: Self.sketch.points(points), hasPlaces: !course.places.isEmpty,
            places: course.places.prefix(300).map { place in
                .init(at: texts.kilometres(place.metres ?? 0), name: place.name, kind: texts["runs.kind_\(place.kind.rawValue)"])
            },
            mapConfig: try map.configuration(texts), json: try ScriptJSON.text(model), scriptTexts: Self.scriptTexts(texts))
    }
}

/// As `runCourse.mustache` shows it.
struct CoursePart: TemplateModel {
    struct Place: TemplateModel {
        let at: String, name: String, kind: String
    }

    let length: String
    /// As `<polyline points>` takes it.
    let sketch: String
    let hasPlaces: Bool
    let places: [Place]
    /// JSON.
    let mapConfig: String, json: String, scriptTexts: String
}
