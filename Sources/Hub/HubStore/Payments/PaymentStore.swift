public import Accounts
import Database
import Foundation
import Seams
public import Vitals

/// Payments, what was bought with them, and the book of money (PAY-1). Each change is one transaction, with its line of the audit log.
///
/// A payment's row is sealed with the key of who pays, and goes with the account. The book names nobody: of a deleted account only dates, amounts and
/// PayPal's names of the payments remain, for as long as the law wants accounts to be kept.
public struct PaymentStore: SubjectStore {
    let accounts: AccountStore
    let audit: AuditLog
    /// Milliseconds for which a feature stays on after its end.
    public let grace: Milliseconds

    /// Payments of one account that nobody has decided yet, at most.
    public static let openMax = 5
    /// Payments of one account that a list shows, at most.
    public static let listMax = 500
    /// Lines of the book are kept for 11 years: ten after the end of the business year (in Italy article 2220 of the civil code).
    public static let bookLifetime: Milliseconds = 11 * 366 * 86_400_000

    /// A payment in doubt keeps a feature on for so long, milliseconds: 180 days, in which PayPal's disputes are decided.
    public static let doubtMax: Milliseconds = 180 * 86_400_000

    static let migration = Migration(
        name: "33 payments",
        sql: """
            CREATE TABLE payment(id INTEGER PRIMARY KEY, payment BLOB NOT NULL UNIQUE,
                account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, remote TEXT UNIQUE, created INTEGER NOT NULL,
                state TEXT NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX payment_account ON payment(account, created);
            CREATE TABLE entitlement(account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, feature TEXT NOT NULL,
                ends INTEGER NOT NULL, step INTEGER NOT NULL, PRIMARY KEY(account, feature)) WITHOUT ROWID;
            CREATE INDEX entitlement_feature ON entitlement(feature, step);
            CREATE TABLE payment_book(id INTEGER PRIMARY KEY, time INTEGER NOT NULL, entry TEXT NOT NULL, payment BLOB NOT NULL,
                remote TEXT, capture TEXT, offer TEXT NOT NULL, amount INTEGER NOT NULL, currency TEXT NOT NULL);
            CREATE INDEX payment_book_time ON payment_book(time);
            CREATE INDEX payment_book_capture ON payment_book(capture);
            """)

    /// - Parameter grace: milliseconds for which a feature stays on after its end.
    public init(_ accounts: AccountStore, audit: AuditLog, grace: Milliseconds) {
        (self.accounts, self.audit, self.grace) = (accounts, audit, grace)
    }

    /// What is only read.
    public var reads: PaymentReader { PaymentReader(accounts) }

    /// Why nobody begins to pay.
    public enum Problem: Error, Sendable, Hashable {
        /// ``openMax`` wait already.
        case tooMany
        /// This account cannot buy it.
        case notYours
    }

    // MARK: Orders

    /// Begins to pay. What is open for the same offer is gone on with: a button that is pressed twice asks for money once.
    /// - Throws: ``Problem``.
    public func begin(_ offer: PaidOffer, by account: StoredAccount, now: Milliseconds) throws -> PaymentOrder {
        guard !offer.feature.roles.isDisjoint(with: account.roles) else { throw Problem.notYours }
        let id = randomness.id(PaymentID.self)
        return try pool.write { db in
            let open = try reads.orders(of: account, db).filter(\.isOpen)
            if let same = open.first(where: { $0.offer == offer }) { return same }
            guard open.count < Self.openMax else { throw Problem.tooMany }
            let order = PaymentOrder(id: id, offer: offer, at: now)
            try db.execute(
                sql: "INSERT INTO payment(payment, account, created, state, envelope) VALUES(?, ?, ?, ?, ?)",
                arguments: [Data(id.bytes), account.row, now, order.state.rawValue, try seal(order, of: account)])
            try timers.setTimer(.payment, id.bytes, due: order.look(at: now), db)
            _ = try audit.insert(.paymentOpened, by: account.id, on: account.id, now: now, db)
            return order
        }
    }

    /// Lets something happen to a payment. What follows of it is in the same transaction; what is left for the caller is to take the money.
    /// - Returns: nil where there is no such payment (any more).
    public func handle(_ event: PaymentOrder.Event, of id: PaymentID, now: Milliseconds) throws -> (order: PaymentOrder, takes: Bool)? {
        try pool.write { db in
            guard let (before, account) = try reads.stored(id, db) else {
                try timers.setTimer(.payment, id.bytes, due: nil, db)
                return nil
            }
            var order = before
            let effects = order.handle(event, at: now)
            if order != before { try store(order, of: account, now: now, db) }
            try timers.setTimer(.payment, id.bytes, due: order.look(at: now), db)
            for effect in effects { try apply(effect, of: order, account, now: now, db) }
            if order.state != before.state { try setTimer(of: account, now: now, db) }
            return (order, effects.contains(.capture))
        }
    }

    private func store(_ order: PaymentOrder, of account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: "UPDATE payment SET remote = ?, state = ?, envelope = ? WHERE payment = ?",
            arguments: [order.remote, order.state.rawValue, try seal(order, of: account), Data(order.id.bytes)])
        _ = try audit.insert(.paymentChanged, by: nil, on: account.id, now: now, db)
    }

    private func apply(
        _ effect: PaymentOrder.Effect, of order: PaymentOrder, _ account: StoredAccount, now: Milliseconds, _ db: Connection
    ) throws {
        switch effect {
        case .capture: return
        case .extend(let days): try change(order.offer.feature, of: account, now: now, db) { $0.extend(days: days, at: now) }
        case .shorten(let days): try change(order.offer.feature, of: account, now: now, db) { $0.shorten(days: days, at: now) }
        case .book(let entry): try write(entry, of: order, now: now, db)
        case .tell(let news): try tell(news, of: order, account, now: now, db)
        }
    }

    private func write(_ entry: PaymentBookEntry, of order: PaymentOrder, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: """
                INSERT INTO payment_book(time, entry, payment, remote, capture, offer, amount, currency) VALUES(?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                now, entry.rawValue, Data(order.id.bytes), order.remote, order.capture, order.offer.code, order.offer.price.minor,
                order.offer.price.currency.rawValue,
            ])
        try db.execute(sql: "DELETE FROM payment_book WHERE time < ?", arguments: [now - Self.bookLifetime])
    }

    private func tell(
        _ news: PaymentNews, of order: PaymentOrder, _ account: StoredAccount, now: Milliseconds, _ db: Connection
    ) throws {
        let price = order.offer.price
        let arguments = [
            "paid": order.offer.feature.rawValue, "amount": "\(price.decimal) \(price.currency.rawValue)", "payment": order.id.description,
        ]
        switch news {
        case .paid: try notices.addNotice(.paymentPaid, arguments, to: account, now: now, db)
        case .failed: try notices.addNotice(.paymentFailed, arguments, to: account, now: now, db)
        case .refunded: try notices.addNotice(.paymentRefunded, arguments, to: account, now: now, db)
        case .doubtful:
            // Operators need no name: the payment's number is in PayPal's list as well.
            for account in try accounts.operators(db) {
                try notices.addNotice(
                    .paymentDoubtful, ["payment": order.id.description, "remote": order.remote ?? "–"], to: account, now: now, db)
            }
        // The person sees it on the page where they pay.
        case .pending, .refused: return
        }
    }

    private func seal(_ order: PaymentOrder, of account: StoredAccount) throws -> Data {
        try seal(order, of: account.id.person, .payment, (order.id.high, order.id.low))
    }
}
