import Distress
import HubStore
import Logging
import Privacy
import Synchronization
import Vitals

/// Where somebody is while a case is open: crews, contacts and control rooms see the newest, with its age and accuracy (SOS-6).
extension SOSService {
    /// Control rooms hear of a new position by themselves when it is so many metres from the one that they know.
    static let farMetres = 100.0
    /// A position that claims to be of the future is of now: of a phone whose clock is ahead.
    private static func notLater(_ position: LastPosition, than now: Milliseconds) -> LastPosition {
        var position = position
        position.time = min(position.time, now)
        return position
    }

    /// A newer position than the case has. Under the lock.
    func moved(_ person: PersonID, to position: LastPosition, _ state: inout State) -> Work {
        var work = Work()
        let time = now(), position = Self.notLater(position, than: time)
        guard let id = state.entries[person]?.open, var item = state.cases[id], item.isOpen,
            item.alarm.position.map({ position.isBetter(than: $0, at: time) }) ?? true
        else { return work }
        let before = item.alarm.position, isFirst = before == nil
        item.alarm.position = position
        if item.toldPosition.map({ Self.metres($0, position) > Self.farMetres }) ?? true,
            item.updateRooms(now: time, without: outlets.roomsWithoutNews)
        {
            item.toldPosition = position
        }
        // Crews can be looked for from now on.
        if isFirst, item.seeksAmbulance, item.searchAt != nil { item.searchAt = time }
        // Whoever was sent to a place of long ago hears where the person was since.
        let isElsewhere = before.map { before in
            (before.isAgeUnknown == true || position.time - before.time > LastPosition.foundFor)
                && Self.metres(before, position) > Self.farMetres
        }
        if isElsewhere ?? true, !item.isTest { item.tellPosition(now: time) }
        state.cases[id] = item
        writer.add(person, state: nil, cases: [item])
        work.topics.insert(person)
        work.crews.formUnion(item.offers.filter { $0.state == .open || $0.state == .accepted }.map(\.account))
        return work
    }

    private static func metres(_ one: LastPosition, _ other: LastPosition) -> Double {
        CrewIndex.metres(
            Double(one.latitude) / 1e7, Double(one.longitude) / 1e7, Double(other.latitude) / 1e7, Double(other.longitude) / 1e7)
    }

    /// The last position that a phone, a box or another sender told before the case, however long ago, where the alarm has none or an old one.
    /// Where the person switched position off at their box, no older one than of the ten minutes before. Read by a grant of the emergency chain,
    /// which holds until the case is over (design rule 10).
    func lookForPosition(of person: PersonID) {
        let time = now()
        let (isConsented, isOff) = state.withLock { state in
            (state.entries[person]?.isConsented ?? false, state.entries[person]?.state.isPositionOff ?? false)
        }
        guard let item = openCase(of: person), item.person == person, !item.isTest, item.callsOthers(isConsented),
            item.alarm.position?.isNew(at: time) != true
        else { return }
        defer { looked(for: item) }
        // Samples stand by the hub's clock, the case by the time of alarms.
        let lead = clock.lead
        do {
            guard let newest = try isOff ? recentPosition(of: item, lead) : lastPosition(of: person, lead) else { return }
            var position = LastPosition(newest)
            position.time += Self.lead(lead, over: position.time, at: time)
            let work = state.withLock { [position] in moved(person, to: position, &$0) }
            for topic in work.topics { pages.changed(topic) }
            for crew in work.crews { pages.changed(crew.person) }
        } catch {
            logger.critical("where somebody in distress was last cannot be read; it goes on without", metadata: ["error": "\(error)"])
        }
    }
}

extension SOSService {
    /// Where nothing was found, crews are looked for near the home from here on, and control rooms are called without a place.
    private func looked(for item: SOSCase) {
        let time = now()
        let isFirst = state.withLock { state in
            guard var item = state.cases[item.id], item.isOpen, item.isPlaceLookedFor != true else { return false }
            item.isPlaceLookedFor = true
            if item.alarm.position == nil, item.searchAt != nil { item.searchAt = time }
            state.cases[item.id] = item
            return true
        }
        if isFirst { search(item.id) }
    }

    private func lastPosition(of person: PersonID, _ lead: Milliseconds) throws -> PositionSample? {
        try series.lastPosition(.sosLastPosition(of: person), upheldBy: store, now: now() - lead)
    }

    private func recentPosition(of item: SOSCase, _ lead: Milliseconds) throws -> PositionSample? {
        let began = min(item.opened, item.alarm.abnormalities.map(\.first.time).min() ?? item.opened) - lead
        let grant = Grant.sos(of: item.person, since: began)
        let reading = try series.read(grant, upheldBy: store, from: began - Grant.beforeEpisode, to: now(), now: now())
        return reading?.provenance == .live ? reading?.positions.last : nil
    }
}

extension LastPosition {
    /// Nothing that was kept says better where the person is.
    fileprivate func isNew(at now: Milliseconds) -> Bool { isAgeUnknown != true && source != .fixed && now - time <= 60_000 }
}

extension SOSCase {
    /// - Parameter rooms: for which an update is one more alarm: not while somebody else has it.
    /// - Returns: whether a control room is told: not one that was told a moment ago.
    mutating func updateRooms(now: Milliseconds, without rooms: Set<String>) -> Bool {
        guard !isTest, !alertedRooms.isEmpty else { return false }
        let last = calls.last?.number
        for room in alertedRooms where owner?.isProfessional != true || owner == .room(room) || !rooms.contains(room) {
            call(.room(room), .room, .update, due: now)
        }
        return calls.last?.number != last
    }
}
