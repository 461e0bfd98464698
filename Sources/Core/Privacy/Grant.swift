public import Vitals

/// The permission to read some kinds of one person's data (design rule 10).
///
/// Only this module makes one, and it says nothing about later: whoever reads hands it to the store, which looks up what the ground
/// names in the transaction that reads, and asks it again (``Consent/upholds(_:at:)``, ``Authority/upholds(_:at:)``,
/// ``LinkSession/grant(at:)``). Kinds that are not in ``kinds`` are not read: who may see a heart rate may not see a position.
public struct Grant: Sendable, Hashable {
    /// On what ground somebody reads.
    public enum Ground: Sendable, Hashable {
        /// The person, about themselves.
        case own(AccountID)
        /// A parent, as long as the person is a minor.
        case guardian(AccountID)
        /// A relative whom the person let look after them.
        case caregiver(ConsentID)
        /// An organisation or an organiser that the person consented to.
        case consent(ConsentID)
        /// Somebody whom the person named unasked.
        case named(ConsentID)
        /// An organisation that gets what a "once" let it read another time, and nothing newer.
        case delivered(ConsentID)
        /// The organiser of a run, by a check-in: also after the run, and then of what was recorded during it.
        case run(ConsentID)
        /// Everybody who watches a run, by a check-in or by the consent to a public heart rate.
        case runPublic(ConsentID)
        /// A friend, while a lone workout goes on that the person shares; upheld by the store of runs alone (``Friendship``).
        case friend(AccountID)
        /// A link that the operator made, redeemed to a session.
        case link(session: LinkSession.Hash)
        /// The emergency chain, while a case of the person is open; nothing from before this (UTC milliseconds).
        case sos(since: Milliseconds)
        /// The emergency chain, while a case of the person is open: the newest position alone, however old (SOS-6).
        case sosLastPosition
        /// The hub itself, for what the purpose names; never for output to anybody.
        case system(Purpose)
    }

    /// A purpose for which the hub reads by itself. A download of one's own data is none of these: that is read on the person's own ground.
    public enum Purpose: Sendable, Hashable {
        /// Merging small segments into hourly blocks.
        case maintenance
        /// Making room: rollups of what is about to be overwritten.
        case retention
        /// Writing blocks again without the part that is deleted.
        case deletion
        /// Watching for distress, where no box does; and looking at why an alarm came or did not.
        case detection
    }

    public let person: PersonID
    public let kinds: Set<DataKind>
    public let ground: Ground

    init(person: PersonID, kinds: Set<DataKind>, ground: Ground) {
        self.person = person
        self.kinds = kinds
        self.ground = ground
    }

    /// The hub's own reading of everything that a person has.
    public static func system(_ purpose: Purpose, of person: PersonID) -> Grant {
        Grant(person: person, kinds: Set(DataKind.allCases), ground: .system(purpose))
    }

    /// How long before an episode the emergency chain may look: ten minutes.
    public static let beforeEpisode: Int64 = 600_000

    /// The emergency chain's reading of vital signs and position (design rule 10). It holds while the store of cases says that one is open.
    /// - Parameter began: of the episode, UTC milliseconds.
    public static func sos(of person: PersonID, since began: Int64) -> Grant {
        Grant(person: person, kinds: DataKind.heartRate.contentIn030.union([.position]), ground: .sos(since: began - beforeEpisode))
    }

    /// The emergency chain's reading of where somebody was last. It holds while the store of cases says that a case is open.
    public static func sosLastPosition(of person: PersonID) -> Grant { Grant(person: person, kinds: [.position], ground: .sosLastPosition) }

    /// The hub's own reading for maintenance.
    public static func maintenance(of person: PersonID) -> Grant { system(.maintenance, of: person) }

    /// Whether a read by this grant belongs in the ledger that the person sees: each by somebody else (DATA-12).
    public var isRecorded: Bool {
        switch ground {
        // The case itself records to whom it was told, with times.
        case .own, .system, .sos, .sosLastPosition: false
        case .guardian, .caregiver, .consent, .named, .delivered, .run, .runPublic, .friend, .link: true
        }
    }
}
