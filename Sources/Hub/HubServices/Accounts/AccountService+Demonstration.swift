public import Credentials
public import HubStore
public import Vitals

/// Logging in as somebody made up, by a link that whoever runs the hub has made: for demonstrations. No link logs in anybody real.
extension AccountService {
    /// Such a link works for a quarter of an hour, once.
    public static let demonstrationLifetime: Milliseconds = 15 * 60_000

    /// Makes a link to log in as somebody made up.
    /// - Returns: its secret; nil for an account that may be somebody's.
    public static func makeDemonstrationLink(
        to account: StoredAccount, _ accounts: AccountStore, now: Milliseconds
    ) throws -> SecretToken? {
        guard Rehearsal.isMadeUp(account) else { return nil }
        let token = SecretToken.random(using: accounts.randomness)
        try accounts.addLink(token.hash, .demonstration, of: account.row, expires: now + demonstrationLifetime)
        return token
    }

    /// As whom a link logs in; nil when it does not work (any more).
    public func demonstration(_ link: String) throws -> StoredAccount? {
        guard let token = SecretToken(link), let account = try accounts.account(ofLink: token.hash, .demonstration, now: now()),
            Rehearsal.isMadeUp(account)
        else { return nil }
        return account
    }

    /// Logs in by a link, once.
    /// - Parameter device: the browser, as it calls itself.
    /// - Returns: the secret for its cookie; nil when the link does not work (any more).
    public func logIn(byDemonstration link: String, device: String) throws -> SecretToken? {
        guard try demonstration(link) != nil, let token = SecretToken(link) else { return nil }
        let session = SecretToken.random(using: accounts.randomness)
        return try accounts.addSession(session.hash, byDemonstration: token.hash, device: device, now: now()) ? session : nil
    }
}
