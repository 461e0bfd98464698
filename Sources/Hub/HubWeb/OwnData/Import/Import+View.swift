import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Vitals

/// Importing one's own files, or a minor child's (DATA-2): several at once, with a page that tells how far it is and what became of them.
struct ImportPages: Sendable {
    let accounts: AccountStore
    let imports: ImportService
    let factors: FactorService
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    /// What browsers offer to choose.
    private static let accept =
        ".gpx,.tcx,.fit,.json,.ndjson,.csv,.xml,.edf,.zip,application/gpx+xml,application/zip,application/json,text/csv"
    static let field = "importFiles"

    func routes(_ router: some RouterMethods<HubContext>) {
        for base in [DataSubject.own, DataSubject.ofWard] {
            router.get("\(base)/import") { request, context in
                let frame = Frame(request, context)
                return try list(frame, subject(frame, context))
            }
            router.post("\(base)/import") { request, context in try await take(request, context) }
            router.get("\(base)/import/:import") { request, context in
                let frame = Frame(request, context), subject = try subject(frame, context)
                return try page(frame, subject, try found(context, subject))
            }
            router.post("\(base)/import/:import/cancel") { request, context in try cancel(request, context) }
            router.post("\(base)/import/:import/undo") { request, context in try undo(request, context) }
        }
    }

    private func subject(_ frame: Frame, _ context: HubContext) throws -> DataSubject {
        try DataSubject(frame, context, accounts: accounts, now: now())
    }

    private func found(_ context: HubContext, _ subject: DataSubject) throws -> ImportService.Shown {
        guard let id = ImportID(try context.parameters.require("import")), let shown = try imports.find(id, of: subject.person) else {
            throw HTTPError(.notFound)
        }
        return shown
    }

    // MARK: The list

    private func list(
        _ frame: Frame, _ subject: DataSubject, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) throws -> Response {
        let texts = frame.texts, words = ImportWords(texts: texts), base = "\(subject.base)/import"
        let rows = try imports.imports(of: subject.person).map { stored, state in
            ImportPage.Row(href: "\(base)/\(stored.id)", time: texts.instant(stored.started), state: words.state(state))
        }
        let shown = ImportPage(
            problem: problem, intro: texts[subject.isOwn ? "import.intro" : "import.introOf"], action: base, accept: Self.accept,
            hint: texts.filled("import.hint", ["size": texts.megabytes(imports.bytesMax)]),
            isFree: !imports.isBusy(subject.person), hasRows: !rows.isEmpty, rows: rows,
            back: Link(href: subject.base, text: texts["import.back"]))
        let title = subject.isOwn ? texts["import.title"] : texts.filled("import.titleOf", ["name": subject.account.name])
        return templates.page(shown, frame, title: title, help: subject.help, status: status)
    }

    // MARK: One import

    private func page(
        _ frame: Frame, _ subject: DataSubject, _ shown: ImportService.Shown, problem: String? = nil
    ) throws -> Response {
        let texts = frame.texts, words = ImportWords(texts: texts), base = "\(subject.base)/import/\(shown.stored.id)"
        var page = ImportResultPage(
            problem: problem, lines: words.lines(shown), hasKinds: false, kinds: [], hasFiles: false, files: [],
            back: Link(href: "\(subject.base)/import", text: texts["import.all"]))
        if case .running(let progress) = shown.state {
            page.progress = .init(all: String(progress.all), done: String(progress.done), text: words.progress(progress))
            page.cancel = .init(action: "\(base)/cancel", button: texts["import.cancel"])
        } else if let result = shown.result {
            page.kinds = words.kinds(result)
            page.files = result.files.map(words.file)
            (page.hasKinds, page.hasFiles) = (!page.kinds.isEmpty, !page.files.isEmpty)
        }
        if shown.state == .ended || shown.state == .interrupted {
            page.undo = .init(action: "\(base)/undo", button: texts["import.undo"])
            // Of a minute that several sources have, and whose single values were overwritten, nobody can tell who added what.
            page.undoStays = try accounts.overwritten(of: subject.person).map {
                texts.filled("import.undoStays", ["time": texts.instant($0)])
            }
        }
        let title = texts.filled("import.titleTime", ["time": texts.instant(shown.stored.started)])
        var response = templates.page(page, frame, title: title, help: subject.help, status: problem == nil ? .ok : .conflict)
        // Without a script: the browser comes again.
        if page.progress != nil, let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "2" }
        return response
    }

    private func cancel(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), shown = try found(context, subject)
        imports.cancel(shown.stored.id, of: subject.person)
        return .redirect(to: "\(subject.base)/import/\(shown.stored.id)", type: .normal)
    }

    private func undo(_ request: Request, _ context: HubContext) throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context), shown = try found(context, subject)
        let path = "\(subject.base)/import/\(shown.stored.id)"
        if let ask = StepUp.required(subject.session, back: path, factors) { return ask }
        do {
            _ = try imports.undo(shown.stored.id, of: subject.person, by: subject.session.account.id)
        } catch let refusal as ImportService.Refusal {
            return try page(frame, subject, shown, problem: frame.texts["import.\(refusal)"])
        }
        return .redirect(to: path, type: .normal)
    }

    // MARK: Uploading

    private func take(_ request: Request, _ context: HubContext) async throws -> Response {
        let frame = Frame(request, context), subject = try subject(frame, context)
        do {
            var form = try FormStream(type: request.headers[.contentType] ?? "")
            if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > imports.bytesMax + FormStream.fieldMax {
                throw ImportService.Refusal.tooLarge
            }
            let upload = try imports.open(subject.person, by: subject.session.account.id), id = upload.id
            // Whoever is logged in may take the time that a line takes.
            context.tell(.began(isBounded: false))
            try await imports.start(try await receive(request, &form, upload), zone: frame.texts.zone ?? TimeZone.current)
            return .redirect(to: "\(subject.base)/import/\(id)", type: .normal)
        } catch let refusal as ImportService.Refusal {
            if refusal == .gone { throw PageRefusal.notAllowed }
            let problem = ImportWords(texts: frame.texts).refusal(refusal, bytesMax: imports.bytesMax)
            return try list(frame, subject, problem: problem, status: .unprocessableContent)
        }
    }

    /// The files of a form. They are gone from the disk when this throws.
    private func receive(_ request: Request, _ form: inout FormStream, _ opened: ImportUpload) async throws -> ImportUpload {
        var upload = opened
        do {
            for try await part in request.body {
                for event in try form.add(part.readableBytesView) {
                    switch event {
                    case .file(let field, let name): if field == Self.field { try await upload.begin(name) }
                    case .bytes(let bytes): try await upload.add(bytes)
                    case .field: break
                    }
                }
            }
            guard form.isWhole else { throw HTTPError(.badRequest, message: "The form is cut.") }
            return upload
        } catch {
            await imports.discard(upload)
            if error is HTTPError || error is CancellationError { throw error }
            throw imports.refusal(error)
        }
    }
}
