import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Runs
import Vitals

/// A run as its organiser sees it: what to do next, everybody live, the list, messages and invitations (RUN-6, RUN-9, RUN-11, RUN-16, RUN-18).
struct OrganisePages: Sendable {
    let site: RunSite
    let organising: OrganiserService
    let invitations: RunInvitationService
    let results: RunResultService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/people") { request, context in
            let frame = Frame(request, context), (run, _) = try site.own(context, frame)
            let query = request.uri.queryParameters
            return try page(
                frame, run, search: query["q"].map(String.init) ?? "", part: query["page"].flatMap { Int($0) } ?? 1,
                good: query["done"].flatMap { frame.texts.find("runs.done_\($0)") })
        }
        router.post("/runs/:code/state/:act") { request, context in try await act(request, context) }
        router.post("/runs/:code/message") { request, context in
            try await change(request, context, done: "message") { run, account, sent in
                try organising.message(sent["message"], to: run.id, by: account)
            }
        }
        router.post("/runs/:code/people/entry") { request, context in
            try await change(request, context, done: "entry") { run, account, sent in
                guard let bib = Int(sent["bib"]), let entry = EntryStatus(rawValue: sent["entry"]) else { throw EntryMistake.bib }
                do { try results.setEntry(entry, bib: bib, in: run.id, by: account) } catch RunProblem.unknown { throw EntryMistake.bib }
            }
        }
        router.post("/runs/:code/invitations") { request, context in
            try await change(request, context, done: "invited") { run, account, sent in
                try invitations.invite(email: sent["email"], to: run.id, by: account)
            }
        }
        router.post("/runs/:code/invitations/link") { request, context in try await link(request, context) }
        router.post("/runs/:code/invitations/:number/revoke") { request, context in
            let number = Int(try context.parameters.require("number")) ?? -1
            return try await change(request, context, done: "revoked") { run, account, _ in
                try invitations.revokeInvitation(number, to: run.id, by: account)
            }
        }
    }

    private enum EntryMistake: Error { case bib }

    // MARK: What is done

    /// Asks first: everybody is told of a start, and who has no position is off the list.
    private func begin(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), (run, account) = try site.own(context, frame), sent = try await SentForm(request)
        guard sent["sure"].isEmpty else {
            do { _ = try organising.begin(run.id, by: account) } catch let problem as RunProblem {
                return try refused(frame, run, sent, problem)
            }
            return .redirect(to: "/runs/\(run.code)/people?done=begin", type: .normal)
        }
        let state = run.state(at: site.now)
        if state == .scheduled, site.now >= run.checkInOpens { return try page(frame, run, asksToBegin: true) }
        return try refused(frame, run, sent, state == .scheduled ? .tooEarly(run.checkInOpens) : .state(state))
    }

    private func act(_ request: Request, _ context: HubContext) async throws -> Response {
        let name = try context.parameters.require("act")
        if name == "begin" { return try await begin(request, context) }
        return try await change(request, context, done: name) { run, account, sent in
            switch name {
            case "publish": _ = try organising.publish(run.id, by: account)
            case "take-back": _ = try organising.takeBackStart(of: run.id, by: account)
            case "finish": _ = try organising.finish(run.id, by: account)
            case "cancel": _ = try organising.cancel(run.id, reason: sent["reason"], by: account)
            default: throw HTTPError(.notFound)
            }
        }
    }

    private func change(
        _ request: Request, _ context: HubContext, done: String, _ work: (StoredRun, StoredAccount, SentForm) throws -> Void
    ) async throws -> Response {
        let frame = Frame(request, context), (run, account) = try site.own(context, frame), sent = try await SentForm(request)
        do { try work(run, account, sent) } catch let problem as RunProblem {
            return try refused(frame, run, sent, problem)
        } catch is EntryMistake {
            return try page(
                frame, run, problem: frame.texts["runs.noSuchBib"], values: sent.fields, status: .unprocessableContent)
        }
        return .redirect(to: "/runs/\(run.code)/people?done=\(done)", type: .normal)
    }

    private func refused(_ frame: Frame, _ run: StoredRun, _ sent: SentForm, _ problem: RunProblem) throws -> Response {
        var text = frame.texts.problem(problem, zone: run.plan.timeZone)
        if case .faults(let faults) = problem {
            text += " " + faults.compactMap { frame.texts.fault($0)?.text }.joined(separator: " ")
        }
        let isTyped = [RunProblem.message, .address].contains(problem)
        return try page(frame, run, problem: text, values: sent.fields, status: isTyped ? .unprocessableContent : .conflict)
    }

    private func link(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), (run, account) = try site.own(context, frame), sent = try await SentForm(request)
        do {
            let link = try invitations.invitationLink(to: run.id, uses: Int(sent["uses"]) ?? 1, by: account)
            return try page(frame, run, link: link)
        } catch let problem as RunProblem { return try refused(frame, run, sent, problem) }
    }

    // MARK: The page

    static let pageSize = 200

    private func page(
        _ frame: Frame, _ seen: StoredRun, search: String = "", part: Int = 1, good: String? = nil, problem: String? = nil,
        link: String? = nil, asksToBegin: Bool = false, values: [String: String] = [:], status: HTTPResponse.Status = .ok
    ) throws -> Response {
        // As it is behind what was done.
        guard let run = try site.store.run(seen.id), let account = frame.session?.account else { throw HTTPError(.notFound) }
        let texts = frame.texts, now = site.now, state = run.state(at: now)
        let plan = try site.finder.course(of: run)
        var page = RunPeoplePage(
            run: Inline(RunEntry(run: run, now: now).page(texts)), list: Inline(try people(run, account, search, part, texts)),
            good: state == .draft && good == texts["runs.done_publish"] ? nil : good, problem: problem,
            course: try site.course(plan, texts), search: search,
            mayPublish: state == .draft, mayBegin: state == .scheduled && now >= run.checkInOpens,
            mayEdit: state == .draft || state == .scheduled, mayEnter: state == .live || state == .finished,
            mayMessage: state != .draft && state != .cancelled, mayInvite: state == .scheduled, mayFinish: state == .live,
            mayCancel: !state.isOver, document: try organising.document(of: run.id, for: account) != nil,
            entries: EntryStatus.allCases.map { .init(value: $0.rawValue, text: texts["runs.set_\($0.rawValue)"]) },
            bib: values["bib"] ?? "", message: values["message"] ?? "", email: values["email"] ?? "", reason: values["reason"] ?? "",
            messages: try site.messages(to: run, texts), link: link.map(AddressPart.init))
        if asksToBegin { page.asksToBegin = .init(text: try begun(run, account, texts)) }
        if state == .draft { (page.check, page.mayPublish) = try check(run, texts) }
        page.mayTakeBack = organising.mayTakeBackStart(of: run)
        if state == .scheduled, now < run.checkInOpens {
            page.checkInText = texts.filled("runs.checkInOpens", ["time": texts.instant(run.checkInOpens, in: run.plan.timeZone)])
        }
        if state == .draft || state == .scheduled, let plan {
            page.warnings = try organising.warnings(run.plan, course: plan, but: run.id).map { warning in
                let (text, code) = texts.warning(warning, zone: run.plan.timeZone)
                return .init(text: text, other: code.map { .init(href: "/runs/\($0)") })
            }
        }
        if state == .scheduled { page.invitations = try waiting(run, account, texts) }
        return site.page(page, frame, title: run.plan.name, status: status)
    }

    /// What an operator says of a draft that is to be published, and whether it can be published again.
    private func check(_ run: StoredRun, _ texts: Texts) throws -> (text: String?, mayPublish: Bool) {
        switch try organising.operators.standing(of: run) {
        case .waits: (texts["runs.checkWaits"], false)
        case .refused(let reason): (texts.filled("runs.checkRefused", ["reason": reason]), true)
        case .none, .accepted: (nil, true)
        }
    }

    /// What a start before its time means.
    private func begun(_ run: StoredRun, _ account: StoredAccount, _ texts: Texts) throws -> String {
        let enrolled = try results.startList(of: run.id, for: account).participants.filter { $0.enrolment.state == .enrolled }
        return texts.filled(
            "runs.beginText",
            [
                "time": texts.instant(run.plan.starts, in: run.plan.timeZone), "all": texts.number(enrolled.count),
                "n": texts.number(enrolled.count { $0.health == nil }),
            ])
    }

    private func waiting(_ run: StoredRun, _ account: StoredAccount, _ texts: Texts) throws -> [RunPeoplePage.Invitation] {
        try invitations.invitations(to: run.id, by: account).map { waiting in
            .init(
                whom: waiting.invitation.email ?? texts["runs.byLink"], left: texts.filled("runs.left", ["n": texts.number(waiting.left)]),
                expires: texts.filled("runs.until", ["time": texts.instant(waiting.expires, in: run.plan.timeZone)]),
                number: String(waiting.number))
        }
    }

    /// The list, 200 at a time: names and numbers as they enrol, what they share behind the check-in (RUN-18).
    private func people(_ run: StoredRun, _ account: StoredAccount, _ search: String, _ part: Int, _ texts: Texts) throws -> StartListPart {
        let (all, damaged) = try results.startList(of: run.id, for: account)
        let wanted = search.lowercased().trimmingCharacters(in: .whitespaces)
        let found =
            wanted.isEmpty
            ? all
            : all.filter {
                String($0.enrolment.bib) == wanted || $0.name.lowercased().contains(wanted)
                    || $0.enrolment.choices.publicName.lowercased().contains(wanted)
            }
        let pages = max(1, (found.count + Self.pageSize - 1) / Self.pageSize), here = min(max(part, 1), pages)
        let shown = found.dropFirst((here - 1) * Self.pageSize).prefix(Self.pageSize)
        let states: [(EnrolmentState, String)] = [
            (.enrolled, "enrolled"), (.checkedIn, "checkedIn"), (.notCheckedIn, "notCheckedIn"), (.noPosition, "noPosition"),
            (.withdrawn, "withdrawn"),
        ]
        let counts = states.compactMap { state, name in
            let count = all.count { $0.enrolment.state == state }
            return count == 0 ? nil : texts.filled("runs.count_\(name)", ["n": texts.number(count)])
        }
        let shares = all.count { $0.health != nil }
        var list = StartListPart(
            damaged: damaged > 0 ? texts.filled("runs.js_damaged", ["n": texts.number(damaged)]) : nil, isEmpty: all.isEmpty,
            counts: counts.joined(separator: " · "),
            shares: texts.filled(
                "runs.sharing", ["n": texts.number(shares), "all": texts.number(all.count { $0.enrolment.state != .withdrawn })]),
            hasSearch: all.count > 20 || !wanted.isEmpty, isNotFound: !all.isEmpty && found.isEmpty,
            people: shown.map { person(run, $0, texts) })
        if pages > 1 {
            let query = search.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            list.pages = (1...pages).map {
                Choice(href: "?page=\($0)&q=\(query)#list", text: texts.number($0), isHere: $0 == here)
            }
        }
        return list
    }

    private func person(_ run: StoredRun, _ person: RunResultService.Participant, _ texts: Texts) -> StartListPart.Person {
        let enrolment = person.enrolment, choices = enrolment.choices
        var lines: [String] = []
        if !choices.publicName.isEmpty { lines.append(choices.publicName) }
        if run.plan.waves.indices.contains(choices.wave) { lines.append(run.plan.waves[choices.wave].name) }
        if let health = person.health {
            lines.append(
                texts.filled(
                    "runs.shares",
                    ["kinds": texts.kinds(health.grant.kinds), "time": texts.instant(health.access.since, in: run.plan.timeZone)])
            )
        }
        let isOff = !enrolment.state.isOnList
        return .init(
            bib: String(enrolment.bib), name: person.name, level: isOff ? "bad" : person.health != nil ? "good" : "plain",
            state: enrolment.entry == .entered ? texts["runs.is_\(enrolment.state)"] : texts["runs.set_\(enrolment.entry.rawValue)"],
            lines: lines.isEmpty ? nil : lines.joined(separator: " · "))
    }
}

/// Who takes part, a page at a time.
struct StartListPart: TemplateModel {
    struct Person: TemplateModel {
        let bib: String, name: String, level: String, state: String
        var lines: String?
    }

    /// How many entries cannot be read.
    var damaged: String?
    let isEmpty: Bool
    let counts: String, shares: String
    let hasSearch: Bool
    let isNotFound: Bool
    let people: [Person]
    var pages: [Choice] = []
}

struct RunPeoplePage: FramedPage {
    static let template = "runPeople"

    /// What may be wrong with the plan.
    struct Warning: TemplateModel {
        struct Other: TemplateModel {
            let href: String
        }

        let text: String
        var other: Other?
    }

    struct Entry: TemplateModel {
        let value: String, text: String
    }

    struct Question: TemplateModel {
        let text: String
    }

    struct Invitation: TemplateModel {
        let whom: String, left: String, expires: String, number: String
    }

    let run: Inline<RunPart>
    let list: Inline<StartListPart>
    var good: String?
    var problem: String?
    var warnings: [Warning] = []
    var checkInText: String?
    /// What an operator says of a draft.
    var check: String?
    var course: CoursePart?
    let search: String
    var mayPublish: Bool
    let mayBegin: Bool
    /// What is asked before a start by hand.
    var asksToBegin: Question?
    /// The start was a moment ago.
    var mayTakeBack = false
    let mayEdit: Bool
    let mayEnter: Bool
    let mayMessage: Bool
    let mayInvite: Bool
    let mayFinish: Bool
    let mayCancel: Bool
    /// There is a permission to look at.
    let document: Bool
    let entries: [Entry]
    /// What was typed.
    let bib: String, message: String, email: String, reason: String
    let messages: [TimedText]
    var invitations: [Invitation] = []
    var link: AddressPart?
}
