import Foundation
import Glibc
import Vitals

/// One event of a run's public stream, as far as it is looked at.
struct RaceEvent: Decodable {
    /// A runner's line; `seen` is the UTC millisecond of the newest fix in it, 0 for none.
    struct Row: Equatable {
        var bib: Int
        var metres: Int
        var seen: Milliseconds
    }

    var seq: Int
    /// UTC milliseconds of the hub.
    var t: Milliseconds
    /// Of everybody, in a snapshot; else of those of whom more changed than the metres.
    var rows: [Row] = []
    /// Runners who moved on: bibs and metres gained.
    var moved: [(bib: Int, metres: Int)] = []
    /// Runners who are public no more.
    var gone: [Int] = []

    private enum Key: String, CodingKey { case seq, t, rows, m, r, x }

    /// A row has as many fields as these, or two more: where somebody is beside the course.
    static let fields = [8, 10]

    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        seq = try values.decode(Int.self, forKey: .seq)
        t = try values.decode(Milliseconds.self, forKey: .t)
        gone = try values.decodeIfPresent([Int].self, forKey: .x) ?? []
        for key in [Key.rows, .r] {
            for row in try values.decodeIfPresent([[Int64]].self, forKey: key) ?? [] {
                guard Self.fields.contains(row.count) else {
                    throw DecodingError.dataCorruptedError(forKey: key, in: values, debugDescription: "a row of \(row.count) fields")
                }
                rows.append(Row(bib: Int(row[0]), metres: Int(row[3]), seen: row[7]))
            }
        }
        let flat = try values.decodeIfPresent([Int].self, forKey: .m) ?? []
        guard flat.count.isMultiple(of: 2) else {
            throw DecodingError.dataCorruptedError(forKey: .m, in: values, debugDescription: "\(flat.count) numbers are no pairs")
        }
        moved = stride(from: 0, to: flat.count, by: 2).map { (flat[$0], flat[$0 + 1]) }
    }
}

/// Cuts a stream of Server-Sent Events into its events. Of each line only the beginning is kept, unless all of it is wanted, so that thousands of
/// readers cost little.
struct RaceLines {
    enum Kind { case snapshot, delta, end, other }

    struct Event {
        var kind: Kind
        /// Bytes of its data.
        var size: Int
        /// The count of the event; nil where it has none.
        var sequence: Int?
        /// The data itself, where it is kept.
        var data: [UInt8]
    }

    /// As much as holds `data: {"seq":NUMBER`.
    private static let headMax = 48
    /// The longest line that is kept whole: a snapshot of 50,000 runners has some 3 MB.
    private static let lineMax = 8 << 20
    private static let field = Array("data: ".utf8), name = Array("event: ".utf8), count = Array("\"seq\":".utf8)

    private let keepsAll: Bool
    private var line: [UInt8] = []
    /// Of the whole line, which is longer than what is kept of it.
    private var length = 0
    private var kind = Kind.other
    private var event: Event?

    init(keepsAll: Bool) { self.keepsAll = keepsAll }

    /// Takes the next bytes, and calls `each` with every event that is complete with them.
    mutating func take(_ bytes: UnsafeRawBufferPointer, _ each: (Event) -> Void) {
        var start = 0
        while start < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
            guard let base = rest.baseAddress, let found = memchr(base, Int32(UInt8(ascii: "\n")), rest.count) else { return keep(rest) }
            let length = UnsafeRawPointer(found) - base
            keep(UnsafeRawBufferPointer(rebasing: rest[..<length]))
            endLine(each)
            start += length + 1
        }
    }

    private mutating func keep(_ piece: UnsafeRawBufferPointer) {
        length += piece.count
        let most = keepsAll ? Self.lineMax : Self.headMax
        if line.count < most { line.append(contentsOf: piece.prefix(most - line.count)) }
    }

    private mutating func endLine(_ each: (Event) -> Void) {
        defer {
            line.removeAll(keepingCapacity: true)
            length = 0
        }
        if length == 0 {
            if let event { each(event) }
            (event, kind) = (nil, .other)
        } else if line.starts(with: Self.name) {
            kind = line.count > 7 ? Self.kind(line[7]) : .other
        } else if line.starts(with: Self.field) {
            event = Event(kind: kind, size: length - Self.field.count, sequence: sequence, data: keepsAll ? Array(line.dropFirst(6)) : [])
        }
    }

    private static func kind(_ letter: UInt8) -> Kind {
        switch letter {
        case UInt8(ascii: "s"): .snapshot
        case UInt8(ascii: "d"): .delta
        case UInt8(ascii: "e"): .end
        default: .other
        }
    }

    private var sequence: Int? {
        let head = line.dropFirst(7)
        guard head.starts(with: Self.count) else { return nil }
        var value: Int?
        for byte in head.dropFirst(Self.count.count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            value = (value ?? 0) &* 10 &+ Int(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
