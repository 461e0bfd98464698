import Vitals

/// RSC Measurement, characteristic 0x2A53 (Running Speed and Cadence Service 1.0, 3.1).
public struct RunningMeasurement: Hashable, Sendable {
    /// In 1/256 m/s.
    public var speed: UInt16
    /// Steps a minute.
    public var cadence: UInt8
    /// In 0.01 m.
    public var strideLength: UInt16?
    /// In 0.1 m.
    public var distance: UInt32?
    /// False: walking, or not told.
    public var isRunning: Bool

    public init(speed: UInt16 = 0, cadence: UInt8, strideLength: UInt16? = nil, distance: UInt32? = nil, isRunning: Bool = false) {
        (self.speed, self.cadence, self.strideLength) = (speed, cadence, strideLength)
        (self.distance, self.isRunning) = (distance, isRunning)
    }

    /// Decodes a value as notified. Reserved flags (bits 3 to 7) are ignored.
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard let flags = bytes.first else { throw .runningCutShort }
        let hasStride = flags & 1 != 0, hasDistance = flags & 2 != 0
        let length = 4 + (hasStride ? 2 : 0) + (hasDistance ? 4 : 0)
        guard bytes.count >= length else { throw .runningCutShort }
        guard bytes.count == length else { throw .runningTooLong }
        isRunning = flags & 4 != 0
        speed = bytes.littleEndian16(at: 1)
        cadence = bytes[3]
        strideLength = hasStride ? bytes.littleEndian16(at: 4) : nil
        distance = hasDistance ? bytes.littleEndian32(at: length - 4) : nil
    }

    /// Speed and cadence alone, as a pod sends them.
    static func encoded(cadence: UInt8) -> [UInt8] { [0, 0, 0, cadence] }
}

/// CSC Measurement, characteristic 0x2A5B (Cycling Speed and Cadence Service 1.0, 3.1).
public struct CyclingMeasurement: Hashable, Sendable {
    /// Turns since the sensor began, modulo 65,536 for cranks; the time of the last one in 1/1024 s, modulo 64 s.
    public struct Crank: Hashable, Sendable {
        public var turns: UInt16
        public var lastTurn: UInt16
        public init(turns: UInt16, lastTurn: UInt16) { (self.turns, self.lastTurn) = (turns, lastTurn) }
    }

    /// Turns of the wheel since the sensor began; wheels tell no cadence.
    public var wheelTurns: UInt32?
    public var crank: Crank?

    /// Decodes a value as notified. Reserved flags (bits 2 to 7) are ignored.
    public init(_ bytes: [UInt8]) throws(SensorValueProblem) {
        guard let flags = bytes.first else { throw .cyclingCutShort }
        let hasWheel = flags & 1 != 0, hasCrank = flags & 2 != 0
        let length = 1 + (hasWheel ? 6 : 0) + (hasCrank ? 4 : 0)
        guard bytes.count >= length else { throw .cyclingCutShort }
        guard bytes.count == length else { throw .cyclingTooLong }
        wheelTurns = hasWheel ? bytes.littleEndian32(at: 1) : nil
        crank = hasCrank ? Crank(turns: bytes.littleEndian16(at: length - 4), lastTurn: bytes.littleEndian16(at: length - 2)) : nil
    }
}

/// From a crank's counters to turns a minute.
struct CrankCadence: Hashable, Sendable {
    /// No turn for so long is standing still: fewer than 20 turns a minute are no exercise, and sensors repeat their last turn for ever.
    static let standsAfter: Milliseconds = 3000
    /// The time of a turn begins anew each 64 s: over a longer pause it tells nothing.
    static let pauseMax: Milliseconds = 60_000
    /// More turns a minute nobody makes: the sensor began anew.
    static let turnsMax = 250

    private var last: CyclingMeasurement.Crank?
    /// When the last turn was told.
    private var turnedAt: Milliseconds = 0

    /// Turns a minute; nil where these counters do not tell.
    mutating func take(_ crank: CyclingMeasurement.Crank, at time: Milliseconds) -> Int? {
        guard let last else {
            (self.last, turnedAt) = (crank, time)
            return nil
        }
        let turns = Int(crank.turns &- last.turns), units = Int(crank.lastTurn &- last.lastTurn), pause = time - turnedAt
        guard turns > 0 else { return pause >= Self.standsAfter ? 0 : nil }
        (self.last, turnedAt) = (crank, time)
        guard units > 0, (0..<Self.pauseMax).contains(pause) else { return nil }
        let cadence = turns * 60 * 1024 / units
        return cadence <= Self.turnsMax ? cadence : nil
    }
}

extension [UInt8] {
    /// The caller has made sure that they are there.
    func littleEndian16(at offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }
    func littleEndian32(at offset: Int) -> UInt32 { UInt32(littleEndian16(at: offset)) | UInt32(littleEndian16(at: offset + 2)) << 16 }
}
