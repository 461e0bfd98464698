import Crypto
import Foundation
public import HubStore
import JWTKit
public import SyncProtocol
import Synchronization
public import Vitals

/// Who an agent is: tokens by OAuth 2 client credentials with a signed assertion, and what a bearer token is worth on each request.
public final class Authenticator: Sendable {
    private let accounts: AccountStore
    private let sessions = Mutex<(byToken: [String: Session], version: Int)>(([:], -1))

    /// Seconds that a token is valid.
    public static let tokenLifetime = 3600
    /// Sessions kept in memory, at most.
    static let sessionsMax = 200_000

    public init(accounts: AccountStore) { self.accounts = accounts }

    /// An agent with a valid token.
    public struct Session: Sendable {
        public let agent: AccountStore.Agent
        let expires: Milliseconds
    }

    public enum Refusal: Error, Sendable, Hashable {
        /// No token, or none that the hub knows: get a new one.
        case invalidToken
        case expiredToken
        case revoked

        public var answer: ErrorAnswer {
            switch self {
            case .invalidToken: ErrorAnswer(error: "invalid_token", description: "This token is not known. Request a new one.")
            case .expiredToken: ErrorAnswer(error: "invalid_token", description: "This token has expired. Request a new one.")
            case .revoked:
                ErrorAnswer(error: "revoked", description: "This box was removed from the hub. Enrol it again with a new code.")
            }
        }
    }

    /// Looks a bearer token up, in memory nearly always.
    public func session(bearer token: String, now: Milliseconds) throws -> Session {
        let (known, version) = sessions.withLock { ($0.byToken[token], $0.version) }
        if let known { return try check(known, now) }
        let hash = Self.hash(token)
        guard let (agent, expires) = try accounts.agent(tokenHash: hash) else { throw Refusal.invalidToken }
        // The first use of a new token moves the chain on, which is stored before the token counts.
        let used = try accounts.changeTokens(of: agent.row, expires: expires, now: now) { stored in
            var chains = TokenChains(stored)
            let use = chains.use(hash)
            stored = chains.stored
            return (use, copySeen: false)
        }
        guard used != .dead else { throw Refusal.invalidToken }
        let session = Session(agent: agent, expires: expires)
        sessions.withLock { state in
            if used == .advanced { state.byToken = state.byToken.filter { $0.value.agent.row != agent.row } }
            if state.byToken.count >= Self.sessionsMax { state.byToken.removeAll() }
            // Not when another process changed something meanwhile: it may have been this.
            if state.version == version { state.byToken[token] = session }
        }
        return try check(session, now)
    }

    private func check(_ session: Session, _ now: Milliseconds) throws -> Session {
        if session.agent.revoked { throw Refusal.revoked }
        if session.expires <= now { throw Refusal.expiredToken }
        return session
    }

    /// Forgets what was looked up when another process changed the accounts (a revoked agent); called every second.
    public func refresh() throws {
        let version = try accounts.dataVersion()
        sessions.withLock { state in
            if state.version != version { state.byToken.removeAll() }
            state.version = version
        }
    }

    // MARK: Token requests

    /// Answers a token request.
    /// - Parameters:
    ///   - form: the decoded form fields.
    ///   - endpoint: the URL of the token endpoint as the agent knows it: the assertion's audience.
    public func token(_ form: [String: String], endpoint: String, now: Milliseconds) async throws -> TokenAnswer {
        guard form[TokenField.grantType] == TokenField.clientCredentials else {
            throw ErrorAnswer(error: "unsupported_grant_type", description: "Only client_credentials is supported here.")
        }
        guard form[TokenField.assertionType] == TokenField.jwtBearer, let assertion = form[TokenField.assertion] else {
            throw ErrorAnswer(error: "invalid_client", description: "A client_assertion of type jwt-bearer is needed (RFC 7523).")
        }
        let agent = try await verify(assertion, endpoint: endpoint, now: now)
        let token = StreamID.random().description
        let predecessor = form[TokenField.predecessor].map(Self.hash)
        let expires = now + Milliseconds(Self.tokenLifetime) * 1000
        let renewal = try accounts.changeTokens(of: agent.row, expires: expires, now: now) { stored in
            var chains = TokenChains(stored)
            let renewal = chains.renew(predecessor: predecessor, token: Self.hash(token))
            stored = chains.stored
            return (renewal, copySeen: renewal == .copied)
        }
        // The request may have moved a chain on: what was looked up of this agent is looked up again.
        sessions.withLock { state in state.byToken = state.byToken.filter { $0.value.agent.row != agent.row } }
        return TokenAnswer(
            accessToken: token, expiresIn: Self.tokenLifetime, newStream: renewal == .copied ? true : nil)
    }

    private struct Assertion: JWTPayload {
        var iss: IssuerClaim
        var sub: SubjectClaim
        var aud: AudienceClaim
        var exp: ExpirationClaim
        var jti: IDClaim

        func verify(using algorithm: some JWTAlgorithm) throws {}
    }

    private func verify(_ assertion: String, endpoint: String, now: Milliseconds) async throws -> AccountStore.Agent {
        func refused(_ why: String) -> ErrorAnswer { ErrorAnswer(error: "invalid_client", description: why) }
        let unverified = try? DefaultJWTParser().parse(Array(assertion.utf8), as: Assertion.self).payload
        guard let unverified, let id = AgentID(unverified.sub.value), let agent = try accounts.agent(id) else {
            throw refused("The assertion names no agent of this hub. Enrol the box again with a new code.")
        }
        guard let key = try? ECDSA.PublicKey<P256>(backing: P256.Signing.PublicKey(x963Representation: agent.publicKey)) else {
            throw refused("The agent's stored key cannot be read.")
        }
        let keys = await JWTKeyCollection().add(ecdsa: key)
        guard let claims = try? await keys.verify(assertion, as: Assertion.self), claims.iss.value == claims.sub.value else {
            throw refused("The assertion's signature is not that of the enrolled key.")
        }
        guard claims.aud.value.contains(where: { Self.samePath($0, endpoint) }) else {
            throw refused("The assertion's audience is not this token endpoint.")
        }
        let expires = Milliseconds(claims.exp.value.timeIntervalSince1970 * 1000)
        // The agent's clock may be wrong; the hub's is not taken for better than an hour.
        guard expires > now - 3_600_000, expires < now + 7_200_000 else {
            throw refused("The assertion has expired or is valid for too long: the box's clock differs by more than an hour.")
        }
        guard try accounts.useAssertion(claims.jti.value, of: agent.row, expires: now + 7_200_000, now: now) else {
            throw refused("The assertion was used before.")
        }
        guard !agent.revoked else { throw Refusal.revoked }
        return agent
    }

    /// The name by which an agent reaches the hub may differ from what the hub believes of itself (port forwarding), the path may not.
    private static func samePath(_ audience: String, _ endpoint: String) -> Bool {
        audience == endpoint || URL(string: audience)?.path == URL(string: endpoint)?.path
    }

    static func hash(_ token: String) -> [UInt8] { Array(SHA256.hash(data: Data(token.utf8))) }
}

extension TokenChains {
    fileprivate init(_ stored: [AccountStore.StoredChain]) {
        self.init(stored.map { Chain(current: $0.current, candidates: $0.candidates) })
    }

    fileprivate var stored: [AccountStore.StoredChain] {
        chains.map { AccountStore.StoredChain(current: $0.current, candidates: $0.candidates) }
    }
}
