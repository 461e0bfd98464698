public import HubStore

extension AccountService {
    /// The language of an account's pages, mails and notices: it goes with the account to every browser (ACC-10, ACC-12).
    public func setLanguage(_ language: String, of account: StoredAccount) throws {
        try accounts.notices.setLanguage(language, of: account, now: now())
    }

    /// The name that an organisation wants and an operator has not looked at; nil for none.
    public func waitingName(of account: StoredAccount) throws -> String? { try accounts.account(account.id)?.waitingName }

    /// The number of notices that an account has not opened yet.
    public func newNotices(of account: StoredAccount) throws -> Int { try accounts.notices.newNotices(of: account.row) }
}
