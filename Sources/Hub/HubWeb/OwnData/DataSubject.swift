import Accounts
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Of whom a page of data is, and who decides there: a person about themselves, or a parent about a minor (ACC-17).
struct DataSubject: Sendable {
    /// Whoever asks.
    let session: StoredSession
    /// Whose data it is.
    let account: StoredAccount
    /// Where its pages begin, without a slash at the end.
    let base: String

    var person: PersonID { account.id.person }
    var isOwn: Bool { account.id == session.account.id }
    /// What the menu and the help belong to.
    var help: String { isOwn ? "data" : "care" }

    static let own = "/data", ofWard = "/care/person/:id/data"

    /// - Throws: `PageRefusal.notAllowed`, the same for a child of others, somebody of age, and nobody at all.
    init(_ frame: Frame, _ context: HubContext, accounts: AccountStore, now: Milliseconds) throws {
        guard let text = context.parameters.get("id") else {
            session = try frame.session(as: .person)
            (account, base) = (session.account, Self.own)
            return
        }
        session = try frame.session()
        guard let person = PersonID(text), person != session.account.id.person,
            try accounts.consents.authority(over: person).grant(to: session.account.id, at: now) != nil,
            let account = try accounts.account(AccountID(person))
        else { throw PageRefusal.notAllowed }
        (self.account, base) = (account, "/care/person/\(person)/data")
    }
}
