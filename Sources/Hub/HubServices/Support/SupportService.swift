public import Accounts
public import HubStore
public import Vitals

/// Help by whoever runs the hub: somebody asks, with an account or by mail, and an operator answers.
public struct SupportService: Sendable {
    private let store: SupportStore
    private let now: @Sendable () -> Milliseconds

    /// What is wrong with what was typed or wanted.
    public enum Problem: Error, Sendable, Hashable {
        case text(FieldError)
        case address(FieldError)
        /// Too many questions wait, of this account or of all who have none.
        case tooMany
        /// Whoever acts is no operator, or there is no such question (any more).
        case notYours
    }

    /// Characters of a question and of an answer, at most.
    public static let textMax = 4000

    public init(accounts: AccountStore, now: @escaping @Sendable () -> Milliseconds) {
        (store, self.now) = (SupportStore(accounts), now)
    }

    // MARK: Asking

    /// - Parameters:
    ///   - topic: the page of help from which it comes; empty for none.
    ///   - account: who asks; nil for somebody without an account.
    ///   - address: where the answer to such a one goes.
    /// - Throws: ``Problem``, or what the store throws.
    public func ask(_ text: String, topic: String, by account: StoredAccount?, address: String, language: String) throws {
        let text = try Self.checked(text)
        let isKept: Bool
        if let account {
            isKept = try store.ask(text, topic: topic, by: account, now: now())
        } else {
            let mail: EmailAddress
            do { mail = try EmailAddress(address) } catch { throw Problem.address(error) }
            isKept = try store.ask(text, topic: topic, from: mail.address, language: language, now: now())
        }
        guard isKept else { throw Problem.tooMany }
    }

    private static func checked(_ text: String) throws -> String {
        let text = AccountService.trimmed(text)
        guard !text.isEmpty else { throw Problem.text(FieldError(.missing)) }
        guard text.count <= textMax else { throw Problem.text(FieldError(.tooLong, limit: textMax)) }
        return text
    }

    /// The questions of an account, the newest first.
    public func questions(of account: StoredAccount) throws -> [SupportQuestion] { try store.questions(of: account) }

    // MARK: The operator

    /// Questions that wait, the first to come first, and those that were answered, the last first.
    public func all(for account: StoredAccount) throws -> (waiting: [SupportQuestion], answered: [SupportQuestion]) {
        try check(account)
        return (try store.waiting(), try store.answered())
    }

    /// Answers a question: who asked is told.
    /// - Throws: ``Problem``, or what the store throws.
    public func answer(_ row: Int64, _ text: String, by account: StoredAccount) throws {
        try check(account)
        guard try store.answer(row, Self.checked(text), by: account, now: now()) else { throw Problem.notYours }
    }

    /// Forgets a question without a word to who asked.
    /// - Throws: ``Problem``, or what the store throws.
    public func drop(_ row: Int64, by account: StoredAccount) throws {
        try check(account)
        guard try store.drop(row) else { throw Problem.notYours }
    }

    private func check(_ account: StoredAccount) throws { guard account.roles.contains(.operator) else { throw Problem.notYours } }
}
