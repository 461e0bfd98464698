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
            item.alarm.position.map({ $0.time < position.time }) ?? true
        else { return work }
        let isFirst = item.alarm.position == nil
        item.alarm.position = position
        let told = item.toldPosition.map {
            CrewIndex.metres(
                Double($0.latitude) / 1e7, Double($0.longitude) / 1e7, Double(position.latitude) / 1e7, Double(position.longitude) / 1e7)
        }
        if told.map({ $0 > Self.farMetres }) ?? true, item.updateRooms(now: time, without: outlets.roomsWithoutNews) {
            item.toldPosition = position
        }
        // Crews can be looked for from now on.
        if isFirst, item.seeksAmbulance, item.searchAt != nil { item.searchAt = time }
        if isFirst, !item.isTest { item.tellPosition(now: time) }
        state.cases[id] = item
        writer.add(person, state: nil, cases: [item])
        work.topics.insert(person)
        work.crews.formUnion(item.offers.filter { $0.state == .open || $0.state == .accepted }.map(\.account))
        return work
    }

    /// What a phone or another sender told before the case: the newest position of the ten minutes before, where the alarm has none. Read by the
    /// grant of the emergency chain, which holds from ten minutes before the episode until it is over (design rule 10).
    func lookForPosition(of person: PersonID) {
        guard let item = openCase(of: person), !item.isTest, item.alarm.position == nil, item.isConsented ?? false else { return }
        // Samples stand by the hub's clock, the case by the time of alarms.
        let lead = lead(), began = min(item.opened, item.alarm.abnormalities.map(\.first.time).min() ?? item.opened) - lead
        let grant = Grant.sos(of: person, since: began)
        do {
            let reading = try series.read(grant, upheldBy: store, from: began - Grant.beforeEpisode, to: now(), now: now())
            guard let newest = reading?.positions.last, reading?.provenance == .live else { return }
            var position = LastPosition(newest)
            position.time += lead
            let work = state.withLock { [position] in moved(person, to: position, &$0) }
            for topic in work.topics { pages.changed(topic) }
            for crew in work.crews { pages.changed(crew.person) }
        } catch {
            logger.critical("where somebody in distress was last cannot be read; it goes on without", metadata: ["error": "\(error)"])
        }
    }
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
