import Glibc
import Sensing
import SourceThread

/// Samples into a modem's serial port, at the pace of speech: such a port has no clock of its own.
enum AudioPort {
    /// Milliseconds in one piece.
    private static let piece: Int64 = 20
    /// A port that takes nothing for so long is stuck, in milliseconds.
    private static let patience: Int64 = 2000

    /// Plays a WAV file of 16 bits to its end, or until stopped. nil when it went well.
    static func play(_ file: String, on path: String, rate: Int, stop: StopSignal) -> SourceProblem? {
        func problem(_ why: String) -> SourceProblem {
            SourceProblem(
                what: "Nothing is heard in the call: \(path) \(why)",
                advice: "Allow the service to write there (DeviceAllow=\(path) rw and SupplementaryGroups=dialout)", retries: true)
        }
        guard let samples = WaveFile(file)?.samples(at: rate) else {
            return SourceProblem(
                what: "Nothing is heard in the call: the words were not made", advice: "Try espeak-ng hello", retries: true)
        }
        let port = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
        guard port >= 0 else { return problem("cannot be opened: \(String(cString: strerror(errno)))") }
        defer { close(port) }
        var settings = termios()
        if tcgetattr(port, &settings) == 0 {
            cfmakeraw(&settings)
            tcsetattr(port, TCSANOW, &settings)
        }
        let bytes = samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let size = rate * 2 * Int(piece) / 1000, begin = Boottime.now()
        for (index, start) in stride(from: 0, to: bytes.count, by: size).enumerated() {
            if stop.wait(milliseconds: begin + Int64(index) * piece - Boottime.now()) == .stopped { return nil }
            if let why = write(bytes[start..<min(start + size, bytes.count)], to: port, stop) { return problem(why) }
        }
        return nil
    }

    private static func write(_ bytes: ArraySlice<UInt8>, to port: Int32, _ stop: StopSignal) -> String? {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(port, $0.baseAddress, $0.count) }
            if count > 0 { rest = rest.dropFirst(count) } else if errno != EAGAIN { return String(cString: strerror(errno)) }
            if rest.isEmpty { return nil }
            switch stop.wait(for: port, events: Int32(POLLOUT), milliseconds: patience) {
            case .ready: continue
            case .stopped: return nil
            case .timedOut: return "takes nothing"
            }
        }
        return nil
    }
}

/// The samples of a WAV file (RIFF, PCM, 16 bits, mono), as espeak-ng writes them.
struct WaveFile {
    /// 10 minutes at 22 kHz.
    private static let bytesMax = 26_000_000
    let rate: Int
    let samples: [Int16]

    init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = [], part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.bytesMax {
            let count = read(descriptor, &part, part.count)
            guard count > 0 else { break }
            bytes += part.prefix(count)
        }
        self.init(bytes)
    }

    init?(_ bytes: [UInt8]) {
        func number(_ offset: Int, _ size: Int) -> Int { (0..<size).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) } }
        guard bytes.count >= 44, bytes.starts(with: "RIFF".utf8), bytes[8...].starts(with: "WAVEfmt ".utf8) else { return nil }
        guard number(20, 2) == 1, number(22, 2) == 1, number(34, 2) == 16, (1000...192_000).contains(number(24, 4)) else { return nil }
        rate = number(24, 4)
        var offset = 20 + number(16, 4)
        while offset + 8 <= bytes.count, !bytes[offset...].starts(with: "data".utf8) { offset += 8 + number(offset + 4, 4) }
        guard offset + 8 <= bytes.count else { return nil }
        let end = min(bytes.count, offset + 8 + number(offset + 4, 4))
        samples = stride(from: offset + 8, to: end - 1, by: 2).map { Int16(truncatingIfNeeded: number($0, 2)) }
    }

    /// At another rate, by straight lines between samples: enough for a telephone.
    func samples(at wanted: Int) -> [Int16] {
        let count = samples.count * wanted / rate
        return (0..<count).map { index in
            let position = Double(index) * Double(rate) / Double(wanted), first = min(Int(position), samples.count - 1)
            let next = samples[min(first + 1, samples.count - 1)], part = position - Double(first)
            return Int16(Double(samples[first]) * (1 - part) + Double(next) * part)
        }
    }
}
