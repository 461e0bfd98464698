import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import Mail
import NIOSSL
import SIP
import Seams
import Vitals

extension SOSOutlets {
    /// How this hub's messages leave: the operator's programs, and the control rooms of the configuration.
    static func of(
        _ configuration: HubConfiguration, carrier: any MailCarrier, voice: TrunkVoice?, ways: WayMonitor,
        site: @escaping @Sendable () -> String,
        now: @escaping @Sendable () -> Milliseconds, machine: Machine
    ) throws -> SOSOutlets {
        let randomness = machine.randomness
        let sender = try MailAddress(configuration.mail.sender, name: "TrackMe SOS"),
            host = configuration.mail.sender.drop { $0 != "@" }.dropFirst()
        let mail: @Sendable (String, String, String) async throws -> Void = { to, subject, text in
            let id = "sos.\(now()).\(randomness.id(AccountID.self))@\(host)"
            try await carrier.send(
                MailMessage(from: sender, to: MailAddress(to), subject: subject, text: text, date: now(), id: id), as: .alarm)
        }
        var outlets = SOSOutlets(
            text: nil, mail: mail, rooms: try rooms(configuration.sos, String(host), voice, randomness, mail), voice: voice, phrase: phrase,
            site: site,
            ways: ways)
        outlets.mailPool = carrier.alarmPool
        if let command = configuration.sms.command {
            let program = MessageProgram(command, limit: configuration.sms.limit, programs: machine.programs)
            outlets.text = { text, number in try await program.send(text, to: number) }
            outlets.textPool = SendPool(width: MessageProgram.atOnce, limit: program.limit + 15_000)
        }
        return outlets
    }

    /// The control rooms of the configuration.
    /// - Throws: `HubConfigurationError` for the first mistake.
    static func rooms(
        _ configuration: HubConfiguration.SOS, _ host: String, _ voice: (any SOSVoice)?, _ randomness: Randomness,
        _ mail: @escaping @Sendable (String, String, String) async throws -> Void
    ) throws -> [any EmergencyChannel] {
        let settings = try configuration.roomSettings(), shared = Array(configuration.secret.utf8), own = try configuration.ownSecrets()
        guard !settings.isEmpty else { return [] }
        let trust: SIPTrust
        do { trust = try SIPTrust(certificates: configuration.authority) } catch {
            throw HubConfigurationError(
                "hub.sos.authority is \(configuration.authority ?? "not set"), which cannot be read: give a PEM file with the certificates of the authorities that control rooms have theirs of (\(error))."
            )
        }
        let from = "sip:trackme@\(host.isEmpty ? "localhost" : host)",
            sender = SIPSender(patienceMilliseconds: configuration.answerLimit)
        let hasWeb = settings.contains { if case .web = $0.way { true } else { false } }
        let keeper = hasWeb || configuration.authority != nil ? try KeptClient(trusting: configuration.authority) : nil
        return settings.compactMap { room -> (any EmergencyChannel)? in
            switch room.way {
            case .mail(let address):
                return MailControlRoom(name: room.name, address: address, area: room.area, language: room.language, send: mail)
            case .web(let url, let form):
                return HTTPSControlRoom(
                    name: room.name, url: url, form: form, area: room.area, language: room.language, secret: own[room.name] ?? shared,
                    client: keeper?.client ?? .shared, checkLimit: configuration.checkLimit, keeper: keeper)
            case .phone(let number):
                // That there is a telephone was looked at with the settings.
                return voice.map { PhoneRoom(name: room.name, number: number, area: room.area, language: room.language, voice: $0) }
            case .sip(let sip):
                let target = SIPTarget(host: sip.host, port: sip.port, transport: sip.isTLS ? .tls(trust) : sip.isTCP ? .tcp : .udp)
                guard let user = sip.user else {
                    return SIPControlRoom(
                        name: room.name, target: target, area: room.area, language: room.language, from: from, sender: sender,
                        checkLimit: configuration.checkLimit, randomness: randomness)
                }
                return SCAIPRoom(
                    name: room.name, target: target, uri: "sip:\(user)@\(sip.host)", area: room.area, language: room.language, from: from,
                    sender: sender, checkLimit: configuration.checkLimit)
            }
        }
    }

    /// A client that says at once what is wrong with a connection; it is shut down with the last room that uses it.
    private final class KeptClient: Sendable {
        let client: HTTPClient

        /// - Parameter authority: a PEM file; the system's trust without.
        init(trusting authority: String?) throws {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.minimumTLSVersion = .tlsv12
            if let authority { tls.trustRoots = .file(authority) }
            var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
            // Otherwise a certificate that is refused looks like a room that does not answer.
            configuration.connectionPool.retryConnectionEstablishment = false
            client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        }

        deinit { client.shutdown { _ in } }
    }

    private static func phrase(_ message: SOSCall.Message, _ item: SOSCase, _ language: String) -> String? {
        let texts = Texts.of(language)
        switch message {
        case .taken: return texts.filled("protection.alarmTaken", ["owner": item.ownerName ?? ""])
        case .released: return texts["protection.alarmReleased"]
        case .personAnswered: return texts.filled("protection.alarmAnswered", ["owner": item.ownerName ?? ""])
        case .whoIsThere: return texts.filled("protection.alarmAsked", ["n": "\(SOSOwners.answerMinutes)"])
        case .alert, .update, .position, .falseAlarm, .over, .warning: return nil
        }
    }
}
