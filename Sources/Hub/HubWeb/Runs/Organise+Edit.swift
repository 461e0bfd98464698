import Accounts
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Runs
import Seams
import Vitals

/// Making and changing a run (RUN-1, RUN-2, RUN-17).
struct OrganiseEditPages: Sendable {
    let site: RunSite
    let organising: OrganiserService
    /// A course of 42 km is held against all that lies near it: no thread that answers requests does that.
    private let checks: ReadPool<AccountID>

    init(site: RunSite, organising: OrganiserService, machine: Machine) {
        (self.site, self.organising) = (site, organising)
        checks = ReadPool(width: 1, waitingMax: 16, readerMax: 2, machine: machine)
    }

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/runs/new") { request, context in
            let frame = Frame(request, context)
            _ = try creator(frame)
            return try page(frame, RunFormModel(values: RunForm.fresh(frame.texts.zone), isNew: true))
        }
        router.post("/runs/new") { request, context in try await create(request, context) }
        router.get("/runs/:code/edit") { request, context in
            let frame = Frame(request, context), (run, _) = try site.own(context, frame)
            let course = try site.finder.course(of: run) ?? CoursePlan(points: [])
            return try page(
                frame,
                RunFormModel(
                    values: RunForm.values(run, course), waveRows: run.plan.waves.count + 1, placeRows: course.places.count + 1,
                    isNew: false,
                    document: try site.store.document(of: run)?.name), run)
        }
        router.post("/runs/:code/edit") { request, context in try await edit(request, context) }
        router.get("/runs/:code/document") { request, context -> Response in
            let frame = Frame(request, context)
            let account = try frame.session(asOneOf: RunOrganisers.roles.union([.operator])).account
            guard let code = context.parameters.get("code"), let run = try site.store.run(code: code.uppercased()),
                let document = try? organising.document(of: run.id, for: account)
            else { throw HTTPError(.notFound) }
            // Of a stranger's own making: to be kept, and not to be shown in this site's name.
            let name = String(
                document.name.unicodeScalars.map {
                    $0.isASCII && $0.properties.isAlphabetic || "0123456789.-_".unicodeScalars.contains($0) ? Character($0) : "_"
                })
            return Response(
                status: .ok,
                headers: [
                    .contentType: document.type, .cacheControl: "no-store", .contentDisposition: "attachment; filename=\"\(name)\"",
                ], body: .init(byteBuffer: ByteBuffer(bytes: document.bytes)))
        }
    }

    /// Somebody who may make a run.
    private func creator(_ frame: Frame) throws -> StoredAccount {
        let account = try frame.session().account
        guard organising.organisers.allow(account.roles) else { throw PageRefusal.notAllowed }
        return account
    }

    private func page(
        _ frame: Frame, _ form: RunFormModel, _ run: StoredRun? = nil, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts
        let page = RunFormPage(
            form: Inline(form.model(texts)),
            told: run.flatMap { $0.enrolled > 0 && $0.state != .draft ? texts.counted("runs.changesTold", $0.enrolled) : nil },
            problem: problem, action: run.map { "/runs/\($0.code)/edit" } ?? "/runs/new",
            button: texts[run == nil ? "runs.create" : "runs.save"], back: run.map { "/runs/\($0.code)/people" },
            mapConfig: try site.map.configuration(texts), scriptTexts: RunSite.scriptTexts(texts))
        let title = run.map { texts.filled("runs.editTitle", ["run": $0.plan.name]) } ?? texts["runs.newTitle"]
        return site.page(page, frame, title: title, status: status)
    }

    private func again(_ form: RunForm, isNew: Bool, document: String? = nil) -> RunFormModel {
        RunFormModel(
            values: form.values, said: form.said, notes: form.notes, waveRows: form.waveRows, placeRows: form.placeRows, isNew: isNew,
            document: document)
    }

    /// A file of many megabytes over a slow line takes its time.
    private func received(_ request: Request, _ context: HubContext) async throws -> UploadForm {
        context.tell(.began(isBounded: false))
        let form = try await UploadForm(request)
        context.tell(.began(isBounded: true))
        return form
    }

    /// - Throws: `ReadPoolBusy` where so many wait for the same: ``ErrorPages`` says so.
    private func faults(
        _ plan: RunPlan, _ course: CoursePlan?, of run: StoredRun? = nil, _ account: StoredAccount
    ) async throws -> [RunFault] {
        guard let course else { return organising.faults(plan, course: nil, of: run) }
        // One organiser's forms wait for each other.
        return try await checks.run(for: account.id) { organising.faults(plan, course: course, of: run) }
    }

    // MARK: A new one

    private func create(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), account = try creator(frame), texts = frame.texts
        let sent = try await received(request, context)
        var form = RunForm(sent, old: nil, texts)
        // Only more rows, or a look at a file.
        if !sent["more"].isEmpty { return try page(frame, again(form, isNew: true)) }
        form.take(try await faults(form.plan, form.course, account), texts)
        if sent["disclaimer"] != OrganiserService.disclaimerVersion { form.said.append(("disclaimer", texts["runs.problem_disclaimer"])) }
        let document = sent.files["document"]
        if let document, let fault = Self.fault(document) { form.said.append(("document", texts.problem(.document(fault), zone: ""))) }
        guard form.said.isEmpty else { return try page(frame, again(form, isNew: true), status: .unprocessableContent) }
        let run: StoredRun
        do {
            run = try organising.create(form.plan, course: form.course, accepted: sent["disclaimer"], isChecked: true, by: account)
            if let document { try keep(document, of: run, account) }
        } catch let problem as RunProblem {
            if case .faults(let faults) = problem { form.take(faults, texts) }
            return try page(
                frame, again(form, isNew: true), problem: texts.problem(problem, zone: form.plan.timeZone), status: .conflict)
        }
        return .redirect(to: "/runs/\(run.code)/people", type: .normal)
    }

    private func keep(_ file: UploadForm.File, of run: StoredRun, _ account: StoredAccount) throws {
        try organising.setDocument(.init(name: file.name, type: "", bytes: file.bytes), of: run.id, by: account)
    }

    /// As the service will see it: told with all else that is wrong.
    private static func fault(_ file: UploadForm.File) -> RunProblem.DocumentFault? {
        if file.bytes.count > OrganiserService.documentMax { return .size }
        let starts: [[UInt8]] = [Array("%PDF-".utf8), [0xFF, 0xD8, 0xFF], [0x89, 0x50, 0x4E, 0x47]]
        return starts.contains { file.bytes.starts(with: $0) } ? nil : .type
    }

    // MARK: Another one

    private func edit(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), (run, account) = try site.own(context, frame), texts = frame.texts
        let sent = try await received(request, context), old = try site.finder.course(of: run) ?? CoursePlan(points: [])
        var form = RunForm(sent, old: (run, old), texts)
        let known = try site.store.document(of: run)?.name
        if !sent["more"].isEmpty { return try page(frame, again(form, isNew: false, document: known), run) }
        let course = form.course == old ? nil : form.course
        form.take(try await faults(form.plan, course, of: run, account), texts)
        let document = sent.files["document"]
        if let document, let fault = Self.fault(document) { form.said.append(("document", texts.problem(.document(fault), zone: ""))) }
        guard form.said.isEmpty else {
            return try page(frame, again(form, isNew: false, document: known), run, status: .unprocessableContent)
        }
        do {
            _ = try organising.edit(
                run.id, revision: Int(sent["revision"]) ?? -1, form.plan, course: course, isChecked: true, by: account)
            if let document {
                try keep(document, of: run, account)
            } else if !sent["documentRemove"].isEmpty {
                try organising.setDocument(nil, of: run.id, by: account)
            }
        } catch let problem as RunProblem {
            if case .faults(let faults) = problem { form.take(faults, texts) }
            return try page(
                frame, again(form, isNew: false, document: known), run, problem: texts.problem(problem, zone: form.plan.timeZone),
                status: .conflict)
        }
        return .redirect(to: "/runs/\(run.code)/people", type: .normal)
    }
}
