import Distress
package import Vitals

/// How each crew stands to all cases: a crew is asked about one case at a time, and one that has a case takes no other.
package struct CrewBoard: Sendable, Hashable {
    /// How a crew stands to one case.
    private enum Standing: Sendable, Hashable {
        /// It was offered, and nothing waits for the crew.
        case offered
        /// The crew is to answer an offer.
        case asked
        /// It is the crew's.
        case has
    }

    private var standings: [AccountID: [IncidentID: Standing]] = [:]

    package init() {}

    /// Takes how a case stands now.
    /// - Parameters:
    ///   - old: the case as this board knows it; nil for one that it does not know.
    ///   - new: nil for a case that is gone.
    mutating func update(_ id: IncidentID, from old: SOSCase?, to new: SOSCase?) {
        guard old?.offers != new?.offers || old?.crew != new?.crew || old?.isOpen != new?.isOpen else { return }
        let before = Self.standings(in: old), after = Self.standings(in: new)
        for crew in before.keys where after[crew] == nil {
            standings[crew]?[id] = nil
            if standings[crew]?.isEmpty == true { standings[crew] = nil }
        }
        for (crew, standing) in after { standings[crew, default: [:]][id] = standing }
    }

    private static func standings(in item: SOSCase?) -> [AccountID: Standing] {
        guard let item else { return [:] }
        var found: [AccountID: Standing] = [:]
        for offer in item.offers {
            if item.isOpen, offer.state == .open {
                found[offer.account] = .asked
            } else {
                found[offer.account] = found[offer.account] ?? .offered
            }
        }
        if item.isOpen, let crew = item.crew { found[crew.account] = .has }
        return found
    }

    /// Cases that were offered to a crew, also when they went to another one since.
    func casesOffered(to crew: AccountID) -> [IncidentID] { (standings[crew] ?? [:]).map(\.key) }

    /// Cases in which a crew is to answer an offer, or that it has.
    func casesOccupying(_ crew: AccountID) -> [IncidentID] { (standings[crew] ?? [:]).filter { $0.value != .offered }.map(\.key) }

    /// Whether a crew is to answer an offer of another case than this one, or has one.
    func isBusy(_ crew: AccountID, but id: IncidentID) -> Bool {
        standings[crew]?.contains { $0.key != id && $0.value != .offered } ?? false
    }

    /// Whether a crew has a case.
    func hasCase(_ crew: AccountID) -> Bool { standings[crew]?.values.contains(.has) ?? false }
}

/// A search for crews of one case: how many are missing, and who may be asked.
package struct CrewSearch: Sendable, Hashable {
    package let missing: Int
    private let id: IncidentID
    /// Crews that must not be asked (again) about this case now.
    private let excluded: Set<AccountID>
    private let board: CrewBoard

    init(for item: SOSCase, beside board: CrewBoard, at time: Milliseconds) {
        (id, self.board) = (item.id, board)
        (missing, excluded) = (DispatchLimits.crewsAtOnce - item.offers.open, item.offers.excluded(at: time))
    }

    /// Whether a crew may be asked: not about two cases at once, and not twice about one.
    package func isFree(_ crew: AccountID) -> Bool { !excluded.contains(crew) && !board.isBusy(crew, but: id) }
}
