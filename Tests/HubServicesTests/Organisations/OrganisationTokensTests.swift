import Accounts
import Crypto
import Foundation
import HubStore
import JWTKit
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

extension ServicesFixture {
    static let apiEndpoint = "https://hub.example/api/v1/token"

    /// An account that was confirmed, of an organisation unless told otherwise.
    func account(_ roles: Set<Role> = [.organisation], email: String = "office@example.org", confirmed: Bool = true) throws -> AccountID {
        let new = NewAccount(
            roles: roles, details: [Field.organisationName.rawValue: "Made up"], canonicalEmail: email, canonicalIdentifier: nil,
            password: "", language: "en", accepted: [:])
        let added =
            try confirmed
            ? accounts.addConfirmedAccount(new, now: clock.now)
            : accounts.addAccount(new, linkHash: [1], linkExpires: .max, now: clock.now)
        guard case .added(let account) = added else { throw HubStoreError.unknownPerson(email) }
        return account.id
    }

    func form(_ assertion: String) -> [String: String] {
        [
            TokenField.grantType: TokenField.clientCredentials, TokenField.assertionType: TokenField.jwtBearer,
            TokenField.assertion: assertion,
        ]
    }

    func apiToken(
        _ account: AccountID, _ key: P256.Signing.PrivateKey, audience: String = apiEndpoint, lifetime: Milliseconds = 300_000,
        jti: String = UUID().uuidString
    ) async throws -> String {
        let id = AgentID(high: account.high, low: account.low)
        let assertion = try await assertion(id, key, audience: audience, lifetime: lifetime, jti: jti)
        return try await OrganisationTokens(organisations: accounts.organisations).token(
            form(assertion), endpoint: Self.apiEndpoint, now: clock.now
        ).accessToken
    }
}

struct OrganisationTokensTests {
    @Test("CONS-12: an organisation's program gets a token with its registered key, and is known by it for an hour")
    func token() async throws {
        let hub = try ServicesFixture(), tokens = OrganisationTokens(organisations: hub.accounts.organisations)
        let account = try hub.account(), key = P256.Signing.PrivateKey(), next = P256.Signing.PrivateKey()
        let keys = OrganisationKeys(organisations: hub.accounts.organisations)
        _ = try keys.add(key.publicKey.pemRepresentation, name: "old", to: account, now: 0)
        _ = try keys.add(next.publicKey.pemRepresentation, name: "new", to: account, now: 0)
        for key in [key, next] {
            let token = try await hub.apiToken(account, key)
            #expect(token.count == 32)
            #expect(try tokens.organisation(bearer: token, now: hub.clock.now) == OrganisationID(account))
            let late = hub.clock.now + Milliseconds(OrganisationTokens.tokenLifetime) * 1000
            #expect(throws: Authenticator.Refusal.expiredToken) { try tokens.organisation(bearer: token, now: late) }
        }
        #expect(try keys.all(of: account).map(\.used) == [hub.clock.now, hub.clock.now])
        #expect(throws: Authenticator.Refusal.invalidToken) { try tokens.organisation(bearer: "", now: hub.clock.now) }
    }

    @Test("CONS-12: no token for another key, audience or organisation, a late, a long or a used assertion")
    func refusals() async throws {
        let hub = try ServicesFixture()
        let account = try hub.account(), other = try hub.account(email: "other@example.org"), key = P256.Signing.PrivateKey()
        _ = try OrganisationKeys(organisations: hub.accounts.organisations).add(
            key.publicKey.pemRepresentation, name: "x", to: account, now: 0)
        func refused(_ body: () async throws -> String) async { await #expect(throws: ErrorAnswer.self) { try await body() } }
        await refused { try await hub.apiToken(account, P256.Signing.PrivateKey()) }
        await refused { try await hub.apiToken(other, key) }
        await refused { try await hub.apiToken(AccountID(.random()), key) }
        await refused { try await hub.apiToken(account, key, audience: "https://other.example/api/v1/token") }
        await refused { try await hub.apiToken(account, key, audience: ServicesFixture.endpoint) }
        await refused { try await hub.apiToken(account, key, lifetime: -31_000) }
        await refused { try await hub.apiToken(account, key, lifetime: 331_000) }
        await refused { try await hub.apiToken(account, key, jti: "") }
        _ = try await hub.apiToken(account, key, jti: "once")
        await refused { try await hub.apiToken(account, key, jti: "once") }
        let tokens = OrganisationTokens(organisations: hub.accounts.organisations)
        for form in [[:], hub.form("x"), hub.form("a.b.c"), hub.form(String(repeating: "x", count: 5000))] {
            await #expect(throws: ErrorAnswer.self) {
                try await tokens.token(form, endpoint: ServicesFixture.apiEndpoint, now: hub.clock.now)
            }
        }
        // An agent's token is none of an organisation, nor the other way round.
        let box = try await hub.enrol()
        #expect(throws: Authenticator.Refusal.invalidToken) { try tokens.organisation(bearer: box.token, now: hub.clock.now) }
        let token = try await hub.apiToken(account, key)
        #expect(throws: Authenticator.Refusal.invalidToken) { try hub.authenticator.session(bearer: token, now: hub.clock.now) }
    }

    @Test("CONS-12: only a confirmed organisation has keys; a revoked key takes its tokens with it, at once, from another process too")
    func revocation() async throws {
        let hub = try ServicesFixture(), keys = OrganisationKeys(organisations: hub.accounts.organisations)
        let key = P256.Signing.PrivateKey()
        for account in [
            try hub.account([.person], email: "p@example.org"), try hub.account(email: "u@example.org", confirmed: false),
            AccountID(.random()),
        ] {
            #expect(throws: OrganisationKeys.Problem.notAnOrganisation) {
                try keys.add(key.publicKey.pemRepresentation, name: "x", to: account, now: 0)
            }
            await #expect(throws: ErrorAnswer.self) { try await hub.apiToken(account, key) }
        }
        let account = try hub.account(), other = try hub.account(email: "other@example.org")
        let stored = try keys.add(key.publicKey.pemRepresentation, name: "x", to: account, now: 0)
        let token = try await hub.apiToken(account, key)
        #expect(try !keys.revoke(stored.row, of: other, now: 1))
        let beside = try HubDirectory(hub.directory.url)
        let process = OrganisationKeys(organisations: try AccountStore(beside, keys: KeyStore(beside, environment: [:])).organisations)
        #expect(try process.revoke(stored.row, of: account, now: 1))
        let tokens = OrganisationTokens(organisations: hub.accounts.organisations)
        #expect(throws: Authenticator.Refusal.invalidToken) { try tokens.organisation(bearer: token, now: hub.clock.now) }
        await #expect(throws: ErrorAnswer.self) { try await hub.apiToken(account, key) }
        #expect(throws: OrganisationKeys.Problem.known) {
            try keys.add(key.publicKey.pemRepresentation, name: "x", to: account, now: 2)
        }
    }

    @Test("CONS-12: tokens and keys are bounded")
    func bounds() async throws {
        let hub = try ServicesFixture(), keys = OrganisationKeys(organisations: hub.accounts.organisations)
        let account = try hub.account(), key = P256.Signing.PrivateKey()
        _ = try keys.add(key.publicKey.pemRepresentation, name: "x", to: account, now: 0)
        let first = try await hub.apiToken(account, key)
        hub.clock.advance(1)
        for _ in 0..<OrganisationStore.organisationTokensMax { _ = try await hub.apiToken(account, key) }
        let tokens = OrganisationTokens(organisations: hub.accounts.organisations)
        #expect(throws: Authenticator.Refusal.invalidToken) { try tokens.organisation(bearer: first, now: hub.clock.now) }
        for _ in 1..<OrganisationStore.organisationKeysMax {
            _ = try keys.add(P256.Signing.PrivateKey().publicKey.pemRepresentation, name: "x", to: account, now: 0)
        }
        #expect(throws: OrganisationKeys.Problem.tooMany) {
            try keys.add(P256.Signing.PrivateKey().publicKey.pemRepresentation, name: "x", to: account, now: 0)
        }
    }

    @Test("CONS-12: keys are read as JWK or PEM; a private key is refused and said so")
    func formats() throws {
        // The key of RFC 7515, appendix A.3.1.
        let x = "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y = "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"
        let jwk = try OrganisationPublicKey("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(y)\",\"kid\":\"1\"}")
        let pem = try P256.Signing.PublicKey(x963Representation: jwk.point).pemRepresentation
        #expect(try OrganisationPublicKey(" \n" + pem).thumbprint == jwk.thumbprint)
        // By another program, after RFC 7638.
        #expect(jwk.thumbprint == "oKIywvGUpTVTyxMQ3bwIIeQUudfr_CkLMjCE19ECD-U")
        func problem(_ text: String) -> OrganisationPublicKey.Problem? {
            do {
                _ = try OrganisationPublicKey(text)
                return nil
            } catch { return error }
        }
        #expect(problem("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(y)\",\"d\":\"AA\"}") == .privateKey)
        #expect(problem(P256.Signing.PrivateKey().pemRepresentation) == .privateKey)
        #expect(problem(P384.Signing.PrivateKey().publicKey.pemRepresentation) == .otherKind)
        #expect(problem("{\"kty\":\"RSA\",\"n\":\"AA\",\"e\":\"AQAB\"}") == .otherKind)
        #expect(problem("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(x)\"}") == .unreadable)
        // The alphabet of RFC 4648, section 5, alone, and no bits left over.
        for wrong in [y.replacing("_", with: "/"), String(y.dropLast()) + "1", y + "="] {
            #expect(problem("{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"\(x)\",\"y\":\"\(wrong)\"}") == .unreadable, "\(wrong)")
        }
        for text in ["", "{", "x", String(repeating: "x", count: 5000)] { #expect(problem(text) == .unreadable) }
    }
}
