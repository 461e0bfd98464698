public import Alerts
import Crypto
import Foundation
public import Languages
public import SIP
public import Seams
import Synchronization
import Vitals

/// A control room that takes CAP by SIP MESSAGE (RFC 8876), with the position beside it. `urn:service:test.sos` for a test.
public struct SIPControlRoom: EmergencyChannel {
    public let name: String
    public let area: ControlRoomArea?
    public let language: Language?
    let target: SIPTarget
    let from: String
    let sender: SIPSender
    private let randomness: Randomness
    private let presence: SIPPresence

    /// - Parameters:
    ///   - from: the hub's SIP URI.
    ///   - randomness: for the identifiers of heartbeats.
    public init(
        name: String, target: SIPTarget, area: ControlRoomArea? = nil, language: Language? = nil, from: String,
        sender: SIPSender = SIPSender(),
        checkLimit: Int64 = 5000, randomness: Randomness = .system
    ) {
        presence = SIPPresence(limit: checkLimit)
        (self.name, self.target, self.area, self.language) = (name, target, area, language)
        (self.from, self.sender, self.randomness) = (from, sender, randomness)
    }

    public func send(_ record: SOSRecord, language: Language) async throws -> String {
        let message = SIPMessage.emergency(
            cap: CAPAlert.xml(record, language: language), location: PIDFLO.xml(record), isDrill: record.isDrill, from: from,
            id: "\(record.incident)\(record.number)")
        return try await sender.send(message, to: target).receipt.proof
    }

    public func send(_ beat: Heartbeat, language: Language) async throws -> String {
        let message = SIPMessage.emergency(
            cap: beat.cap(language: language), location: nil, isDrill: true, from: from, id: "\(randomness.next())")
        return try await sender.send(message, to: target).receipt.proof
    }

    public func check() async throws -> String? { try await presence.check(target, from: from, sender) }
}

/// A control room of social alarms that takes SCAIP (SS 91100) by SIP MESSAGE. It has the alarm when it says so, and not when its server took the message.
public struct SCAIPRoom: EmergencyChannel {
    public let name: String
    public let area: ControlRoomArea?
    public let language: Language?
    /// It knows an alarm, its withdrawal and a test: anything else would be one more alarm.
    public let hasNews = false
    let target: SIPTarget
    /// `sip:USER@HOST`.
    let uri: String
    let from: String
    let sender: SIPSender
    private let presence: SIPPresence

    /// - Parameters:
    ///   - uri: whom the message is for: `sip:USER@HOST`.
    ///   - from: the hub's SIP URI.
    public init(
        name: String, target: SIPTarget, uri: String, area: ControlRoomArea? = nil, language: Language? = nil, from: String,
        sender: SIPSender = SIPSender(), checkLimit: Int64 = 5000
    ) {
        presence = SIPPresence(limit: checkLimit)
        (self.name, self.target, self.uri, self.area, self.language) = (name, target, uri, area, language)
        (self.from, self.sender) = (from, sender)
    }

    public func send(_ record: SOSRecord, language: Language) async throws -> String {
        let request = SCAIPRequest(record, settings: .init(controllerID: Self.controllerID(record)), language: language)
        return try await send(request.xml, request.reference)
    }

    public func send(_ beat: Heartbeat, language: Language) async throws -> String {
        let (reference, xml) = beat.scaip(.init(controllerID: Self.controllerID(named: from)))
        return try await send(xml, reference)
    }

    private func send(_ xml: [UInt8], _ reference: String) async throws -> String {
        let receipt = try await sender.send(.scaip(xml, to: uri, from: from), to: target).receipt
        switch SCAIPAnswer(xml: receipt.answer)?.verdict(for: reference) {
        case .accepted?: return receipt.proof
        case .refused(let why)?: throw StorageFailure(description: "the control room does not take it: \(why). Agree on the codes with it")
        case .unclear(let why)?: throw StorageFailure(description: "the control room's answer says nothing: \(why)")
        case nil: throw StorageFailure(description: "\(receipt.status) without an answer in SCAIP: whether it has the alarm is not known")
        }
    }

    public func check() async throws -> String? { try await presence.check(target, from: from, sender) }

    /// The control room's identifier of the person: the same in each of their alarms, and nothing that tells who they are to others.
    static func controllerID(_ record: SOSRecord) -> String {
        controllerID(named: "\(record.person.name)\n\(record.person.phone ?? "")")
    }

    private static func controllerID(named text: String) -> String {
        let name = "trackme scaip\n\(text)"
        return "TM" + Hexadecimal.string(SHA256.hash(data: Data(name.utf8)).prefix(5)).uppercased()
    }
}

/// Whether a control room is there, asked by OPTIONS. One that has never answered that may know messages alone: its silence says nothing.
private final class SIPPresence: Sendable {
    private let hasAnswered = Mutex(false)
    private let limit: Int64

    /// - Parameter limit: how long an answer may take, in milliseconds.
    init(limit: Int64) { self.limit = limit }

    func check(_ target: SIPTarget, from: String, _ sender: SIPSender) async throws -> String? {
        switch await sender.options(to: target, from: from, patienceMilliseconds: limit) {
        case .success(let status):
            hasAnswered.withLock { $0 = true }
            return "\(status) to OPTIONS"
        case .failure(let silence):
            if silence.isOpen, !hasAnswered.withLock({ $0 }) { return nil }
            throw silence
        }
    }
}

extension SIPOutcome {
    fileprivate var receipt: SIPReceipt {
        get throws {
            switch self {
            case .delivered(let receipt): return receipt
            case .refused(let refusal): throw StorageFailure(description: "\(refusal.status): \(refusal.what). \(refusal.advice)")
            case .noAnswer(let what, let advice): throw StorageFailure(description: "\(what). \(advice)")
            }
        }
    }
}

extension SIPReceipt {
    fileprivate var proof: String { "\(status) \(reason) from \(peer), Call-ID \(callID)" }
}
