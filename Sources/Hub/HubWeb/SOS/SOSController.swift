import Distress
import EmergencyDispatch
import Foundation
import HTTPTypes
import HubServices
import Hummingbird
import Logging
import NIOCore
import SyncProtocol
import Synchronization
import Vitals

/// What boxes tell of AutomatedSOS, and what they must know for it.
struct SOSController: Sendable {
    let sos: SOSService
    let authenticator: Authenticator
    /// Of ``HubConfiguration/SOS/secret``.
    let roomSecret: [UInt8]
    /// Of control rooms that have one of their own, by name.
    let ownSecrets: [String: [UInt8]]
    let logger: Logger
    let now: @Sendable () -> Milliseconds
    private let newerWords = NewerWords()

    func routes(_ router: Router<HubContext>) {
        router.post(RouterPath(SyncRoute.sos)) { request, _ in
            await answer {
                // An alarm waits for no new token (design rule 7).
                let session = try authenticator.session(bearer: request.bearer, now: now(), takesExpired: true)
                let report = try await request.said(SOSReport.self, called: "an SOS report", upTo: SyncRoute.sosBytesMax)
                newerWords.log(report.unknown, logger)
                let isOld = !SyncRoute.shows(SyncRoute.showsSOS, in: Self.showsHeader.flatMap { request.headers[$0] })
                return try .json(WireForm(await sos.reports.take(report.message, from: session, isOld: isOld)))
            }
        }
        router.post(RouterPath(Self.roomAnswer)) { request, _ in await answer { try await room(request) } }
        router.get(RouterPath(SyncRoute.sosSettings)) { request, _ in
            await answer {
                let shown = Self.showsHeader.flatMap { request.headers[$0] }
                let session = try authenticator.counted(bearer: request.bearer, now: now())
                return try .json(sos.boxSettings.settings(for: session, capsBaselines: SyncRoute.shows(SyncRoute.showsSOS, in: shown)))
            }
        }
    }

    private static let showsHeader = HTTPField.Name(SyncRoute.showsHeader)

    /// POST: what a control room that gets its alarms by HTTPS says of one, signed as the alarm was (`X-TrackMe-Signature`).
    static let roomAnswer = "/sos-rooms/answer"
    /// A signature is good for so long, milliseconds either way.
    private static let roomAnswerAge: Milliseconds = 300_000

    private struct RoomAnswer: Decodable {
        /// As `hub.sos.rooms` names it.
        let room: String
        /// As CAP's `incidents` has it.
        let incident: String
        /// `seen`, `take`, `release`, `finish`.
        let act: String
        /// UTC milliseconds.
        let time: Int64
    }

    private func room(_ request: Request) async throws -> Response {
        let body = Array(buffer: try await request.body.collect(upTo: 4096))
        let said = try? JSONDecoder().decode(RoomAnswer.self, from: Data(body))
        guard let name = HTTPField.Name("x-trackme-signature"), let signature = request.headers[name],
            HTTPSControlRoom.isSigned(body, signature, said.flatMap { ownSecrets[$0.room] } ?? roomSecret)
        else {
            let error = ErrorAnswer(
                error: "invalid_signature",
                description: "X-TrackMe-Signature is not sha256= and the HMAC-SHA-256 of the body with the secret of that control room.")
            return try .json(error, status: .unauthorized)
        }
        guard let answer = said, let id = IncidentID(answer.incident),
            let act = SOSHelperAct(rawValue: answer.act), abs(now() - answer.time) <= Self.roomAnswerAge
        else {
            throw ErrorAnswer(
                error: "invalid_request",
                description:
                    "The body is a JSON object with room, incident, act (seen, take, release, finish) and time, UTC milliseconds of now.")
        }
        guard await sos.helpers.answer(act, room: answer.room, incident: id) else {
            return try .json(
                ErrorAnswer(error: "not_yours", description: "Somebody else has the alarm, or it is over, or that room was not called."),
                status: .conflict)
        }
        return try .json(["done": true])
    }

    private func answer(_ body: () async throws -> Response) async -> Response {
        do { return try await body() } catch { return .refusal(error, logger: logger) }
    }
}

/// Logs words of boxes that are newer than this hub, each once.
private final class NewerWords: Sendable {
    private let logged = Mutex<Set<String>>([])
    private static let countMax = 64

    func log(_ words: [String], _ logger: Logger) {
        guard !words.isEmpty else { return }
        let new = logged.withLock { logged in words.filter { logged.count < Self.countMax && logged.insert($0).inserted } }
        for word in new {
            logger.warning("a box says something that this hub does not know: upgrade the hub", metadata: ["word": "\(word.prefix(200))"])
        }
    }
}
