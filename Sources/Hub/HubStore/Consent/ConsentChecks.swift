import Accounts
import Crypto
import Database
import Privacy
import Vitals

/// The organisation changed its proof or purpose after the operator's page was made: what was looked at is not what would be approved.
public struct AskerChanged: Error, Sendable, Hashable {}

extension StoredAccount {
    /// Changes with what an operator looks at (CONS-11): the organisation's name, proof and purpose.
    public var checkMark: String {
        let looked = Array(self[.proof].utf8) + [0] + Array(self[.purpose].utf8) + [0] + Array(self[.organisationName].utf8)
        return Hexadecimal.string(SHA256.hash(data: looked))
    }
}

extension AskerStore {
    /// Takes an operator's leave back: the next request of each kind is looked at again. What has left, runs on.
    /// - Returns: whether there was any.
    func forgetApprovals(of organisation: OrganisationID, _ db: Connection) throws -> Bool {
        try db.execute(sql: "DELETE FROM approval WHERE asker = ?", arguments: [Reader.organisation(organisation).key])
        return db.changesCount > 0
    }
}
