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

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs") { request, context in try list(Frame(request, context), request) }
        router.get("/runs/:code") { request, context in try page(Frame(request, context), context) }
        router.get("/runs/:code/calendar.ics") { request, context in
            let run = try site.run(context, Frame(request, context).session)
            return Self.calendar(site.runs.calendarFile(of: run), name: "\(run.code).ics")
        }
        router.get("/runs/calendar/:token") { request, context in
            // The token's end is for programs that look at names of files.
            let token = try context.parameters.require("token").replacing(".ics", with: "")
            guard let bytes = try site.runs.calendar(feed: token) else { throw HTTPError(.notFound) }
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
        var model: [String: Any] = ["q": words, "isFiltered": place != nil || !words.isEmpty]
        let found: [[String: Any]]
        if let place {
            found = try site.runs.nearby(place, within: metres).map { near in
                RunEntry(run: near.run, now: site.runs.now).model(texts).merging([
                    "distance": near.metres < 100
                        ? texts["runs.here"] : texts.filled("runs.away", ["km": texts.kilometres(Double(near.metres))])
                ]) { $1 }
            }
            model["result"] = texts.counted("runs.near", found.count)
            model["around"] = Self.around.map { choice in
                [
                    "href": String(
                        format: "/runs?lat=%.5f&lon=%.5f&km=%d", Double(place.latitude) / 1e7, Double(place.longitude) / 1e7, choice / 1000),
                    "text": texts.kilometres(Double(choice)), "isHere": choice == metres,
                ] as [String: Any]
            }
        } else if !words.isEmpty {
            found = try site.runs.find(words).map { RunEntry(run: $0, now: site.runs.now).model(texts) }
            model["result"] = texts.counted("runs.found", found.count)
        } else {
            found = try site.runs.upcoming().map { RunEntry(run: $0, now: site.runs.now).model(texts) }
        }
        model["runs"] = found
        if found.isEmpty { model["nothing"] = texts[place != nil ? "runs.noneNear" : words.isEmpty ? "runs.none" : "runs.noneFound"] }
        if let session = frame.session {
            let isRunner = try !site.runners(of: session.account).isEmpty
            model["session"] = ["isOrganiser": session.account.roles.contains(.organiser), "isRunner": isRunner] as [String: Any]
        }
        return site.page("runs", frame, title: texts["runs.title"], model)
    }

    // MARK: A run

    private func page(_ frame: Frame, _ context: HubContext) throws -> Response {
        let texts = frame.texts, session = frame.session, run = try site.run(context, session)
        var model = RunEntry(run: run, now: site.runs.now).page(texts)
        model.merge(try site.course(try site.runs.course(of: run), texts)) { $1 }
        let isOrganiser = session?.account.id == run.organiser && session != nil
        if isOrganiser { model["organise"] = ["isEditable": [.draft, .scheduled].contains(run.state(at: site.runs.now))] }
        if let account = session?.account {
            let runners = try site.runners(of: account)
            let states = try runners.map { try standing($0, run, texts) }
            if !states.isEmpty { model["runners"] = states }
            let takesPart = states.contains { $0["isEnrolled"] as? Bool == true }
            if takesPart {
                let messages = try site.runs.store.messages(to: run, count: 20)
                model["messages"] = messages.map { ["time": texts.instant($0.time, in: run.plan.timeZone), "text": $0.text] }
                model["hasMessages"] = !messages.isEmpty
            }
            if runners.isEmpty, !isOrganiser { model["cannotRun"] = true }
        } else {
            model["isStranger"] = !run.state(at: site.runs.now).isOver
        }
        return site.page("run", frame, title: run.plan.name, model)
    }

    /// How somebody stands with a run, and what they can do.
    private func standing(_ runner: RunSite.Runner, _ run: StoredRun, _ texts: Texts) throws -> [String: Any] {
        var model: [String: Any] = ["name": runner.name, "isOwn": runner.isOwn, "query": runner.query]
        let enrolment = try site.runs.store.enrolment(of: runner.person, in: run.id)
        if let enrolment, enrolment.state != .withdrawn {
            model["isEnrolled"] = true
            model["text"] = texts.filled("runs.youAre_\(enrolment.state)", ["bib": String(enrolment.bib)])
            return model
        }
        let refusal = try site.runs.store.refusal(
            .init(run: run.id, person: runner.person, choices: EnrolmentChoices()), now: site.runs.now)
        if let refusal { model["text"] = texts.refusal(refusal, zone: run.plan.timeZone) } else { model["mayEnrol"] = true }
        return model
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

    func model(_ texts: Texts) -> [String: Any] {
        let state = run.state(at: now)
        return [
            "code": run.code, "name": run.plan.name, "when": texts.when(run.plan), "state": texts.runState(state),
            "level": Self.level(state),
            "isLive": state == .live, "isOver": state == .finished,
        ]
    }

    func page(_ texts: Texts) -> [String: Any] {
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
        return model(texts).merging([
            "facts": facts, "purposeLines": plan.purpose.split(separator: "\n").map(String.init),
            "waves": plan.waves.map { ["name": $0.name, "time": texts.instant($0.gun, in: zone)] }, "hasWaves": !plan.waves.isEmpty,
            "isScheduled": state == .scheduled, "isDraft": state == .draft, "isCancelled": state == .cancelled,
        ]) { $1 }
    }

    private func fact(_ name: String, _ value: String, _ texts: Texts) -> [String: String] {
        ["label": texts["runs.fact_\(name)"], "value": value]
    }
}
