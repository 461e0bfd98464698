internal import Distress
internal import Foundation
internal import Logging
internal import Seams
internal import Synchronization
internal import Vitals

/// The state of AutomatedSOS when the agent ended: written beside the alarm, and never waited for.
struct SOSState: Codable, Sendable, Hashable {
    /// In whose milliseconds all times stand.
    var boot: BootID
    /// When it was written, by that boot's clock and by the wall clock.
    var at: Milliseconds
    var utc: Milliseconds
    var persons: [Person]
    /// The number of people of a stored state who could not be read at all.
    var unread = 0

    private enum CodingKeys: String, CodingKey { case boot, at, utc, persons }

    struct Person: Codable, Sendable, Hashable {
        var person: PersonID
        var watch: DistressWatch
        /// Of ``SOSAnswer/Pressed``: the last one that was taken.
        var pressed: UInt64
        var revision: UInt64
        /// The local channels were started.
        var isCalling: Bool
        /// Somebody was told by the box itself.
        var hasTold: Bool?
        /// Of ``SOSStation/untold``.
        var untold: Incident.Closed?
        /// Of ``HubReportState/told``.
        var told: [String]?
        /// Of ``SOSStation/others``.
        var others: [PersonID]?
        /// Of ``SOSStation/activity``.
        var activity: InactivityWatch?
        /// Of ``SOSStation/warning`` and ``SOSStation/owedWarnings``.
        var warning: Warning?
        var owedWarnings: [OwedWarning]?
        /// Of ``HubSilence/owesBack``.
        var owesHubIsBack: Bool?
    }
}

extension SOSState {
    /// Persons one by one: what cannot be read of one takes nothing from another.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        boot = try container.decode(BootID.self, forKey: .boot)
        at = try container.decode(Milliseconds.self, forKey: .at)
        utc = try container.decode(Milliseconds.self, forKey: .utc)
        let kept = try container.decode([Readable].self, forKey: .persons)
        persons = kept.compactMap(\.person)
        unread = kept.count - persons.count
    }

    private struct Readable: Decodable {
        let person: Person?
        init(from decoder: any Decoder) throws { person = try? Person(from: decoder) }
    }
}

extension SOSState.Person {
    /// Whatever a version adds or leaves out, the person and what is open with them are read.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys) -> Value? { try? container.decode(Value.self, forKey: key) }
        person = try container.decode(PersonID.self, forKey: .person)
        watch = try container.decode(DistressWatch.self, forKey: .watch)
        (pressed, revision) = (read(.pressed) ?? 0, read(.revision) ?? 0)
        isCalling = read(.isCalling) ?? (watch.incident.alarm != nil)
        (hasTold, untold, told, others) = (read(.hasTold), read(.untold), read(.told), read(.others))
        (activity, warning, owedWarnings) = (read(.activity), read(.warning), read(.owedWarnings))
        owesHubIsBack = read(.owesHubIsBack)
    }
}

/// The newest state of AutomatedSOS on the disk.
enum SOSStateFile {
    private static let file = "sos-state.json"

    static func writer(_ directory: StateDirectory, logger: Logger) -> NewestFile<SOSState> {
        NewestFile(file, in: directory, refusal: "the state of AutomatedSOS is in memory alone", logger: logger)
    }

    /// nil where there is none, or none that this version can read; `damage` says that it could not.
    static func load(from path: String, machine: Machine = .system) -> (state: SOSState?, damage: String?) {
        let content: [UInt8]?
        do throws(AgentProblem) { content = try StateDirectory.read(file, in: path, machine: machine) } catch { return (nil, damage(path)) }
        guard let content else { return (nil, nil) }
        guard let state = try? JSONDecoder().decode(SOSState.self, from: Data(content)) else { return (nil, damage(path)) }
        if state.unread > 0 { return (state, damage(path)) }
        return (state, state.persons.contains { !$0.watch.unread.isEmpty } ? partly(path) : nil)
    }

    /// Writes it without some people. What cannot be read goes as a whole.
    static func erase(_ people: Set<PersonID>, from directory: StateDirectory) throws {
        try directory.edit(file) { (state: inout SOSState) in
            state.persons.removeAll { people.contains($0.person) }
            for index in state.persons.indices { state.persons[index].others?.removeAll { people.contains($0) } }
        }
    }

    private static func partly(_ path: String) -> String {
        "\(path)/\(file) is of another version and was read in part: what was open goes on, and the sensor is listened to from now on"
    }

    private static func damage(_ path: String) -> String {
        "\(path)/\(file) cannot be read: if an alarm was open when the agent ended, the hub alone goes on with it"
    }
}

extension Alarm {
    /// With all its times on another axis: after a restart of the box its boot clock begins anew.
    func shifted(by difference: Milliseconds) -> Alarm {
        var alarm = self
        alarm.raisedAt += difference
        for index in abnormalities.indices {
            alarm.abnormalities[index].first.time += difference
            alarm.abnormalities[index].latest.time += difference
        }
        for index in readings.indices { alarm.readings[index].time += difference }
        for index in history.indices { alarm.history[index].time += difference }
        alarm.position?.time += difference
        return alarm
    }

    /// The same after a reboot, by a clock that may have stood still: nobody knows how old its position is (see ``StoredPosition``).
    func restored(by difference: Milliseconds) -> Alarm {
        var alarm = shifted(by: difference)
        guard var position = alarm.position, position.source != .fixed else { return alarm }
        (position.time, position.isAgeUnknown) = (min(position.time, 0), true)
        alarm.position = position
        return alarm
    }
}
