import Database
import Foundation
public import History
public import Privacy
public import Vitals

/// Reads rollups by their grants (DATA-5): what stands in the tables, and beside it what the newest samples come to.
public struct HistoryReader: SeriesSubjectStore {
    let store: SeriesStore

    public enum Resolution: Sendable, Hashable {
        case minutes, hours
        /// By hours, how many minutes have which mean (``Rollup/init(meansOf:)``). Of heart rates alone.
        case means

        fileprivate var length: Milliseconds { self == .minutes ? 60_000 : RollupHour.length }

        fileprivate var level: RollupStore.Level {
            switch self {
            case .minutes: .minutes
            case .hours: .hours
            case .means: .means
            }
        }
    }

    /// The kind and span to look for.
    private struct Look {
        let kind: DataKind
        let resolution: Resolution
        let owner: RollupOwner
        /// The minutes or hours that begin within the span.
        let wanted: Range<Int64>
        /// In which they lie.
        let hours: ClosedRange<Int64>

        init(_ kind: DataKind, _ resolution: Resolution, _ owner: RollupOwner, _ from: Milliseconds, _ to: Milliseconds) {
            (self.kind, self.resolution, self.owner) = (kind, resolution, owner)
            func begun(_ time: Milliseconds) -> Int64 {
                let number = time.flooredQuotient(by: resolution.length)
                return number * resolution.length == time ? number : number + 1
            }
            wanted = begun(from)..<begun(to)
            hours = RollupHour.number(of: from)...RollupHour.number(of: to - 1)
        }
    }

    /// The rollups of a kind, by the minutes or hours since 1970 (UTC) that begin within a span.
    /// - Parameters:
    ///   - from: UTC milliseconds, included.
    ///   - to: UTC milliseconds, not included.
    /// - Returns: nil when the grant does not hold (any more), or names the kind not.
    public func rollups(
        _ grant: Grant, of kind: DataKind, by resolution: Resolution, from: Milliseconds, to: Milliseconds, now: Milliseconds
    ) throws -> [Int64: Rollup]? {
        guard grant.kinds.contains(kind) else { return nil }
        return try reading(grant, now: now) {
            guard from < to, RollupRule(kind) != nil, resolution != .means || kind.hasMeans,
                let row = try accounts.row(of: grant.person), let key = try keys.key(of: grant.person)
            else { return [:] }
            return try rollups(Look(kind, resolution, RollupOwner(person: grant.person, row: row, key: key), from, to))
        }
    }

    /// Whether raw data of a kind is there from a time on; false when the grant does not hold (any more).
    public func isWhole(_ grant: Grant, of kind: DataKind, from: Milliseconds, now: Milliseconds) throws -> Bool {
        try reading(grant, now: now) {
            guard let row = try accounts.row(of: grant.person) else { return false }
            return try RollupHour.number(of: from) >= series.read { try store.rollups.kept(kind, of: row, $0).whole }
        } ?? false
    }

    /// Overwriting goes on beside a reading: what it closed meanwhile is read again.
    private static let looksMax = 10

    private func rollups(_ look: Look) throws -> [Int64: Rollup] {
        for _ in 0..<Self.looksMax {
            if let found = try found(look) { return found }
        }
        throw HubStoreError.database(path: series.path, reason: "raw data is overwritten faster than it can be read")
    }

    /// - Returns: nil when raw data was overwritten meanwhile.
    private func found(_ look: Look) throws -> [Int64: Rollup]? {
        let (kind, owner, hours) = (look.kind, look.owner, look.hours)
        // Before the tables: what is merged after this is due there.
        var fresh = try pending(of: owner.row, hours)
        var (found, whole) = try series.read { db in
            for due in try due(kind, hours, of: owner.row, db) { fresh.formUnion(due) }
            return (try stored(look, db), try store.rollups.kept(kind, of: owner.row, db).whole)
        }
        fresh = fresh.filter { $0 >= whole }
        for window in fresh.windows {
            let minutes = try store.rollups.rawMinutes(kind, window, of: owner, isMerged: false)
            for hour in window where fresh.contains(hour) {
                let row = RollupHour.row(hour, of: minutes)
                func put(_ number: Int64, _ rollup: Rollup?) { if look.wanted.contains(number) { found[number] = rollup } }
                switch look.resolution {
                case .hours: put(hour, row.slots.isEmpty ? nil : row.total)
                case .means: put(hour, row.slots.isEmpty ? nil : row.means)
                case .minutes: for slot in 0..<60 { put(hour * 60 + Int64(slot), row.slots[slot]) }
                }
            }
        }
        let wholeNow = try series.read { try store.rollups.kept(kind, of: owner.row, $0).whole }
        return wholeNow == whole ? found : nil
    }

    /// The hours in which something waits to be merged.
    private func pending(of row: Int64, _ hours: ClosedRange<Int64>) throws -> Set<Int64> {
        try store.waiting(row).reduce(into: []) { found, segment in
            let waiting = RollupHour.number(of: segment.lowerBound)...RollupHour.number(of: segment.upperBound)
            if hours.overlaps(waiting) { found.formUnion(waiting.clamped(to: hours)) }
        }
    }

    private func due(_ kind: DataKind, _ hours: ClosedRange<Int64>, of row: Int64, _ db: Connection) throws -> [ClosedRange<Int64>] {
        try db.fetchAll(
            sql: "SELECT first, last FROM rollup_due WHERE person = ? AND kind = ? AND first <= ? AND last >= ?",
            arguments: [row, kind.column.rawValue, hours.upperBound, hours.lowerBound]
        ).map { row in
            let first: Int64 = row[0], last: Int64 = row[1]
            return (first...last).clamped(to: hours)
        }
    }

    private func stored(_ look: Look, _ db: Connection) throws -> [Int64: Rollup] {
        let (kind, owner, hours, level) = (look.kind, look.owner, look.hours, look.resolution.level)
        guard let rule = RollupRule(kind) else { return [:] }
        let slots: Int64 = level == .minutes ? 60 : 24
        let first = level == .minutes ? hours.lowerBound : RollupHour.day(of: hours.lowerBound).day
        let last = level == .minutes ? hours.upperBound : RollupHour.day(of: hours.upperBound).day
        let rows = try db.fetchCursor(
            sql: "SELECT start, envelope FROM rollup WHERE person = ? AND kind = ? AND level = ? AND start BETWEEN ? AND ?",
            arguments: [owner.row, kind.rawValue, level.rawValue, first, last])
        var found: [Int64: Rollup] = [:]
        let wanted = look.wanted
        while let row = try rows.next() {
            let start: Int64 = row[0]
            try store.rollups.open(row[1], kind, level, start, of: owner, by: rule) { slot, rollup in
                let number = start * slots + Int64(slot)
                if wanted.contains(number) { found[number] = rollup }
            }
        }
        return found
    }
}

extension Set<Int64> {
    /// The hours in runs that are read at once, of two days at most.
    fileprivate var windows: [ClosedRange<Int64>] {
        sorted().reduce(into: []) { windows, hour in
            if let last = windows.last, hour - last.lowerBound < 48 {
                windows[windows.count - 1] = last.lowerBound...hour
            } else {
                windows.append(hour...hour)
            }
        }
    }
}

extension SeriesStore {
    public var rollups: RollupStore { RollupStore(store: self) }
    public var history: HistoryReader { HistoryReader(store: self) }
}
