public import Alerts
public import AsyncHTTPClient
import Crypto
import Distress
import Foundation
public import HubStore
public import Languages
import NIOCore
import NIOHTTP1
public import Vitals

/// A way to a control room (SOS-17). One that does not answer throws, and is tried again.
public protocol EmergencyChannel: Sendable {
    /// As the operator calls the room.
    var name: String { get }
    /// Where it is the one to call; nil for everywhere.
    var area: ControlRoomArea? { get }
    /// In which it reads, the language of the place (SOS-6); nil: in that of the person.
    var language: Language? { get }
    /// Its result is the word of the room's own side, and not of a mail program on the way.
    var answers: Bool { get }
    /// It can say that somebody has the case, gave it back, or that the person answered, and not an alarm and its end alone.
    var hasNews: Bool { get }
    /// It goes by mail, and has no line of its own.
    var isMail: Bool { get }
    /// How long one alarm may take, milliseconds: longer than all time-outs of its line.
    var limit: Milliseconds { get }
    /// Sends one alarm.
    /// - Returns: what proves that the other side has it.
    /// - Throws: why it did not leave, or was not taken.
    func send(_ record: SOSRecord, language: Language) async throws -> String
    /// It takes one of the hub's telephone lines.
    var isCalled: Bool { get }
    /// The same for a way on which somebody may answer while it is under way.
    func send(_ record: SOSRecord, language: Language, answering: SOSAnswering) async throws -> String
    /// Looks whether it could be reached, and tells nothing.
    /// - Returns: nil where that cannot be known without sending.
    /// - Throws: why it cannot be reached.
    func check() async throws -> String?
    /// Sends a sign of life, which is about nobody, to a room that wants one.
    /// - Returns: what proves that the other side has it.
    func send(_ beat: Heartbeat, language: Language) async throws -> String
    /// Without which other way it does not work; nil for a room with a way of its own.
    var restsOn: Way? { get }
}

extension EmergencyChannel {
    public var area: ControlRoomArea? { nil }
    public var language: Language? { nil }
    public var answers: Bool { true }
    public var hasNews: Bool { true }
    public var isMail: Bool { false }
    /// SIP waits at most 45 s at each of four places.
    public var limit: Milliseconds { 200_000 }
    public func check() async throws -> String? { nil }
    public var restsOn: Way? { nil }
    public func send(_ beat: Heartbeat, language: Language) async throws -> String {
        throw WayFailure("this control room has no form for a sign of life")
    }
    public var isCalled: Bool { false }
    public func send(_ record: SOSRecord, language: Language, answering: SOSAnswering) async throws -> String {
        try await send(record, language: language)
    }
}

/// How messages leave the hub. What is nil does not exist here.
public struct SOSOutlets: Sendable {
    /// A short message to a number (E.164).
    public var text: (@Sendable (_ text: String, _ number: String) async throws -> Void)?
    /// A mail to an address.
    public var mail: @Sendable (_ to: String, _ subject: String, _ text: String) async throws -> Void
    /// Control rooms.
    public var rooms: [any EmergencyChannel]
    /// Calls contacts by telephone.
    public var voice: (any SOSVoice)?
    /// What a contact reads of what no emergency format says: that somebody took it, or gave it back. nil for everything else.
    public var phrase: @Sendable (_ message: SOSCall.Message, _ item: SOSCase, _ language: String) -> String?
    /// This hub can call by telephone.
    var hasVoice: Bool { voice != nil }
    /// The hub's address.
    public var site: @Sendable () -> String
    /// The known state of the ways.
    public var ways: WayMonitor
    /// How mails and texts leave.
    public var mailPool = SendPool(width: 16, limit: 45_000), textPool = SendPool(width: 64, limit: 45_000)

    /// The ways of a hub.
    public init(
        text: (@Sendable (_ text: String, _ number: String) async throws -> Void)?,
        mail: @escaping @Sendable (_ to: String, _ subject: String, _ text: String) async throws -> Void,
        rooms: [any EmergencyChannel] = [], voice: (any SOSVoice)? = nil,
        phrase: @escaping @Sendable (_ message: SOSCall.Message, _ item: SOSCase, _ language: String) -> String?,
        site: @escaping @Sendable () -> String, ways: WayMonitor = WayMonitor()
    ) {
        (self.text, self.mail, self.rooms, self.voice, self.phrase, self.site) = (text, mail, rooms, voice, phrase, site)
        self.ways = ways
    }
}

extension SOSOutlets {
    /// Messages to one control room that are under way at a time: its line takes no more (``SIP/SIPSender/atOncePerTargetMax``).
    static let roomWidth = 32
    /// The database takes one after the other.
    static let noticeWidth = 8

    /// By which lane a message leaves.
    func lane(of call: SOSCall) -> SendLane {
        switch (call.channel, call.recipient) {
        case (.room, .room) where isSpoken(call): .voice
        case (.room, .room(let name)): rooms.first { $0.name == name }?.isMail == true ? .mail : .room(name)
        case (.text, _): .text
        case (.voice, _): .voice
        case (.notice, _): .notice
        case (.mail, _), (.room, _): .mail
        }
    }

    /// The places of a lane.
    func pool(of lane: SendLane) -> SendPool {
        switch lane {
        case .mail: mailPool
        case .text: textPool
        case .voice: SendPool(width: voice?.count ?? 1, limit: Self.callLimit)
        case .notice: SendPool(width: Self.noticeWidth, limit: nil)
        case .room(let name): SendPool(width: Self.roomWidth, limit: rooms.first { $0.name == name }?.limit)
        }
    }

    /// The control rooms for a place: those in whose area it lies, and those without one. Where nobody is left, and where the place is not known
    /// and every room has an area, all of them: a wrong room can pass it on.
    func rooms(for position: LastPosition?) -> [String] {
        let fit = rooms.filter { room in
            guard let area = room.area else { return true }
            return position.map { area.contains(latitude: Double($0.latitude) / 1e7, longitude: Double($0.longitude) / 1e7) } ?? false
        }
        return (fit.isEmpty ? rooms : fit).map(\.name)
    }

    /// To whom nothing between an alarm and its end is sent.
    var roomsWithoutNews: Set<String> { Set(rooms.filter { !$0.hasNews }.map(\.name)) }
}

/// A control room that reads mails: the alarm in words, with a link to answer it and CAP 1.2 behind it.
public struct MailControlRoom: EmergencyChannel {
    public let name: String
    public let area: ControlRoomArea?
    public let language: Language?
    public let answers = false
    public let restsOn: Way? = .mail
    public let isMail = true
    let address: String
    let send: @Sendable (_ to: String, _ subject: String, _ text: String) async throws -> Void

    /// A room that reads mails at an address.
    /// - Parameter send: sends one mail, and throws where it did not leave.
    public init(
        name: String, address: String, area: ControlRoomArea? = nil, language: Language? = nil,
        send: @escaping @Sendable (String, String, String) async throws -> Void
    ) { (self.name, self.address, self.area, self.language, self.send) = (name, address, area, language, send) }

    public func send(_ record: SOSRecord, language: Language) async throws -> String {
        let short = SMSText.text(record, in: language, partsMax: 10)
        let spoken = SpokenText.sentences(record, in: language).joined(separator: "\n")
        let cap = String(decoding: CAPAlert.xml(record, language: language), as: UTF8.self)
        try await send(
            address, String(short.prefix(120)),
            [short, spoken, record.web ?? "", "-- CAP 1.2 --\n\(cap)\n"].filter { !$0.isEmpty }.joined(separator: "\n\n"))
        return "mail handed over"
    }
}

extension MailControlRoom {
    public func send(_ beat: Heartbeat, language: Language) async throws -> String {
        let (subject, text) = beat.text(language: language)
        try await send(address, subject, text)
        return "sign of life handed over"
    }
}

/// A control room, or its program, that takes alarms by HTTPS POST, signed with a shared secret: `X-TrackMe-Signature: sha256=HEX` of the body
/// (HMAC-SHA-256).
public struct HTTPSControlRoom: EmergencyChannel {
    /// The body of the post.
    public enum Form: String, Sendable, Hashable {
        case cap = "CAP 1.2"
        /// For programs, as hooks on a box get it.
        case json = "JSON"
        case fhir = "FHIR R4"

        func content(_ record: SOSRecord, _ language: Language) -> (type: String, body: [UInt8]) {
            switch self {
            case .cap: (CAPAlert.mediaType, CAPAlert.xml(record, language: language))
            case .json: (HookJSON.mediaType, HookJSON.json(record, language: language))
            // Names only: nothing can be read there.
            case .fhir: (FHIRAlarm.mediaType, FHIRAlarm.json(record, language: language, base: "\(record.sender.address)/sos/fhir"))
            }
        }
    }

    public let name: String
    public let area: ControlRoomArea?
    public let language: Language?
    let url: String
    let form: Form
    let secret: [UInt8]
    let client: HTTPClient
    static let limitSeconds: Int64 = 10
    public let limit: Milliseconds = 2000 * limitSeconds
    let checkLimit: Int64

    private let keeper: (any AnyObject & Sendable)?

    /// - Parameters:
    ///   - checkLimit: how long an answer to a look may take, in milliseconds.
    ///   - keeper: what has to live as long as the client is used.
    public init(
        name: String, url: String, form: Form = .cap, area: ControlRoomArea? = nil, language: Language? = nil, secret: [UInt8],
        client: HTTPClient, checkLimit: Int64 = 5000, keeper: (any AnyObject & Sendable)? = nil
    ) {
        (self.name, self.url, self.form, self.area, self.language) = (name, url, form, area, language)
        (self.secret, self.client, self.checkLimit, self.keeper) = (secret, client, checkLimit, keeper)
    }

    /// The signature of a body, either way.
    public static func signature(_ body: some Collection<UInt8>, _ secret: [UInt8]) -> String {
        "sha256=" + Hexadecimal.string(HMAC<SHA256>.authenticationCode(for: Data(body), using: SymmetricKey(data: secret)))
    }

    /// Whether a body was signed with the secret; takes as long for a wrong signature as for the right one.
    public static func isSigned(_ body: some Collection<UInt8>, _ signature: String, _ secret: [UInt8]) -> Bool {
        guard !secret.isEmpty, signature.hasPrefix("sha256="), let code = Hexadecimal.bytes(String(signature.dropFirst(7))) else {
            return false
        }
        return HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: Data(body), using: SymmetricKey(data: secret))
    }

    public func send(_ record: SOSRecord, language: Language) async throws -> String {
        let (type, body) = form.content(record, language)
        return try await post(body, type)
    }

    public func send(_ beat: Heartbeat, language: Language) async throws -> String {
        switch form {
        case .cap: try await post(beat.cap(language: language), CAPAlert.mediaType)
        case .json: try await post(beat.json(language: language), HookJSON.mediaType)
        case .fhir: throw WayFailure("FHIR R4 has no sign of life")
        }
    }

    private func post(_ body: [UInt8], _ type: String) async throws -> String {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "content-type", value: type)
        request.headers.add(name: "x-trackme-signature", value: Self.signature(body, secret))
        request.body = .bytes(ByteBuffer(bytes: body))
        let response = try await execute(request)
        guard (200..<300).contains(response.status.code) else {
            throw StorageFailure(
                description: "the control room answered with status \(response.status.code): \(Self.advice(response.status.code))")
        }
        return "status \(response.status.code)"
    }

    /// A HEAD: whatever it answers, somebody is there whose certificate is trusted.
    public func check() async throws -> String? {
        var request = HTTPClientRequest(url: url)
        request.method = .HEAD
        return "status \(try await execute(request, checkLimit).status.code) to HEAD"
    }

    private func execute(_ request: HTTPClientRequest, _ limit: Int64 = 1000 * limitSeconds) async throws -> HTTPClientResponse {
        do { return try await client.execute(request, timeout: .milliseconds(limit)) } catch {
            guard "\(error)".contains("CERTIFICATE_VERIFY_FAILED") else { throw error }
            throw StorageFailure(
                description:
                    "the control room's certificate is of no authority that this hub trusts, or is not for that name, or has expired: name its authority's file in hub.sos.authority, or ask there"
            )
        }
    }

    private static func advice(_ status: UInt) -> String {
        switch status {
        case 300...399: "set the address that it wants in hub.sos.rooms"
        case 401, 403: "compare hub.sos.secret with the secret that it knows"
        case 404, 405, 410: "look at its address in hub.sos.rooms"
        case 413: "it takes no message of that size"
        default: "ask there; it is tried again"
        }
    }
}
