import Accounts
public import HubStore
public import Vitals

/// Keeps everybody within their space: the oldest raw data is overwritten, and its owner is told (DATA-8). It was rolled up before, and the
/// rollups of hours outlive it.
public struct Quota: Sendable {
    private let accounts: AccountStore
    private let space: SpaceStore
    private let audit: AuditLog
    /// Sealed bytes that a person may have.
    public let bytesMax: Int
    /// The same for whoever has paid for more space (PAY-1).
    public let paidBytesMax: Int

    /// 10 MB.
    public static let bytesMaxDefault = 10_000_000
    /// A week between two mails.
    static let mailPause: Milliseconds = 7 * 86_400_000

    /// 100 MB.
    public static let paidBytesMaxDefault = 100_000_000

    /// - Parameter paidBytesMax: for whoever has paid for more space; never less than `bytesMax`.
    public init(
        accounts: AccountStore, space: SpaceStore, audit: AuditLog, bytesMax: Int = bytesMaxDefault,
        paidBytesMax: Int = paidBytesMaxDefault
    ) {
        (self.accounts, self.space, self.audit, self.bytesMax) = (accounts, space, audit, bytesMax)
        self.paidBytesMax = max(bytesMax, paidBytesMax)
    }

    /// The space of one person.
    public func bytesMax(of person: PersonID) throws -> Int {
        try PaymentReader(accounts).has(.space, person) ? paidBytesMax : bytesMax
    }

    /// The space that a person uses, in sealed bytes, and the time (UTC) until which raw data was overwritten; nil when it is complete.
    public func use(of person: PersonID) throws -> (bytes: Int, overwritten: Milliseconds?) {
        try (space.bytes(of: person), accounts.overwritten(of: person))
    }

    /// Makes room once.
    /// - Returns: what was overwritten.
    @discardableResult
    public func enforce(now: Milliseconds) throws -> [Overwritten] {
        let all = try space.keepWithin(bytesMax, others: (try PaymentReader(accounts).people(with: .space), paidBytesMax))
        for overwritten in all where try accounts.noteOverwritten(overwritten, pause: Self.mailPause, now: now) {
            let id = AccountID(overwritten.person)
            try audit.append(.overwritten, by: nil, on: id, now: now)
            guard let account = try accounts.account(id) else { continue }
            // Raw data before `until` (UTC milliseconds) is not complete any more.
            try accounts.notices.addNotice(
                .quota, ["until": String(overwritten.until), "bytes": String(try bytesMax(of: overwritten.person))], to: account,
                now: now)
        }
        return all
    }
}
