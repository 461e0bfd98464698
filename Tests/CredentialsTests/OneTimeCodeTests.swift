import Testing

@testable import Credentials

@Suite("One-time codes")
struct OneTimeCodeTests {
    let secret = OneTimeSecret(bytes: Array("12345678901234567890".utf8))

    @Test(
        "ACC-9: the codes are those of RFC 6238, appendix B (SHA-1, 8 digits)",
        arguments: [
            (59, "94287082"), (1_111_111_109, "07081804"), (1_111_111_111, "14050471"), (1_234_567_890, "89005924"),
            (2_000_000_000, "69279037"), (20_000_000_000, "65353130"),
        ] as [(Int64, String)])
    func vectors(seconds: Int64, code: String) throws {
        let secret = try #require(secret)
        let step = OneTimeCode.step(at: seconds * 1000)
        #expect(OneTimeCode.code(secret.bytes, step: step, digits: 8) == code)
        #expect(OneTimeCode.code(secret: secret, step: step) == code.suffix(6))
        #expect(OneTimeCode.check(String(code.suffix(6)), secret: secret, lastStep: nil, utc: seconds * 1000) == .accepted(step: step))
    }

    @Test("ACC-9: the HOTP values of RFC 4226, appendix D")
    func counterVectors() throws {
        let secret = try #require(secret)
        let codes = ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"]
        #expect((0..<10).map { OneTimeCode.code(secret: secret, step: $0) } == codes)
    }

    @Test("ACC-9: one step early or late counts, two do not")
    func window() throws {
        let secret = try #require(secret)
        let now = OneTimeCode.step(at: 1_800_000_000_000)
        for offset in Int64(-3)...3 {
            let code = OneTimeCode.code(secret: secret, step: now + offset)
            let outcome = OneTimeCode.check(code, secret: secret, lastStep: nil, utc: 1_800_000_000_000)
            #expect(outcome == (abs(offset) <= 1 ? .accepted(step: now + offset) : .wrong), "offset \(offset)")
        }
    }

    @Test("ACC-9: a code works once, and none before it works after it")
    func singleUse() throws {
        let secret = try #require(secret)
        let utc: Int64 = 1_800_000_000_000
        let now = OneTimeCode.step(at: utc)
        func check(_ step: Int64, last: Int64?) -> OneTimeCode.Outcome {
            OneTimeCode.check(OneTimeCode.code(secret: secret, step: step), secret: secret, lastStep: last, utc: utc)
        }
        #expect(check(now, last: now - 1) == .accepted(step: now))
        #expect(check(now, last: now) == .used)
        #expect(check(now - 1, last: now) == .used)
        #expect(check(now + 1, last: now) == .accepted(step: now + 1))
        #expect(check(now, last: now + 1) == .used)
    }

    @Test(
        "ACC-9: blanks don't matter, anything but six digits is wrong", arguments: ["", "12345", "1234567", "12345a", "١٢٣٤٥٦", "-12345"])
    func malformed(typed: String) throws {
        let secret = try #require(secret)
        #expect(OneTimeCode.check(typed, secret: secret, lastStep: nil, utc: 59_000) == .wrong)
        #expect(OneTimeCode.check(" 287 082", secret: secret, lastStep: nil, utc: 59_000) == .accepted(step: 1))
    }

    @Test("ACC-9: a clock before 1970 does no harm")
    func noClock() throws {
        let secret = try #require(secret)
        #expect(OneTimeCode.check("755224", secret: secret, lastStep: nil, utc: -5_000_000) == .accepted(step: 0))
    }

    @Test(
        "ACC-9: Base32 as in RFC 4648, section 10",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
        ])
    func base32(plain: String, text: String) {
        #expect(Base32.text(Array(plain.utf8)) == text)
        #expect(Base32.bytes(text) == Array(plain.utf8))
        #expect(Base32.bytes(text.lowercased() + "==") == Array(plain.utf8))
    }

    @Test("ACC-9: what is no Base32 is refused", arguments: ["M", "MZX", "MZ1Q", "MZ8Q", "M Y!", "MZ", "É"])
    func badBase32(text: String) { #expect(Base32.bytes(text) == nil) }

    @Test("ACC-9: the QR code's address says all that a program needs, escaped")
    func address() throws {
        let secret = try #require(secret)
        #expect(secret.base32 == "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
        #expect(
            secret.address(issuer: "TrackMe: così", account: "ada+1@example.org")
                == "otpauth://totp/TrackMe%20%20cos%C3%AC:ada%2B1%40example.org?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
                + "&issuer=TrackMe%20%20cos%C3%AC")
    }

    @Test("ACC-9: secrets are random, 160 bits, and not printed")
    func secrets() {
        let secret = OneTimeSecret.random()
        #expect(secret.bytes.count == 20)
        #expect(secret.bytes != OneTimeSecret.random().bytes)
        #expect(OneTimeSecret(bytes: Array(repeating: 1, count: 15)) == nil)
        #expect("\(secret)" == "OneTimeSecret(secret)")
        #expect(Mirror(reflecting: secret).children.isEmpty)
    }
}
