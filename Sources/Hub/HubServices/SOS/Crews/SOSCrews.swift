public import Distress
import EmergencyDispatch
public import HubStore
import Logging
import Seams
public import SyncProtocol
public import Vitals

/// Ambulance crews: which are offered a case, what they see of it, and what they answer.
public struct SOSCrews: SOSSubject {
    let sos: SOSService

    /// Metres on the road for one metre as the crow flies, in tenths; and metres a second on it: 50 km/h.
    static let detourTenths = 14, roadSpeed = 14
    /// An offer that others took is shown no longer than this.
    static let takenShown: Milliseconds = 180_000

    // MARK: Offers

    /// Offers a case to the nearest that are free, as many as are missing; control rooms come in where there are fewer than three.
    func search(_ id: IncidentID) {
        let time = now()
        let asked = sos.state.withLock { state -> Search? in
            let isConsented = state.cases[id].flatMap { state.entries[$0.person]?.isConsented } ?? false
            let work = sos.dispatch(.hub(.searches(isConsented: isConsented)), to: id, &state)
            guard let crews = work.find, let item = state.cases[id] else { return nil }
            return Search(position: item.alarm.position, way: state.way(to: item), crews: crews)
        }
        guard let asked else { return }
        let near = asked.way.map { findCrews(near: $0, asked.crews, now: time) } ?? []
        let rooms = reachability.roomsCalled(for: asked.position), links = addressees.links(for: rooms)
        let work = sos.state.withLock { state -> SOSWork in
            let watched = Set(near.map(\.crew.account).filter { pages.isWatched($0.person) })
            let result = SOSSearchResult(
                crews: near.map(\.asked), isToHome: asked.position == nil, watched: watched, turnMax: pages.turnMax, rooms: rooms,
                links: links)
            return sos.dispatch(.crew(.found(result)), to: id, &state)
        }
        for crew in work.crews { pages.changed(crew.person) }
        if work.notified != nil { tellOfOffers(in: [id]) }
        sending.sendDue(of: id)
        if !work.searches.isEmpty { search(id) }
    }

    /// Criteria of a search.
    private struct Search {
        let position: LastPosition?
        /// Where crews are to be near; nil where nobody knows.
        let way: (latitude: Double, longitude: Double)?
        let crews: CrewSearch
    }

    /// The nearest, each asked of the store again: off duty, or of a hospital that is out, is nobody.
    private func findCrews(
        near way: (latitude: Double, longitude: Double), _ search: CrewSearch, now: Milliseconds
    ) -> [CrewIndex.Found] {
        guard search.missing > 0 else { return [] }
        do { try crewIndex.refresh(accounts, now: now) } catch {
            logger.critical("who is on duty cannot be read; what was known is used", metadata: ["error": "\(error)"])
        }
        var found: [CrewIndex.Found] = [], excluded: Set<AccountID> = []
        // Those who turn out to be away make room for the next ones, a few times.
        for _ in 0..<4 where found.count < search.missing {
            let next = crewIndex.nearest(
                latitude: way.latitude, longitude: way.longitude, count: search.missing - found.count, now: now,
                but: { excluded.contains($0) || !search.isFree($0) })
            guard !next.isEmpty else { break }
            excluded.formUnion(next.map(\.crew.account))
            // Where the store cannot be read, a crew too many is asked rather than none.
            let onDuty = try? accounts.care.onDuty(next.map(\.crew.account))
            found += next.filter { onDuty?.contains($0.crew.account) ?? true }
        }
        return found
    }

    /// Crews who have not seen their offers on a page are notified. When that is due stands in the case: a hub that was killed does it after its
    /// start, and what could not be written down comes again.
    func tellOfOffers(in ids: [IncidentID]) {
        let untold = ids.flatMap { id in
            (sos.dispatch(.hub(.notifies), to: id).notified ?? []).map { SOSService.OfferKey(incident: id, crew: $0) }
        }
        guard !untold.isEmpty else { return }
        sos.state.withLock { $0.crewsToTell.formUnion(untold) }
        // Whoever comes first takes all that wait: one commit for many. The disk may have hung since: an offer that is of no use any more is
        // told to nobody.
        notices.async { [self] in
            let time = now()
            let taken = sos.state.withLock { state in
                defer { state.crewsToTell = [] }
                return state.crewsToTell.filter { state.cases[$0.incident]?.isToTell($0.crew, now: time) == true }
            }
            guard !taken.isEmpty else { return }
            let told = sending.tellCrews(Set(taken.map(\.crew)))
            for offer in taken where told.contains(offer.crew) { sos.dispatch(.crew(.notified(offer.crew)), to: offer.incident) }
        }
    }

    // MARK: The responder

    /// A crew's view of a case.
    public struct CrewCase: Sendable, Hashable {
        /// The case.
        public let item: SOSCase
        /// As it was offered to this crew last.
        public let offer: SOSOffer
        /// Where the person lives, where no position is known; nil where nobody has set it.
        public let home: HomePin?
    }

    /// Contents of a crew's page: offers that wait, the case that it has, and what went to others or ended since a few minutes; the newest first.
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
        let ended = sos.state.withLock { Array($0.ended.values) }.filter { time - ($0.ended ?? 0) < SOSTimings.endShown }.compactMap {
            item in
            item.offers.last { $0.account == crew && $0.state == .accepted }.map { CrewCase(item: item, offer: $0, home: nil) }
        }
        return (open + ended).sorted { ($0.offer.made, $0.item.id.description) > ($1.offer.made, $1.item.id.description) }
    }

    /// Offers that wait for this crew, the case that it has, and those that went to others or are over since a few minutes.
    public func cases(of crew: AccountID) -> [CrewCase] {
        sos.state.withLock { state in
            state.cases.offered(to: crew).compactMap { item in
                item.offers.last { $0.account == crew }.map { CrewCase(item: item, offer: $0, home: state.home(of: item)) }
            }
        }.sorted { ($0.offer.made, $0.item.id.description) < ($1.offer.made, $1.item.id.description) }
    }

    /// The offer that waits for a crew's answer, without the person's name.
    public struct OpenOffer: Sendable, Hashable {
        /// Of the case.
        public let id: IncidentID
        /// Metres from the crew to the person, as the crow flies,
        public let distance: Int
        /// or to where the person lives, as no position is known.
        public let isToHome: Bool
    }

    /// Offers that wait for a crew's answer.
    public func openOffers(to crew: AccountID) -> [OpenOffer] {
        let time = now()
        return sos.state.withLock { state in
            state.cases.occupying(crew).compactMap { item in
                guard item.seeksAmbulance else { return nil }
                return item.offers.last { $0.account == crew && $0.state == .open && $0.answerBy > time }
                    .map { OpenOffer(id: item.id, distance: Int($0.distance), isToHome: $0.isToHome == true) }
            }
        }
    }

    /// Its page shows them: somebody who can help has it on a screen.
    public func seen(by crew: AccountID) async {
        let time = now()
        let changed = sos.state.withLock { state -> Bool in
            var isAny = false
            for item in state.cases.occupying(crew) {
                if item.crew?.account == crew { state.crewsSeen[crew] = time }
                _ = sos.dispatch(.crew(.saw(crew)), to: item.id, &state)
                isAny = isAny || state.cases[item.id] != item
            }
            return isAny
        }
        if changed { _ = await writer.flush() }
    }

    /// The outcome of a crew's yes.
    public enum Answer: Sendable, Hashable {
        case yours
        /// Somebody else was first.
        case taken
        /// It is over, or was never offered to this crew.
        case gone
    }

    /// A crew takes a case: the first one gets it. The answer comes after the commit.
    public func accept(_ id: IncidentID, by account: StoredAccount) async throws -> Answer {
        guard let membership = try accounts.care.membership(of: account), membership.isHospitalAdmitted else { return .gone }
        let crew = SOSCrew(
            account: account.id, ambulance: membership.ambulance, label: membership.label, since: now(),
            place: crewIndex.place(of: account.id)?.rounded)
        let (answer, work) = sos.state.withLock { state -> (Answer, SOSWork) in
            guard let item = state.cases[id] else { return (.gone, SOSWork()) }
            let work = sos.dispatch(.crew(.accepted(crew)), to: id, &state)
            switch work.refusal {
            case .theirs: return (.yours, work)
            case .taken: return (.taken, work)
            case .gone, .notAllowed: return (.gone, work)
            case nil: break
            }
            guard state.cases[id]?.owner == .crew(account.id) else {
                // The detector knows no such case: nobody is told that a crew comes.
                state.cases[id] = item
                writer.add(item.person, state: nil, cases: [item])
                return (.gone, work)
            }
            return (.yours, work)
        }
        await sos.finish(work)
        sending.sendDue()
        return answer
    }

    /// It goes to the next nearest at once.
    public func reject(_ id: IncidentID, by crew: AccountID) async {
        sos.dispatch(.crew(.rejected(crew)), to: id)
        search(id)
        pages.changed(crew.person)
        _ = await writer.flush()
    }

    /// On the way, there, done. Done ends the case; `nil` gives it back: it is offered to others.
    /// - Returns: false when the crew does not have it.
    public func setStatus(_ status: SOSCrew.Status?, of id: IncidentID, by crew: AccountID) async -> Bool {
        let work = sos.dispatch(.crew(.status(status, of: crew, place: crewIndex.place(of: crew)?.rounded)), to: id)
        guard work.refusal == nil else { return false }
        await sos.finish(work)
        search(id)
        sending.sendDue()
        return true
    }

    /// Where whoever comes is, as the crow flies with a detour on the road.
    public func coming(_ item: SOSCase, now: Milliseconds) -> SOSAnswer.Coming? {
        guard let crew = item.crew, item.isOpen, crew.status != .done, let place = crewIndex.place(of: crew.account) else { return nil }
        let age = max(0, now - place.time)
        var arrival: Milliseconds?
        let way = sos.state.withLock { $0.way(to: item) }
        if crew.status == .there {
            arrival = 0
        } else if let way, age <= DispatchLimits.comingAgeMax {
            let metres = CrewIndex.metres(place.latitude, place.longitude, way.latitude, way.longitude)
            arrival = Milliseconds(metres) * Milliseconds(Self.detourTenths) * 100 / Milliseconds(Self.roadSpeed)
        }
        return .init(
            latitude: Int32(place.latitude * 1e7), longitude: Int32(place.longitude * 1e7), age: age, arrivalIn: arrival)
    }

    /// A crew moved: whoever waits for it sees that.
    func moved(_ crew: AccountID) {
        let time = now()
        let people = sos.state.withLock { state in
            let people = state.cases.occupying(crew).filter { $0.crew?.account == crew }.map(\.person)
            if !people.isEmpty { state.crewsSeen[crew] = time }
            return people
        }
        for person in people { pages.changed(person) }
    }
}

extension CrewPosition {
    /// As a case keeps it.
    var rounded: CrewPlace {
        CrewPlace(
            latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()),
            accuracy: accuracy.map { Int(min(max(0, $0), 1e6)) })
    }
}

extension CrewIndex.Found {
    /// The case's knowledge of the crew.
    var asked: FoundCrew { FoundCrew(account: crew.account, ambulance: crew.ambulance, metres: metres) }
}
