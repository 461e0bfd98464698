public import Vitals

/// The settings of a box of one person, for that person's next box. A box says it in its ``BoxCondition``.
///
/// All of it is plain texts: a box takes over what it knows, and says what it does not.
public struct BoxSettingsCopy: Codable, Sendable, Hashable {
    /// A chosen sensor. It is the person's, and goes from box to box with them.
    public struct Sensor: Codable, Sendable, Hashable {
        /// Its Bluetooth address with the kind: `C4:01:02:03:04:05/random`.
        public var address: String
        /// As it calls itself; nil where it does not.
        public var name: String?

        public init(address: String, name: String?) { (self.address, self.name) = (address, name) }
    }

    /// Sensors beside the one of the heart rate, and kinds that are not collected, at most.
    public static let listMax = 16
    /// Keys of the configuration, at most.
    public static let keysMax = 32
    /// Bytes of a text, at most.
    public static let textBytesMax = 256

    /// The one of the heart rate; nil where none is chosen.
    public var sensor: Sensor?
    /// Those beside it.
    public var others: [Sensor]
    /// Kinds that the person lets the box not collect: `heartRate`, `position`.
    public var off: [String]
    /// Values of `agent.yaml` that differ from the default, by its key below `trackme`: `role`, `hub.silence`.
    public var configuration: [String: String]

    public init(sensor: Sensor? = nil, others: [Sensor] = [], off: [String] = [], configuration: [String: String] = [:]) {
        (self.sensor, self.others, self.off, self.configuration) = (sensor, others, off, configuration)
    }

    /// A box as it was delivered.
    public var isEmpty: Bool { self == BoxSettingsCopy() }

    /// Whether it can be one: bounded counts and texts, without control characters.
    public var isPlausible: Bool {
        var texts = off + configuration.keys + configuration.values
        for sensor in [sensor].compactMap(\.self) + others { texts += [sensor.address, sensor.name ?? ""] }
        return others.count <= Self.listMax && off.count <= Self.listMax && configuration.count <= Self.keysMax
            && texts.allSatisfy { $0.utf8.count <= Self.textBytesMax && KeptSettings.isPlain($0) }
    }
}

/// Settings that the hub keeps of an earlier box of the person, as it offers them with an enrolment.
public struct KeptSettings: Codable, Sendable, Hashable {
    /// Offered with an enrolment, at most; the newest come first.
    public static let offeredMax = 3

    /// The person's name for that box.
    public var box: String
    /// When they were changed last, UTC by the hub's clock.
    public var changed: Milliseconds
    public var settings: BoxSettingsCopy

    public init(box: String, changed: Milliseconds, settings: BoxSettingsCopy) {
        (self.box, self.changed, self.settings) = (box, changed, settings)
    }

    /// Without what would steer a terminal.
    static func isPlain(_ text: String) -> Bool { text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } }

    /// Whether a box can show it.
    public var isPlausible: Bool { (1...64).contains(box.count) && Self.isPlain(box) && settings.isPlausible && !settings.isEmpty }
}

/// Their form in an ``EnrolmentAnswer``. The enrolment stands, even if they cannot be read.
public struct KeptSettingsList: Codable, Sendable, Hashable {
    public var items: [KeptSettings]

    /// Leaves out those that no box could show, and those beyond ``KeptSettings/offeredMax``.
    public init(_ items: [KeptSettings]) { self.items = Array(items.filter(\.isPlausible).prefix(KeptSettings.offeredMax)) }

    private struct Readable: Decodable {
        let item: KeptSettings?
        init(from decoder: any Decoder) { item = try? KeptSettings(from: decoder) }
    }

    public init(from decoder: any Decoder) {
        let container = try? decoder.singleValueContainer()
        self.init(((try? container?.decode([Readable].self)) ?? []).compactMap(\.item))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(items)
    }
}
