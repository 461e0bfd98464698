import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Vitals

/// Values that a person enters by a program of their own (DATA-2), with the checks and the words of the page. Who writes is the person in a
/// browser, or a phone whose secret the person made: no organisation enters anything.
struct APIEntries: Sendable {
    let api: APIController

    static let path = "/api/v1/entries"

    var operations: [APIController.Operation] {
        [
            APIController.Operation(method: .post, path: Self.path) { request, context in try await enter(request, context) },
            APIController.Operation(method: .delete, path: "\(Self.path)/{id}") { request, context in try takeBack(request, context) },
        ]
    }

    // MARK: Who writes

    private struct Writer {
        let person: PersonID
        /// What is wrong is said in the person's language, or the one that the program asks for.
        let texts: Texts
    }

    private func writer(_ request: Request, _ context: HubContext) throws -> Writer {
        guard api.bearer(request) != nil else { return try inBrowser(request) }
        let device = try api.device(request, context, stranger: .strangeWriter, organisation: .onlyPersons)
        // What its person was told it may do is all that it may.
        guard device.kind != .detector else { throw APIProblem.onlyFlags }
        return Writer(person: device.person, texts: Texts.preferred(request))
    }

    private func inBrowser(_ request: Request) throws -> Writer {
        guard let cookie = request.cookies[Sessions.cookie]?.value, let session = try api.session(cookie), session.strength == .full else {
            throw APIProblem.strangeWriter
        }
        guard SameOrigin.isOurs(request) else {
            throw APIProblem(
                .forbidden, "wrong_origin", "Another site asked for this. Programs send the secret of a phone instead of a session.")
        }
        guard session.account.roles.contains(.person) else { throw APIProblem.onlyPersons }
        return Writer(person: session.account.id.person, texts: Texts.of(session.account.language))
    }

    // MARK: What is written

    /// As the lines of downloads have it, and the unit: the second value stands under the name of its kind, such as `diastolic`.
    private struct Sent: Decodable {
        private enum Value: Decodable {
            case text(String)

            init(from decoder: any Decoder) throws {
                let value = try decoder.singleValueContainer()
                if let number = try? value.decode(Int64.self) {
                    self = .text("\(number)")
                } else if let number = try? value.decode(Double.self) {
                    self = .text("\(number)")
                } else {
                    self = .text(try value.decode(String.self))
                }
            }
        }

        private let members: [String: Value]

        init(from decoder: any Decoder) throws { members = try decoder.singleValueContainer().decode([String: Value].self) }

        subscript(_ name: String) -> String? {
            guard case .text(let text)? = members[name] else { return nil }
            return text
        }
    }

    private func enter(_ request: Request, _ context: HubContext) async throws -> Response {
        // Strangers are sent away before their body is read.
        let writer = try writer(request, context), texts = writer.texts
        let body = try await request.body(upTo: APIController.bodyMax)
        guard let sent = try? JSONDecoder().decode(Sent.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(
                .badRequest, "invalid_request",
                "The body is not {\"kind\": \"weight\", \"value\": 72.5, \"unit\": \"kg\", \"time\": \"2026-11-23T10:00:00Z\"}.")
        }
        guard let kind = sent["kind"].flatMap(DataKind.init(name:)), KindEntry.entered.contains(kind) else {
            throw APIProblem(
                .badRequest, "invalid_kind",
                "The kind is not known, or nobody enters it by hand. There are \(KindEntry.entered.map(\.name).joined(separator: ", ")).")
        }
        do {
            let (sample, id) = try await api.programEntries.enter(Self.written(sent, kind), kind, of: writer.person)
            var response = try Response.json(EntryAnswer(sample, id), status: .created)
            response.headers[.location] = "\(Self.path)/\(id)"
            return response
        } catch let problems as EntryProblems {
            throw APIProblem(problems, kind, texts)
        } catch ManualEntry.Refusal.crowded {
            throw APIProblem(.conflict, "crowded", texts["entry.crowded"])
        } catch ManualEntry.Refusal.slowDown(let seconds) {
            throw APIProblem(.tooManyRequests, "slow_down", texts.counted("entry.slowDown", seconds))
        } catch ManualEntry.Refusal.gone { throw APIProblem.strangeWriter }
    }

    private static func written(_ sent: Sent, _ kind: DataKind) -> WrittenEntry {
        var written = WrittenEntry()
        (written.value, written.unit) = (sent["value"] ?? "", sent["unit"] ?? "")
        if let second = kind.entry.second { written.second = sent[second.name] ?? "" }
        (written.hasTime, written.hasEnd) = (sent["time"] != nil, sent["end"] != nil)
        (written.time, written.end) = (sent["time"].flatMap(APITime.read), sent["end"].flatMap(APITime.read))
        return written
    }

    private func takeBack(_ request: Request, _ context: HubContext) throws -> Response {
        let writer = try writer(request, context), id = try context.parameters.require("id")
        do {
            guard try api.programEntries.takeBack(id, of: writer.person, by: AccountID(writer.person)) else {
                throw APIProblem(.notFound, "not_found", "This is no id of an entry of this person.")
            }
        } catch ManualEntry.Refusal.gone { throw APIProblem.strangeWriter }
        return Response(status: .noContent)
    }
}

extension APIProblem {
    fileprivate static let strangeWriter = APIProblem(
        .unauthorized, "invalid_device",
        "No phone has this secret (any more), and nobody is logged in. The person makes a new one on the page of their boxes and phones."
    )
    fileprivate static let onlyFlags = APIProblem(
        .forbidden, "wrong_device",
        "This secret is of a fall or seizure detector, which reports to \(APIController.flags) and enters no values."
    )
    fileprivate static let onlyPersons = APIProblem(
        .forbidden, "wrong_device",
        "Values are entered by the person alone: in a browser, or with the secret of a phone from the page of their boxes and phones."
    )

    /// All that is wrong with an entry, by the member where it stands, as the page says it.
    fileprivate init(_ problems: EntryProblems, _ kind: DataKind, _ texts: Texts) {
        let said = problems.list.map { problem in
            let detail = problem.code == .notATime ? "A time is RFC 3339 in UTC, or milliseconds since 1970." : texts.problem(problem)
            return Member(member: Self.member(problem.field, kind), detail: detail)
        }
        self.init(.unprocessableContent, "invalid_entry", said.map { "\($0.member): \($0.detail)" }.joined(separator: " "))
        members = said
    }

    private static func member(_ field: EntryProblem.Field, _ kind: DataKind) -> String {
        switch field {
        case .value: "value"
        case .second: kind.entry.second?.name ?? "value"
        case .unit: "unit"
        case .time: "time"
        case .end: "end"
        }
    }
}

/// An entry as it was stored.
private struct EntryAnswer: Encodable {
    /// Of any name, because that of the second value is the kind's.
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private let sample: ScalarSample
    private let id: String

    init(_ sample: ScalarSample, _ id: String) { (self.sample, self.id) = (sample, id) }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        func put(_ name: String, _ value: some Encodable) throws { try members.encode(value, forKey: Key(stringValue: name)) }
        let row = sample.kind.entry
        try put("id", id)
        try put("kind", row.name)
        try put("source", "manual")
        try put("time", APITime.text(sample.time))
        if let end = sample.end { try put("end", APITime.text(end)) }
        if !row.unit.isEmpty { try put("unit", row.unit) }
        func value(_ name: String, _ value: Int64, _ codes: [String]) throws {
            if codes.isEmpty {
                try put(name, Double(value.text(places: row.decimals)) ?? 0)
            } else {
                try put(name, Int(exactly: value).flatMap { codes.indices.contains($0) ? codes[$0] : nil } ?? "\(value)")
            }
        }
        try value("value", sample.value, row.codes)
        if let second = sample.second, let meaning = row.second { try value(meaning.name, second, meaning.codes) }
    }
}
