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
            try site.runs.endFeed(of: runner.person, by: account)
            return Response.redirect(to: "/runs/mine#feed", type: .normal)
        }
    }

    // MARK: My runs

    private func list(_ frame: Frame, feed: String? = nil) throws -> Response {
        let account = try frame.session().account, texts = frame.texts, now = site.runs.now
        let runners = try site.runners(of: account)
        var model: [String: Any] = [
            "runners": try runners.map { runner in
                let runs = try site.runs.runs(of: runner.person, for: account).filter { $0.enrolment.state != .withdrawn }
                let (past, coming) = (runs.filter(\.state.isOver), runs.filter { !$0.state.isOver }.reversed())
                return [
                    "title": runner.isOwn ? texts["runs.mineTitle"] : runner.name, "who": runner.isOwn ? "" : runner.person.description,
                    "coming": coming.map { entry($0, runner, texts) }, "past": past.map { entry($0, runner, texts) },
                    "isEmpty": runs.isEmpty, "hasPast": !past.isEmpty,
                ] as [String: Any]
            }
        ]
        if !runners.isEmpty { model["isRunner"] = true }
        if account.roles.contains(.organiser) {
            let own = try site.runs.runs(organisedBy: account)
            let (past, coming) = (own.filter { $0.state(at: now).isOver }, own.filter { !$0.state(at: now).isOver }.reversed())
            model["organiser"] =
                [
                    "coming": coming.map { RunEntry(run: $0, now: now).model(texts) },
                    "past": past.map { RunEntry(run: $0, now: now).model(texts) }, "isEmpty": own.isEmpty, "hasPast": !past.isEmpty,
                ] as [String: Any]
        }
        if let feed { model["feed"] = ["address": feed] }
        return site.page("runsMine", frame, title: texts["runs.myRuns"], model)
    }

    private func entry(_ mine: RunService.MyRun, _ runner: RunSite.Runner, _ texts: Texts) -> [String: Any] {
        RunEntry(run: mine.run, now: site.runs.now).model(texts).merging([
            "query": runner.query, "when": "\(texts.instant(mine.starts, in: mine.run.plan.timeZone)) · \(mine.run.plan.place)",
            "text": MyRunModel.standing(mine, texts),
        ]) { $1 }
    }

    private func feed(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account, sent = try await SentForm(request)
        guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
        let token = try site.runs.makeFeed(of: runner.person, by: account)
        return try list(frame, feed: "\(site.address())/runs/calendar/\(token).ics")
    }

    // MARK: My Run

    private func page(_ frame: Frame, _ mine: RunService.MyRun, _ runner: RunSite.Runner) throws -> Response {
        let texts = frame.texts, run = mine.run, now = site.runs.now
        var model = RunEntry(run: run, now: now).model(texts)
        model.merge(try site.course(try site.runs.course(of: run), texts)) { $1 }
        model.merge(try MyRunModel(mine: mine, runner: runner, now: now).model(texts)) { $1 }
        if mine.state == .scheduled, now >= run.checkInOpens, mine.enrolment.state == .enrolled {
            let done = try site.runs.checkIn(of: runner.person, to: run.id)
            model["checkIn"] = ["text": texts[done.since == nil ? "runs.checkInNow" : "runs.checkInDone"], "isDue": done.since == nil]
        }
        let messages = try site.runs.store.messages(to: run, count: 20)
        model["messages"] = messages.map { ["time": texts.instant($0.time, in: run.plan.timeZone), "text": $0.text] }
        model["hasMessages"] = !messages.isEmpty
        return site.page("runMine", frame, title: run.plan.name, model)
    }
}

/// One's own run in words.
struct MyRunModel {
    let mine: RunService.MyRun
    let runner: RunSite.Runner
    let now: Milliseconds

    /// Where somebody stands, in one line.
    static func standing(_ mine: RunService.MyRun, _ texts: Texts) -> String {
        let values = ["bib": String(mine.enrolment.bib)]
        if mine.state == .cancelled { return texts["runs.no_cancelled"] }
        switch mine.enrolment.entry {
        case .entered: break
        case let entry: return texts.filled("runs.entry_\(entry.rawValue)", values)
        }
        return texts.filled("runs.youAre_\(mine.enrolment.state)", values)
    }

    func model(_ texts: Texts) throws -> [String: Any] {
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
        var model: [String: Any] = [
            "myFacts": facts.map { ["label": texts["runs.fact_\($0.0)"], "value": $0.1] }, "standing": Self.standing(mine, texts),
            "query": runner.query, "who": runner.isOwn ? "" : runner.person.description,
            "isLive": mine.state == .live && mine.enrolment.state != .withdrawn, "mayWithdraw": isOpen && mine.enrolment.state.isOnList,
            "isFinished": mine.state == .finished,
        ]
        if !runner.isOwn { model["runner"] = runner.name }
        return model
    }
}
