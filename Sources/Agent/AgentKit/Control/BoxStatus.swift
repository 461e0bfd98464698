public import BlueZ
public import Languages
public import Monitoring
public import SampleBuffer
public import Vitals

/// The box's status, for everything that shows it: command line, page, desktop.
public struct BoxStatus: Codable, Sendable, Hashable {
    public var version: String
    public var role: BoxRole
    /// Of the texts that people next to the box read and hear.
    public var language: Language
    /// Now, by the box's boot clock: the ages of everything below count back from here.
    public var time: Milliseconds
    /// Now, as the box believes, UTC.
    public var utc: Milliseconds
    public var clock: ClockTrust
    /// nil before the box belongs to a hub.
    public var hub: HubState?
    public var buffer: BufferStatus?
    public var power: PowerState
    /// nil before the first.
    public var position: PositionState?
    public var persons: [PersonState]
    /// The files that live sensors are recorded into at this moment.
    public var recording: String?
    /// Why the box cannot be heard, and what to do, in English; nil while it can, or was not tried.
    public var voice: [String]?
    /// Samples that were left out since the agent's start because a sensor sent them too often; nil for none.
    public var thinnedSamples: Int?

    /// How far the box's clock can be believed (design rule 5).
    public enum ClockTrust: String, Codable, Sendable, Hashable {
        case gnss, hub, ntp
        /// Nobody confirmed it since the boot.
        case unconfirmed
    }

    public struct HubState: Codable, Sendable, Hashable {
        public var address: String
        /// Identifier and name of this box there.
        public var agent: AgentID
        public var name: String
        public var link: ChainLink
        public var waitingSegments: Int
        public var waitingSamples: Int
        /// When the hub last took something, in the boot clock.
        public var lastAnswer: Milliseconds?
        /// Questions for data that wait on the hub for an answer of somebody here (CONS-2); nil for none.
        public var questions: Int?
    }

    public struct PowerState: Codable, Sendable, Hashable {
        public var source: BoxPower
        /// 0 to 100; nil where the box has no battery.
        public var batteryPercent: Int?
    }

    public struct PositionState: Codable, Sendable, Hashable {
        /// Degrees, WGS 84.
        public var latitude: Double
        public var longitude: Double
        /// Estimated horizontal error in metres.
        public var error: Double?
        public var source: String
        /// In the boot clock: its age is ``BoxStatus/time`` less this.
        public var time: Milliseconds
        /// Whether it is the newest that there can be; an old one stays shown, with its age.
        public var isCurrent: Bool
    }

    /// One person whom this box looks after.
    public struct PersonState: Codable, Sendable, Hashable {
        public var person: PersonID
        public var name: String
        /// nil when no sensor was chosen.
        public var sensor: SensorState?
        public var wearing: Wearing
        /// The last valid reading, beats per minute; nil before the first and while readings do not count.
        public var heartRate: Int?
        public var heartRateTime: Milliseconds?
        /// Kinds that are collected and sent (EDGE-7).
        public var kinds: Kinds
        /// By ``BoxStatus/utc``; nil when not paused.
        public var pausedUntil: Milliseconds?
        /// Readings count: worn, not paused, not charging.
        public var isWatched: Bool
        /// Position is recorded.
        public var isTracked: Bool
        public var links: [ChainLink]
        public var notices: [Notice]
        /// AutomatedSOS; nil where it does not run.
        public var sos: SOS?
        /// Of runs (RUN-5), at a box that one person carries; nil for none.
        public var checkIns: [CheckInState]?
        /// Sensors that are listened to beside the heart rate; nil for none.
        public var otherSensors: [OtherSensorState]?
    }

    /// A thermometer, a pod or a cadence sensor.
    public struct OtherSensorState: Codable, Sendable, Hashable {
        public var address: SensorAddress
        public var name: String?
        public var isConnected: Bool
        /// 0 to 100.
        public var batteryPercent: Int?
        /// The obstacle that keeps it from delivering, and what to do.
        public var problem: String?
        /// Hundredths of a degree Celsius; nil where it has told none, or none that says anything of now.
        public var temperature: Int?
        /// Steps or turns a minute; nil likewise.
        public var cadence: Int?
        /// What it told last that says something of now, as the table of kinds names it, its value in that table's unit, and a second value.
        public var kind: String?
        public var value: String?
        public var second: Int64?
        /// When that was measured, in the boot clock.
        public var time: Milliseconds?
    }

    public struct SensorState: Codable, Sendable, Hashable {
        public var address: SensorAddress
        public var name: String?
        public var isConnected: Bool
        /// 0 to 100.
        public var batteryPercent: Int?
        /// The obstacle that keeps it from delivering, and what to do.
        public var problem: String?
        /// dBm (-40 is beside the box, -90 barely heard), as a scan heard it last: one that is connected does not tell. nil where none has
        /// since the agent started.
        public var signal: Int?
        /// When that was, in the boot clock.
        public var signalTime: Milliseconds?
    }
}

/// The kinds that a person lets the box collect and send.
public struct Kinds: Codable, Sendable, Hashable {
    public var heartRate: Bool
    public var position: Bool

    public init(heartRate: Bool = true, position: Bool = true) {
        self.heartRate = heartRate
        self.position = position
    }
}
