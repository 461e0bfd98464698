import Exchange
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import SyncProtocol
import Vitals

/// What programs send with a device's secret beside positions: values of each scalar kind (DATA-13), and files to import (DATA-2).
extension SendersController {
    /// Seconds after which a program looks what became of an import.
    private static let importPause = "2"

    func fileRoutes(_ router: Router<HubContext>) {
        router.post("/samples") { request, context in await answer { try await samples(request, context) } }
        router.post("/imports") { request, context in await answer { try await importFile(request, context) } }
        router.get("/imports/:import") { request, context in await answer { try importState(request, context) } }
    }

    /// Whose secret the request bears: as a bearer token, or as the password of a user of any name.
    private func device(_ request: Request, _ context: HubContext) throws -> StoredDevice {
        let header = request.headers[.authorization] ?? ""
        if header.lowercased().hasPrefix("bearer ") {
            return try device(secret: header.dropFirst(7).trimmingCharacters(in: .whitespaces), named: nil, context)
        }
        return try device(secret: BasicCredentials(header)?.password ?? "", named: nil, context)
    }

    // MARK: Values

    private struct SamplesAnswer: Encodable {
        struct Problem: Encodable {
            let code: String
            var place: String?
            var detail: String?
            let count: Int
        }

        /// Values that were understood. What was sent before is not stored again.
        var samples = 0
        /// Values of kinds that are sent another way, such as positions.
        var other = 0
        var unknown: [String: Int] = [:]
        /// What is no single value, such as means of a span, by its name.
        var leftOut: [String: Int] = [:]
        var problems: [Problem] = []
    }

    private func samples(_ request: Request, _ context: HubContext) async throws -> Response {
        // Strangers are sent away before their body is read.
        let device = try device(request, context)
        let body = Array(buffer: try await request.body(upTo: Self.bodyMax))
        let isOfApp = HealthAutoExportReader.fits(body)
        var reader = reader(isOfApp: isOfApp, body), reading = SenderReading(), answer = SamplesAnswer()
        for part in reader.read(body) + reader.finish() {
            reading.samples.scalars += part.samples.scalars
            answer.other += part.samples.count - part.samples.scalars.count
        }
        (answer.samples, answer.unknown) = (reading.samples.scalars.count, reader.report.unknown)
        for (what, count) in reader.report.leftOut { answer.leftOut[what.rawValue] = count }
        answer.problems = reader.report.problems.map { problem in
            let shown = ImportResult.Problem(problem)
            let place = shown.place.map { "\(shown.placeKind ?? "") \($0)" }
            return .init(code: shown.code, place: place, detail: shown.detail, count: shown.count)
        }
        guard answer.samples > 0 else {
            // An app that has nothing new sends an empty list, and would take a refusal for a fault.
            return try .json(answer, status: isOfApp && answer.problems.isEmpty ? .ok : .badRequest)
        }
        try await devices.receive(reading, from: device)
        return try .json(answer)
    }

    /// Our own lines or document, or what an app sends that exports the phone's health store.
    private func reader(isOfApp: Bool, _ body: [UInt8]) -> any HealthReader {
        if isOfApp { return HealthAutoExportReader(now: now()) }
        let isWhole = String(decoding: body.prefix(ImportFile.headMax), as: UTF8.self).contains("\"trackme-samples\"")
        return SampleJSONReader(isLines: !isWhole, now: now())
    }

    // MARK: Files

    private struct ImportAnswer: Encodable {
        let id: String
        let state: String
        var percent: Int?
        var taken: Int?
        var end: String?
        /// By the names of the kinds.
        var kinds: [String: ImportResult.Counts]?
        var files: [ImportResult.File]?
    }

    private func importFile(_ request: Request, _ context: HubContext) async throws -> Response {
        let device = try device(request, context)
        let name = request.uri.queryParameters["name"].map(String.init) ?? ""
        do {
            let opened = try imports.open(device.person, by: AccountID(device.person)), id = opened.id
            context.tell(.began(isBounded: false))
            try await imports.start(try await receive(request, name, opened), zone: .gmt)
            var response = try Response.json(ImportAnswer(id: id.description, state: "running"), status: .accepted)
            (response.headers[.location], response.headers[.retryAfter]) = ("/imports/\(id)", Self.importPause)
            return response
        } catch let refusal as ImportService.Refusal {
            if refusal == .gone { throw DeviceIngest.Refusal.gone }
            let status: HTTPResponse.Status =
                switch refusal {
                case .tooLarge: .contentTooLarge
                case .busy, .clearing: .conflict
                case .crowded, .disk: .serviceUnavailable
                case .noFile, .tooManyFiles, .gone: .badRequest
                }
            let words = ImportWords(texts: Texts.of("en")).refusal(refusal, bytesMax: imports.bytesMax)
            return try .json(ErrorAnswer(error: "\(refusal)", description: words), status: status)
        }
    }

    private func receive(_ request: Request, _ name: String, _ opened: ImportUpload) async throws -> ImportUpload {
        var upload = opened
        do {
            try await upload.begin(name)
            for try await part in request.body { try await upload.add(part.readableBytesView) }
            return upload
        } catch {
            await imports.discard(upload)
            if error is CancellationError { throw error }
            throw imports.refusal(error)
        }
    }

    private func importState(_ request: Request, _ context: HubContext) throws -> Response {
        let device = try device(request, context)
        guard let id = ImportID(try context.parameters.require("import")), let shown = try imports.find(id, of: device.person) else {
            throw HTTPError(.notFound, message: "There is no such import of this person.")
        }
        switch shown.state {
        case .running(let progress):
            let percent = progress.all > 0 ? Int(clamping: min(progress.done, progress.all) * 100 / progress.all) : 0
            return try .json(ImportAnswer(id: id.description, state: "running", percent: percent, taken: progress.taken))
        case .interrupted: return try .json(ImportAnswer(id: id.description, state: "interrupted"))
        case .undone: return try .json(ImportAnswer(id: id.description, state: "undone"))
        case .ended:
            let result = shown.result
            return try .json(
                ImportAnswer(
                    id: id.description, state: "ended", taken: result?.taken, end: result?.end.rawValue, kinds: result?.kinds,
                    files: result?.files))
        }
    }
}
