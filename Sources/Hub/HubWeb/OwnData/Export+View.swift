import Accounts
import Exchange
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import Privacy
import Vitals

/// Downloading one's own data, or a minor child's (DATA-9): a short one at once, a long one with a page that tells how far it is. It is sent while it is
/// read, so neither waits on a disk for the other.
struct ExportPages: Sendable {
    let accounts: AccountStore
    let runs: RunsStore
    let sos: SOSStore
    let export: Export
    let ecg: ECGReading
    let audit: AuditLog
    let factors: FactorService
    let templates: Templates
    let jobs: ExportJobs
    /// How browsers reach the hub: the base of identifiers in FHIR.
    let url: @Sendable () -> String
    let logger: Logger
    let now: @Sendable () -> Milliseconds
    /// So many hours with data take about two seconds.
    var hoursAtOnce: Int64 = 720

    static let formats = ["csv", "json", "gpx", "fhir"]
    private static let day: Milliseconds = 86_400_000

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [DataSubject.own, DataSubject.ofWard] {
            router.get("\(base)/export") { request, context in try ask(request, context) }
            router.get("\(base)/export/:job") { request, context in try page(request, context) }
            router.get("\(base)/export/:job/file") { request, context in try file(request, context) }
        }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func ask(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context)
        let format = request.uri.queryParameters["format"].map(String.init) ?? ""
        guard Self.formats.contains(format), let days = request.uri.queryParameters["days"].flatMap({ Milliseconds($0) }), days >= 0 else {
            throw HTTPError(.badRequest)
        }
        if let ask = StepUp.required(subject.session, back: subject.base, factors) { return ask }
        let time = now(), span = (days == 0 ? 0 : max(0, time - min(days, 100_000) * Self.day))...max(time, 0)
        let grant = try grant(subject)
        guard let hours = try export.hours(grant, in: span) else { throw PageRefusal.notAllowed }
        guard hours > hoursAtOnce,
            let job = jobs.add(format: format, span: span, of: subject.session.account.id, about: subject.person, now: time)
        else {
            return try answer(format, subject, grant, span, nil)
        }
        return .redirect(to: "\(subject.base)/export/\(job)", type: .normal)
    }

    /// A parent's download stands in the child's list of reads.
    private func grant(_ subject: DataSubject) throws -> Grant {
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: now()) else {
            throw PageRefusal.notAllowed
        }
        try accounts.ledger.recordRead(grant, now: now())
        return grant
    }

    private func job(_ context: HubContext, _ subject: DataSubject) throws -> ExportJob {
        guard let id = ExportJob.ID(try context.parameters.require("job")),
            let job = jobs.job(id, of: subject.session.account.id, now: now()), job.person == subject.person
        else { throw HTTPError(.notFound) }
        return job
    }

    private func page(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), texts = frame.texts, subject = try subject(frame, context), job = try job(context, subject)
        var shown = ExportPage(text: texts["data.exportLong"], base: subject.base), isOver = false
        let file = Link(href: "\(subject.base)/export/\(job.id)/file", text: texts["data.download"])
        switch job.state {
        case .waiting: shown.file = file
        case .running(let progress):
            let percent = progress.all > 0 ? Int(progress.done * 100 / progress.all) : 0
            let text = texts.filled(
                "data.exportRunning",
                ["percent": String(percent), "done": texts.number(Int(progress.done)), "all": texts.number(Int(progress.all))])
            shown.progress = .init(all: String(progress.all), done: String(progress.done), text: text)
        case .done:
            shown.good = texts["data.exportDone"]
            isOver = true
        case .broken:
            shown.problem = texts["data.exportBroken"]
            shown.file = file
            isOver = true
        }
        var response = templates.page(shown, frame, title: texts["data.exportTitle"], help: subject.help)
        // Without a script: the browser comes again. What it then shows is where the download is.
        if !isOver, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
        return response
    }

    private func file(_ request: Request, _ context: HubContext) throws -> Response {
        let subject = try subject(Frame(request, context), context), job = try job(context, subject)
        return try answer(job.format, subject, try grant(subject), job.span, job.id)
    }

    // MARK: The file

    private func answer(
        _ format: String, _ subject: DataSubject, _ grant: Grant, _ span: ClosedRange<Milliseconds>, _ job: ExportJob.ID?
    ) throws -> Response {
        let time = now()
        switch format {
        case "csv": return try archive(try export.csv(grant, in: span), subject, grant, span, job)
        case "json": return try archive(JSONWriter(created: time), subject, grant, span, job)
        case "gpx": return try archive(GPXWriter(name: "TrackMe", created: time), subject, grant, span, job)
        default:
            let writer = FHIRBundleWriter(
                .collection, base: url() + APIController.fhir, patient: FHIRID(subject.account.id), detail: .minutes, created: time)
            return try archive(writer, subject, grant, span, job)
        }
    }

    /// A ZIP of the samples and of what else is kept (``ProfileExport``). It streams: a file of years takes no memory. When the right to read ends
    /// on the way the connection is cut, so that the file does not look whole.
    private func archive<Writer: SampleWriter>(
        _ writer: Writer, _ subject: DataSubject, _ grant: Grant, _ span: ClosedRange<Milliseconds>, _ job: ExportJob.ID?
    ) throws -> Response {
        let profile = try ProfileExport(subject.account, accounts: accounts, runs: runs, sos: sos, now: now()).json()
        let records =
            Writer.fileExtension == FHIRBundleWriter.fileExtension
            ? try FHIRRecords.bundle(of: subject.account, accounts: accounts, base: url() + APIController.fhir, now: now()) : nil
        return Response(
            status: .ok,
            headers: [
                .contentType: ZipWriter.mediaType, .cacheControl: "no-store",
                .contentDisposition: "attachment; filename=\"trackme-\(Writer.fileExtension).\(ZipWriter.fileExtension)\"",
            ],
            body: .init { body in
                var body = body, zip = ZipWriter(modified: now())
                do {
                    try audit.append(.exported, by: subject.session.account.id, on: subject.account.id, now: now())
                    try await body.write(ByteBuffer(bytes: zip.begin("profile.json") + zip.data(profile) + zip.endMember()))
                    if let records {
                        try await body.write(ByteBuffer(bytes: zip.begin("records.fhir.json") + zip.data(records) + zip.endMember()))
                    }
                    try await body.write(ByteBuffer(bytes: zip.begin("trackme.\(Writer.fileExtension)")))
                    let progress: @Sendable (Export.Progress) -> Void = { progress in
                        if let job { jobs.set(.running(progress), job) }
                    }
                    try await export.write(writer, grant, in: span, progress: progress) { bytes in
                        try await body.write(ByteBuffer(bytes: zip.data(bytes)))
                    }
                    try await body.write(ByteBuffer(bytes: zip.endMember()))
                    try await ecg.write(Writer.fileExtension, grant, span, FHIRID(subject.account.id), now(), into: &zip) {
                        try await body.write(ByteBuffer(bytes: $0))
                    }
                    try await body.write(ByteBuffer(bytes: zip.end()))
                } catch {
                    if let job { jobs.set(.broken, job) }
                    logger.error("a download ended before its end", metadata: ["error": "\(error)"])
                    throw error
                }
                if let job { jobs.set(.done, job) }
                try await body.finish(nil)
            })
    }
}

struct ExportPage: FramedPage {
    static let template = "export"

    struct Progress: TemplateModel {
        let all: String, done: String, text: String
    }

    var good: String?
    var problem: String?
    let text: String
    var progress: Progress?
    var file: Link?
    let base: String
}
