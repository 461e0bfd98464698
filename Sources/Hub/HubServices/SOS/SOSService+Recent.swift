import Dispatch
public import Distress
public import HubStore
import Seams
import Synchronization
public import Vitals

/// Cases that are over since a few minutes: whoever was on the way, and whoever was called, still sees how it ended.
extension SOSService {
    /// How long the end of a case is shown, milliseconds.
    public static let endShown: Milliseconds = 900_000
    /// An offer that others took is shown no longer than this.
    static let takenShown: Milliseconds = 180_000

    /// What a crew's page shows: offers that wait, the case that it has, and what went to others or ended since a few minutes; the newest first.
    public func shown(to crew: AccountID) -> [CrewCase] {
        let time = now()
        let open = cases(of: crew).filter { found in
            guard found.item.isOpen else { return false }
            switch found.offer.state {
            case .open, .accepted, .expired: return true
            case .released: return time - found.offer.made < Self.takenShown
            case .rejected: return false
            }
        }
        let ended = state.withLock { Array($0.ended.values) }.filter { time - ($0.ended ?? 0) < Self.endShown }.compactMap { item in
            item.offers.last { $0.account == crew && $0.state == .accepted }.map { CrewCase(item: item, offer: $0, home: nil) }
        }
        return (open + ended).sorted { ($0.offer.made, $0.item.id.description) > ($1.offer.made, $1.item.id.description) }
    }

    /// The case behind a contact's link when it is over since a few minutes.
    public func ended(link: String) -> SOSCase? {
        let link = String(link.prefix(32)), time = now()
        guard link.count == 32 else { return nil }
        return state.withLock { state in
            state.ended.values.first { time - ($0.ended ?? 0) < Self.endShown && $0.links.contains(link) }
        }
    }

    /// Crews who have not seen their offers on a page are notified. When that is due stands in the case: a hub that was killed does it after its
    /// start, and what could not be written down comes again.
    func tellCrewsOfOffers(in ids: [IncidentID]) {
        let untold = ids.flatMap { id in
            (dispatch(.hub(.notifies), to: id).notified ?? []).map { OfferKey(incident: id, crew: $0) }
        }
        guard !untold.isEmpty else { return }
        state.withLock { $0.crewsToTell.formUnion(untold) }
        // Whoever comes first takes all that wait: one commit for many. The disk may have hung since: an offer that is of no use any more is
        // told to nobody.
        notices.async { [self] in
            let time = now()
            let taken = state.withLock { state in
                defer { state.crewsToTell = [] }
                return state.crewsToTell.filter { state.cases[$0.incident]?.isToTell($0.crew, now: time) == true }
            }
            guard !taken.isEmpty else { return }
            let told = tellCrews(Set(taken.map(\.crew)))
            for offer in taken where told.contains(offer.crew) { dispatch(.crew(.notified(offer.crew)), to: offer.incident) }
        }
    }

    /// After a restart too.
    func resumeEnds() throws {
        let ended = try store.casesEnded(since: now() - Self.endShown)
        let tests = try store.tests(since: now() - Self.testShown).filter { !$0.links.isEmpty || !$0.calls.isEmpty }
        state.withLock { state in
            for item in ended { state.ended[item.id] = item }
            for item in tests where state.cases[item.id] == nil { state.tests[item.id] = item }
        }
    }
}

extension SOSService.State {
    /// Tests whose recipients may still confirm them; beyond, the oldest are forgotten.
    static let testsMax = 20_000

    mutating func keepEnd(of item: SOSCase, now: Milliseconds) {
        ended[item.id] = item
        ended = ended.filter { now - ($0.value.ended ?? 0) < SOSService.endShown }
    }

    /// It is over, and everybody was told.
    mutating func settle(_ item: SOSCase) {
        cases[item.id] = nil
        if item.isTest, !item.calls.isEmpty {
            tests[item.id] = item
            if tests.count > Self.testsMax, let oldest = tests.values.min(by: { $0.opened < $1.opened }) { tests[oldest.id] = nil }
        }
        if ended[item.id] != nil { ended[item.id] = item }
    }
}

// MARK: - What pages of settings need

extension SOSService {
    /// How an account is called as the owner of a case.
    public static func owner(_ account: AccountID) -> String { Owner.account(account).id }

    /// What holds for a person now: age, chosen limits, own figures.
    public func distressSettings(of person: PersonID) throws -> DistressSettings {
        Self.settings(try store.choice(of: person), true, try accounts.account(AccountID(person)), now: now())
    }

    /// Contacts are called in their order (SOS-20).
    public func moveContactUp(_ index: Int, of person: PersonID, by account: AccountID) async throws {
        try store.change(person, by: account, now: now()) { choice in
            guard index > 0, choice.contacts.indices.contains(index) else { return [] }
            choice.contacts.swapAt(index, index - 1)
            return ["contact order"]
        }
        try await reload(person)
    }
}
