import Database
import Foundation
public import Vitals

extension DeviceSeries {
    /// The samples that a device's stream holds already.
    public struct Content: Sendable, Hashable {
        /// The sequence of its next segment.
        public var next: UInt64
        /// What it has of the kinds and at the instants that were asked for, and perhaps at others.
        public var samples: SampleSet
    }

    /// The samples of a device's stream at these instants (UTC). A phone sends again what it got no answer for, without numbers: what lies
    /// here already tells, also after a restart and after merging.
    public func content(
        of device: StoredDevice, kinds: Set<DataKind>, at times: Set<Milliseconds>, now: Milliseconds
    ) throws -> Content {
        let claim = SeriesStore.StreamClaim(stream: device.stream, agent: device.agent.row, provenance: device.provenance)
        guard let stream = try store.streams([claim], now: now)[device.stream] else {
            throw HubStoreError.database(path: series.path, reason: "the stream of device \(device.row) cannot be made")
        }
        let key = SeriesStore.ClockKey(stream: stream.row, domain: .wall)
        guard let clock = try store.clocks([key])[key] else {
            throw HubStoreError.database(path: series.path, reason: "the clock of device \(device.row) cannot be made")
        }
        let next = stream.received.ranges.last.map { $0.upperBound + 1 } ?? 0
        // Merging may empty the journal between looking and reading: then look again.
        for _ in 0..<Self.looksMax {
            do {
                return Content(next: next, samples: try samples(of: device, clock: clock, kinds: kinds, at: times))
            } catch is JournalMoved { continue }
        }
        throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
    }

    private static let looksMax = 50

    private func samples(
        of device: StoredDevice, clock: Int64, kinds: Set<DataKind>, at times: Set<Milliseconds>
    ) throws -> SampleSet {
        guard let key = try keys.key(of: device.person) else { throw HubStoreError.unknownPerson(device.person.description) }
        let pending = store.state.withLock { $0.pending[device.personRow] ?? [] }.filter { segment in
            Int64(segment.clock) == clock && times.contains { segment.first <= $0 && $0 <= segment.last }
        }
        var found = SampleSet()
        let merged = try series.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT envelope FROM block WHERE person = ? AND kind = ? AND clock = ? AND hour = ?")
            for hour in Set(times.map { Int64((Double($0) / 3_600_000).rounded(.down)) }) {
                for kind in Set(kinds.map(\.column)) {
                    let arguments: Arguments = [device.personRow, kind.rawValue, clock, hour]
                    guard let envelope = try statement.fetchOne(Data.self, arguments: arguments) else { continue }
                    let place = Envelope.Place(
                        person: device.person, table: .block,
                        row: (UInt64(kind.rawValue) << 32 | UInt64(clock), UInt64(bitPattern: hour)))
                    found.append(try SeriesStore.columns(Envelope.open(envelope, with: key, at: place)))
                }
            }
            return try db.fetchOne(Int64.self, sql: "SELECT journal FROM merged WHERE person = ?", arguments: [device.personRow]) ?? 0
        }
        let waiting = pending.filter { $0.journal > merged }
        guard !waiting.isEmpty else { return found }
        try journal.read { db in
            for segment in waiting { found.append(try store.samples(of: segment, person: device.person, db)) }
        }
        return found
    }
}
