public import Accounts
import Database
import Foundation
public import Vitals

/// Payments and what was bought, as they are read.
public struct PaymentReader: SubjectStore {
    let accounts: AccountStore

    public init(_ accounts: AccountStore) { self.accounts = accounts }

    func order(_ row: Row, of account: StoredAccount) throws -> PaymentOrder? {
        guard let id = PaymentID(bytes: row["payment"] as Data) else { return nil }
        return try open(PaymentOrder.self, row["envelope"] as Data, of: account.id.person, .payment, (id.high, id.low))
    }

    func stored(_ id: PaymentID, _ db: Connection) throws -> (PaymentOrder, StoredAccount)? {
        let row = try db.fetchOne(sql: "SELECT payment, account, envelope FROM payment WHERE payment = ?", arguments: [Data(id.bytes)])
        guard let row, let account = try accounts.stored(row: row["account"], db), let order = try order(row, of: account) else {
            return nil
        }
        return (order, account)
    }

    // MARK: Looks

    /// A payment, and whose it is; nil where there is none (any more).
    public func order(_ id: PaymentID) throws -> (order: PaymentOrder, account: AccountID)? {
        try pool.read { db in try stored(id, db).map { ($0.0, $0.1.id) } }
    }

    /// The payment that PayPal knows by this name.
    public func payment(remote: String) throws -> PaymentID? {
        try pool.read { db in
            try db.fetchOne(Data.self, sql: "SELECT payment FROM payment WHERE remote = ?", arguments: [remote])
                .flatMap { PaymentID(bytes: $0) }
        }
    }

    /// The payment whose money PayPal took by this name.
    public func payment(capture: String) throws -> PaymentID? {
        try pool.read { db in
            try db.fetchOne(Data.self, sql: "SELECT payment FROM payment_book WHERE capture = ? LIMIT 1", arguments: [capture])
                .flatMap { PaymentID(bytes: $0) }
        }
    }

    /// Somebody's payments, the newest first.
    public func orders(of account: StoredAccount) throws -> [PaymentOrder] {
        try pool.read { try orders(of: account, $0) }
    }

    func orders(of account: StoredAccount, _ db: Connection) throws -> [PaymentOrder] {
        try db.fetchAll(
            sql: "SELECT id, payment, envelope FROM payment WHERE account = ? ORDER BY id DESC LIMIT ?",
            arguments: [account.row, PaymentStore.listMax]
        ).compactMap { row in
            try unlessDamaged(.account, row["id"] as Int64) { try order(row, of: account) }
        }
    }

    /// One line of the book: nobody's name, and nothing about anybody's health.
    public struct BookLine: Sendable, Hashable {
        /// UTC milliseconds.
        public let time: Milliseconds
        public let entry: PaymentBookEntry
        public let payment: PaymentID
        /// PayPal's names of the order and of the capture.
        public let remote: String?
        public let capture: String?
        public let offer: String
        public let amount: Money
    }

    /// Lines of the book, the newest first.
    public func book(_ count: Int) throws -> [BookLine] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT time, entry, payment, remote, capture, offer, amount, currency FROM payment_book ORDER BY id DESC LIMIT ?",
                arguments: [count]
            ).compactMap { row in
                guard let entry = PaymentBookEntry(rawValue: row[1]), let payment = PaymentID(bytes: row[2] as Data),
                    let currency = Currency(rawValue: row[7])
                else { return nil }
                return BookLine(
                    time: row[0], entry: entry, payment: payment, remote: row[3], capture: row[4], offer: row[5],
                    amount: Money(minor: row[6], currency: currency))
            }
        }
    }

    // MARK: What was bought

    /// What somebody has paid for; what was switched off included.
    public func entitlements(of account: StoredAccount) throws -> [Entitlement] { try pool.read { try entitlements(of: account, $0) } }

    func entitlements(of account: StoredAccount, _ db: Connection) throws -> [Entitlement] {
        try db.fetchAll(sql: "SELECT feature, ends, step FROM entitlement WHERE account = ? ORDER BY feature", arguments: [account.row])
            .compactMap(Self.entitlement)
    }

    /// nil for a feature of another version of the hub.
    private static func entitlement(_ row: Row) -> Entitlement? {
        PaidFeature(rawValue: row[0]).map { Entitlement($0, ends: row[1], step: .init(rawValue: row[2])) }
    }

    /// Everybody for whom a feature is on now.
    public func people(with feature: PaidFeature) throws -> Set<PersonID> {
        try pool.read { db in
            Set(
                try db.fetchAll(
                    Data.self,
                    sql: """
                        SELECT account.account FROM entitlement JOIN account ON account.id = entitlement.account
                        WHERE entitlement.feature = ? AND entitlement.step > ?
                        """,
                    arguments: [feature.rawValue, Entitlement.Step.off.rawValue]
                ).compactMap { PersonID(bytes: $0) })
        }
    }

    /// Whether a feature is on for a person now.
    public func has(_ feature: PaidFeature, _ person: PersonID) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(
                Bool.self,
                sql: """
                    SELECT EXISTS(SELECT 1 FROM entitlement WHERE account = (SELECT id FROM account WHERE account = ?)
                        AND feature = ? AND step > ?)
                    """,
                arguments: [Data(person.bytes), feature.rawValue, Entitlement.Step.off.rawValue]) ?? false
        }
    }
}
