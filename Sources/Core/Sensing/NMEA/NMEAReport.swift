/// Why something in an NMEA log was not used.
public enum NMEASkip: UInt8, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    case badChecksum
    case cutShort
    case malformedField
    case tooLong
    case noise
    case emptyPosition

    public var description: String {
        switch self {
        case .badChecksum: "sentence with a wrong checksum"
        case .cutShort: "sentence cut short, or run into by the next one"
        case .malformedField: "sentence with a field that cannot be"
        case .tooLong: "line longer than 1,024 bytes"
        case .noise: "line that is no sentence"
        case .emptyPosition: "sentence that claims a fix and has no position"
        }
    }
}

/// The contents of an NMEA log: sentences that were used, and those skipped, by reason.
public struct NMEAReport: Sendable, Hashable, CustomStringConvertible {
    public internal(set) var bytes: Int64 = 0
    /// Sentences with a right checksum, or without one and complete.
    public internal(set) var sentences: UInt64 = 0
    public internal(set) var fixes: UInt64 = 0
    /// Epochs in which the receiver said that it has no fix.
    public internal(set) var voidEpochs: UInt64 = 0
    /// Lines that begin with `#`: what gpsd's logs use.
    public internal(set) var comments: UInt64 = 0
    /// Sentences without a checksum that were used: the standard demands one, some receivers send none.
    public internal(set) var withoutChecksum: UInt64 = 0
    public internal(set) var datesMissing: UInt64 = 0
    public internal(set) var datesImpossible: UInt64 = 0
    public internal(set) var datesBeforeFloor: UInt64 = 0
    public internal(set) var datesCorrected: UInt64 = 0
    /// Neighbouring dates that lie a multiple of 1024 weeks apart.
    public internal(set) var weekRollovers: UInt64 = 0
    /// Fixes that are older than the one before.
    public internal(set) var timesBackwards: UInt64 = 0
    private var counts = [UInt64](repeating: 0, count: NMEASkip.allCases.count)
    var kinds = NMEAKinds()

    public subscript(reason: NMEASkip) -> UInt64 { counts[Int(reason.rawValue)] }

    /// Everything that was not used, in a fixed order, without the reasons that were never met.
    public var skipped: [(reason: NMEASkip, count: UInt64)] {
        NMEASkip.allCases.compactMap { self[$0] > 0 ? ($0, self[$0]) : nil }
    }

    /// Lines that are damaged: what an operator should look at.
    public var damaged: UInt64 { skipped.reduce(0) { $0 + $1.count } }

    /// The number of sentences read of each kind, and which of these are used.
    public var sentencesByKind: [(name: String, count: UInt64, isUsed: Bool)] { kinds.list }

    mutating func skip(_ reason: NMEASkip) { counts[Int(reason.rawValue)] += 1 }

    public var description: String {
        let used = kinds.list.filter(\.isUsed).map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        let other = kinds.list.filter { !$0.isUsed }.map { "\($0.name) \($0.count)" }.joined(separator: ", ")
        var lines = ["NMEA 0183: \(bytes) bytes, \(sentences) sentences, \(fixes) fixes, \(voidEpochs) times without a fix"]
        if !used.isEmpty { lines.append("read: \(used)") }
        if !other.isEmpty { lines.append("not needed: \(other)") }
        if kinds.leftOut > 0 { lines.append("not needed: \(kinds.leftOut) sentences of still more kinds") }
        if comments > 0 { lines.append("comment lines: \(comments)") }
        lines += skipped.map { "skipped: \($0.count) x \($0.reason)" }
        let notes: [(UInt64, String)] = [
            (withoutChecksum, "sentences without a checksum were used"),
            (datesMissing, "fixes have no date: no RMC or ZDA sentence gave one"),
            (datesImpossible, "impossible dates were ignored"),
            (datesBeforeFloor, "fixes are dated before the earliest credible date (the receiver may be 1024 weeks off)"),
            (datesCorrected, "dates were CORRECTED by a multiple of 1024 weeks"),
            (weekRollovers, "times the date jumped by a multiple of 1024 weeks"),
            (timesBackwards, "fixes are older than the one before"),
        ]
        lines += notes.filter { $0.0 > 0 }.map { "warning: \($0.0) \($0.1)" }
        return lines.joined(separator: "\n")
    }
}

/// Sentences by their address field, at most ``kindsMax`` kinds.
struct NMEAKinds: Sendable, Hashable {
    static let kindsMax = 64
    /// Up to eight characters, the first in the lowest byte.
    private var names: [UInt64] = []
    private var counts: [UInt64] = []
    private var used: [Bool] = []
    private(set) var leftOut: UInt64 = 0

    var list: [(name: String, count: UInt64, isUsed: Bool)] {
        names.indices.map { (Self.text(names[$0]), counts[$0], used[$0]) }.sorted { $0.0 < $1.0 }
    }

    /// The kinds of a log come in turns and are few: a search from the front is as fast as a table.
    mutating func count(_ name: UInt64, isUsed: Bool) {
        if let index = names.firstIndex(of: name) {
            counts[index] += 1
            return
        }
        guard names.count < Self.kindsMax else {
            leftOut += 1
            return
        }
        names.append(name)
        counts.append(1)
        used.append(isUsed)
    }

    private static func text(_ packed: UInt64) -> String {
        var text = ""
        for index in 0..<8 {
            let byte = UInt8(truncatingIfNeeded: packed >> UInt64(8 * index))
            if byte != 0 { text.unicodeScalars.append(Unicode.Scalar(byte)) }
        }
        return text
    }
}
