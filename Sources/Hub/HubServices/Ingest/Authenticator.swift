import Foundation
public import HubStore
public import SyncProtocol
import Synchronization
public import Vitals

/// The identity of an agent: tokens by OAuth 2 client credentials with a signed assertion, and what a bearer token is worth on each request.
public final class Authenticator: Sendable {
    private let agents: AgentStore
    private let sessions = Mutex<(byToken: [String: Session], version: Int)>(([:], -1))

    /// Seconds that a token is valid.
    public static let tokenLifetime = 3600
    /// Sessions kept in memory, at most.
    static let sessionsMax = 200_000
    /// Tokens of an agent, which are an hour's each: so many at once, as for a box that starts again and again, and one every 5 s.
    static let tokensBurst = 240
    private let tokens = DeviceRate(burst: tokensBurst, interval: 5000)
    /// What an agent asks beside segments and alarms, for each person: so much at once, and 2 a second.
    static let asksBurst = 1200
    private let asks = DeviceRate(burst: asksBurst, interval: 500)

    public init(agents: AgentStore) { self.agents = agents }

    /// An agent with a valid token.
    public struct Session: Sendable {
        public let agent: AgentStore.Agent
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

    /// Forgets an agent that this process revoked: only commits of others show in the database's version.
    public func forget(_ agent: AgentID) {
        sessions.withLock { state in
            state.byToken = state.byToken.filter { $0.value.agent.id != agent }
            // A look-up that is under way must not bring the old one back.
            state.version &-= 1
        }
    }

    /// The box of a token, where it was revoked: whose person disconnected it is told so.
    public func revoked(bearer token: String) throws -> AgentStore.Agent? {
        guard let agent = try agents.agent(tokenHash: AccessToken.hash(token))?.agent, agent.revoked else { return nil }
        return agent
    }

    /// Looks a bearer token up, in memory nearly always.
    /// - Parameter takesExpired: for an alarm, which waits for no new token (design rule 7). A revoked box is refused all the same.
    public func session(bearer token: String, now: Milliseconds, takesExpired: Bool = false) throws -> Session {
        let (known, version) = sessions.withLock { ($0.byToken[token], $0.version) }
        if let known { return try check(known, now, takesExpired) }
        let hash = AccessToken.hash(token)
        guard let (agent, expires) = try agents.agent(tokenHash: hash) else { throw Refusal.invalidToken }
        // The first use of a new token moves the chain on, which is stored before the token counts.
        let used = try agents.changeTokens(of: agent.row, expires: expires, now: now) { stored in
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
        return try check(session, now, takesExpired)
    }

    /// Looks a bearer token up, and counts the request. For what is neither segments, which ``AgentLimits`` counts, nor an alarm, which nobody does.
    /// - Throws: ``AgentLimits/TooFast`` too.
    public func counted(bearer token: String, now: Milliseconds) throws -> Session {
        let session = try session(bearer: token, now: now)
        if let seconds = asks.take(session.agent.row, people: session.agent.people.count, now: now) {
            throw AgentLimits.TooFast(seconds: seconds)
        }
        return session
    }

    private func check(_ session: Session, _ now: Milliseconds, _ takesExpired: Bool) throws -> Session {
        if session.agent.revoked { throw Refusal.revoked }
        if session.expires <= now, !takesExpired { throw Refusal.expiredToken }
        return session
    }

    /// Forgets what was looked up when another process changed the accounts (a revoked agent); called every second.
    public func refresh() throws {
        let version = try agents.dataVersion()
        sessions.withLock { state in
            if state.version != version { state.byToken.removeAll() }
            state.version = version
        }
    }

    // MARK: Token requests

    /// Answers a token request.
    /// - Parameters:
    ///   - form: the decoded form fields.
    ///   - endpoint: the URL of the token endpoint: the assertion's audience. Its port may be another (port forwarding), its path may not.
    ///   - names: the hosts that are this hub, in small letters, beside that of `endpoint`.
    /// - Throws: `ErrorAnswer`, ``Refusal``, ``AgentLimits/TooFast``.
    public func token(
        _ form: [String: String], endpoint: String, names: Set<String> = [], now: Milliseconds
    ) async throws -> TokenAnswer {
        let agent = try await verify(try ClientAssertion(form), endpoint: endpoint, names: names, now: now)
        let token = AccessToken.make(agents.randomness)
        let predecessor = form[TokenField.predecessor].map(AccessToken.hash)
        let expires = now + Milliseconds(Self.tokenLifetime) * 1000
        let renewal = try agents.changeTokens(of: agent.row, expires: expires, now: now) { stored in
            var chains = TokenChains(stored)
            let renewal = chains.renew(predecessor: predecessor, token: AccessToken.hash(token))
            stored = chains.stored
            return (renewal, copySeen: renewal == .copied)
        }
        // The request may have moved a chain on: what was looked up of this agent is looked up again.
        sessions.withLock { state in state.byToken = state.byToken.filter { $0.value.agent.row != agent.row } }
        return TokenAnswer(
            accessToken: token, expiresIn: Self.tokenLifetime, newStream: renewal == .copied ? true : nil)
    }

    private func verify(
        _ assertion: ClientAssertion?, endpoint: String, names: Set<String>, now: Milliseconds
    ) async throws -> AgentStore.Agent {
        func refused(_ why: String) -> ErrorAnswer { ErrorAnswer(error: "invalid_client", description: why) }
        guard let assertion, let id = AgentID(assertion.subject), let agent = try agents.agent(id) else {
            throw refused("The assertion names no agent of this hub. Enrol the box again with a new code.")
        }
        guard let claims = await assertion.verified(by: [agent.publicKey]) else {
            throw refused("The assertion's signature is not that of the enrolled key.")
        }
        let hosts = claims.audiences.filter { Self.path($0) == Self.path(endpoint) }.compactMap(Self.host)
        guard !hosts.isEmpty else { throw refused("The assertion's audience is not this token endpoint.") }
        let own = names.union(Self.host(endpoint).map { [$0] } ?? []), isOwn = hosts.contains(where: own.contains)
        if !isOwn, try !hosts.contains(where: { try agents.mayUse(host: $0, agent: agent.row) }) {
            throw refused(
                "\(hosts[0]) is no name of this hub. Name it in hub.names on the hub, or enrol the box again by a name that is one.")
        }
        // The agent's clock may be wrong; the hub's is not taken for better than an hour.
        guard claims.expires > now - 3_600_000, claims.expires < now + 7_200_000 else {
            throw refused("The assertion has expired or is valid for too long: the box's clock differs by more than an hour.")
        }
        // Behind the proof: nobody uses up another's.
        if let seconds = tokens.take(agent.row, now: now) { throw AgentLimits.TooFast(seconds: seconds) }
        guard try agents.useAssertion(claims.jti, of: agent.row, expires: now + 7_200_000, now: now) else {
            throw refused("The assertion was used before.")
        }
        guard !agent.revoked else { throw Refusal.revoked }
        if isOwn { try agents.usesOwnName(agent: agent.row) }
        return agent
    }

    private static func path(_ url: String) -> String? { URL(string: url)?.path }

    private static func host(_ url: String) -> String? { URL(string: url)?.host?.lowercased() }
}

extension TokenChains {
    fileprivate init(_ stored: [AgentStore.StoredChain]) {
        self.init(stored.map { Chain(current: $0.current, candidates: $0.candidates) })
    }

    fileprivate var stored: [AgentStore.StoredChain] {
        chains.map { AgentStore.StoredChain(current: $0.current, candidates: $0.candidates) }
    }
}
