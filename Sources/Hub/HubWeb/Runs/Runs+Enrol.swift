import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Runs
import Vitals

/// Taking part and withdrawing (RUN-4), with what a runner chooses (RUN-15).
struct EnrolPages: Sendable {
    let site: RunSite
    let track4Run: Track4Run

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/enrol") { request, context -> Response in
            let frame = Frame(request, context), account = try frame.session().account
            let who = request.uri.queryParameters["person"].map(String.init) ?? ""
            guard let runner = try site.runner(who, of: account) else { throw PageRefusal.notAllowed }
            return try form(frame, try site.run(context, frame.session), runner, account)
        }
        router.post("/runs/:code/enrol") { request, context in try await enrol(request, context) }
        router.post("/runs/:code/withdraw") { request, context in try await withdraw(request, context) }
    }

    // MARK: The form

    static let delays: [Milliseconds] = [0, 1, 2, 5, 10, 15, 30].map { $0 * 60_000 }
    static let radii = [200.0, 500.0, 1000.0, 2000.0]

    private func fields(_ run: StoredRun, _ runners: [RunSite.Runner], _ isBegun: Bool, _ hasZone: Bool, _ texts: Texts) -> [FormField] {
        var fields: [FormField] = []
        if runners.count > 1 {
            let choices = runners.map { ($0.person.description, $0.isOwn ? texts["runs.myself"] : $0.name) }
            fields.append(FormField(name: "person", kind: .choice(choices), label: texts["runs.field_who"]))
        }
        if !isBegun {
            fields.append(
                FormField(
                    name: "publicName", kind: .text, autocomplete: "nickname", isRequired: false, hint: texts["runs.hint_publicName"],
                    label: texts["runs.field_publicName"]))
            if run.plan.waves.count > 1 {
                let waves = run.plan.waves.enumerated().map {
                    (String($0.offset), "\($0.element.name), \(texts.instant($0.element.gun, in: run.plan.timeZone))")
                }
                fields.append(FormField(name: "wave", kind: .choice(waves), label: texts["runs.field_wave"]))
            }
        }
        fields.append(
            FormField(
                name: "delay",
                kind: .choice(
                    Self.delays.map {
                        (String($0), $0 == 0 ? texts["runs.noDelay"] : texts.counted("runs.minutes", Int($0 / 60_000)))
                    }), hint: texts["runs.hint_delay"], label: texts["runs.field_delay"]))
        fields.append(
            FormField(
                name: "homeRadius",
                kind: .choice([("", texts["runs.noHome"])] + Self.radii.map { (String(Int($0)), texts.kilometres($0)) }),
                isRequired: false, hint: texts["runs.hint_home"], label: texts["runs.field_home"]))
        fields.append(
            FormField(
                name: "homePlace", kind: .text, isRequired: false, hint: texts[hasZone ? "runs.hint_homeKept" : "runs.hint_homePlace"],
                label: texts["runs.field_homePlace"]))
        return fields
            + PublishedResult.allCases.map {
                FormField(
                    name: "publish_\($0.rawValue)", kind: .tick(value: "1"), isRequired: false, label: texts["runs.publish_\($0.rawValue)"])
            }
    }

    private func values(_ choices: EnrolmentChoices, _ runner: RunSite.Runner) -> [String: String] {
        var values = [
            "person": runner.person.description, "publicName": choices.publicName, "wave": String(choices.wave),
            "delay": String(choices.delay),
            "homeRadius": choices.home.map { String(Int($0.radius)) } ?? "",
        ]
        for part in choices.published { values["publish_\(part.rawValue)"] = "1" }
        return values
    }

    private func form(
        _ frame: Frame, _ run: StoredRun, _ runner: RunSite.Runner, _ account: StoredAccount, values: [String: String]? = nil,
        said: [(field: String, text: String)] = [], problem: String? = nil, link: Link? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, enrolment = try enrolled(runner, run)
        let isBegun = enrolment != nil && ![.draft, .scheduled].contains(run.state(at: site.now))
        let runners = enrolment == nil ? try site.runners(of: account) : []
        let key = enrolment == nil ? "enrol" : "choices"
        let form = FormModel(
            action: "/runs/\(run.code)/enrol\(runner.query)", button: texts["runs.\(key)Button"],
            fields: fields(run, runners, isBegun, enrolment?.choices.home != nil, texts),
            values: values ?? self.values(enrolment?.choices ?? EnrolmentChoices(), runner), said: said, problem: problem)
        let intro = texts.filled("runs.\(key)Text", ["run": run.plan.name, "time": texts.when(run.plan), "name": runner.name])
        var links = [Link(href: "/runs/\(run.code)", text: run.plan.name)]
        if let link { links.insert(link, at: 0) }
        return site.page(
            RunEnrolPage(intro: intro, form: form.model(texts), links: links), frame, title: texts["runs.\(key)Title"], status: status)
    }

    private func enrolled(_ runner: RunSite.Runner, _ run: StoredRun) throws -> StoredEnrolment? {
        try site.store.enrolments.enrolment(of: runner.person, in: run.id).flatMap { $0.state == .withdrawn ? nil : $0 }
    }

    // MARK: What is sent

    private func enrol(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), texts = frame.texts, account = try frame.session().account
        let sent = try await SentForm(request)
        let who = sent["person"].isEmpty ? request.uri.queryParameters["person"].map(String.init) ?? "" : sent["person"]
        guard let runner = try site.runner(who, of: account) else { throw PageRefusal.notAllowed }
        let run = try site.run(context, frame.session)
        let old = try enrolled(runner, run)
        func refused(
            _ problem: String?, _ said: [(field: String, text: String)] = [], link: Link? = nil, status: HTTPResponse.Status
        ) throws -> Response {
            try form(frame, run, runner, account, values: sent.fields, said: said, problem: problem, link: link, status: status)
        }
        do {
            let choices = try choices(sent, old, of: runner, texts)
            if old != nil {
                _ = try site.enrolments.choose(choices, of: runner.person, in: run.id, by: account)
            } else {
                _ = try await site.enrolments.enrol(runner.person, in: run.id, choices, by: account)
                try track4Run.addBeside(runner.person, purpose: texts["services.track4RunPurpose"], by: account.id)
            }
        } catch let mistake as ChoiceMistake {
            return try refused(nil, [(mistake.field, mistake.text)], status: .unprocessableContent)
        } catch EnrolmentRefusal.choices(let fault) {
            return try refused(
                nil, [(Self.field(fault), texts.refusal(.choices(fault), zone: run.plan.timeZone))], status: .unprocessableContent)
        } catch EnrolmentRefusal.overlaps(let code) {
            let link = Link(href: "/runs/\(code)", text: texts.filled("runs.toRun", ["code": code]))
            return try refused(texts.refusal(.overlaps(code: code), zone: run.plan.timeZone), link: link, status: .conflict)
        } catch let refusal as EnrolmentRefusal {
            return try refused(texts.refusal(refusal, zone: run.plan.timeZone), status: .conflict)
        }
        return .redirect(to: "/runs/\(run.code)/mine\(runner.query)", type: .normal)
    }

    private struct ChoiceMistake: Error {
        let field: String, text: String
    }

    private func choices(_ sent: SentForm, _ old: StoredEnrolment?, of runner: RunSite.Runner, _ texts: Texts) throws -> EnrolmentChoices {
        var choices = EnrolmentChoices(published: [])
        choices.publicName = sent["publicName"]
        choices.wave = Int(sent["wave"]) ?? 0
        choices.delay = Milliseconds(sent["delay"]) ?? 0
        choices.published = Set(PublishedResult.allCases.filter { !sent["publish_\($0.rawValue)"].isEmpty })
        guard let radius = Double(sent["homeRadius"]) else { return choices }
        let typed = sent["homePlace"].trimmingCharacters(in: .whitespaces)
        if typed.isEmpty, let known = old?.choices.home, known.radius == radius {
            choices.home = known
            return choices
        }
        guard let place = DrawnLine.place(typed) else {
            throw ChoiceMistake(field: "homePlace", text: texts[typed.isEmpty ? "runs.homePlaceMissing" : "runs.homePlaceWrong"])
        }
        choices.home = try site.enrolments.homeZone(around: place, radius: radius, of: runner.person)
        return choices
    }

    private static func field(_ fault: EnrolmentRefusal.ChoiceFault) -> String {
        switch fault {
        case .nameTooLong, .nameTellsTooMuch: "publicName"
        case .noSuchWave: "wave"
        case .delay: "delay"
        case .homeRadius: "homeRadius"
        }
    }

    private func withdraw(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account
        let sent = try await SentForm(request)
        guard let runner = try site.runner(sent["person"], of: account) else { throw PageRefusal.notAllowed }
        let run = try site.run(context, frame.session)
        do { try site.enrolments.withdraw(runner.person, from: run.id, by: account) } catch let refusal as EnrolmentRefusal {
            return site.page(
                NoticePage(text: frame.texts.refusal(refusal, zone: run.plan.timeZone)), frame, title: frame.texts["runs.withdraw"],
                status: .conflict)
        }
        return .redirect(to: "/runs/\(run.code)", type: .normal)
    }
}

struct RunEnrolPage: FramedPage {
    static let template = "runEnrol"

    let intro: String
    let form: FormPart
    let links: [Link]
}
