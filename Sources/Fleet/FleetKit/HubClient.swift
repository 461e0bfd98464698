import AsyncHTTPClient
import Crypto
import Foundation
import JWTKit
import NIOCore
import NIOHTTP1
import NIOSSL
import SyncProtocol
import Vitals

/// The requests that are made once: enrolment, tokens, links. What is measured goes over ``HubConnection`` instead.
struct HubClient {
    private let client: HTTPClient
    private let url: String

    static let timeout = TimeAmount.seconds(30)
    static let answerMax = 1 << 20

    /// Runs `body` with a client that trusts `authority` only, or the system's certificates without one.
    static func with<Result>(
        _ url: String, authority: String?, verifies: Bool = true, _ body: (HubClient) async throws -> Result
    ) async throws -> Result {
        var tls = TLSConfiguration.makeClientConfiguration()
        if let authority { tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8))) }
        if !verifies { tls.certificateVerification = .none }
        let configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        do {
            let result = try await body(HubClient(client: client, url: url))
            try await client.shutdown()
            return result
        } catch {
            try? await client.shutdown()
            throw error
        }
    }

    private func send(_ request: HTTPClientRequest) async throws -> (response: HTTPClientResponse, body: Data) {
        do {
            let response = try await client.execute(request, timeout: Self.timeout)
            return (response, Data(try await response.body.collect(upTo: Self.answerMax).readableBytesView))
        } catch {
            throw FleetError("The hub at \(url) does not answer (\(error)). Is trackme-hub running, and is this its address?")
        }
    }

    private func post<Answer: Decodable>(
        _ path: String, type: String, body: Data, token: String? = nil, as answer: Answer.Type
    ) async throws -> Answer {
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        request.headers.add(name: "Content-Type", value: type)
        request.headers.add(name: ProtocolVersion.header, value: String(ProtocolVersion.current))
        request.body = .bytes(ByteBuffer(bytes: body))
        let (response, data) = try await send(request)
        guard response.status == .ok else {
            let reason = (try? JSONDecoder().decode(ErrorAnswer.self, from: data))?.description ?? "no explanation"
            throw FleetError("The hub refused \(path) with \(response.status.code): \(reason)")
        }
        do { return try JSONDecoder().decode(Answer.self, from: data) } catch {
            throw FleetError("What answered at \(url)\(path) does not speak like a hub.")
        }
    }

    // MARK: Enrolment

    /// The hub's CA, not verified yet.
    func certificateAuthority() async throws -> String {
        let (response, data) = try await send(HTTPClientRequest(url: url + SyncRoute.certificateAuthority))
        guard response.status == .ok else {
            throw FleetError("The hub at \(url) has no CA of its own (\(response.status.code)): give its address without '#FINGERPRINT'.")
        }
        return String(decoding: data, as: UTF8.self)
    }

    func enrol(code: String, key: P256.Signing.PrivateKey) async throws -> EnrolmentAnswer {
        let request = EnrolmentRequest(
            code: code, publicKey: Hexadecimal.string(key.publicKey.x963Representation), name: "trackme-fleet")
        return try await post(SyncRoute.enrolment, type: "application/json", body: JSONEncoder().encode(request), as: EnrolmentAnswer.self)
    }

    // MARK: Segments

    /// Sends a batch, and waits until it is durable.
    func segments(_ body: [UInt8], token: String) async throws -> SyncAnswer {
        try await post(SyncRoute.segments, type: SyncRoute.segmentsMediaType, body: Data(body), token: token, as: SyncAnswer.self)
    }

    // MARK: Tokens

    private struct Assertion: JWTPayload {
        var iss: IssuerClaim
        var sub: SubjectClaim
        var aud: AudienceClaim
        var exp: ExpirationClaim
        var jti: IDClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    /// Seconds that an assertion is valid.
    private static let assertionLifetime: TimeInterval = 240

    func token(_ state: FleetState) async throws -> TokenAnswer {
        let agent = state.agent.description
        let assertion = Assertion(
            iss: .init(value: agent), sub: .init(value: agent), aud: .init(value: state.url + SyncRoute.token),
            exp: .init(value: Date(timeIntervalSince1970: Double(state.now) / 1000 + Self.assertionLifetime)),
            jti: .init(value: StreamID.random().description))
        let key = try ECDSA.PrivateKey<P256>(backing: state.privateKey())
        let signed = try await JWTKeyCollection().add(ecdsa: key).sign(assertion)
        var form = [
            (TokenField.grantType, TokenField.clientCredentials), (TokenField.assertionType, TokenField.jwtBearer),
            (TokenField.assertion, signed),
        ]
        if let token = state.token { form.append((TokenField.predecessor, token)) }
        let body = form.map { "\($0.0)=\(Self.escaped($0.1))" }.joined(separator: "&")
        return try await post(SyncRoute.token, type: "application/x-www-form-urlencoded", body: Data(body.utf8), as: TokenAnswer.self)
    }

    /// `application/x-www-form-urlencoded` for one value.
    private static func escaped(_ value: String) -> String {
        value.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-._"))) ?? ""
    }

    // MARK: Links

    /// A reader of one person's live data.
    struct Reader: Sendable {
        var person: PersonID
        /// `name=value` of the session cookie.
        var cookie: String
    }

    /// Redeems a one-time link, as its button does.
    func redeem(link: String) async throws -> Reader {
        guard let path = URL(string: link)?.path, path.hasPrefix("/l/") else {
            throw FleetError("'\(link)' is no one-time link. trackme-hub link --person ID prints one.")
        }
        var request = HTTPClientRequest(url: url + path)
        request.method = .POST
        let (response, _) = try await send(request)
        let cookie = response.headers.first(name: "Set-Cookie").flatMap { $0.split(separator: ";").first }
        let person = response.headers.first(name: "Location").flatMap { $0.split(separator: "/").last }.flatMap { PersonID(String($0)) }
        guard let cookie, let person else {
            throw FleetError("The link \(path) was not accepted (\(response.status.code)): links are good once. Make new ones.")
        }
        return Reader(person: person, cookie: String(cookie))
    }
}
