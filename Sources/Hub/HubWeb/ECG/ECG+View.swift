import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Privacy
import Vitals

/// A person's own ECG strips, or a minor child's: uploading, looking at them, downloading and deleting each (DATA-1, DATA-2).
struct ECGPages: Sendable {
    let accounts: AccountStore
    let upload: ECGUpload
    let reading: ECGReading
    let store: ECGStore
    let deletion: Deletion
    let factors: FactorService
    let audit: AuditLog
    let views: ECGViews
    let now: @Sendable () -> Milliseconds

    /// What a form adds to its file.
    private static let formBytes = 64 << 10

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [DataSubject.own, DataSubject.ofWard] {
            router.get("\(base)/ecg") { request, context in
                let frame = Frame(request, context)
                return try list(frame, subject(frame, context), before: ECGViews.before(request))
            }
            router.post("\(base)/ecg") { request, context in try await take(request, context) }
            router.get("\(base)/ecg/:strip") { request, context in try page(request, context) }
            router.get("\(base)/ecg/:strip/file") { request, context in try file(request, context) }
            router.post("\(base)/ecg/:strip/delete") { request, context in try delete(request, context) }
        }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func grant(_ subject: DataSubject) throws -> Grant {
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: now()) else {
            throw PageRefusal.notAllowed
        }
        return grant
    }

    private func found(_ context: HubContext, _ subject: DataSubject) throws -> (stored: StoredECG, strip: ECGStrip) {
        guard let id = ECGID(try context.parameters.require("strip")), let found = try reading.strip(id, grant(subject)) else {
            throw HTTPError(.notFound)
        }
        return found
    }

    private func list(
        _ frame: Frame, _ subject: DataSubject, _ said: ECGViews.Said = .init(), before: Milliseconds? = nil,
        status: HTTPResponse.Status = .ok
    ) throws -> Response {
        guard let part = try reading.part(grant(subject), before: before) else { throw PageRefusal.notAllowed }
        let texts = frame.texts
        let field = FormField(
            name: "ecgFile", kind: .file(accept: ".csv,.edf,.json,text/csv,application/json,application/fhir+json"),
            hint: texts.filled("ecg.fileHint", ["size": texts.megabytes(ECGStrip.Limits.fileBytesMax)]))
        let form = FormModel(action: "\(subject.base)/ecg", button: texts["ecg.upload"], fields: [field]).model(texts)
        let space = texts.filled(
            "ecg.space", ["used": texts.megabytes(try store.bytes(of: subject.person)), "all": texts.megabytes(upload.bytesMax)])
        var said = said
        said.upload = .init(form: form, space: space)
        let title = subject.isOwn ? texts["ecg.title"] : texts.filled("ecg.titleOf", ["name": subject.account.name])
        return views.list(
            part, said, frame, base: "\(subject.base)/ecg", title: title, back: Link(href: subject.base, text: texts["ecg.back"]),
            help: "ecg", status: status)
    }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), found = try found(context, subject)
        let base = "\(subject.base)/ecg/\(found.stored.id)"
        let files = ECGViews.formats.map { Link(href: "\(base)/file?format=\($0)", text: frame.texts["ecg.file_\($0)"]) }
        return try views.strip(
            found, request, frame, subject: subject.account.id, base: base, files: files, removal: .init(action: "\(base)/delete"),
            back: Link(href: "\(subject.base)/ecg", text: frame.texts["ecg.all"]), help: "ecg")
    }

    private func file(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context)
        if let ask = StepUp.required(subject.session, back: "\(subject.base)/ecg", factors) { return ask }
        let found = try found(context, subject)
        try audit.append(.exported, by: subject.session.account.id, on: subject.account.id, now: now())
        var response = try ECGViews.file(found, request, patient: FHIRID(subject.account.id))
        response.headers[.contentDisposition] =
            "attachment; filename=\"ecg.\(request.uri.queryParameters["format"] == "csv" ? "csv" : "json")\""
        return response
    }

    private func delete(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context)
        if let ask = StepUp.required(subject.session, back: "\(subject.base)/ecg", factors) { return ask }
        guard let id = ECGID(try context.parameters.require("strip")),
            try deletion.deleteECG(id, of: subject.person, by: subject.session.account.id, now: now())
        else { throw HTTPError(.notFound) }
        return .redirect(to: "\(subject.base)/ecg", type: .normal)
    }

    // MARK: Uploading

    private func take(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), texts = frame.texts
        let sent = try await UploadForm(request, upTo: ECGStrip.Limits.fileBytesMax + Self.formBytes)
        guard let file = sent.files["ecgFile"] else {
            return try list(frame, subject, .init(problems: [texts["ecg.noFile"]]), status: .unprocessableContent)
        }
        do {
            let report = try await upload.take(
                file.bytes, of: subject.person, by: subject.session.account.id, zone: texts.zone ?? TimeZone.current)
            let problems = texts.ecgProblems(report), count = report.storedCount
            let good = count > 0 ? texts.counted("ecg.stored", count) : nil
            return try list(
                frame, subject, .init(good: good, problems: problems, notes: texts.ecgNotes(report)),
                status: problems.isEmpty || count > 0 ? .ok : .unprocessableContent)
        } catch let problem as ECGProblem {
            return try list(frame, subject, .init(problems: [texts.ecg(problem)]), status: .unprocessableContent)
        } catch HubStoreError.unknownPerson { throw PageRefusal.notAllowed }
    }
}
