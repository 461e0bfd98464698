import Crypto
import Foundation
import Testing

@testable import Credentials

@Suite("Passkeys: registration")
struct PasskeyRegistrationTests {
    typealias Answer = TestAuthenticator.Answer
    let authenticator = TestAuthenticator()
    let party: RelyingParty
    let challenge: PasskeyChallenge

    init() throws {
        party = try RelyingParty(host: "hub.example.org")
        var challenges = PasskeyChallenges()
        challenge = challenges.issue(.registration, session: "s", utc: 0)
    }

    func passkey(_ registration: PasskeyRegistration, verified: Bool = true) throws -> Passkey {
        try registration.passkey(challenge: challenge, relyingParty: party, requiresVerification: verified)
    }

    @Test("ACC-9: a registration gives the passkey to store")
    func good() throws {
        let passkey = try passkey(authenticator.registration(challenge) { $0.flags = 0x5D })
        #expect(passkey.credentialID == authenticator.credentialID)
        #expect(passkey.publicKey == Array(authenticator.key.publicKey.x963Representation))
        #expect(passkey.aaguid == [UInt8](repeating: 0xA5, count: 16))
        #expect(passkey.isBackupEligible && passkey.isBackedUp)
        #expect(passkey.transports == ["internal"])
        #expect(passkey.signCount == 0)
    }

    @Test("ACC-9: an older browser without crossOrigin, an authenticator with extensions, and one without a PIN where that will do")
    func alsoGood() throws {
        _ = try passkey(authenticator.registration(challenge) { $0.crossOrigin = nil })
        _ = try passkey(
            authenticator.registration(challenge) {
                $0.flags = 0xC5
                $0.extensions = [0xA0]
            })
        _ = try passkey(authenticator.registration(challenge) { $0.flags = 0x41 }, verified: false)
    }

    struct Bend: Sendable, CustomTestStringConvertible {
        let name: String, code: PasskeyRefusal.Code
        let change: @Sendable (inout Answer) -> Void
        var testDescription: String { name }

        init(_ name: String, _ code: PasskeyRefusal.Code, _ change: @escaping @Sendable (inout Answer) -> Void) {
            (self.name, self.code, self.change) = (name, code, change)
        }
    }

    static let bends = [
        Bend("type of an assertion", .wrongType) { $0.type = "webauthn.get" },
        Bend("a bit of the challenge", .wrongChallenge) { $0.challenge[31] ^= 1 },
        Bend("a shorter challenge", .wrongChallenge) { $0.challenge.removeLast() },
        Bend("an empty challenge", .wrongChallenge) { $0.challenge = [] },
        Bend("another site", .wrongOrigin) { $0.origin = "https://hub.example.org.evil.example" },
        Bend("a site below", .wrongOrigin) { $0.origin = "https://a.hub.example.org" },
        Bend("without TLS", .wrongOrigin) { $0.origin = "http://hub.example.org" },
        Bend("another port", .wrongOrigin) { $0.origin = "https://hub.example.org:8443" },
        Bend("in a frame", .crossOrigin) { $0.crossOrigin = true },
        Bend("below another site", .crossOrigin) { $0.topOrigin = "https://evil.example" },
        Bend("another RP ID", .wrongRelyingParty) { $0.relyingPartyID = "example.org" },
        Bend("nobody there", .notPresent) { $0.flags = 0x44 },
        Bend("nobody checked", .notVerified) { $0.flags = 0x41 },
        Bend("backed up without eligibility", .backupFlags) { $0.flags = 0x55 },
        Bend("no credential", .noCredential) { $0.flags = 0x05 },
        Bend("another credential's id", .wrongCredential) { $0.attestedID[0] ^= 1 },
        Bend("a shorter id", .wrongCredential) { $0.attestedID.removeLast() },
        Bend("an empty id", .malformed) { $0.attestedID = [] },
        Bend("an id of 1024 bytes", .malformed) { $0.attestedID = [UInt8](repeating: 1, count: 1024) },
        Bend("another key", .wrongKey) { $0.cose = TestAuthenticator.cose(P256.Signing.PrivateKey().publicKey) },
        Bend("another algorithm in the key", .wrongKey) { $0.cose[4] = 0x27 },
        Bend("half a key", .wrongKey) { $0.cose.removeLast() },
        Bend("something behind the key", .malformed) { $0.extensions = [0xA0] },
        Bend("extensions that are not there", .malformed) { $0.flags = 0xC5 },
    ]

    @Test("ACC-9: a registration with one field bent is refused, and the code says which", arguments: bends)
    func bent(_ bend: Bend) {
        expect(bend.code) { try passkey(authenticator.registration(challenge, bend.change)) }
    }

    @Test("ACC-9: the browser's own fields, bent one at a time")
    func browserFields() throws {
        let good = authenticator.registration(challenge)
        let other = Array(P256.Signing.PrivateKey().publicKey.derRepresentation)
        func bent(id: [UInt8]? = nil, client: [UInt8]? = nil, data: [UInt8]? = nil, key: [UInt8]? = nil, algorithm: Int = -7)
            -> PasskeyRegistration
        {
            PasskeyRegistration(
                credentialID: id ?? good.credentialID, clientDataJSON: client ?? good.clientDataJSON,
                authenticatorData: data ?? good.authenticatorData, publicKey: key ?? good.publicKey, algorithm: algorithm, transports: [])
        }
        _ = try passkey(bent())
        expect(.wrongCredential) { try passkey(bent(id: [1, 2, 3])) }
        expect(.wrongKey) { try passkey(bent(key: other)) }
        expect(.wrongAlgorithm) { try passkey(bent(algorithm: -257)) }
        expect(.badKey) { try passkey(bent(key: [])) }
        expect(.badKey) { try passkey(bent(key: Array(P384.Signing.PrivateKey().publicKey.derRepresentation))) }
        expect(.badKey) { try passkey(bent(key: good.publicKey + [0])) }
        expect(.badKey) { try passkey(bent(key: Array(good.publicKey.dropLast()) + [good.publicKey[90] ^ 1])) }
        expect(.malformed) { try passkey(bent(client: [])) }
        expect(.malformed) { try passkey(bent(client: Array("[]".utf8))) }
        for length in 0..<good.authenticatorData.count {
            #expect(throws: PasskeyRefusal.self, "cut to \(length)") {
                try passkey(bent(data: Array(good.authenticatorData.prefix(length))))
            }
        }
    }

    @Test("ACC-9: every bit of the client data's challenge, origin and type, and of the authenticator's data but for the unproven, matters")
    func everyBit() throws {
        let good = authenticator.registration(challenge)
        for index in good.authenticatorData.indices where !(33..<53).contains(index) {
            for bit in 0..<8 where index != 32 || ![1, 3, 5].contains(bit) {
                var data = good.authenticatorData
                data[index] ^= 1 << bit
                let registration = PasskeyRegistration(
                    credentialID: good.credentialID, clientDataJSON: good.clientDataJSON, authenticatorData: data,
                    publicKey: good.publicKey,
                    algorithm: -7, transports: [])
                #expect(throws: PasskeyRefusal.self, "bit \(bit) of byte \(index)") { try passkey(registration) }
            }
        }
    }

    @Test("ACC-9: the browser's JSON is read, and refused where it is no such thing")
    func json() throws {
        let good = authenticator.registration(challenge)
        func text(_ changes: [String: String?] = [:], type: String = "public-key") -> [UInt8] {
            var fields: [String: String?] = [
                "clientDataJSON": "\"\(Base64.url(good.clientDataJSON))\"",
                "authenticatorData": "\"\(Base64.url(good.authenticatorData))\"",
                "publicKey": "\"\(Base64.url(good.publicKey))\"", "publicKeyAlgorithm": "-7", "attestationObject": "\"o2Nm\"",
                "transports": "[\"internal\",\"hybrid\",\"\(String(repeating: "x", count: 100))\"]",
            ]
            fields.merge(changes) { $1 }
            let response = fields.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            let id = Base64.url(good.credentialID)
            return Array(
                #"{"id":"\#(id)","rawId":"\#(id)","type":"\#(type)","response":{\#(response)},"clientExtensionResults":{}}"#.utf8)
        }
        let read = try PasskeyRegistration(json: text())
        #expect(read.transports == ["internal", "hybrid"])
        #expect(try passkey(read).credentialID == authenticator.credentialID)
        for name in ["clientDataJSON", "authenticatorData", "publicKey", "publicKeyAlgorithm"] {
            expect(.malformed) { try PasskeyRegistration(json: text([name: Optional<String>.none])) }
            expect(.malformed) { try PasskeyRegistration(json: text([name: "\"a+/=\""])) }
        }
        expect(.malformed) { try PasskeyRegistration(json: text(type: "password")) }
        expect(.malformed) { try PasskeyRegistration(json: Array("{".utf8)) }
        expect(.tooLarge) { try PasskeyRegistration(json: text(["publicKey": "\"\(String(repeating: "AAAA", count: 2731))\""])) }
        expect(.tooLarge) { try PasskeyRegistration(json: [UInt8](repeating: 32, count: 32_769)) }
    }

    @Test("ACC-9: the options tell the browser what the check asks for")
    func options() throws {
        let user = PasskeyOptions.User(handle: [1, 2, 3], name: "ada@example.org", displayName: "Ada \"A\"")
        let existing = try passkey(authenticator.registration(challenge))
        let text = try PasskeyOptions.creation(
            challenge, relyingParty: party, siteName: "TrackMe", user: user, existing: [existing], requiresVerification: true)
        let object = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object["challenge"] as? String == challenge.text)
        #expect((object["rp"] as? [String: String]) == ["id": "hub.example.org", "name": "TrackMe"])
        #expect((object["user"] as? [String: String]) == ["id": "AQID", "name": "ada@example.org", "displayName": "Ada \"A\""])
        #expect(object["attestation"] as? String == "none")
        #expect(((object["pubKeyCredParams"] as? [[String: Any]])?.first?["alg"] as? Int) == -7)
        #expect(((object["excludeCredentials"] as? [[String: Any]])?.first?["id"] as? String) == Base64.url(existing.credentialID))
        #expect((object["authenticatorSelection"] as? [String: String])?["userVerification"] == "required")
        let request = try PasskeyOptions.request(challenge, relyingParty: party, requiresVerification: false)
        let get = try #require(JSONSerialization.jsonObject(with: Data(request.utf8)) as? [String: Any])
        #expect(get["rpId"] as? String == "hub.example.org")
        #expect(get["userVerification"] as? String == "preferred")
        #expect((get["allowCredentials"] as? [Any])?.isEmpty == true)
    }
}

/// Expects a refusal with this code.
func expect(_ code: PasskeyRefusal.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any) {
    do {
        _ = try body()
        Issue.record("not refused, and should have been: \(code)", sourceLocation: sourceLocation)
    } catch let refusal as PasskeyRefusal {
        #expect(refusal.code == code, "\(refusal)", sourceLocation: sourceLocation)
    } catch { Issue.record(error, sourceLocation: sourceLocation) }
}
