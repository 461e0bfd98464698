import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Runs
import Vitals

/// Finding a run, without an account (RUN-3), and the page of one.
struct RunsPages: Sendable {
    let site: RunSite
    let organisers: RunOrganisers

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs") { request, context in try list(Frame(request, context), request) }
        router.get("/runs/:code") { request, context in try page(Frame(request, context), context) }
        router.get("/runs/:code/calendar.ics") { request, context in
            let run = try site.run(context, Frame(request, context).session)
            return Self.calendar(site.enrolments.calendarFile(of: run), name: "\(run.code).ics")
        }
        router.get("/runs/calendar/:token") { request, context in
            // The token's end is for programs that look at names of files.
            let token = try context.parameters.require("token").replacing(".ics", with: "")
            guard let bytes = try site.enrolments.calendar(feed: token) else { throw HTTPError(.notFound) }
            return Self.calendar(bytes, name: "trackme.ics")
        }
    }

    static func calendar(_ bytes: [UInt8], name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/calendar; charset=utf-8", .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    // MARK: The list

    /// Metres, for those who look around them.
    private static let around = [5_000, 10_000, 25_000, 50_000, 100_000]

    private func list(_ frame: Frame, _ request: Request) throws -> Response {
        let texts = frame.texts, query = request.uri.queryParameters
        let words = query["q"].map(String.init)?.trimmingCharacters(in: .whitespaces) ?? ""
        let place = query["lat"].flatMap { latitude in
            query["lon"].flatMap { longitude in
                Double(latitude).flatMap { north in Double(longitude).flatMap { CourseFile.point(north, $0) } }
            }
        }
        let metres = query["km"].flatMap { Int($0) }.map { min(max($0, 1), 100) * 1000 } ?? 25_000
        var page = RunsPage(q: words, isFiltered: place != nil || !words.isEmpty)
        let found: [RunCardPart]
        if let place {
            found = try site.finder.nearby(place, within: metres).map { near in
                var card = RunEntry(run: near.run, now: site.now).model(texts)
                card.distance =
                    near.metres < 100 ? texts["runs.here"] : texts.filled("runs.away", ["km": texts.distance(Double(near.metres))])
                return card
            }
            page.result = texts.counted("runs.near", found.count)
            page.around = Self.around.map { choice in
                Choice(
                    href: String(
                        format: "/runs?lat=%.5f&lon=%.5f&km=%d", Double(place.latitude) / 1e7, Double(place.longitude) / 1e7, choice / 1000),
                    text: texts.distance(Double(choice)), isHere: choice == metres)
            }
        } else if !words.isEmpty {
            found = try site.finder.find(words).map { RunEntry(run: $0, now: site.now).model(texts) }
            page.result = texts.counted("runs.found", found.count)
        } else {
            found = try site.finder.upcoming().map { RunEntry(run: $0, now: site.now).model(texts) }
        }
        page.runs = found
        if found.isEmpty { page.nothing = texts[place != nil ? "runs.noneNear" : words.isEmpty ? "runs.none" : "runs.noneFound"] }
        if let session = frame.session {
            let isRunner = try !site.runners(of: session.account).isEmpty
            page.session = .init(isRunner: isRunner, isOrganiser: organisers.allow(session.account.roles))
        }
        return site.page(page, frame, title: texts["runs.title"])
    }

    // MARK: A run

    private func page(_ frame: Frame, _ context: HubContext) throws -> Response {
        let texts = frame.texts, session = frame.session, run = try site.run(context, session)
        var page = RunPage(
            run: Inline(RunEntry(run: run, now: site.now).page(texts)),
            course: try site.course(try site.finder.course(of: run), texts))
        let isOrganiser = session?.account.id == run.organiser && session != nil
        if isOrganiser { page.organise = .init(isEditable: [.draft, .scheduled].contains(run.state(at: site.now))) }
        if let account = session?.account {
            let runners = try site.runners(of: account)
            page.runners = try runners.map { try standing($0, run, texts) }
            if page.runners.contains(where: \.isEnrolled) {
                page.messages = try site.messages(to: run, texts)
                page.hasMessages = !page.messages.isEmpty
            }
            page.cannotRun = runners.isEmpty && !isOrganiser
        } else {
            page.isStranger = !run.state(at: site.now).isOver
        }
        return site.page(page, frame, title: run.plan.name)
    }

    /// How somebody stands with a run, and what they can do.
    private func standing(_ runner: RunSite.Runner, _ run: StoredRun, _ texts: Texts) throws -> RunPage.Runner {
        var shown = RunPage.Runner(name: runner.name, isOwn: runner.isOwn, query: runner.query)
        let enrolment = try site.store.enrolments.enrolment(of: runner.person, in: run.id)
        if let enrolment, enrolment.state != .withdrawn {
            shown.isEnrolled = true
            shown.text = texts.filled("runs.youAre_\(enrolment.state)", ["bib": String(enrolment.bib)])
            return shown
        }
        let refusal = try site.store.enrolments.refusal(
            .init(run: run.id, person: runner.person, choices: EnrolmentChoices()), now: site.now)
        if let refusal { shown.text = texts.refusal(refusal, zone: run.plan.timeZone) } else { shown.mayEnrol = true }
        return shown
    }
}

/// A run in a list, and at the head of its page.
struct RunEntry {
    let run: StoredRun
    let now: Milliseconds

    /// As ``trackme.css`` has it for badges.
    static func level(_ state: RunState) -> String {
        switch state {
        case .draft: "plain"
        case .scheduled: "plain"
        case .live: "good"
        case .finished: "plain"
        case .cancelled: "bad"
        }
    }

    func model(_ texts: Texts) -> RunCardPart {
        let state = run.state(at: now)
        return RunCardPart(
            code: run.code, name: run.plan.name, when: texts.when(run.plan), state: texts.runState(state), level: Self.level(state),
            isLive: state == .live, isOver: state == .finished)
    }

    func page(_ texts: Texts) -> RunPart {
        let plan = run.plan, zone = plan.timeZone, state = run.state(at: now)
        var facts = [
            fact("code", run.code, texts), fact("starts", texts.instant(plan.starts, in: zone), texts),
            fact("ends", texts.instant(plan.ends, in: zone), texts), fact("place", plan.place, texts),
        ]
        if state == .draft || state == .scheduled { facts.append(fact("closes", texts.instant(plan.closes, in: zone), texts)) }
        let places = texts.filled("runs.enrolledOf", ["n": texts.number(run.enrolled), "most": texts.number(plan.most)])
        // Who is refused does not learn how full a run by invitation is: the page is shown to nobody else.
        facts.append(fact("enrolled", run.isFull ? "\(places), \(texts["runs.full"])" : places, texts))
        facts.append(fact("who", texts[plan.isPublic ? "runs.isPublic" : "runs.isInvited"], texts))
        if let youngest = plan.youngest { facts.append(fact("youngest", texts.filled("runs.years", ["n": String(youngest)]), texts)) }
        return RunPart(
            card: Inline(model(texts)), isDraft: state == .draft, isCancelled: state == .cancelled,
            purposeLines: plan.purpose.split(separator: "\n").map(String.init), facts: facts, hasWaves: !plan.waves.isEmpty,
            waves: plan.waves.map { .init(name: $0.name, time: texts.instant($0.gun, in: zone)) })
    }

    private func fact(_ name: String, _ value: String, _ texts: Texts) -> Fact {
        Fact(label: texts["runs.fact_\(name)"], value: value)
    }
}

/// A run in a list (`runCard.mustache`).
struct RunCardPart: TemplateModel {
    let code: String, name: String
    var when: String
    let state: String, level: String
    let isLive: Bool
    let isOver: Bool
    /// How far away it is.
    var distance: String?
}

/// A run at the head of its page.
struct RunPart: TemplateModel {
    struct Wave: TemplateModel {
        let name: String, time: String
    }

    let card: Inline<RunCardPart>
    let isDraft: Bool
    let isCancelled: Bool
    let purposeLines: [String]
    let facts: [Fact]
    let hasWaves: Bool
    let waves: [Wave]
}

struct RunsPage: FramedPage {
    static let template = "runs"

    struct Session: TemplateModel {
        let isRunner: Bool
        let isOrganiser: Bool
    }

    /// What was typed.
    let q: String
    let isFiltered: Bool
    /// Distances to choose among.
    var around: [Choice] = []
    var session: Session?
    var result: String?
    var nothing: String?
    var runs: [RunCardPart] = []
}

struct RunPage: FramedPage {
    static let template = "run"

    /// Somebody for whom the reader decides, and how they stand with the run.
    struct Runner: TemplateModel {
        let name: String
        let isOwn: Bool
        let query: String
        var text: String?
        var mayEnrol = false
        var isEnrolled = false
    }

    struct Organise: TemplateModel {
        let isEditable: Bool
    }

    let run: Inline<RunPart>
    var course: CoursePart?
    var organise: Organise?
    var runners: [Runner] = []
    var isStranger = false
    var cannotRun = false
    var hasMessages = false
    var messages: [TimedText] = []
}
