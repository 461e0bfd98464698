import Accounts
import Credentials
import Crypto
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import SyncProtocol
import Testing
import Vitals

@testable import HubWeb

/// Who asks, in the matrix of AccessTable.swift.
enum Actor: String, CaseIterable {
    case nobody
    /// An organisation that has given its password and owes the second factor.
    case begun
    case person, organisation, organiser, responder, `operator`, caregiver
    /// A user who belongs to no organisation (any more).
    case member
    /// A program of the organisation, a box of the person, somebody who watches the person by a live link.
    case token, agent, link

    var role: Role? { Role(rawValue: rawValue) }
}

/// One of each, with what they show to the hub; a hub has two casts, which are strangers to each other.
struct Cast {
    let web: WebFixture
    let name: String
    let accounts: [Role: StoredAccount]
    let program: Program
    let token: String
    let agent: String
    let link: String
    /// When the person was somewhere.
    let sampled = Cast.now / 1000 * 1000 - 60_000

    var person: StoredAccount { get throws { try #require(accounts[.person]) } }

    init(_ web: WebFixture, _ name: String) async throws {
        (self.web, self.name) = (web, name)
        program = try Program(web, email: "program.\(name)@example.org")
        var accounts: [Role: StoredAccount] = [:]
        for role in Role.allCases where role != .organisation {
            accounts[role] = try web.member(role, "\(role).\(name)@example.org").account
        }
        // The organisation's people and its program ask for the same.
        accounts[.organisation] = try web.hub.accounts.account(program.organisation.account)
        self.accounts = accounts
        token = try await program.token()
        let person = try #require(accounts[.person]).id.person
        agent = try await Self.agentToken(web, [person])
        let secret = try web.hub.accounts.links.makeLink(to: person, now: Self.now)
        link = "\(LivePage.cookie)=\(try #require(try web.hub.accounts.links.redeemLink(secret, now: Self.now)).session)"
        try beginHospital()
        try await walk()
    }

    /// Where an account's mail goes.
    func email(_ role: Role) -> String { "\(role == .organisation ? "program" : "\(role)").\(name)@example.org" }

    /// The one sample that there is of the person.
    private func walk() async throws {
        let secret = try Devices(devices: web.hub.accounts.devices).add("Phone", .osmAnd, of: person.id.person, now: Self.now).1
        let sample = "/osmand?id=\(secret.grouped)&timestamp=\(sampled / 1000)&lat=45.6&lon=9.7"
        #expect(try await web.send(.POST, sample).status == 200)
    }

    static var now: Milliseconds { Milliseconds(Date().timeIntervalSince1970 * 1000) }

    /// What an actor sends along; sessions are new each time, as some requests end theirs.
    func headers(_ actor: Actor) throws -> [(String, String)] {
        switch actor {
        case .nobody: return []
        case .token: return [("authorization", "Bearer \(token)")]
        case .agent: return [("authorization", "Bearer \(agent)")]
        case .link: return [("cookie", link)]
        case .begun:
            return [("cookie", try web.session(of: try #require(accounts[.organisation]), strength: .begun))]
        case .person, .organisation, .organiser, .responder, .operator, .caregiver, .member:
            let account = try #require(actor.role.flatMap { accounts[$0] })
            return [("cookie", try web.session(of: account, strength: .full))]
        }
    }

    /// The token of a box that sends for these people.
    static func agentToken(_ web: WebFixture, _ people: [PersonID]) async throws -> String {
        try await tokenAnswer(web, people).accessToken
    }

    /// What the hub answers to the token request of such a box.
    static func tokenAnswer(_ web: WebFixture, _ people: [PersonID]) async throws -> TokenAnswer {
        let (agent, key) = try enrol(web, people)
        func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let claims = """
            {"iss":"\(agent)","sub":"\(agent)","aud":"\(web.url)\(SyncRoute.token)","exp":\(now / 1000 + 200),"jti":"\(UUID())"}
            """
        let signed = part(Data(#"{"alg":"ES256","typ":"JWT"}"#.utf8)) + "." + part(Data(claims.utf8))
        let assertion = signed + "." + part(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        let fields = [
            TokenField.grantType: TokenField.clientCredentials, TokenField.assertionType: TokenField.jwtBearer,
            TokenField.assertion: assertion,
        ]
        let answer = try await web.post(SyncRoute.token, fields)
        return try JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body.utf8))
    }

    static func enrol(_ web: WebFixture, _ people: [PersonID]) throws -> (AgentID, P256.Signing.PrivateKey) {
        let enrolment = Enrolment(accounts: web.hub.accounts), key = P256.Signing.PrivateKey()
        let request = EnrolmentRequest(
            code: try enrolment.makeCode(for: people, now: now), publicKey: Hexadecimal.string(key.publicKey.x963Representation),
            name: "box")
        return (try enrolment.enrol(request, now: now).agent, key)
    }
}
