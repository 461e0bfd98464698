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

    /// A parent decides for a minor no more, and reads nothing of them from this commit on; those who go on are told (ACC-17).
    /// - Returns: false where nobody else decides for the minor: then it stays as it is.
    /// - Throws: `ConsentProblem.notYours` for who does not decide.
    public func leaveParenthood(of person: PersonID, by parent: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let authority = try consents.authority(over: person, db)
            guard authority.mayAnswer(parent.id, at: now), authority.isMinor(at: now) else { throw ConsentProblem.notYours }
            let others = try authority.guardians.subtracting([parent.id]).sorted().compactMap { try accounts.account($0, db) }
            guard !others.isEmpty else { return false }
            try db.execute(
                sql: "DELETE FROM guardian WHERE person = ? AND account = ?", arguments: [Data(person.bytes), Data(parent.id.bytes)])
            try ledger.record(.parentLeft(parent.id), of: person, by: parent.id, at: now, db)
            for other in others { try notices.addNotice(.careAnswered, [:], to: other, now: now, db) }
            return true
        }
    }
}
