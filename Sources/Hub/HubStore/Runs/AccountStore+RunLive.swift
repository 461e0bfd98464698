import Database
public import Privacy
public import Vitals

/// The readings of a runner that their consents allow now.
public struct RunGrants: Sendable, Hashable {
    /// By the organiser, and since when and until when of what was recorded.
    public var own: Grant?
    public var access: Consent.Access?
    /// By everybody who watches.
    public var position: Grant?
    public var heartRate: Grant?

    public init() {}
}

extension RunConsentStore {
    /// The consents of a run's runners.
    public struct RunConsents: Sendable, Hashable {
        public var checkIn: ConsentID?
        public var publicHeartRate: ConsentID?

        public init(checkIn: ConsentID?, publicHeartRate: ConsentID?) {
            (self.checkIn, self.publicHeartRate) = (checkIn, publicHeartRate)
        }
    }

    /// What consents let be read at `now`, all looked up in one transaction: asked each second for each runner (design rule 10). A deleted person's
    /// let nobody read anything.
    /// - Parameter organiser: nil for one whose account was deleted: nobody reads on their behalf.
    public func runGrants(by asked: [RunConsents], to organiser: AccountID?, now: Milliseconds) throws -> [RunGrants] {
        try pool.read { db in
            try asked.map { asked in
                var grants = RunGrants()
                if let id = asked.checkIn, let consent = try consents.listedConsent(id, db), let person = consent.person,
                    try keys.key(of: person) != nil
                {
                    if let organiser { grants.own = consent.runGrant(to: .organiser(organiser), at: now) }
                    grants.access = consent.runAccess(at: now)
                    let open = consent.runPublicGrant(at: now)
                    if open?.kinds.contains(.position) == true { grants.position = open }
                }
                // A public heart rate of somebody whom nobody sees is nothing to show.
                if grants.position != nil, let id = asked.publicHeartRate,
                    let open = try consents.listedConsent(id, db)?.runPublicGrant(at: now),
                    Set(open.kinds.map(\.column)) == [.heartRate]
                {
                    grants.heartRate = open
                }
                return grants
            }
        }
    }

    /// Writes down that somebody reads by these grants, with few commits; see ``recordRead(_:now:)``.
    public func recordReads(_ grants: [Grant], now: Milliseconds) throws {
        var left = grants[...]
        // No transaction is long (design rule 9).
        while !left.isEmpty {
            let part = left.prefix(50)
            left = left.dropFirst(part.count)
            try pool.write { db in
                for grant in part { try ledger.recordRead(grant, now: now, db) }
            }
        }
    }

    /// Which of these consents their people took back: what was read by them is shown to nobody any more.
    public func takenBack(_ ids: [ConsentID]) throws -> Set<ConsentID> {
        try pool.read { db in
            try Set(
                ids.filter { id in
                    guard let consent = try consents.listedConsent(id, db) else { return true }
                    guard case .over(let end) = consent.state else { return false }
                    return end.ending != .ranOut && end.ending != .endedByAsker
                })
        }
    }
}
