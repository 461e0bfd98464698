public import HubStore
import Synchronization
public import Vitals

/// Text messages that did not leave, for operators (OPS-1). In memory: since the hub's start.
public final class FailedTexts: Sendable {
    /// One that did not leave.
    public struct Failure: Sendable, Hashable {
        /// UTC milliseconds.
        public let time: Milliseconds
        /// The end of the number, behind an ellipsis.
        public let recipient: String
        public let reason: String
    }

    /// The newest that are kept.
    public static let countMax = 100
    /// Digits of a number that are shown.
    private static let shown = 3

    private let failures = Mutex<[Failure]>([])

    public init() {}

    public func note(to number: String, _ reason: String, at time: Milliseconds) {
        // A program may repeat the number in what it says.
        let end = "…" + number.suffix(Self.shown)
        let failure = Failure(time: time, recipient: end, reason: number.isEmpty ? reason : reason.replacing(number, with: end))
        failures.withLock { $0 = ($0 + [failure]).suffix(Self.countMax) }
    }

    /// The newest first.
    public var all: [Failure] { failures.withLock { $0.reversed() } }
}

/// Mails that were given up, as operators deal with them (OPS-1).
public struct FailedMails: Sendable {
    private let store: FailedMailStore
    private let audit: AuditLog
    private let now: @Sendable () -> Milliseconds

    public init(_ accounts: AccountStore, audit: AuditLog, now: @escaping @Sendable () -> Milliseconds) {
        (store, self.audit, self.now) = (FailedMailStore(accounts), audit, now)
    }

    /// Mails of one page, at most.
    public static let pageMax = 50

    /// The newest first.
    /// - Parameter row: behind this one.
    public func mails(before row: Int64 = .max) throws -> (mails: [FailedMail], next: Int64?) {
        let found = try store.mails(before: row, count: Self.pageMax + 1), mails = Array(found.prefix(Self.pageMax))
        return (mails, found.count > Self.pageMax ? mails.last?.row : nil)
    }

    /// The number within the last seven days, which the menu shows.
    public func countLately() throws -> Int { try store.count(since: now() - 7 * 86_400_000) }

    /// - Returns: false where there is none such, or where it has a link, which would not help.
    public func sendAgain(_ row: Int64, by account: StoredAccount) throws -> Bool {
        try store.sendAgain(row, by: account.id, audit: audit, now: now()) != nil
    }

    /// - Returns: false where there is none such.
    public func putAside(_ row: Int64, by account: StoredAccount) throws -> Bool {
        try store.putAside(row, by: account.id, audit: audit, now: now())
    }
}
