public import Accounts
public import HubStore
public import Vitals

/// What an account has to accept anew: documents whose text is another one than it accepted (ACC-1).
public struct Acceptances: Sendable {
    private let accounts: AccountStore
    private let documents: Documents
    private let now: @Sendable () -> Milliseconds

    /// - Parameter documents: those that hold now.
    public init(accounts: AccountStore, documents: Documents, now: @escaping @Sendable () -> Milliseconds) {
        (self.accounts, self.documents, self.now) = (accounts, documents, now)
    }

    /// Terms are everybody's; the privacy statement is accepted by whose data is kept, as at sign-up.
    private func all(of account: StoredAccount) -> [(document: Field, version: String)] {
        [(.terms, documents.terms)] + (account.roles.contains(.person) ? [(.privacy, documents.privacy)] : [])
    }

    /// The documents that an account has not accepted in this version, in the order in which a page shows them, with that version.
    public func owed(by account: StoredAccount) throws -> [(document: Field, version: String)] {
        let accepted = try accounts.acceptances.accepted(by: account.row)
        return all(of: account).filter { wanted in
            !accepted.contains { $0.document == wanted.document.rawValue && $0.version == wanted.version }
        }
    }

    /// Writes down what an account accepts, where that is all that it owes.
    /// - Parameter sent: the versions that were ticked, by the names of the documents.
    /// - Returns: the documents that are still owed: nothing was written down where there are any.
    public func accept(_ sent: [String: String], by account: StoredAccount) throws -> [Field] {
        let owed = try owed(by: account), missing = owed.filter { sent[$0.document.rawValue] != $0.version }.map(\.document)
        guard missing.isEmpty else { return missing }
        let time = now()
        for (document, version) in owed { try accounts.acceptances.accept(document.rawValue, version: version, by: account, now: time) }
        return []
    }
}
