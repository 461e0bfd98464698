import Crypto
import Foundation
import TestSupport
import Testing
import Vitals

@testable import WebPush

@Suite("Push messages")
struct MessageEncryptionTests {
    static func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.bytes(text)) }

    /// RFC 8291, appendix A.
    static func example() throws -> (browser: TestBrowser, sender: P256.KeyAgreement.PrivateKey, salt: [UInt8], body: [UInt8]) {
        let key = try P256.KeyAgreement.PrivateKey(rawRepresentation: try bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"))
        let sender = try P256.KeyAgreement.PrivateKey(rawRepresentation: try bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
        let body = try bytes(
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6c"
                + "VPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
        let browser = TestBrowser(key: key, secret: try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        return (browser, sender, try bytes("DGv6ra1nlYgDCS1FRnbzlw"), body)
    }

    @Test("ACC-15: the body is byte for byte that of RFC 8291, appendix A, and the receiver reads it")
    func vector() throws {
        let (browser, sender, salt, body) = try Self.example()
        let text = "When I grow up, I want to be a watermelon"
        #expect(try MessageEncryption.body(Array(text.utf8), for: browser.subscription(), key: sender, salt: salt) == body)
        #expect(String(decoding: try browser.read(body), as: UTF8.self) == text)
    }

    func request(_ payload: [UInt8], to browser: TestBrowser, lifetime: Int = 60, topic: String? = nil) throws -> PushRequest {
        try PushRequest(
            payload, to: browser.subscription(), key: ServerKey(), contact: "mailto:operator@example.org", lifetime: lifetime,
            urgency: .high, topic: topic, utc: 1_800_000_000_000)
    }

    @Test("ACC-15: the browser that it is for reads a message of any length, and nobody else", arguments: [0, 1, 41, 3992, 3993])
    func lengths(count: Int) throws {
        let browser = TestBrowser()
        let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let body = try request(payload, to: browser).body
        #expect(try browser.read(body) == payload)
        #expect(body.count <= 4096)
        #expect(throws: (any Error).self) { try TestBrowser().read(body) }
        var other = browser
        other.secret[0] ^= 1
        #expect(throws: (any Error).self) { try other.read(body) }
    }

    @Test("ACC-15: a message of 3994 bytes is refused, and its length told")
    func tooLarge() {
        #expect(PushRequest.payloadBytesMax == 3993)
        #expect(throws: PushProblem.payloadTooLarge(bytes: 3994)) { try request([UInt8](repeating: 1, count: 3994), to: TestBrowser()) }
        #expect("\(PushProblem.payloadTooLarge(bytes: 3994))".contains("3994 bytes, of 3993"))
    }

    @Test("ACC-15: no byte of a message can be changed on the way")
    func tampered() throws {
        let browser = TestBrowser()
        let body = try request(Array("Somebody asks for your heart rate".utf8), to: browser).body
        for index in body.indices where !(16..<20).contains(index) {
            var changed = body
            changed[index] ^= 1
            #expect(throws: (any Error).self, "byte \(index)") { try browser.read(changed) }
        }
    }

    @Test("ACC-15: each message has a key and a salt of its own")
    func fresh() throws {
        let browser = TestBrowser()
        let bodies = try (0..<20).map { _ in try request([1], to: browser).body }
        #expect(Set(bodies.map { Array($0[0..<16]) }).count == 20)
        #expect(Set(bodies.map { Array($0[21..<86]) }).count == 20)
    }

    @Test("ACC-15: the request has what a push service asks for")
    func headers() throws {
        let request = try request([1], to: TestBrowser(), lifetime: 99_999_999, topic: "consent-1_a")
        #expect(request.url == "https://push.example.net/send/abc?d=1")
        let headers = Dictionary(uniqueKeysWithValues: request.headers.map { ($0.name, $0.value) })
        #expect(headers["TTL"] == "2419200")
        #expect(headers["Urgency"] == "high")
        #expect(headers["Topic"] == "consent-1_a")
        #expect(headers["Content-Encoding"] == "aes128gcm")
        #expect(headers["Authorization"]?.hasPrefix("vapid t=") == true)
        #expect(try self.request([1], to: TestBrowser()).headers.contains { $0.name == "Topic" } == false)
        #expect(try self.request([1], to: TestBrowser(), lifetime: -1).headers.contains { $0 == ("TTL", "0") })
    }

    @Test(
        "ACC-15: a topic that services refuse is refused here", arguments: ["", "a b", "consent/1", "è", String(repeating: "a", count: 33)])
    func topics(topic: String) {
        #expect(throws: PushProblem.badTopic(topic)) { try request([1], to: TestBrowser(), topic: topic) }
    }
}
