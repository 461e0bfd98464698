import Exchange
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// The shared part of pages of strips, whoever reads.
struct ECGViews: Sendable {
    /// In which a strip can be downloaded.
    static let formats = ["csv", "json", "fhir"]

    let templates: Templates

    /// The frame around a list.
    struct Said {
        var good: String?
        var problems: [String] = []
        var notes: [String] = []
        var upload: ECGPage.Upload?
    }

    /// Where the part of a list that a request asks for begins; nil for the newest.
    static func before(_ request: Request) -> Milliseconds? { request.uri.queryParameters["before"].flatMap { Milliseconds($0) } }

    /// - Parameter base: the address of the list.
    func list(
        _ part: ECGPart, _ said: Said, _ frame: Frame, base: String, title: String, back: Link, help: String,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let texts = frame.texts
        let page = ECGPage(
            good: said.good, problemsTitle: said.problems.isEmpty ? nil : texts["ecg.problems"], hasProblems: !said.problems.isEmpty,
            problems: said.problems, hasNotes: !said.notes.isEmpty, notes: said.notes,
            intro: texts[said.upload == nil ? "ecg.introReader" : "ecg.intro"], upload: said.upload,
            isEmpty: part.strips.isEmpty && part.unreadable == 0, strips: part.strips.map { texts.ecgRow($0, base: base) },
            older: part.next.map { Link(href: "\(base)?before=\($0)", text: texts["ecg.older"]) }, back: back)
        return templates.page(page, frame, title: title, help: help, status: status)
    }

    func strip(
        _ found: (stored: StoredECG, strip: ECGStrip), _ request: Request, _ frame: Frame, subject: AccountID?, base: String,
        files: [Link] = [], removal: ECGStripPage.Removal? = nil, back: Link, help: String
    ) throws -> Response {
        let texts = frame.texts, count = ECGDrawing.parts(found.stored.duration)
        let part = request.uri.queryParameters["part"].flatMap { Int($0) } ?? 1
        guard (1...max(1, count)).contains(part) else { throw HTTPError(.notFound) }
        let drawing = ECGDrawing(strip: found.strip, part: part - 1), seconds = Int(ECGDrawing.partMilliseconds / 1000)
        let parts = (1...max(1, count)).map { number in
            let end = min(Double(found.stored.duration) / 1000, Double(number * seconds))
            return Choice(
                href: "\(base)?part=\(number)", text: "\(texts.number((number - 1) * seconds)) – \(texts.decimal(end, 1)) s",
                isHere: number == part)
        }
        let label = texts.filled(
            "ecg.drawing", ["time": texts.instant(found.stored.time), "leads": found.stored.head.leads.joined(separator: ", ")])
        let page = ECGStripPage(
            facts: texts.ecgFacts(found.stored, subject: subject), hasParts: count > 1, parts: parts, scale: texts["ecg.scale"],
            cut: drawing.isCut ? texts["ecg.cut"] : nil, svg: drawing.svg(label: label), hasFiles: !files.isEmpty, files: files,
            removal: removal, back: back)
        return templates.page(page, frame, title: texts.filled("ecg.stripTitle", ["time": texts.instant(found.stored.time)]), help: help)
    }

    /// One strip as CSV, JSON or FHIR.
    /// - Throws: `HTTPError` for another format.
    static func file(
        _ found: (stored: StoredECG, strip: ECGStrip), _ request: Request, patient: FHIRID?
    ) throws -> Response {
        let named = NamedECGStrip(id: FHIRID(found.stored.id), strip: found.strip)
        let (bytes, type): ([UInt8], String) =
            switch request.uri.queryParameters["format"] ?? "json" {
            case "csv": (ECGText.csv(found.strip), CSVWriter.mediaType)
            case "json": (ECGText.json([named]), "application/json")
            case "fhir": (FHIRECG.observation(found.strip, id: named.id, patient: patient), FHIRBundleWriter.mediaType)
            default: throw HTTPError(.badRequest)
            }
        return Response(
            status: .ok, headers: [.contentType: type, .cacheControl: "no-store"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
