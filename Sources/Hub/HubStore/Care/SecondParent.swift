import Accounts
import Database
import Foundation
import Privacy
public import Vitals

extension CareStore {
    /// Parents who decide for one minor, at most.
    public static let parentsMax = 4

    /// Somebody takes a parent's offer to decide for a minor as well (ACC-17), once. False when the link does not work (any more), or offers a
    /// view alone.
    /// - Throws: `ConsentProblem.notYours` for the minor themselves, and where whoever offered it does not decide any more.
    public func takeParenthood(_ linkHash: [UInt8], by parent: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            guard let offer = try invitation(linkHash, now: now, db), offer.isParent == true else { return false }
            let authority = try consents.authority(over: offer.person, db)
            guard authority.isMinor(at: now), authority.mayAnswer(offer.by, at: now), parent.confirmed != nil,
                parent.id.person != offer.person, authority.guardians.count < Self.parentsMax
            else { throw ConsentProblem.notYours }
            try db.execute(sql: "DELETE FROM invitation WHERE hash = ?", arguments: [Data(linkHash)])
            try db.execute(
                sql: "INSERT INTO guardian(person, account) VALUES(?, ?) ON CONFLICT DO NOTHING",
                arguments: [Data(offer.person.bytes), Data(parent.id.bytes)])
            try makeCaregiver(parent, db)
            try ledger.record(.parentAdded(parent.id), of: offer.person, by: parent.id, at: now, db)
            let names = [
                "parent": parent.name, "inviter": try accounts.account(offer.by, db)?.name ?? "",
                "person": try accounts.account(AccountID(offer.person), db)?.name ?? "",
            ]
            for guardian in authority.guardians.sorted() where guardian != parent.id {
                guard let other = try accounts.account(guardian, db) else { continue }
                try notices.addNotice(.parentAdded, names, to: other, now: now, db)
            }
            return true
        }
    }
}
