import Accounts
import HubStore
import Vitals

/// Why a page is not shown to whoever asked for it.
enum PageRefusal: Error {
    /// Nobody is logged in.
    case logIn
    /// The password alone is not enough for this account.
    case secondFactor
    /// The account is for something else, or the thing is somebody else's. Which of them, is not said.
    case notAllowed
}

extension Frame {
    /// The session of somebody with this role, who proved all that the account needs.
    func session(as role: Role? = nil) throws(PageRefusal) -> StoredSession {
        guard let session else { throw .logIn }
        guard session.strength == .full else { throw .secondFactor }
        if let role, !session.account.roles.contains(role) { throw .notAllowed }
        return session
    }

    /// The same with one of these roles.
    func session(asOneOf roles: Set<Role>) throws(PageRefusal) -> StoredSession {
        let session = try session()
        guard !session.account.roles.isDisjoint(with: roles) else { throw .notAllowed }
        return session
    }
}
