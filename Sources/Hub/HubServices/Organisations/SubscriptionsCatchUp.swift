public import HubStore
public import Privacy
public import Vitals

/// A subscriber's missed samples, in one answer (CONS-14).
public struct CatchUp: Sendable {
    /// In the order of arrival.
    public let arrivals: [Arrival]
    /// Set when what was missed cannot be told apart by segment: see ``Delivery/startOver(from:cursor:)``.
    public let startOver: Milliseconds?
    /// Behind this nothing is known yet; nil as long as nothing came since the consent.
    public let cursor: SubscriptionCursor?
    /// Whether more waits behind it.
    public let hasMore: Bool
    public let consent: AskedConsent
    public let person: PersonID
}

extension Subscriptions {
    /// Samples behind a place, with the guarantees of ``deliveries(of:to:for:after:)``.
    /// - Parameter count: of samples; the last segment may bring more.
    /// - Returns: nil when the consent gives this reader nothing (any more), or only one delivery.
    public func catchUp(
        of id: ConsentID, to reader: Reader, after cursor: SubscriptionCursor?, count: Int
    ) throws -> CatchUp? {
        guard let asked = try accounts.consents.consent(id, askedBy: reader, now: time.now), asked.scope.term != .once,
            let grant = try accounts.consents.grant(by: id, to: reader, for: asked.scope.service, now: time.now),
            let access = try accounts.consents.access(by: id, now: time.now)
        else { return nil }
        try accounts.ledger.recordRead(grant, now: time.now)
        var place = cursor, arrivals: [Arrival] = [], taken = 0, hasMore = true
        func answer(startOver: Milliseconds? = nil) -> CatchUp {
            CatchUp(
                arrivals: arrivals, startOver: startOver, cursor: place, hasMore: hasMore, consent: asked, person: grant.person)
        }
        while hasMore {
            guard
                let found = try arrivalReader.read(
                    grant, after: place, since: access.since, segmentsMax: Self.segmentsAtOnce, now: time.now)
            else { return nil }
            switch found {
            case .startOver(let from, let next):
                // Said by itself: what was found before it is handed out first.
                guard arrivals.isEmpty else { return answer() }
                place = next
                return answer(startOver: from)
            case .items(let items, let upTo):
                for item in items {
                    arrivals.append(item)
                    taken += item.samples.count
                    place = item.cursor
                    if taken >= count { return answer() }
                }
                place = upTo ?? place
                hasMore = upTo != nil
            }
        }
        return answer()
    }

    private static let segmentsAtOnce = 200
}
