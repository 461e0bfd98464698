import Database
import Foundation
public import Privacy
public import Vitals

extension EmergencyReader {
    /// Reads a person's data for the emergency chain: only with an open case of theirs, and nothing from before the grant's beginning.
    /// - Returns: nil when the grant does not hold (any more).
    public func read(_ grant: Grant, from: Milliseconds, to: Milliseconds, now: Milliseconds) throws -> Reading? {
        guard case .sos(let since) = grant.ground, try keys.key(of: grant.person) != nil else { return nil }
        return try cases.whileOpen(grant.person) {
            guard let row = try accounts.row(of: grant.person) else { return Reading() }
            let (streams, received, _) = try store.reader.readStreams(
                grant.person, row: row, kinds: grant.kinds, from: max(from, since), to: to)
            var reading = PrimarySource.select(streams)
            reading.received = received
            return reading
        }
    }

    /// Times before 2020 are those of a clock that nobody had set: what they belong to has no age.
    private static let earliest: Milliseconds = 1_577_836_800_000
    /// A clock may be so far ahead of the hub's. What claims to be of later has no age either.
    private static let aheadMax: Milliseconds = 120_000
    /// How far is looked back at first; twice as far each time that nothing was found there.
    private static let firstWindow: Milliseconds = 7_200_000

    /// Where the person was last, by whatever live stream knows it (design rule 11), however long ago: the newest position that was found, and
    /// where there is none, the place that was set for a box of theirs.
    /// - Parameter grant: ``Privacy/Grant/sosLastPosition(of:)``.
    /// - Returns: nil where nothing is known, or when the grant does not hold (any more).
    public func lastPosition(_ grant: Grant, now: Milliseconds) throws -> PositionSample? {
        guard grant.ground == .sosLastPosition, try keys.key(of: grant.person) != nil else { return nil }
        return try cases.whileOpen(grant.person) { () throws -> PositionSample? in
            guard let row = try accounts.row(of: grant.person) else { return nil }
            var fixed: PositionSample?, window = Self.firstWindow, upTo = now + Self.aheadMax
            while let newest = try newestPosition(row, upTo: upTo), newest >= Self.earliest {
                let from = max(newest - window, Self.earliest)
                let streams = try store.reader.readStreams(grant.person, row: row, kinds: grant.kinds, from: from, to: newest).streams
                let positions = streams.filter { $0.provenance == .live }.flatMap(\.samples.positions)
                if let found = positions.filter({ $0.source != .fixed }).max(by: { $0.time < $1.time }) { return found }
                fixed = fixed ?? positions.max { $0.time < $1.time }
                upTo = from - 1
                window *= 2
            }
            return fixed
        } ?? nil
    }

    /// When the newest position up to a time may be of, of any provenance; nil for none.
    private func newestPosition(_ row: Int64, upTo: Milliseconds) throws -> Milliseconds? {
        let stored = try series.read {
            try $0.fetchOne(
                Milliseconds.self,
                sql: """
                    SELECT max(CASE WHEN utc_last < ?3 THEN utc_last ELSE ?3 END) FROM block
                    WHERE person = ?1 AND kind = ?2 AND utc_first <= ?3
                    """,
                arguments: [row, DataKind.position.rawValue, upTo])
        }
        let pending = try store.state.withLock { $0.pending[row] ?? [] }.compactMap { segment -> Milliseconds? in
            let model = try store.model(clock: Int64(segment.clock))
            guard (model.utc(segment.first) ?? segment.first) <= upTo else { return nil }
            return min(model.utc(segment.last) ?? segment.last, upTo)
        }
        return [stored, pending.max()].compactMap(\.self).max()
    }
}

extension SOSStore {
    /// Runs `body` while the person has an open case; nil where there is none.
    func whileOpen<Value>(_ person: PersonID, _ body: () throws -> Value) throws -> Value? {
        try pool.read { db in
            let isOpen = try db.fetchOne(
                Bool.self, sql: "SELECT 1 FROM incident WHERE person = ? AND is_open = 1", arguments: [Data(person.bytes)])
            return isOpen == nil ? nil : try body()
        }
    }
}
