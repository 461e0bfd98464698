public import Vitals

/// The permission to read some kinds of one person's data (design rule 10). Only this module makes one; the store checks it again in the
/// transaction that reads.
public struct Grant: Sendable, Hashable {
    /// On what ground somebody reads.
    public enum Ground: Sendable, Hashable {
        /// A link that the operator made, redeemed to a session.
        case link(session: LinkSession.Hash)
        /// The hub itself, for what the purpose names; never for output to anybody.
        case system(Purpose)
    }

    public enum Purpose: Sendable, Hashable {
        /// Merging small segments into hourly blocks.
        case maintenance
    }

    public let person: PersonID
    public let kinds: Set<DataKind>
    public let ground: Ground

    init(person: PersonID, kinds: Set<DataKind>, ground: Ground) {
        self.person = person
        self.kinds = kinds
        self.ground = ground
    }

    /// The hub's own reading for maintenance.
    public static func maintenance(of person: PersonID) -> Grant {
        Grant(person: person, kinds: Set(DataKind.allCases), ground: .system(.maintenance))
    }
}
