public import HubStore

extension AccountService {
    /// The language of an account's pages, mails and notices: it goes with the account to every browser (ACC-10, ACC-12).
    public func setLanguage(_ language: String, of account: StoredAccount) throws {
        try accounts.notices.setLanguage(language, of: account, now: now())
    }

    /// How many notices an account has not opened yet.
    public func newNotices(of account: StoredAccount) throws -> Int { try accounts.notices.newNotices(of: account.row) }
}
