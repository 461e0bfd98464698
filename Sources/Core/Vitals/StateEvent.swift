/// Something that happened to the box, the sensor or the collection, and that a reader of the series must know.
public struct StateEvent: Hashable, Sendable {
    /// The codes are stored and sent: a number is never used again. Unknown ones are kept.
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt16
        public init(rawValue: UInt16) { self.rawValue = rawValue }

        /// The heart-rate link is up.
        public static let sensorConnected = Code(rawValue: 1)
        /// The heart-rate link is gone: from here on a missing reading says nothing about the heart.
        public static let sensorLost = Code(rawValue: 2)
        /// `value`: battery of the sensor in percent.
        public static let sensorBattery = Code(rawValue: 3)
        /// `value`: Body Sensor Location (0x2A38).
        public static let bodyLocation = Code(rawValue: 4)
        /// Positions arrive again.
        public static let fixAcquired = Code(rawValue: 5)
        /// `value`: age of the last position in milliseconds.
        public static let fixLost = Code(rawValue: 6)
        /// Monitoring was paused. `value`: until when, UTC milliseconds, 0 when open.
        public static let paused = Code(rawValue: 7)
        public static let resumed = Code(rawValue: 8)
        /// `value`: 1 charging, 0 not.
        public static let sensorCharging = Code(rawValue: 9)
        /// Input that could not be used, or values out of range that were left out. `value`: how many.
        public static let inputSkipped = Code(rawValue: 10)
        /// Skin contact. `value`: 1 worn, 0 not; from the sensor's contact bit, or from its zeros.
        public static let sensorContact = Code(rawValue: 11)
        /// The same value again and again. `value`: 1 begins, 0 ends.
        public static let sensorFrozen = Code(rawValue: 12)
        /// The wearer left the box, or came back. `value`: 1 away, 0 back.
        public static let sensorAway = Code(rawValue: 13)
        /// The box's power supply. `value`: 0 unknown, 1 mains, 2 battery or power bank.
        public static let boxPower = Code(rawValue: 14)
        /// `value`: battery of the box in percent.
        public static let boxBattery = Code(rawValue: 15)
        /// Which kinds are collected (EDGE-7). `value`: sum of 1 for heart rate and 2 for position.
        public static let kindsChosen = Code(rawValue: 16)
        /// The person pressed "I'm OK".
        public static let ok = Code(rawValue: 17)
        /// The person asked for help.
        public static let help = Code(rawValue: 18)
        /// The person reports a false alarm.
        public static let falseAlarm = Code(rawValue: 19)
        /// The person reactivates monitoring after an incident.
        public static let reactivated = Code(rawValue: 20)
        /// A device or a program noticed a fall. Release 0.3.0 keeps it as an unknown code.
        public static let fall = Code(rawValue: 21)
        /// A device or a program noticed a seizure, likewise.
        public static let seizure = Code(rawValue: 22)

        /// A lap of a workout ends and the next one begins: the person pressed a button, or a recording says so.
        public static let lap = Code(rawValue: 23)

        /// SOS records: stored and sent before everything else, and never dropped to make room (EDGE-5).
        public var isSOS: Bool { (17...22).contains(rawValue) }

        /// A sign that a device or a program noticed of the person: the kind ``DataKind/flaggedEvent``.
        public var isFlag: Bool { self == .fall || self == .seizure }
    }

    public var time: Milliseconds
    public var code: Code
    public var value: Int64

    public init(time: Milliseconds, code: Code, value: Int64 = 0) {
        self.time = time
        self.code = code
        self.value = value
    }
}

/// Segments that an agent had to drop before the hub had them: the hub counts them as received, and readers see a hole with a reason.
public struct GapRecord: Hashable, Sendable {
    public enum Reason: UInt8, Sendable, Codable, CaseIterable {
        case bufferFull = 1
        case diskFull = 2
        case corruption = 3
        case deletedByPerson = 4
    }
    /// When it was noticed.
    public var time: Milliseconds
    /// First and last lost sequence of the segment's own stream.
    public var sequences: ClosedRange<UInt64>
    public var reason: Reason

    public init(time: Milliseconds, sequences: ClosedRange<UInt64>, reason: Reason) {
        self.time = time
        self.sequences = sequences
        self.reason = reason
    }
}
