import Crypto
import Foundation
import Testing

@testable import Credentials

@Suite("Passkeys: log-in")
struct PasskeyAssertionTests {
    let authenticator = TestAuthenticator()
    let party: RelyingParty
    let challenge: PasskeyChallenge
    let passkey: Passkey

    init() throws {
        party = try RelyingParty(host: "hub.example.org")
        var challenges = PasskeyChallenges()
        let first = challenges.issue(.registration, session: "s", utc: 0)
        passkey = try authenticator.registration(first).passkey(challenge: first, relyingParty: party, requiresVerification: true)
        challenge = challenges.issue(.assertion, session: "s", utc: 0)
    }

    @discardableResult
    func check(
        _ assertion: PasskeyAssertion, stored: UInt32 = 0, owner: [UInt8]? = nil, wasNamed: Bool = false, verified: Bool = true
    ) throws -> Passkey {
        var passkey = passkey
        passkey.signCount = stored
        return try assertion.check(
            passkey, of: .init(userHandle: owner ?? authenticator.userHandle, wasNamed: wasNamed), challenge: challenge,
            relyingParty: party, requiresVerification: verified)
    }

    @Test("ACC-9: who holds the passkey gets in")
    func good() throws {
        #expect(try check(authenticator.assertion(challenge)) == passkey)
        #expect(try check(authenticator.assertion(challenge, signCount: 8), stored: 7).signCount == 8)
        try check(authenticator.assertion(challenge) { $0.flags = 0x01 }, verified: false)
        try check(
            authenticator.assertion(challenge) {
                $0.flags = 0x85
                $0.extensions = [0xA0]
            })
    }

    static let bends = [
        PasskeyRegistrationTests.Bend("type of a registration", .wrongType) { $0.type = "webauthn.create" },
        .init("type of a payment", .wrongType) { $0.type = "payment.get" },
        .init("a bit of the challenge", .wrongChallenge) { $0.challenge[0] ^= 128 },
        .init("another site", .wrongOrigin) { $0.origin = "https://evil.example" },
        .init("in a frame", .crossOrigin) { $0.crossOrigin = true },
        .init("below another site", .crossOrigin) { $0.topOrigin = "https://evil.example" },
        .init("another RP ID", .wrongRelyingParty) { $0.relyingPartyID = "evil.example" },
        .init("nobody there", .notPresent) { $0.flags = 0x04 },
        .init("nobody checked", .notVerified) { $0.flags = 0x01 },
        .init("backed up without eligibility", .backupFlags) { $0.flags = 0x15 },
        .init("eligible for backup all of a sudden", .backupFlags) { $0.flags = 0x0D },
        .init("bytes that no flag announces", .malformed) { $0.extensions = [0xA0] },
        .init("extensions that are not there", .malformed) { $0.flags = 0x85 },
    ]

    @Test("ACC-9: an assertion with one field bent before it was signed is refused, and the code says which", arguments: bends)
    func bent(_ bend: PasskeyRegistrationTests.Bend) {
        expect(bend.code) { try check(authenticator.assertion(challenge, bend.change)) }
    }

    @Test("ACC-9: a bit changed after the signature is seen, wherever it is")
    func signature() throws {
        let good = try authenticator.assertion(challenge)
        func bent(client: [UInt8]? = nil, data: [UInt8]? = nil, signature: [UInt8]? = nil) -> PasskeyAssertion {
            PasskeyAssertion(
                credentialID: good.credentialID, clientDataJSON: client ?? good.clientDataJSON,
                authenticatorData: data ?? good.authenticatorData, signature: signature ?? good.signature, userHandle: good.userHandle)
        }
        try check(bent())
        for (bytes, make) in [
            (good.clientDataJSON, { bent(client: $0) }), (good.authenticatorData, { bent(data: $0) }),
            (good.signature, { bent(signature: $0) }),
        ] as [([UInt8], ([UInt8]) -> PasskeyAssertion)] {
            for index in bytes.indices {
                var changed = bytes
                changed[index] ^= 1
                #expect(throws: PasskeyRefusal.self, "byte \(index)") { try check(make(changed)) }
            }
        }
        expect(.wrongSignature) { try check(bent(signature: [])) }
        // The counter, the only field that no other check reads before the signature.
        var counted = good.authenticatorData
        counted[36] = 9
        expect(.wrongSignature) { try check(bent(data: counted)) }
        expect(.wrongSignature) { try check(bent(signature: try TestAuthenticator().assertion(challenge).signature)) }
    }

    @Test("ACC-9: a counter that goes back or stands still is a clone, told as that; 0 and 0 is an authenticator that doesn't count")
    func counter() throws {
        for (stored, received) in [(1, 0), (5, 5), (5, 4), (UInt32.max, 0)] as [(UInt32, UInt32)] {
            expect(.cloned) { try check(authenticator.assertion(challenge, signCount: received), stored: stored) }
        }
        #expect(try check(authenticator.assertion(challenge, signCount: 1), stored: 0).signCount == 1)
    }

    @Test("ACC-9: another account's passkey, another credential, another ceremony's challenge")
    func owner() throws {
        let good = try authenticator.assertion(challenge)
        expect(.wrongUser) { try check(good, owner: [1]) }
        expect(.wrongUser) { try check(good, owner: [1], wasNamed: true) }
        let silent = PasskeyAssertion(
            credentialID: good.credentialID, clientDataJSON: good.clientDataJSON, authenticatorData: good.authenticatorData,
            signature: good.signature, userHandle: nil)
        expect(.wrongUser) { try check(silent) }
        try check(silent, wasNamed: true)
        let other = PasskeyAssertion(
            credentialID: [9], clientDataJSON: good.clientDataJSON, authenticatorData: good.authenticatorData, signature: good.signature,
            userHandle: good.userHandle)
        expect(.wrongCredential) { try check(other) }
        let registration = PasskeyChallenge(purpose: .registration, bytes: challenge.bytes, expires: challenge.expires)
        expect(.wrongPurpose) {
            try good.check(
                passkey, of: .init(userHandle: authenticator.userHandle, wasNamed: true), challenge: registration, relyingParty: party,
                requiresVerification: true)
        }
    }

    @Test("ACC-9: a stored key that is damaged is told")
    func damagedKey() throws {
        let damaged = Passkey(
            credentialID: passkey.credentialID, publicKey: Array(passkey.publicKey.dropLast()), aaguid: passkey.aaguid, transports: [],
            isBackupEligible: false, isBackedUp: false, signCount: 0)
        expect(.badKey) {
            try authenticator.assertion(challenge).check(
                damaged, of: .init(userHandle: authenticator.userHandle, wasNamed: true), challenge: challenge, relyingParty: party,
                requiresVerification: true)
        }
    }

    @Test("ACC-9: the browser's JSON is read")
    func json() throws {
        let good = try authenticator.assertion(challenge)
        func text(handle: String?) -> [UInt8] {
            let handle = handle.map { ",\"userHandle\":\"\($0)\"" } ?? ""
            let response =
                #""clientDataJSON":"\#(Base64.url(good.clientDataJSON))","authenticatorData":"\#(Base64.url(good.authenticatorData))""#
            return Array(
                #"{"id":"\#(Base64.url(good.credentialID))","type":"public-key","response":{\#(response),"signature":"\#(Base64.url(good.signature))"\#(handle)}}"#
                    .utf8)
        }
        #expect(try PasskeyAssertion(json: text(handle: Base64.url(authenticator.userHandle))) == good)
        #expect(try PasskeyAssertion(json: text(handle: nil)).userHandle == nil)
        expect(.malformed) { try PasskeyAssertion(json: text(handle: "a=")) }
        expect(.tooLarge) { try PasskeyAssertion(json: text(handle: Base64.url([UInt8](repeating: 1, count: 65)))) }
        expect(.malformed) { try PasskeyAssertion(json: Array(#"{"id":"AA","type":"public-key","response":{}}"#.utf8)) }
    }
}

@Suite("Passkeys: challenges")
struct PasskeyChallengeTests {
    private final class Book {
        var value = PasskeyChallenges()
        func take(_ purpose: PasskeyChallenge.Purpose, _ session: String, utc: Int64) throws -> PasskeyChallenge {
            try value.take(purpose, session: session, utc: utc)
        }
    }

    @Test("ACC-9: a challenge has 32 random bytes and works once, for five minutes, in its session, for its purpose")
    func life() throws {
        let book = Book()
        let challenge = book.value.issue(.assertion, session: "a", utc: 1000)
        #expect(challenge.bytes.count == 32)
        #expect(challenge.expires == 301_000)
        expect(.noChallenge) { try book.take(.assertion, "b", utc: 1000) }
        #expect(try book.take(.assertion, "a", utc: 300_999) == challenge)
        expect(.noChallenge) { try book.take(.assertion, "a", utc: 1000) }
        let second = book.value.issue(.assertion, session: "a", utc: 1000)
        #expect(second.bytes != challenge.bytes)
        expect(.challengeExpired) { try book.take(.assertion, "a", utc: 301_000) }
        expect(.noChallenge) { try book.take(.assertion, "a", utc: 1000) }
        _ = book.value.issue(.registration, session: "a", utc: 1000)
        expect(.wrongPurpose) { try book.take(.assertion, "a", utc: 1000) }
        expect(.noChallenge) { try book.take(.registration, "a", utc: 1000) }
    }

    @Test("ACC-9: a new challenge voids the session's older one")
    func replaced() throws {
        let book = Book()
        _ = book.value.issue(.assertion, session: "a", utc: 0)
        let second = book.value.issue(.assertion, session: "a", utc: 1)
        #expect(try book.take(.assertion, "a", utc: 2) == second)
    }

    @Test("ACC-9: a flood of requests takes bounded memory, and the latest challenges stay")
    func bounded() throws {
        let book = Book()
        for number in 0..<PasskeyChallenges.countMax + 100 {
            _ = book.value.issue(.assertion, session: "flood \(number)", utc: Int64(number / 1000))
        }
        let mine = book.value.issue(.assertion, session: "mine", utc: 60)
        for number in 0..<10_000 { _ = book.value.issue(.assertion, session: "again \(number)", utc: 61) }
        #expect(book.value.count <= PasskeyChallenges.countMax)
        #expect(try book.take(.assertion, "mine", utc: 62) == mine)
    }
}
