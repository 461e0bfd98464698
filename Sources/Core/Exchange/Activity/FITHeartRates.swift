internal import Vitals

/// Heart rates that a sensor stored while the device could not hear it, such as under water: messages `hr` (132). The first one says which
/// UTC the sensor's own count in 1/1024 s stands for; further ones give the count alone, whole or its last twelve bits.
struct FITHeartRates {
    private(set) var samples: [HeartRateSample] = []
    /// Values that came before any time, or were too many.
    private(set) var lost = 0, lostAt = 0
    /// UTC of a count.
    private var base: (time: Milliseconds, count: Int64)?
    private var last: Int64?

    mutating func take(_ data: FITData, _ time: Milliseconds?) {
        let counts = counts(data)
        if let time, let first = counts.first {
            let fraction = data.integer(0).map { $0 * 1000 / 32_768 } ?? data.integer(1).map { $0 * 1000 / 256 } ?? 0
            base = (time + fraction, first)
        }
        guard let field = data.field(6) else { return }
        let rates = data.integers(field)
        for (index, rate) in rates.enumerated() {
            guard let base, index < counts.count, samples.count < ActivityFile.Limits.beatsMax, let rate = UInt16(exactly: rate) else {
                if lost == 0 { lostAt = data.start }
                lost += 1
                continue
            }
            let time = base.time + (counts[index] - base.count) * 1000 / 1024
            // The last message is filled up with its last value.
            if samples.last?.time != time { samples.append(HeartRateSample(time: time, beatsPerMinute: rate)) }
        }
    }

    /// When each value was measured, in 1/1024 s.
    private mutating func counts(_ data: FITData) -> [Int64] {
        var counts: [Int64] = []
        if let field = data.field(9) {
            counts = data.integers(field)
            last = counts.last ?? last
        }
        guard let field = data.field(10), var count = last else { return counts }
        let raw = Array(data.raw(field))
        // Two of twelve bits in three bytes.
        for index in stride(from: 0, to: raw.count - 2, by: 3) {
            for low in [Int64(raw[index]) | Int64(raw[index + 1] & 15) << 8, Int64(raw[index + 1] >> 4) | Int64(raw[index + 2]) << 4] {
                count += (low - count) & 0xFFF
                counts.append(count)
            }
        }
        last = count
        return counts
    }
}
