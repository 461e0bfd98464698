import Foundation

/// Sound as a telephone carries it: one channel, 8,000 samples a second, 16 bits.
struct Sound: Sendable, Hashable {
    static let rate = 8000
    var samples: [Int16]

    init(samples: [Int16]) { self.samples = samples }

    static func silence(milliseconds: Int) -> Sound { Sound(samples: [Int16](repeating: 0, count: rate * milliseconds / 1000)) }

    var milliseconds: Int { samples.count * 1000 / Self.rate }

    /// The sound from a file that a speech program wrote.
    /// - Parameter wav: PCM of 16 bits with one channel, of any rate from 8,000 to 48,000 a second.
    /// - Returns: nil for anything else.
    init?(wav: [UInt8]) {
        func number(_ at: Int, _ count: Int) -> Int { (0..<count).reduce(0) { $0 | Int(wav[at + $1]) << (8 * $1) } }
        func isNamed(_ name: String, _ at: Int) -> Bool { Array(wav[at..<at + 4]) == Array(name.utf8) }
        guard wav.count > 44, isNamed("RIFF", 0), isNamed("WAVE", 8) else { return nil }
        var at = 12, rate = 0
        while at + 8 <= wav.count {
            let size = number(at + 4, 4), body = at + 8
            if isNamed("fmt ", at), size >= 16, body + 16 <= wav.count {
                // PCM, one channel, 16 bits.
                guard number(body, 2) == 1, number(body + 2, 2) == 1, number(body + 14, 2) == 16 else { return nil }
                rate = number(body + 4, 4)
            } else if isNamed("data", at) {
                guard (Self.rate...48_000).contains(rate) else { return nil }
                // A program that writes to a pipe does not know the size.
                let end = min(wav.count, body + size) & ~1 | body & 1
                let source = stride(from: body, to: max(body, end - 1), by: 2).map { Int16(bitPattern: UInt16(number($0, 2))) }
                samples = Self.resampled(source, from: rate)
                return
            }
            at = body + size + size % 2
        }
        return nil
    }

    /// A RIFF file.
    var wav: [UInt8] {
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let size = samples.count * 2
        var file = Array("RIFF".utf8) + bytes(36 + size, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4)
        file += bytes(1, 2) + bytes(1, 2) + bytes(Self.rate, 4) + bytes(Self.rate * 2, 4) + bytes(2, 2) + bytes(16, 2)
        file += Array("data".utf8) + bytes(size, 4)
        file.reserveCapacity(file.count + size)
        for sample in samples {
            file.append(UInt8(truncatingIfNeeded: sample))
            file.append(UInt8(truncatingIfNeeded: sample >> 8))
        }
        return file
    }

    /// Half the length of the filter, in samples of the telephone: 16 leave less than 1 % of what lies above 4 kHz.
    private static let reach = 16

    /// By a windowed sinc: what a telephone cannot carry must not come back as noise.
    static func resampled(_ source: [Int16], from rate: Int) -> [Int16] {
        guard rate != Self.rate, !source.isEmpty else { return source }
        let step = Double(rate) / Double(Self.rate), half = Double(reach) * step
        // 3.6 kHz: the filter needs room to fall before 4 kHz.
        let cut = 0.9 / step
        let count = Int(Double(source.count) / step)
        let positions = 64
        // One filter for each 1/64 of a sample: the sines are computed once.
        let width = Int(half.rounded(.up)) * 2 + 1
        let filters = (0..<positions).map { position -> [Float] in
            let offset = Double(position) / Double(positions)
            return (0..<width).map { index in
                let distance = Double(index - width / 2) - offset
                guard abs(distance) < half else { return 0 }
                let angle = distance * cut * .pi
                let sinc = angle == 0 ? 1 : sin(angle) / angle
                let window = 0.5 + 0.5 * sin(.pi * distance / half + .pi / 2)
                return Float(cut * sinc * window)
            }
        }
        return (0..<count).map { index in
            let place = Double(index) * step, whole = Int(place)
            let filter = filters[min(positions - 1, Int((place - Double(whole)) * Double(positions)))]
            var sum: Float = 0
            let first = whole - width / 2
            for tap in 0..<width where source.indices.contains(first + tap) { sum += filter[tap] * Float(source[first + tap]) }
            return Int16(max(-32_768, min(32_767, sum.rounded())))
        }
    }

    /// As loud as the samples can carry: who is called may be old, or in a noisy place.
    var louder: Sound {
        let peak = samples.lazy.map { abs(Int($0)) }.max() ?? 0
        guard peak > 0 else { return self }
        return Sound(samples: samples.map { Int16(clamping: Int($0) * 29_000 / peak) })
    }

    /// A message, said from the start again and again with a pause between, until it fills a call.
    /// - Parameters:
    ///   - between: what is said before each repetition.
    ///   - milliseconds: of the whole. The message is whole in it twice at least, where it is short enough.
    static func repeating(_ message: Sound, between: Sound, milliseconds: Int) -> Sound {
        let pause = silence(milliseconds: pause).samples
        // A telephone is on its way to the ear when it is answered.
        var samples = silence(milliseconds: lead).samples + message.samples
        while samples.count < rate * milliseconds / 1000 { samples += pause + between.samples + pause + message.samples }
        samples.removeLast(samples.count - rate * milliseconds / 1000)
        return Sound(samples: samples)
    }

    static let lead = 600, pause = 800
}
