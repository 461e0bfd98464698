public import Vitals

extension SyncRoute {
    /// POST: ``BoxCondition`` to ``BoxConditionAnswer``, JSON. Bearer token.
    public static let box = "/sync/v1/box"
    /// The largest body of ``box``, in bytes.
    public static let boxBytesMax = 16_384
}

/// The hub's answer to what a box says of itself.
public struct BoxConditionAnswer: Codable, Sendable, Hashable {
    /// For whom the box may send. Whoever is missing is not known here, as after a restore of an older backup: the box keeps everything, and says
    /// it. nil from a hub that does not say.
    public var bound: [PersonID]?
    /// Who of ``BoxCondition/people`` was deleted, or left this box, as the hub has it written down: the box keeps nothing of theirs any longer.
    public var gone: [PersonID]?

    public init(bound: [PersonID]? = nil, gone: [PersonID]? = nil) { (self.bound, self.gone) = (bound, gone) }
}

/// A box's report of itself, for the list of boxes of its people: when something of it changed, and every five minutes.
public struct BoxCondition: Codable, Sendable, Hashable {
    /// Sensors of a box that the list shows; more are left out.
    public static let sensorsMax = 64
    /// People whom a box names; more are left out.
    public static let peopleMax = 64

    /// A chosen sensor.
    public struct Sensor: Codable, Sendable, Hashable {
        /// The person whom this is about.
        public var person: PersonID
        /// As it calls itself; nil where it does not.
        public var name: String?
        public var isConnected: Bool
        /// 0 to 100; nil where it is not known.
        public var batteryPercent: Int?

        public init(person: PersonID, name: String?, isConnected: Bool, batteryPercent: Int?) {
            (self.person, self.name, self.isConnected, self.batteryPercent) = (person, name, isConnected, batteryPercent)
        }
    }

    /// Of the agent.
    public var version: String
    /// 0 to 100; nil where the box has no battery.
    public var batteryPercent: Int?
    public var sensors: [Sensor]
    /// For the person's next box, from a box of one person; nil from others, and from older ones.
    public var settings: BoxSettingsCopy?
    /// Of whom the box holds something; nil from older boxes.
    public var people: [PersonID]?

    public init(
        version: String, batteryPercent: Int?, sensors: [Sensor], settings: BoxSettingsCopy? = nil, people: [PersonID]? = nil
    ) {
        (self.version, self.batteryPercent, self.sensors, self.settings) = (version, batteryPercent, sensors, settings)
        self.people = people
    }

    /// Whether it can be one: bounded texts and counts, percentages from 0 to 100.
    public var isPlausible: Bool {
        if let settings, !settings.isPlausible { return false }
        let percents = sensors.map(\.batteryPercent) + [batteryPercent]
        return (1...64).contains(version.utf8.count) && sensors.count <= Self.sensorsMax && (people?.count ?? 0) <= Self.peopleMax
            && sensors.allSatisfy { ($0.name?.utf8.count ?? 0) <= 256 } && percents.allSatisfy { $0.map { (0...100).contains($0) } ?? true }
    }
}
