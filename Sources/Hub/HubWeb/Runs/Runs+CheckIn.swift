import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Checking in on the day, with two consents apart from each other (RUN-5).
struct CheckInPages: Sendable {
    let site: RunSite
    let checkIns: CheckInService

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/:code/check-in") { request, context in
            let frame = Frame(request, context), account = try frame.session().account
            let who = request.uri.queryParameters["person"].map(String.init) ?? ""
            let (mine, runner) = try site.mine(context, account, who: who)
            return try page(frame, mine, runner)
        }
        router.post("/runs/:code/check-in") { request, context in try await checkIn(request, context) }
    }

    private func page(
        _ frame: Frame, _ mine: EnrolmentService.MyRun, _ runner: RunSite.Runner, values: [String: String] = [:], mistake: String? = nil,
        problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, run = mine.run, zone = run.plan.timeZone, now = site.now
        let done = try checkIns.checkIn(of: runner.person, to: run.id)
        var page = RunCheckInPage(
            intro: texts.when(run.plan), name: runner.isOwn ? nil : runner.name, problem: problem, code: run.code, query: runner.query)
        page.done = done.since.map { since in
            .init(
                text: texts.filled("runs.checkedInSince", ["time": texts.instant(since, in: zone)]),
                publicText: texts[done.isHeartRatePublic ? "runs.heartIsPublic" : "runs.heartIsNotPublic"],
                position: done.position.map { texts.filled("runs.positionSeen", ["age": texts.age(max(0, now - $0))]) }
                    ?? texts["runs.noPosition"],
                level: done.position == nil ? "bad" : "good", mark: texts[done.position == nil ? "runs.missing" : "runs.there"])
        }
        if mine.state == .scheduled, mine.enrolment.state == .enrolled {
            if now < run.checkInOpens {
                page.closed = texts.filled("runs.checkInOpens", ["time": texts.instant(run.checkInOpens, in: zone)])
            } else {
                let isAsked = done.since != nil
                let fields = [
                    FormField(
                        name: "organiserConsent", kind: .tick(value: "1"), hint: texts["runs.organiserConsentHint"],
                        label: texts.filled("runs.organiserConsent", ["time": texts.instant(run.plan.ends, in: zone)])),
                    FormField(
                        name: "publicHeartRate", kind: .tick(value: "1"), isRequired: false, hint: texts["runs.publicHeartRateHint"],
                        label: texts.filled("runs.publicHeartRate", ["time": texts.instant(run.plan.ends, in: zone)])),
                ]
                let known = isAsked ? ["organiserConsent": "1", "publicHeartRate": done.isHeartRatePublic ? "1" : ""] : [:]
                page.form = FormModel(
                    action: "/runs/\(run.code)/check-in\(runner.query)", button: texts[isAsked ? "runs.checkInChange" : "runs.checkIn"],
                    fields: fields, values: known.merging(values) { $1 }, said: mistake.map { [("organiserConsent", $0)] } ?? []
                ).model(texts)
            }
        } else {
            page.closed = MyRunModel.standing(mine, texts)
        }
        return site.page(page, frame, title: texts.filled("runs.checkInTitle", ["run": run.plan.name]), status: status)
    }

    private func checkIn(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try frame.session().account
        let who = request.uri.queryParameters["person"].map(String.init) ?? ""
        let (mine, runner) = try site.mine(context, account, who: who), sent = try await SentForm(request)
        guard !sent["organiserConsent"].isEmpty else {
            return try page(
                frame, mine, runner, values: sent.fields, mistake: frame.texts["runs.organiserConsentMissing"],
                status: .unprocessableContent)
        }
        do {
            _ = try checkIns.checkIn(
                runner.person, to: mine.run.id, publicHeartRate: !sent["publicHeartRate"].isEmpty, by: account)
        } catch let refusal as CheckInService.Refusal {
            return try page(frame, mine, runner, problem: frame.texts.refusal(refusal, zone: mine.run.plan.timeZone), status: .conflict)
        }
        return .redirect(to: "/runs/\(mine.run.code)/check-in\(runner.query)", type: .normal)
    }
}

struct RunCheckInPage: FramedPage {
    static let template = "runCheckIn"

    struct Done: TemplateModel {
        let text: String, publicText: String, position: String, level: String, mark: String
    }

    let intro: String
    /// The child's who runs.
    var name: String?
    var problem: String?
    var done: Done?
    /// Why nobody can check in now.
    var closed: String?
    var form: FormPart?
    let code: String, query: String
}
