import Crypto
import Foundation
import Testing

@testable import Credentials

@Suite("Secrets")
struct SecretTests {
    @Test("ACC-6: a token is 256 random bits, read back from its text, and stored as a hash")
    func token() throws {
        let token = SecretToken.random()
        #expect(token.text.utf8.count == 43)
        #expect(token.text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        let read = try #require(SecretToken(token.text))
        #expect(read.hash == token.hash)
        #expect(token.hash == Array(SHA256.hash(data: try #require(Base64.bytes(url: token.text)))))
        #expect(Set((0..<1000).map { _ in SecretToken.random().text }).count == 1000)
    }

    @Test("ACC-6: what is no token is none")
    func noToken() {
        let text = SecretToken.random().text
        for wrong in ["", text + "A", String(text.dropLast()), text.dropLast() + "=", text.dropLast() + "+", text.dropLast() + "é"] {
            #expect(SecretToken(wrong) == nil, "\(wrong)")
        }
        // The last character has two bits that stand for nothing: no token has two texts.
        let twins = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".filter {
            SecretToken(text.dropLast() + "\($0)") != nil
        }
        #expect(twins.count == 16)
    }

    @Test("ACC-6: neither print nor interpolation nor a mirror gives a secret away")
    func redaction() {
        let token = SecretToken.random(), code = ShortCode.random()
        let said = "\(token) \(String(reflecting: token)) \([token]) \(Optional(token) as Any) \(code) \([code])"
        #expect(!said.contains(token.text))
        #expect(!said.contains(code.text))
        #expect(Mirror(reflecting: token).children.isEmpty)
        #expect(Mirror(reflecting: code).children.isEmpty)
    }

    @Test("ACC-16: a short code is typed in any form, and has no look-alikes")
    func shortCode() throws {
        let code = ShortCode.random()
        #expect(code.text.count == 8)
        #expect(code.grouped == code.text.prefix(4) + "-" + code.text.suffix(4))
        let all = (0..<2000).map { _ in ShortCode.random().text }.joined()
        #expect(Set(all).isDisjoint(with: "01ILOU"))
        #expect(Set(all).count == 30)
        for typed in [code.text, code.grouped.lowercased(), " " + code.grouped + "\n"] {
            #expect(ShortCode(typed: typed)?.text == code.text)
        }
        for typed in ["", "ABC", "ABCD-EFG0", "ABCDEFGHJ", "ABCD_EFGH", String(repeating: "-", count: 10_000) + "ABCDEFGH"] {
            #expect(ShortCode(typed: typed) == nil)
        }
    }

    @Test("ACC-16: a code for one purpose is worth nothing for another; enrolment's stored hashes stay what they are")
    func purposes() throws {
        let code = try #require(ShortCode(typed: "abcd-efgh"))
        #expect(code.hash(purpose: "claim") != code.hash(purpose: "recovery"))
        #expect(code.hash(purpose: "enrolment") == Array(SHA256.hash(data: Data("trackme enrolment ABCDEFGH".utf8))))
    }

    @Test("ACC-9: ten recovery codes, each of which works once")
    func recovery() throws {
        let (codes, texts) = RecoveryCodes.make()
        #expect(texts.count == 10 && Set(texts).count == 10)
        #expect(texts.allSatisfy { $0.count == 19 })
        #expect(codes.hashes.allSatisfy { $0.count == 32 })
        var stored = RecoveryCodes(hashes: codes.hashes)
        func redeem(_ text: String) -> Bool { stored.redeem(text) }
        #expect(!redeem("AAAA-AAAA-AAAA-AAAA"))
        #expect(!redeem(""))
        #expect(redeem(texts[3].lowercased().replacing("-", with: " ")))
        #expect(!redeem(texts[3]))
        #expect(stored.hashes.count == 9)
        for text in texts where text != texts[3] { #expect(redeem(text)) }
        #expect(stored.hashes.isEmpty)
    }

    @Test(
        "ACC-9: hosts that can have passkeys",
        arguments: [("Hub.Example.ORG", 443, "https://hub.example.org"), ("localhost", 8443, "https://localhost:8443")]
    )
    func relyingParty(host: String, port: Int, origin: String) throws {
        let party = try RelyingParty(host: host, port: port)
        #expect(party.id == host.lowercased())
        #expect(party.origin == origin)
    }

    @Test(
        "ACC-9: an IP address cannot have passkeys, and it is said why",
        arguments: ["192.168.1.2", "127.1", "0x7f.1", "10.0.0.0x1", "2130706433", "[::1]", "::1", "fe80::1%eth0", "1.2.3.4."])
    func addresses(host: String) {
        #expect {
            try RelyingParty(host: host)
        } throws: { error in
            let text = "\(error)"
            return error is RelyingParty.Impossible && text.contains("IP address") && text.contains("hub.url")
                && text.contains("one-time codes")
        }
    }

    @Test(
        "ACC-9: what is no host name is refused",
        arguments: [
            "", "hub..org", "-hub.org", "hub.org.", "caffè.it", "hub_1.org", "a b", "hub.org/x", String(repeating: "a", count: 64),
            "a\u{327}.org",
        ])
    func noNames(host: String) { #expect(throws: RelyingParty.Impossible.self) { try RelyingParty(host: host) } }
}
