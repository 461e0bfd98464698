import Accounts
import Database
import Foundation
public import Vitals

extension PaymentStore {
    func change(
        _ feature: PaidFeature, of account: StoredAccount, now: Milliseconds, _ db: Connection, _ body: (inout Entitlement) -> Void
    ) throws {
        let known = try reads.entitlements(of: account, db).first { $0.feature == feature }
        var entitlement = known ?? Entitlement(feature, ends: now, step: .off)
        body(&entitlement)
        try store(entitlement, of: account, now: now, db)
    }

    private func store(_ entitlement: Entitlement, of account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        try db.execute(
            sql: """
                INSERT INTO entitlement(account, feature, ends, step) VALUES(?, ?, ?, ?)
                ON CONFLICT(account, feature) DO UPDATE SET ends = excluded.ends, step = excluded.step
                """,
            arguments: [account.row, entitlement.feature.rawValue, entitlement.ends, entitlement.step.rawValue])
        _ = try audit.insert(.entitlementChanged, by: nil, on: account.id, now: now, db)
    }

    /// Does what is due of the ends of somebody's features: tells them and those who look after them, and switches off what has ended, unless a
    /// payment is in doubt.
    public func pass(_ id: AccountID, now: Milliseconds) throws {
        let carers = try accounts.account(id).map { try AddressChangeStore(accounts).carers(of: $0, now: now) } ?? []
        try pool.write { db in
            guard let account = try accounts.account(id, db) else {
                try timers.setTimer(.entitlement, id.bytes, due: nil, db)
                return
            }
            let isDoubtful = try isDoubtful(account, now: now, db)
            for var entitlement in try reads.entitlements(of: account, db) {
                let before = entitlement
                for effect in entitlement.pass(at: now, grace: grace, isDoubtful: isDoubtful) {
                    try tell(effect, of: entitlement, account, carers, now: now, db)
                }
                if entitlement != before { try store(entitlement, of: account, now: now, db) }
            }
            try setTimer(of: account, now: now, db)
        }
    }

    /// Whether a payment of theirs has a state that is ``Accounts/PaymentOrder/State/isDoubtful``.
    private func isDoubtful(_ account: StoredAccount, now: Milliseconds, _ db: Connection) throws -> Bool {
        let states = try db.fetchAll(
            String.self, sql: "SELECT state FROM payment WHERE account = ? AND created > ?", arguments: [account.row, now - Self.doubtMax])
        return states.contains { PaymentOrder.State(rawValue: $0)?.isDoubtful == true }
    }

    private func tell(
        _ effect: Entitlement.Effect, of entitlement: Entitlement, _ account: StoredAccount, _ carers: [StoredAccount], now: Milliseconds,
        _ db: Connection
    ) throws {
        let feature = entitlement.feature.rawValue
        switch effect {
        case .warn(let days):
            let arguments = ["paid": feature, "days": String(days), "end": String(entitlement.ends)]
            try notices.addNotice(.paidEnding, arguments, to: account, now: now, db)
            for carer in carers {
                try notices.addNotice(.paidEndingWard, arguments.merging(["person": account.name]) { $1 }, to: carer, now: now, db)
            }
        case .ended:
            try notices.addNotice(
                .paidEnded, ["paid": feature, "end": String(entitlement.ends + grace)], to: account, now: now, db)
        case .off: return
        }
    }

    func setTimer(of account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        let next = try reads.entitlements(of: account, db).compactMap { $0.next(after: now, grace: grace) }.min()
        try timers.setTimer(.entitlement, account.id.bytes, due: next, db)
    }
}
