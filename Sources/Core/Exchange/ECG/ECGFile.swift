public import Vitals

/// The contents of a file with electrocardiograms (DATA-2): EDF and EDF+, Apple Health's CSV of one ECG, or FHIR R4 Observations with SampledData.
public struct ECGFile: Sendable, Hashable {
    /// The format of the file. The names stand in texts.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        case edf, apple, fhir
    }

    /// Contents of the file that are not kept.
    public enum LeftOut: String, Sendable, Hashable, CaseIterable {
        /// Signals of an EDF file that are no ECG.
        case signals
        /// Annotations of an EDF+ file.
        case annotations
        /// Lines of a header, such as name, date of birth and symptoms.
        case lines
        /// Resources and components that are no ECG.
        case resources
        /// Values that the device did not have, or that lay outside of what it measures. They stay gaps.
        case gaps
    }

    public let format: Format
    public internal(set) var strips: [ECGStrip] = []
    /// Problems that kept other strips of the file out.
    public internal(set) var problems: [ECGProblem] = []
    /// Counts, without those that are 0.
    public internal(set) var leftOut: [LeftOut: Int] = [:]
    /// Whether the file gives the time of a clock on the wall, without its zone.
    public internal(set) var isLocal = false

    init(_ format: Format) { self.format = format }

    mutating func leaveOut(_ what: LeftOut, _ count: Int = 1) {
        if count > 0 { leftOut[what, default: 0] += count }
    }

    /// Reads a file, whatever its name. Any bytes are safe to give.
    /// - Parameter utc: makes UTC of the time of a clock on the wall, which is given as if it were UTC; nil where that clock never showed it.
    /// - Throws: the first ``ECGProblem`` where no strip can be taken.
    public static func read(_ bytes: [UInt8], utc: (Milliseconds) -> Milliseconds?) throws(ECGProblem) -> ECGFile {
        guard bytes.count <= ECGStrip.Limits.fileBytesMax else { throw ECGProblem(.tooLarge, "\(ECGStrip.Limits.fileBytesMax)") }
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF], text = bytes.starts(with: mark) ? Array(bytes.dropFirst(3)) : bytes
        guard let first = text.first(where: { !" \t\r\n".utf8.contains($0) }) else { throw ECGProblem(.empty) }
        var file: ECGFile
        if EDFReader.isEDF(bytes) {
            file = try EDFReader(bytes: bytes).read(utc)
        } else if first == UInt8(ascii: "{") {
            file = try FHIRECGReader.read(text)
        } else if first == UInt8(ascii: "[") || first == UInt8(ascii: "<") || text.prefix(1024).contains(0) {
            throw ECGProblem(.unknownFormat)
        } else {
            file = try AppleECGReader.read(text)
        }
        if file.strips.isEmpty { throw file.problems.first ?? ECGProblem(.noECG) }
        if file.strips.count > ECGStrip.Limits.stripsMax {
            file.problems.append(ECGProblem(.tooManyStrips, "\(ECGStrip.Limits.stripsMax)"))
            file.strips = Array(file.strips.prefix(ECGStrip.Limits.stripsMax))
        }
        return file
    }
}

/// Numbers of files as they are written.
enum ECGNumber {
    /// A decimal number, with a point or a comma; nil for anything else, and for what no Double holds.
    static func read(_ text: some StringProtocol) -> Double? {
        let written = Array(text.utf8)
        guard (1...40).contains(written.count), let last = written.last, digits.contains(last) else { return nil }
        var plain: [UInt8] = []
        for byte in written {
            switch byte {
            case digits, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): plain.append(byte)
            case UInt8(ascii: ","): plain.append(UInt8(ascii: "."))
            default: return nil
            }
        }
        guard let value = Double(String(decoding: plain, as: UTF8.self)), value.isFinite else { return nil }
        return value
    }

    static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Microvolts of a unit; nil where that is no voltage.
    static func microvolts(unit: some StringProtocol) -> Double? {
        switch unit {
        case "uV", "\u{B5}V", "\u{3BC}V": 1
        case "mV": 1000
        case "V": 1_000_000
        case "nV": 0.001
        default: nil
        }
    }

    /// Whole microvolts. What is far outside of every range stays outside.
    static func value(_ microvolts: Double) -> Int32 { Int32(max(-1_000_000_000, min(1_000_000_000, microvolts.rounded()))) }

    /// A rate in thousandths of a hertz; nil where it is none.
    static func millihertz(_ hertz: Double) -> Int? {
        let value = (hertz * 1000).rounded()
        return value.isFinite && value > 0 && value < 1e12 ? Int(value) : nil
    }
}
