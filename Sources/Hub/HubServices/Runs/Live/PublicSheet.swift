import NIOCore
import Vitals

/// The state that all spectators of a run know, and their next update (docs/runs-live.md).
struct PublicSheet: Sendable {
    /// 1e-5 degrees.
    struct Spot: Hashable, Sendable {
        var latitude: Int32, longitude: Int32
    }

    struct Row: Hashable, Sendable {
        var bib: Int
        /// Index in `RankingRow.Group.allCases`.
        var group: Int
        /// 0 for none.
        var place = 0
        /// From the start.
        var metres = 0
        /// Seconds a kilometre; 0 for none.
        var pace = 0
        /// Seconds behind the first; -1 for none.
        var gap = -1
        /// Beats per minute; 0 for none, or not public.
        var heartRate = 0
        /// UTC milliseconds; 0 for never.
        var seen: Milliseconds = 0
        /// Only off the course.
        var spot: Spot?
    }

    /// Counts up with each delta.
    private(set) var sequence = 0
    /// As spectators have them: who moved was seen when that was told.
    private var known: [Int: Row] = [:]
    /// The newest fix that was told of each.
    private var fixes: [Int: Milliseconds] = [:]
    private var names: [Int: String] = [:]
    private var order: [Int] = []
    /// When a delta was asked for last.
    private var askedAt: Milliseconds?

    /// Values that change each second are sent for one runner at intervals.
    static let turns = 5
    /// A fix that is older than three deltas, milliseconds, is told with its time: who only moved counts as seen now. The clock of a rehearsal
    /// may go on by more than a second from one to the next.
    static let freshMax: ClosedRange<Milliseconds> = 3000...30_000

    /// The next delta.
    /// - Parameters:
    ///   - rows: of everybody who is public, in their order.
    ///   - turn: counts up with each second.
    /// - Returns: nil when there is nothing to tell.
    mutating func delta(_ rows: [Row], naming: (Int) -> String, at time: Milliseconds, turn: Int) -> ByteBuffer? {
        var moved: [(bib: Int, metres: Int)] = [], changed: [Row] = [], new: [(bib: Int, name: String)] = []
        var left = Set(known.keys)
        let fresh = min(max(3 * (time - (askedAt ?? time)), Self.freshMax.lowerBound), Self.freshMax.upperBound)
        askedAt = time
        for row in rows {
            left.remove(row.bib)
            let name = naming(row.bib)
            if names[row.bib] != name {
                if !(name.isEmpty && names[row.bib] == nil) { new.append((row.bib, name)) }
                names[row.bib] = name
            }
            guard let old = known[row.bib] else {
                changed.append(row)
                (known[row.bib], fixes[row.bib]) = (row, row.seen)
                continue
            }
            let isTurn = (turn + row.bib).isMultiple(of: Self.turns), fix = fixes[row.bib] ?? 0
            let isOther = row.metres != old.metres || (isTurn && row.seen != fix)
            if Self.isSudden(old, row) || (isTurn && Self.differs(old, row)) {
                changed.append(row)
                (known[row.bib], fixes[row.bib]) = (row, row.seen)
            } else if isOther, row.seen > fix, time - row.seen <= fresh {
                moved.append((row.bib, row.metres - old.metres))
                known[row.bib]?.metres = row.metres
                known[row.bib]?.seen = time
                fixes[row.bib] = row.seen
            } else if isOther, isTurn || row.seen <= fix {
                // Nothing newer, or something old: by a delay, or out of a dead spot.
                changed.append(row)
                (known[row.bib], fixes[row.bib]) = (row, row.seen)
            }
        }
        for bib in left { (known[bib], names[bib], fixes[bib]) = (nil, nil, nil) }
        order = rows.map(\.bib)
        guard !(moved.isEmpty && changed.isEmpty && new.isEmpty && left.isEmpty) else { return nil }
        return event(time, moved: moved, changed: changed, new: new, gone: left.sorted())
    }

    /// A delta with nothing in it: a sign of life.
    mutating func quiet(at time: Milliseconds) -> ByteBuffer { event(time, moved: [], changed: [], new: [], gone: []) }

    /// Changes that are sent at once: the group, off the course and back, the first fix, a heart rate that is public no more.
    private static func isSudden(_ old: Row, _ new: Row) -> Bool {
        old.group != new.group || (old.heartRate > 0 && new.heartRate == 0) || (old.spot == nil) != (new.spot == nil)
            || (old.seen == 0) != (new.seen == 0) || old.spot != new.spot
    }

    /// A change that nobody sees on a screen is not sent.
    private static func differs(_ old: Row, _ new: Row) -> Bool {
        old.place != new.place || abs(old.pace - new.pace) > 4 || abs(old.gap - new.gap) > 1 || abs(old.heartRate - new.heartRate) > 1
            || (old.heartRate == 0) != (new.heartRate == 0) || (old.gap < 0) != (new.gap < 0)
    }

    private mutating func event(
        _ time: Milliseconds, moved: [(bib: Int, metres: Int)], changed: [Row], new: [(bib: Int, name: String)], gone: [Int]
    ) -> ByteBuffer {
        sequence += 1
        var buffer = ByteBufferAllocator().buffer(capacity: 96 + moved.count * 12 + changed.count * 64 + new.count * 48)
        buffer.begin(event: "delta")
        head(&buffer, time)
        if !moved.isEmpty {
            buffer.writeString(",\"m\":")
            buffer.list(moved) { buffer, item in
                buffer.write(item.bib)
                buffer.comma()
                buffer.write(item.metres)
            }
        }
        if !changed.isEmpty {
            buffer.writeString(",\"r\":")
            buffer.list(changed) { Self.write(&$0, row: $1) }
        }
        if !new.isEmpty {
            buffer.writeString(",\"n\":")
            Self.write(&buffer, names: new)
        }
        if !gone.isEmpty {
            buffer.writeString(",\"x\":")
            buffer.list(gone) { $0.write($1) }
        }
        buffer.writeString("}")
        buffer.endEvent()
        return buffer
    }

    /// All that the deltas so far add up to: the next one goes on from here.
    func snapshot(at time: Milliseconds, state: String) -> ByteBuffer {
        var buffer = ByteBufferAllocator().buffer(capacity: 128 + known.count * 96)
        buffer.begin(event: "snapshot")
        head(&buffer, time)
        buffer.writeString(",\"state\":")
        buffer.quoted(state)
        buffer.writeString(",\"names\":")
        Self.write(&buffer, names: order.compactMap { bib in names[bib].flatMap { $0.isEmpty ? nil : (bib, $0) } })
        buffer.writeString(",\"rows\":")
        buffer.list(order.compactMap { known[$0] }) { Self.write(&$0, row: $1) }
        buffer.writeString("}")
        buffer.endEvent()
        return buffer
    }

    private func head(_ buffer: inout ByteBuffer, _ time: Milliseconds) {
        buffer.writeString("{\"seq\":")
        buffer.write(sequence)
        buffer.writeString(",\"t\":")
        buffer.write(time)
    }

    private static func write(_ buffer: inout ByteBuffer, names: [(bib: Int, name: String)]) {
        buffer.writeString("{")
        for (index, item) in names.enumerated() {
            if index > 0 { buffer.comma() }
            buffer.writeString("\"")
            buffer.write(item.bib)
            buffer.writeString("\":")
            buffer.quoted(item.name)
        }
        buffer.writeString("}")
    }

    private static func write(_ buffer: inout ByteBuffer, row: Row) {
        buffer.writeString("[")
        for number in [row.bib, row.group, row.place, row.metres, row.pace, row.gap, row.heartRate] {
            buffer.write(number)
            buffer.comma()
        }
        buffer.write(row.seen)
        if let spot = row.spot {
            buffer.comma()
            buffer.write(spot.latitude)
            buffer.comma()
            buffer.write(spot.longitude)
        }
        buffer.writeString("]")
    }
}
