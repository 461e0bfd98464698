import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Logging
import NIOCore
import SyncProtocol
import Synchronization
import Vitals

/// The routes that agents use. It decodes and answers; what is decided is decided in `HubServices`.
struct SyncController: Sendable {
    let ingest: Ingest
    let authenticator: Authenticator
    let enrolment: Enrolment
    let pairings: Pairings
    let guesses: FailedAttemptLimiter
    let certificates: HubCertificates
    let shedding: LoadShedder
    let tokenEndpoint: String
    /// The hosts that are this hub.
    let names: Set<String>
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    static let smallBodyMax = 16_384

    func routes(_ router: Router<HubContext>) {
        router.get(RouterPath(SyncRoute.certificateAuthority)) { _, _ in
            Self.pem(certificates.authority)
        }
        router.get(RouterPath(SyncRoute.nextCertificateAuthority)) { _, _ in
            Self.pem(certificates.successor)
        }
        router.post(RouterPath(SyncRoute.enrolment)) { request, context in
            await answer(request) {
                let address = context.address
                guard guesses.allow(address, at: now()) else { return .tooMany }
                let body = try await request.body.collect(upTo: Self.smallBodyMax)
                guard let enrolmentRequest = try? JSONDecoder().decode(EnrolmentRequest.self, from: Data(body.readableBytesView)) else {
                    throw ErrorAnswer(error: "invalid_request", description: "The body is no enrolment request in JSON.")
                }
                do { return try .json(enrolment.enrol(enrolmentRequest, now: now())) } catch let refused as ErrorAnswer {
                    if refused.error == "invalid_code" { guesses.wrong(address, at: now()) }
                    throw refused
                }
            }
        }
        pairingRoutes(router)
        router.post(RouterPath(SyncRoute.token)) { request, _ in
            await answer(request) {
                let body = try await request.body.collect(upTo: Self.smallBodyMax)
                let form = FormFields(String(buffer: body)).filled
                var answer = try await authenticator.token(form, endpoint: tokenEndpoint, names: names, now: now())
                answer.nextAuthority = certificates.successor?.fingerprint
                return try .json(answer)
            }
        }
    }

    private static func pem(_ authority: CertificateAuthority?) -> Response {
        guard let authority else { return Response(status: .notFound) }
        return Response(
            status: .ok, headers: [.contentType: "application/x-pem-file"], body: .init(byteBuffer: ByteBuffer(string: authority.pem)))
    }

    /// The hot path: it is called before the router looks.
    func segments(_ request: Request) async -> Response {
        await answer(request) {
            let bearer = try request.bearer
            let length = request.headers[.contentLength].flatMap { Int($0) }
            if let length, length > SyncRoute.segmentsBytesMax {
                throw HTTPError(.contentTooLarge, message: "A batch has at most \(SyncRoute.segmentsBytesMax) bytes.")
            }
            // Strangers are sent away before their body is read.
            let session = try ingest.session(bearer: bearer)
            // The hub itself watches some people for emergencies: what is theirs is always taken.
            let kind: Sheddable = (length ?? 0) >= SheddableRoutes.backlogBytesMin ? .backlog : .liveData
            if let seconds = shedding.retryAfter(kind), !ingest.watchesForSOS(session) { throw Overloaded(seconds: seconds) }
            let body = try await request.body.collect(upTo: SyncRoute.segmentsBytesMax)
            let batch = try body.withUnsafeReadableBytes { try ingest.receive(session: session, body: $0) }
            let shows = SyncRoute.shows(SyncRoute.showsCheckIns, in: Self.showsHeader.flatMap { request.headers[$0] })
            return .json(bytes: try await ingest.commit(batch, showsCheckIns: shows))
        }
    }

    func answer(_ request: Request, _ body: () async throws -> Response) async -> Response {
        do {
            if let version = Self.versionHeader.flatMap({ request.headers[$0] }).flatMap({ Int($0) }), version > ProtocolVersion.current {
                throw HTTPError(
                    .upgradeRequired,
                    message: "This hub speaks version \(ProtocolVersion.current) of the protocol, the agent \(version): upgrade the hub.")
            }
            return try await body()
        } catch { return .refusal(error, logger: logger) }
    }

    private static let versionHeader = HTTPField.Name(ProtocolVersion.header)
    private static let showsHeader = HTTPField.Name(SyncRoute.showsHeader)
}

/// Slows guessing of codes down: so many wrong tries a minute from one address, and from everybody together, which a code of 10 minutes
/// outlives easily. Nobody locks others out with less than a thousand addresses.
final class FailedAttemptLimiter: Sendable {
    private let wrong = Mutex<[(address: String, time: Milliseconds)]>([])
    static let wrongPerMinuteMax = 20
    static let wrongPerMinuteOfAllMax = 1000

    func allow(_ address: String, at now: Milliseconds) -> Bool {
        wrong.withLock { wrong in
            wrong.removeAll { $0.time < now - 60_000 }
            let own = wrong.count { $0.address == Self.network(of: address) }
            // Nobody is told from anybody behind a proxy that says no address: all together are counted there.
            return (address.isEmpty || own < Self.wrongPerMinuteMax) && wrong.count < Self.wrongPerMinuteOfAllMax
        }
    }

    func wrong(_ address: String, at now: Milliseconds) {
        wrong.withLock { $0.append((Self.network(of: address), now)) }
    }

    /// One household has a whole /64 of IPv6 addresses.
    private static func network(of address: String) -> String {
        var v6 = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &v6) == 1 else { return address }
        return Hexadecimal.string(v6.prefix(8))
    }
}

extension Response {
    static var tooMany: Response {
        let answer = ErrorAnswer(error: "slow_down", description: "Too many wrong codes in a minute. Wait a minute and try again.")
        var response = (try? Response.json(answer, status: .tooManyRequests)) ?? Response(status: .tooManyRequests)
        response.headers[.retryAfter] = "60"
        return response
    }
}
