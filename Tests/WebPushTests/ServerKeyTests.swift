import Crypto
import Foundation
import Testing
import Vitals

@testable import WebPush

@Suite("The hub's signature for push services")
struct ServerKeyTests {
    struct Claims: Decodable, Equatable { let aud: String, exp: Int64, sub: String }
    struct Header: Decodable, Equatable { let typ: String, alg: String }
    struct Bad: Error {}

    /// A push service's check (RFC 8292, section 4.2): the claims, when the signature is that of the key.
    static func verify(_ authorization: String, now: Int64) throws -> (claims: Claims, key: String) {
        let fields = authorization.dropFirst("vapid ".count).split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard authorization.hasPrefix("vapid "), let token = fields.first(where: { $0.hasPrefix("t=") })?.dropFirst(2),
            let key = fields.first(where: { $0.hasPrefix("k=") })?.dropFirst(2)
        else { throw Bad() }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let head = Base64URL.bytes(parts[0]), let body = Base64URL.bytes(parts[1]),
            let raw = Base64URL.bytes(parts[2]), let point = Base64URL.bytes(String(key))
        else { throw Bad() }
        guard try JSONDecoder().decode(Header.self, from: Data(head)) == Header(typ: "JWT", alg: "ES256") else { throw Bad() }
        let signature = try P256.Signing.ECDSASignature(rawRepresentation: raw)
        let signed = Data("\(parts[0]).\(parts[1])".utf8)
        guard try P256.Signing.PublicKey(x963Representation: point).isValidSignature(signature, for: signed) else { throw Bad() }
        let claims = try JSONDecoder().decode(Claims.self, from: Data(body))
        guard claims.exp > now, claims.exp <= now + 86_400 else { throw Bad() }
        return (claims, String(key))
    }

    @Test("ACC-15: the check of this test accepts the example of RFC 8292, section 2.4")
    func example() throws {
        let example =
            "vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1"
            + "haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA, "
            + "k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
        let (claims, _) = try Self.verify(example, now: 1_453_523_768 - 3600)
        #expect(claims == Claims(aud: "https://push.example.net", exp: 1_453_523_768, sub: "mailto:push@example.com"))
        #expect(throws: (any Error).self) { try Self.verify(example.replacing("t=eyJ0", with: "t=eyJ1"), now: 1_453_523_768 - 3600) }
    }

    @Test("ACC-15: ours is accepted: signed by the key that pages show, for this service, for less than a day")
    func ours() throws {
        let key = ServerKey()
        let authorization = try key.authorization(
            for: "https://push.example.net:8443", contact: "mailto:operator@example.org", utc: 1_800_000_000_999)
        let (claims, shown) = try Self.verify(authorization, now: 1_800_000_000)
        #expect(claims.aud == "https://push.example.net:8443")
        #expect(claims.sub == "mailto:operator@example.org")
        #expect(claims.exp > 1_800_000_000 + 3600)
        #expect(shown == key.publicText)
        #expect(Base64URL.bytes(key.publicText)?.count == 65)
        #expect(throws: (any Error).self) {
            try Self.verify(authorization.replacing(shown, with: ServerKey().publicText), now: 1_800_000_000)
        }
    }

    @Test("ACC-15: a stored key is the same key; a damaged one is told")
    func stored() throws {
        let key = ServerKey()
        #expect(try ServerKey(bytes: key.bytes).publicText == key.publicText)
        #expect(throws: PushProblem.badKey) { try ServerKey(bytes: Array(key.bytes.dropLast())) }
        #expect(throws: PushProblem.badKey) { try ServerKey(bytes: [UInt8](repeating: 0, count: 32)) }
        #expect("\(key)" == "ServerKey(secret)")
        #expect(Mirror(reflecting: key).children.isEmpty)
    }

    @Test("ACC-15: push services must be able to reach the operator", arguments: ["", "operator@example.org", "http://example.org"])
    func contact(contact: String) {
        #expect(throws: PushProblem.badContact(contact)) {
            try ServerKey().authorization(for: "https://push.example.net", contact: contact, utc: 0)
        }
    }

    @Test(
        "ACC-15: what the push service answers is told apart",
        arguments: [
            (201, nil, .accepted), (202, nil, .accepted), (404, nil, .gone), (410, nil, .gone), (413, nil, .tooLarge),
            (429, "120", .later(seconds: 120)), (429, nil, .later(seconds: nil)), (503, " 7 ", .later(seconds: 7)),
            (503, "Fri, 31 Dec 1999 23:59:59 GMT", .later(seconds: nil)), (500, "-5", .later(seconds: nil)),
            (503, "99999999", .later(seconds: 86_400)), (400, nil, .refused(status: 400)), (401, nil, .refused(status: 401)),
            (403, "3", .refused(status: 403)), (301, nil, .refused(status: 301)), (0, nil, .refused(status: 0)),
        ] as [(Int, String?, PushAnswer)])
    func answers(status: Int, retryAfter: String?, expected: PushAnswer) {
        #expect(PushAnswer(status: status, retryAfter: retryAfter) == expected)
    }
}
