internal import Crypto
internal import Foundation
internal import JWTKit
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The claims of RFC 7523, section 3.
private struct ClientAssertion: JWTPayload {
    var iss: IssuerClaim
    var sub: SubjectClaim
    var aud: AudienceClaim
    var exp: ExpirationClaim
    var iat: IssuedAtClaim
    var jti: IDClaim

    func verify(using algorithm: some JWTAlgorithm) throws { try exp.verifyNotExpired() }
}

/// Asks the hub for an access token with an assertion that this box's key signed (RFC 7523, ES256).
struct TokenRequest: Sendable {
    /// Seconds.
    private static let lifetime: Double = 120

    let agent: AgentID
    let key: P256.Signing.PrivateKey
    let clock: TokenClock

    /// Asks again at once when the hub refuses because of the box's clock.
    /// - Parameter predecessor: the present token, however old.
    func send(predecessor: String?, over client: HubClient) async -> Uploader.Reply<TokenAnswer> {
        let (reply, date) = await ask(predecessor: predecessor, over: client)
        // A hub that lives outside of its own certificate's time must not set this box's clock.
        let isCredible = date.map { client.certificateLife?.contains($0) ?? true } ?? false
        guard case .refused(400...401, _, _) = reply, isCredible, clock.correct(by: date) else { return reply }
        return await ask(predecessor: predecessor, over: client).reply
    }

    private func ask(predecessor: String?, over client: HubClient) async -> (reply: Uploader.Reply<TokenAnswer>, date: Milliseconds?) {
        guard let assertion = try? await assertion(for: client.address.url(SyncRoute.token)) else {
            return (.unreachable("the key of this box cannot sign"), nil)
        }
        var fields = [
            (TokenField.grantType, TokenField.clientCredentials), (TokenField.assertionType, TokenField.jwtBearer),
            (TokenField.assertion, assertion),
        ]
        if let predecessor { fields.append((TokenField.predecessor, predecessor)) }
        do {
            let response = try await client.send(
                .post, SyncRoute.token, headers: [("Content-Type", "application/x-www-form-urlencoded")],
                body: Array(Self.form(fields).utf8), repeatable: false)
            return (.init(.success(response), from: client.address), response.date)
        } catch {
            return (.init(.failure(error), from: client.address), nil)
        }
    }

    private func assertion(for endpoint: String) async throws -> String {
        let now = Date(timeIntervalSince1970: Double(clock.utc()) / 1000)
        let keys = JWTKeyCollection()
        try await keys.add(ecdsa: ES256PrivateKey(backing: key))
        return try await keys.sign(
            ClientAssertion(
                iss: .init(value: agent.description), sub: .init(value: agent.description), aud: .init(value: endpoint),
                exp: .init(value: now.addingTimeInterval(Self.lifetime)), iat: .init(value: now),
                jti: .init(value: clock.machine.randomness.id(StreamID.self).description)))
    }

    /// application/x-www-form-urlencoded: everything but unreserved characters (RFC 3986, 2.3) as %XX.
    static func form(_ fields: [(String, String)]) -> String {
        func escaped(_ text: String) -> String {
            var out = ""
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                    out.unicodeScalars.append(Unicode.Scalar(byte))
                default: out += "%" + Hexadecimal.string([byte]).uppercased()
                }
            }
            return out
        }
        return fields.map { escaped($0.0) + "=" + escaped($0.1) }.joined(separator: "&")
    }
}
