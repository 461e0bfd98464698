public import HubStore
public import SyncProtocol
public import Vitals

/// The identity of an organisation's program: tokens by OAuth 2 client credentials with an assertion that one of its registered keys signed, and
/// what a bearer token is worth on each request.
public struct OrganisationTokens: Sendable {
    private let organisations: OrganisationStore

    /// Seconds that a token is valid.
    public static let tokenLifetime = 3600
    /// An assertion says that it expires within so many milliseconds.
    static let assertionLifetimeMax: Milliseconds = 300_000
    /// How far the clocks of a program and of the hub may differ.
    static let clockSkewMax: Milliseconds = 30_000

    public init(organisations: OrganisationStore) { self.organisations = organisations }

    /// Answers a request for a token. An unknown organisation, one that is not confirmed, and a wrong key look the same.
    /// - Parameters:
    ///   - form: the decoded form fields.
    ///   - endpoint: the URL of this token endpoint: the assertion's audience, exactly. An assertion for another hub is worth nothing here.
    /// - Throws: `ErrorAnswer` as RFC 6749, section 5.2 has it.
    public func token(_ form: [String: String], endpoint: String, now: Milliseconds) async throws -> TokenAnswer {
        func refused(_ why: String) -> ErrorAnswer { ErrorAnswer(error: "invalid_client", description: why) }
        let stranger = refused("The assertion is not signed with a registered key of the organisation that it names.")
        guard let assertion = try ClientAssertion(form), let account = AccountID(assertion.subject) else { throw stranger }
        let keys = try organisations.organisationKeys(of: account).filter { $0.revoked == nil }
        var found: (key: OrganisationKey, claims: ClientAssertion.Verified)?
        for key in keys where found == nil {
            found = await assertion.verified(by: [key.publicKey]).map { (key, $0) }
        }
        guard let (key, claims) = found else { throw stranger }
        guard claims.audiences.contains(endpoint) else { throw refused("The assertion's audience (aud) is not \(endpoint).") }
        guard claims.expires > now - Self.clockSkewMax else { throw refused("The assertion has expired (exp).") }
        guard claims.expires <= now + Self.assertionLifetimeMax + Self.clockSkewMax else {
            throw refused("The assertion is valid for more than 5 minutes (exp).")
        }
        let token = AccessToken.make(organisations.randomness)
        let added = try organisations.addOrganisationToken(
            AccessToken.hash(token), key: key.row, of: account, jti: claims.jti,
            jtiExpires: claims.expires + 2 * Self.clockSkewMax, expires: now + Milliseconds(Self.tokenLifetime) * 1000, now: now)
        switch added {
        case .added: return TokenAnswer(accessToken: token, expiresIn: Self.tokenLifetime)
        case .replayed: throw refused("The assertion was used before (jti).")
        case .tooMany: throw refused("Too many assertions in a few minutes: use the token that you have until it expires.")
        case .refused: throw stranger
        }
    }

    /// The organisation whose program holds a token. Asked with each request: a revoked key counts with its commit.
    /// - Throws: `Authenticator.Refusal`, or what the store says.
    public func organisation(bearer token: String, now: Milliseconds) throws -> OrganisationID {
        guard let (organisation, expires) = try organisations.organisation(tokenHash: AccessToken.hash(token)) else {
            throw Authenticator.Refusal.invalidToken
        }
        guard expires > now else { throw Authenticator.Refusal.expiredToken }
        return organisation
    }
}
