import Crypto
import Foundation
public import HubStore
public import Vitals

/// Values that a person's own program enters and takes back (DATA-2): ``ManualEntry`` with an id for each.
///
/// Nothing is stored for an id: it says which kind and time, and that this hub made it for that person. Who takes an entry back shows its
/// id, so that the secret of a phone takes back what was entered with it, and not what the person typed on a page.
public struct ProgramEntries: Sendable {
    private let entry: ManualEntry
    private let deletion: Deletion
    private let accounts: AccountStore

    public init(entry: ManualEntry, deletion: Deletion, accounts: AccountStore) {
        (self.entry, self.deletion, self.accounts) = (entry, deletion, accounts)
    }

    /// Stores what was written.
    /// - Returns: the sample and its id, after it is durable.
    /// - Throws: as ``ManualEntry/enter(_:_:of:)``.
    public func enter(_ written: WrittenEntry, _ kind: DataKind, of person: PersonID) async throws -> (sample: ScalarSample, id: String) {
        let sample = try await entry.enter(written, kind, of: person)
        return (sample, id(kind, sample.time, of: person))
    }

    /// Takes an entry back, as ``ManualEntry/undo(_:at:of:by:_:also:)``. It does the same however often it is asked.
    /// - Returns: false for what is no id of an entry of this person.
    /// - Throws: ``ManualEntry/Refusal/gone``, or what the store throws.
    public func takeBack(_ id: String, of person: PersonID, by actor: AccountID) throws -> Bool {
        let parts = id.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = DataKind(name: String(parts[0])), let time = Milliseconds(parts[1]), time >= 0,
            let code = Hexadecimal.bytes(String(parts[2])),
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: marked(kind, time, person), using: key)
        else { return false }
        try entry.undo(kind, at: time, of: person, by: actor, deletion)
        return true
    }

    private var key: SymmetricKey { SymmetricKey(data: accounts.derivedKey("entry id")) }

    private func marked(_ kind: DataKind, _ time: Milliseconds, _ person: PersonID) -> Data { Data("\(person) \(kind.name) \(time)".utf8) }

    private func id(_ kind: DataKind, _ time: Milliseconds, of person: PersonID) -> String {
        "\(kind.name)-\(time)-\(Hexadecimal.string(HMAC<SHA256>.authenticationCode(for: marked(kind, time, person), using: key)))"
    }
}
