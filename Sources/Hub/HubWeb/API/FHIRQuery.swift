import Exchange
import Foundation
import HTTPTypes
import Hummingbird
import Vitals

/// What a search of FHIR asks for. A parameter that the hub does not know is refused and not passed over: what a filter would have left out
/// must not be taken for its answer.
struct FHIRQuery {
    private let pairs: [(name: String, value: String)]

    /// - Throws: an ``APIProblem`` for a parameter that is not among `allowed`, and for another format than JSON.
    init(_ request: Request, allowed: [String]) throws {
        let all = request.uri.queryParameters.map { (name: String($0.key), value: String($0.value)) }
        if let unknown = all.first(where: { $0.name != "_format" && !allowed.contains($0.name) }) {
            throw APIProblem(
                .badRequest, "not_supported", "There is no parameter \(unknown.name) here. See \(APIController.fhir)/metadata.")
        }
        let accept = request.headers[values: .accept].joined(separator: ",")
        let isJSON =
            all.last { $0.name == "_format" }.map { Self.formats.contains($0.value) }
            ?? (accept.isEmpty || ["json", "*/*", "application/*"].contains(where: accept.contains))
        guard isJSON else {
            throw APIProblem(.notAcceptable, "not_acceptable", "FHIR is written as JSON here: application/fhir+json.")
        }
        pairs = all.filter { $0.name != "_format" }
    }

    private static let formats: Set = ["json", "application/json", "application/fhir+json"]

    subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

    /// All that must hold together.
    func values(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

    /// The address that asks this, with `value` for what `name` says now.
    func link(_ address: String, _ name: String? = nil, _ value: String = "") -> String {
        var pairs = pairs
        if let name {
            pairs.removeAll { $0.name == name }
            pairs.append((name, value))
        }
        guard !pairs.isEmpty else { return address }
        return address + "?" + pairs.map { "\(Self.encoded($0.name))=\(Self.encoded($0.value))" }.joined(separator: "&")
    }

    private static let plain = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/:,")

    private static func encoded(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? "" }

    func number(_ name: String, _ range: ClosedRange<Int>) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw APIProblem(.badRequest, "invalid_number", "\(name) is a number from \(range.lowerBound) to \(range.upperBound).")
        }
        return number
    }

    /// `patient` or `subject`: an id, `Patient/ID`, or the whole address.
    func patient(base: String) throws -> FHIRID? {
        let given = values("patient") + values("subject")
        guard let first = given.first else { return nil }
        let id = ["\(base)/Patient/", "Patient/"].first { first.hasPrefix($0) }.map { String(first.dropFirst($0.count)) } ?? first
        guard given.count == 1, let patient = FHIRID(id) else {
            throw APIProblem(.badRequest, "invalid_patient", "patient is one pseudonym: 1 to 36 letters, digits, hyphens and points.")
        }
        return patient
    }

    var isNewestFirst: Bool {
        get throws {
            switch self["_sort"] {
            case nil, "-date": return true
            case "date": return false
            default: throw APIProblem(.badRequest, "not_supported", "_sort is date or -date.")
            }
        }
    }

    /// When; nil where the dates leave nothing.
    var span: ClosedRange<Milliseconds>? {
        get throws {
            let dates = values("date")
            guard dates.count <= 2 else { throw APIProblem(.badRequest, "invalid_date", "date may stand twice at most.") }
            var span: ClosedRange<Milliseconds>? = FHIRDateRange.all
            for text in dates {
                guard let date = FHIRDateRange(text) else {
                    throw APIProblem(
                        .badRequest, "invalid_date",
                        "date is a date or an instant behind nothing or eq, ge, gt, sa, le, lt, eb: ge2026-11-21.")
                }
                span = span.flatMap { span in date.span.flatMap { $0.overlaps(span) ? $0.clamped(to: span) : nil } }
            }
            return span
        }
    }

    /// What `code` and `category` leave of the kinds that are Observations.
    func kinds(base: String) throws -> Set<DataKind> {
        var kinds = FHIRKind.all
        for value in values("code") {
            let tokens = value.split(separator: ",").map(String.init)
            kinds = kinds.filter { kind in
                kind.codes(base: base).contains { known in tokens.contains { Self.token($0, means: known.code, of: known.system) } }
            }
        }
        for value in values("category") {
            let tokens = value.split(separator: ",").map(String.init)
            kinds = kinds.filter { kind in
                guard let category = kind.category else { return false }
                return tokens.contains { Self.token($0, means: category.rawValue, of: FHIRKind.Category.system) }
            }
        }
        return Set(kinds.map(\.kind))
    }

    /// A token of R4: `CODE`, `SYSTEM|CODE`, or `SYSTEM|`.
    private static func token(_ token: String, means code: String, of system: String) -> Bool {
        token == code || token == "\(system)|\(code)" || token == "\(system)|"
    }
}

extension APIProblem {
    /// As FHIR says it (R4, http, 3.1.0.1.4).
    var outcome: FHIROutcome {
        let codes: [Int: FHIROutcome.Code] = [
            401: .login, 403: .forbidden, 404: .notFound, 405: .notSupported, 406: .notSupported, 413: .tooLong, 429: .throttled,
            503: .transient,
        ]
        let isUnsupported = code == "not_supported"
        return FHIROutcome(.error, isUnsupported ? .notSupported : codes[status] ?? (status < 500 ? .invalid : .exception), detail)
    }
}
