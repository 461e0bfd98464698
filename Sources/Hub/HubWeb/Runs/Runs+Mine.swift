import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals

/// My Run (RUN-13, RUN-18), my runs, and the calendar feed (RUN-12).
struct MyRunPages: Sendable {
    let site: RunSite
    let organising: OrganiserService
    let checkIns: CheckInService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/mine") { request, context in try list(Frame(request, context)) }
        router.get("/runs/:code/mine") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            let who = request.uri.queryParameters["person"].map(String.init) ?? ""
            let (mine, runner) = try site.mine(context, account, who: who)
            return try page(frame, mine, runner)
        }
        router.post("/runs/feed") { request, context in try await feed(request, context) }
        router.post("/runs/feed/end") { request, context in
            let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
            guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
            try site.enrolments.endFeed(of: runner.person, by: account)
            return Response.redirect(to: "/runs/mine#feed", type: .normal)
        }
    }

    // MARK: My runs

    private func list(_ frame: Frame, feed: String? = nil) throws -> Response {
        let account = try frame.session().account, texts = frame.texts, now = site.now
        let runners = try site.runners(of: account)
        var page = RunsMinePage(
            feed: feed.map(AddressPart.init),
            runners: try runners.map { runner in
                let runs = try site.enrolments.runs(of: runner.person, for: account).filter { $0.enrolment.state != .withdrawn }
                let (past, coming) = (runs.filter(\.state.isOver), runs.filter { !$0.state.isOver }.reversed())
                return .init(
                    title: runner.isOwn ? texts["runs.mineTitle"] : runner.name, who: runner.isOwn ? "" : runner.person.description,
                    isEmpty: runs.isEmpty, coming: coming.map { entry($0, runner, texts) }, hasPast: !past.isEmpty,
                    past: past.map { entry($0, runner, texts) })
            }, isRunner: !runners.isEmpty)
        let own = try organising.runs(organisedBy: account), mayCreate = organising.organisers.allow(account.roles)
        if account.roles.contains(.organiser) || !own.isEmpty {
            let (past, coming) = (own.filter { $0.state(at: now).isOver }, own.filter { !$0.state(at: now).isOver }.reversed())
            page.organiser = .init(
                isEmpty: own.isEmpty, coming: coming.map { RunEntry(run: $0, now: now).model(texts) }, hasPast: !past.isEmpty,
                past: past.map { RunEntry(run: $0, now: now).model(texts) }, mayCreate: mayCreate)
        } else {
            page.mayOrganise = mayCreate
        }
        return site.page(page, frame, title: texts["runs.myRuns"])
    }

    private func entry(_ mine: EnrolmentService.MyRun, _ runner: RunSite.Runner, _ texts: Texts) -> RunsMinePage.Run {
        var card = RunEntry(run: mine.run, now: site.now).model(texts)
        card.when = "\(texts.instant(mine.starts, in: mine.run.plan.timeZone)) · \(mine.run.plan.place)"
        return .init(card: Inline(card), query: runner.query, text: MyRunModel.standing(mine, texts))
    }

    private func feed(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
        let token = try site.enrolments.makeFeed(of: runner.person, by: account)
        return try list(frame, feed: "\(site.address())/runs/calendar/\(token).ics")
    }

    // MARK: My Run

    private func page(_ frame: Frame, _ mine: EnrolmentService.MyRun, _ runner: RunSite.Runner) throws -> Response {
        let texts = frame.texts, run = mine.run, now = site.now
        var page = RunMinePage(
            run: Inline(RunEntry(run: run, now: now).model(texts)),
            mine: Inline(MyRunModel(mine: mine, runner: runner, now: now).model(texts)),
            course: try site.course(try site.finder.course(of: run), texts), messages: try site.messages(to: run, texts))
        if mine.state == .scheduled, now >= run.checkInOpens, mine.enrolment.state == .enrolled {
            let done = try checkIns.checkIn(of: runner.person, to: run.id)
            page.checkIn = .init(text: texts[done.since == nil ? "runs.checkInNow" : "runs.checkInDone"], isDue: done.since == nil)
        }
        page.hasMessages = !page.messages.isEmpty
        return site.page(page, frame, title: run.plan.name)
    }
}

/// One's own run in words.
struct MyRunModel {
    let mine: EnrolmentService.MyRun
    let runner: RunSite.Runner
    let now: Milliseconds

    /// Where somebody stands, in one line.
    static func standing(_ mine: EnrolmentService.MyRun, _ texts: Texts) -> String {
        let values = ["bib": String(mine.enrolment.bib)]
        if mine.state == .cancelled { return texts["runs.no_cancelled"] }
        switch mine.enrolment.entry {
        case .entered: break
        case let entry: return texts.filled("runs.entry_\(entry.rawValue)", values)
        }
        return texts.filled("runs.youAre_\(mine.enrolment.state)", values)
    }

    func model(_ texts: Texts) -> MyRunPart {
        let run = mine.run, choices = mine.enrolment.choices, zone = run.plan.timeZone
        var facts = [
            ("bib", String(mine.enrolment.bib)),
            ("publicName", choices.publicName.isEmpty ? texts["runs.nameless"] : choices.publicName),
            ("myStart", texts.instant(mine.starts, in: zone)), ("ends", texts.instant(run.plan.ends, in: zone)),
        ]
        if run.plan.waves.indices.contains(choices.wave) { facts.append(("wave", run.plan.waves[choices.wave].name)) }
        facts.append(
            (
                "delay",
                choices.delay == 0 ? texts["runs.noDelay"] : texts.counted("runs.minutes", Int(choices.delay / 60_000))
            ))
        facts.append(
            ("home", choices.home.map { texts.filled("runs.homeOf", ["km": texts.kilometres($0.radius)]) } ?? texts["runs.noHome"]))
        let published = PublishedResult.allCases.filter(choices.published.contains).map { texts["runs.part_\($0.rawValue)"] }
        facts.append(("published", published.isEmpty ? texts["runs.nothingPublished"] : published.joined(separator: ", ")))
        let isOpen = !mine.state.isOver && mine.enrolment.state != .withdrawn
        return MyRunPart(
            runner: runner.isOwn ? nil : runner.name, standing: Self.standing(mine, texts),
            isLive: mine.state == .live && mine.enrolment.state != .withdrawn, isFinished: mine.state == .finished,
            myFacts: facts.map { Fact(label: texts["runs.fact_\($0.0)"], value: $0.1) },
            mayWithdraw: isOpen && mine.enrolment.state.isOnList,
            query: runner.query, who: runner.isOwn ? "" : runner.person.description)
    }
}

struct RunsMinePage: FramedPage {
    static let template = "runsMine"

    struct Run: TemplateModel {
        let card: Inline<RunCardPart>
        let query: String, text: String
    }

    /// Somebody's runs: the reader's or a child's.
    struct Runner: TemplateModel {
        let title: String
        /// The child, as forms send it.
        let who: String
        let isEmpty: Bool
        let coming: [Run]
        let hasPast: Bool
        let past: [Run]
    }

    /// The runs that the reader organises.
    struct Organiser: TemplateModel {
        let isEmpty: Bool
        let coming: [RunCardPart]
        let hasPast: Bool
        let past: [RunCardPart]
        let mayCreate: Bool
    }

    var feed: AddressPart?
    var organiser: Organiser?
    let runners: [Runner]
    let isRunner: Bool
    /// The reader has organised nothing yet, and may.
    var mayOrganise = false
}

/// One's own run, beside what it is.
struct MyRunPart: TemplateModel {
    /// The child's name.
    var runner: String?
    let standing: String
    let isLive: Bool
    let isFinished: Bool
    let myFacts: [Fact]
    let mayWithdraw: Bool
    let query: String, who: String
}

struct RunMinePage: FramedPage {
    static let template = "runMine"

    struct CheckIn: TemplateModel {
        let text: String
        let isDue: Bool
    }

    let run: Inline<RunCardPart>
    let mine: Inline<MyRunPart>
    var course: CoursePart?
    var checkIn: CheckIn?
    var hasMessages = false
    let messages: [TimedText]
}
