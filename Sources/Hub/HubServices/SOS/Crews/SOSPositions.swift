import Distress
import EmergencyDispatch
import HubStore
import Logging
import Privacy
public import Vitals

/// Where somebody is while a case is open: crews, contacts and control rooms see the newest, with its age and accuracy (SOS-6).
public struct SOSPositions: SOSSubject {
    let sos: SOSService

    /// A newer position than the case has. Under the lock.
    func moved(_ person: PersonID, to position: LastPosition, _ state: inout State) -> SOSWork {
        guard let id = state.entries[person]?.open, let item = state.cases[id] else { return SOSWork() }
        func metres(from known: LastPosition?) -> Double? { known.map { Self.metres($0, position) } }
        return sos.dispatch(
            .hub(
                .moved(
                    position, metres: metres(from: item.alarm.position), metresTold: metres(from: item.toldPosition),
                    roomsWithoutNews: outlets.roomsWithoutNews)), to: id, &state)
    }

    private static func metres(_ one: LastPosition, _ other: LastPosition) -> Double {
        CrewIndex.metres(
            Double(one.latitude) / 1e7, Double(one.longitude) / 1e7, Double(other.latitude) / 1e7, Double(other.longitude) / 1e7)
    }

    /// Where the person's own phone is, from a page of the hub. Kept while a case of theirs is open, and not otherwise.
    /// - Parameter place: its time is UTC milliseconds.
    /// - Returns: false when there is no open case.
    public func setPlace(_ place: PositionSample, of person: PersonID) async -> Bool {
        guard let item = sos.openCase(of: person) else { return false }
        let work = sos.state.withLock { moved(person, to: LastPosition(place), &$0) }
        await sos.finish(work)
        crews.search(item.id)
        return true
    }

    /// The last position that a phone, a box or another sender told before the case, however long ago, where the alarm has none or an old one.
    /// Where the person switched position off at their box, no older one than of the ten minutes before. Read by a grant of the emergency chain,
    /// which holds until the case is over (design rule 10).
    func find(of person: PersonID) {
        let time = now()
        let (isConsented, isOff) = sos.state.withLock { state in
            (state.entries[person]?.isConsented ?? false, state.entries[person]?.state.isPositionOff ?? false)
        }
        guard let item = sos.openCase(of: person), item.person == person, !item.isTest, item.callsOthers(isConsented),
            item.alarm.position?.isNew(at: time) != true
        else { return }
        defer { looked(for: item) }
        // Samples stand by the hub's clock, the case by the time of alarms.
        let lead = clock.lead
        do {
            guard let newest = try isOff ? recentPosition(of: item, lead) : lastPosition(of: person, lead) else { return }
            var position = LastPosition(newest)
            position.time += SOSService.lead(lead, over: position.time, at: time)
            let work = sos.state.withLock { [position] in moved(person, to: position, &$0) }
            for topic in work.topics { pages.changed(topic) }
            for crew in work.crews { pages.changed(crew.person) }
        } catch {
            logger.critical("where somebody in distress was last cannot be read; it goes on without", metadata: ["error": "\(error)"])
        }
    }

    /// Where nothing was found, crews are looked for near the home from here on, and control rooms are called without a place.
    private func looked(for item: SOSCase) {
        if !sos.dispatch(.hub(.lookedForPlace), to: item.id).searches.isEmpty { crews.search(item.id) }
    }

    private func lastPosition(of person: PersonID, _ lead: Milliseconds) throws -> PositionSample? {
        try emergencyReader.lastPosition(.sosLastPosition(of: person), now: now() - lead)
    }

    private func recentPosition(of item: SOSCase, _ lead: Milliseconds) throws -> PositionSample? {
        let began = min(item.opened, item.alarm.abnormalities.map(\.first.time).min() ?? item.opened) - lead
        let grant = Grant.sos(of: item.person, since: began)
        let reading = try emergencyReader.read(grant, from: began - Grant.beforeEpisode, to: now(), now: now())
        return reading?.provenance == .live ? reading?.positions.last : nil
    }
}

extension LastPosition {
    /// Nothing that was kept says better where the person is.
    fileprivate func isNew(at now: Milliseconds) -> Bool { isAgeUnknown != true && source != .fixed && now - time <= 60_000 }
}
