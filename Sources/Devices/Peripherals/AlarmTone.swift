/// The sound of the alarm, as a WAV file (RIFF, PCM): mono, 16 bits.
///
/// Square waves at 520 Hz: their low tone and its overtones wake more people than a beep of 3 kHz, above all those whose ears are old, and
/// small loudspeakers carry them. Every second pulse is a fifth higher, so that it is not taken for a smoke alarm.
enum AlarmTone {
    static let rate = 16_000
    private static let pulses = 6
    /// Milliseconds of a pulse, and of the silence behind it.
    private static let pulse = 350
    private static let rest = 150
    private static let loudness = 26_000.0

    static let wav: [UInt8] = {
        let samples = (0..<pulses).flatMap { index in
            tone(hertz: index.isMultiple(of: 2) ? 520 : 780) + [Int16](repeating: 0, count: rate * rest / 1000)
        }
        return header(samples: samples.count) + samples.flatMap { bytes(UInt16(bitPattern: $0)) }
    }()

    /// The same, not so loud.
    static func wav(percent: Int) -> [UInt8] {
        guard percent < 100 else { return wav }
        var result = wav
        for index in stride(from: 44, to: result.count - 1, by: 2) {
            let sample = Int(Int16(bitPattern: UInt16(result[index]) | UInt16(result[index + 1]) << 8)) * percent / 100
            (result[index], result[index + 1]) = (UInt8(truncatingIfNeeded: sample), UInt8(truncatingIfNeeded: sample >> 8))
        }
        return result
    }

    private static func tone(hertz: Int) -> [Int16] {
        let count = rate * pulse / 1000, edge = rate / 200
        return (0..<count).map { index in
            // 5 ms of rise and fall: a square wave that begins at once clicks.
            let gain = Double(min(index, count - 1 - index, edge)) / Double(edge)
            return Int16((index * hertz * 2 / rate).isMultiple(of: 2) ? gain * loudness : -gain * loudness)
        }
    }

    private static func header(samples: Int) -> [UInt8] {
        let size = UInt32(samples * 2), rate = UInt32(Self.rate)
        return Array("RIFF".utf8) + bytes(36 + size) + Array("WAVEfmt ".utf8) + bytes(UInt32(16)) + bytes(UInt16(1)) + bytes(UInt16(1))
            + bytes(rate) + bytes(rate * 2) + bytes(UInt16(2)) + bytes(UInt16(16)) + Array("data".utf8) + bytes(size)
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
