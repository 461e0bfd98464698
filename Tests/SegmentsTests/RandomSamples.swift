import Segments
import Vitals

/// SplitMix64: the same numbers for the same seed everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &self) == 0 }
}

/// Sample sets of every shape: regular and wild, ordered and not, with and without the optional fields.
struct RandomSamples {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func set(upTo count: Int) -> SampleSet {
        var samples = SampleSet()
        samples.heartRates = heartRates(size(count))
        samples.positions = positions(size(count))
        samples.events = times(size(count / 4)).map { time in
            StateEvent(time: time, code: StateEvent.Code(rawValue: number()), value: number())
        }
        samples.gaps = times(size(count / 4)).map { time in
            let one: UInt64 = number(), other: UInt64 = number()
            return GapRecord(time: time, sequences: min(one, other)...max(one, other), reason: pick(GapRecord.Reason.allCases))
        }
        samples.clocks = times(size(count / 4)).map { time in
            ClockRecord(time: time, utc: number(), uncertainty: number(), source: pick(ClockRecord.Source.allCases))
        }
        // Kinds in the order of their numbers, as decoding puts them.
        for kind in DataKind.scalars where generator.chance(8) { samples.scalars += scalars(kind, size(count / 4)) }
        for _ in 0..<Int.random(in: 0...2, using: &generator) {
            let bytes = (0..<size(40)).map { _ in UInt8.random(in: 0...255, using: &generator) }
            samples.unknown.append(
                UnknownColumn(kind: pick([0, 6, 8, 63, 200, 255]), count: number(), bytes: bytes))
        }
        return samples
    }

    mutating func segment(upTo count: Int) -> Segment {
        let clocks: [ClockDomain] = [.wall, .recorded, .boottime(boot: .random(using: &generator), counter: number())]
        return Segment(
            stream: .random(using: &generator), sequence: number(), person: .random(using: &generator),
            provenance: pick(Provenance.allCases), clock: pick(clocks), samples: set(upTo: count))
    }

    private mutating func heartRates(_ count: Int) -> [HeartRateSample] {
        let hasEnergy = Int.random(in: 0...2, using: &generator), hasIntervals = Int.random(in: 0...2, using: &generator)
        let contact = pick(SensorContact.allCases + [nil]), isCalm = generator.chance(2)
        var beats = UInt16.random(in: 40...180, using: &generator)
        return times(count).map { time in
            beats = isCalm ? UInt16(clamping: Int(beats) + Int.random(in: -2...2, using: &generator)) : number()
            var sample = HeartRateSample(time: time, beatsPerMinute: beats)
            sample.contact = contact ?? pick(SensorContact.allCases)
            if has(hasEnergy) { sample.energyKilojoules = number() }
            if has(hasIntervals) {
                let interval: UInt16 = generator.chance(2) ? 1024 : number()
                let isConstant = generator.chance(2)
                sample.rrIntervals = (0..<Int.random(in: 0...9, using: &generator)).map { _ in isConstant ? interval : number() }
            }
            return sample
        }
    }

    private mutating func positions(_ count: Int) -> [PositionSample] {
        let has = (0..<4).map { _ in Int.random(in: 0...2, using: &generator) }
        let isWalk = generator.chance(2), step = pick([1, 10, 1000] as [Int32])
        var latitude: Int32 = 450_000_000, longitude: Int32 = 90_000_000
        return times(count).map { time in
            latitude = isWalk ? latitude &+ Int32.random(in: -300...300, using: &generator) * step : number()
            longitude = isWalk ? longitude &+ Int32.random(in: 100...300, using: &generator) * step : number()
            return PositionSample(
                time: time, latitude: latitude, longitude: longitude, altitude: self.has(has[0]) ? number() : nil,
                speed: self.has(has[1]) ? number() : nil, course: self.has(has[2]) ? number() : nil,
                horizontalError: self.has(has[3]) ? number() : nil, mode: pick(FixMode.allCases),
                source: pick(PositionSource.allCases))
        }
    }

    private mutating func scalars(_ kind: DataKind, _ count: Int) -> [ScalarSample] {
        let hasEnd = Int.random(in: 0...2, using: &generator), hasSecond = Int.random(in: 0...2, using: &generator)
        return times(count).compactMap { time in
            ScalarSample(
                kind, time: time, value: number(), end: has(hasEnd) ? number() : nil, second: has(hasSecond) ? number() : nil)
        }
    }

    /// Regular, jittering or arbitrary.
    private mutating func times(_ count: Int) -> [Milliseconds] {
        let kind = Int.random(in: 0...2, using: &generator)
        var time: Milliseconds = generator.chance(3) ? number() : 1_700_000_000_000
        return (0..<count).map { _ in
            defer { time = kind == 2 ? number() : time &+ 1000 &+ (kind == 1 ? Int64.random(in: -9...9, using: &generator) : 0) }
            return time
        }
    }

    /// All sizes, the edges of blocks more often.
    private mutating func size(_ most: Int) -> Int {
        let size = generator.chance(3) ? pick([0, 1, 2, 3, 127, 128, 129, 256, 257]) : Int.random(in: 0...most, using: &generator)
        return min(size, most)
    }

    /// Extreme, small and any values.
    private mutating func number<Value: FixedWidthInteger>() -> Value {
        switch Int.random(in: 0...3, using: &generator) {
        case 0: pick([.min, .max, 0, 1, .max - 1, .min + 1])
        case 1: Value(truncatingIfNeeded: Int.random(in: 0...20, using: &generator))
        case 2: Value(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator))
        default: Value(truncatingIfNeeded: generator.next())
        }
    }

    /// 0 never, 1 always, 2 sometimes.
    private mutating func has(_ kind: Int) -> Bool { kind == 1 || kind == 2 && generator.chance(2) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &generator)]
    }
}

extension SampleColumns {
    static func encoded(_ samples: SampleSet) -> [UInt8] {
        var bytes: [UInt8] = []
        encode(samples, into: &bytes)
        return bytes
    }

    static func decoded(_ bytes: [UInt8], samplesMax: Int = Segment.samplesMax) throws -> SampleSet {
        try bytes.withUnsafeBytes { try decode($0, samplesMax: samplesMax) }
    }
}
