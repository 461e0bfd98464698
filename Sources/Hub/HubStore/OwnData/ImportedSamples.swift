import Database
import Foundation
import Privacy
public import Vitals

extension ImportStore {
    /// Goes through what is stored of a person in some hours, whatever it came by, merged or not.
    ///
    /// A block of a clock that jumped by more than an hour may be missed: then a sample is taken for new that is there.
    /// - Parameters:
    ///   - kinds: whole columns of them are read.
    ///   - hours: since 1970, UTC.
    ///   - take: gets each of the hours with its samples in UTC, all sources together; it may be called again from the first one on.
    /// - Throws: ``HubStoreError/unknownPerson(_:)`` for somebody unknown or deleted, and what `take` throws.
    public func present(
        of person: PersonID, kinds: Set<DataKind>, hours: [Int64], _ take: (Int64, SampleSet) throws -> Void
    ) throws {
        guard let row = try accounts.row(of: person), let key = try keys.key(of: person) else {
            throw HubStoreError.unknownPerson(person.description)
        }
        // Merging may empty the journal between looking and reading: then look again.
        for _ in 0..<Self.looksMax {
            do { return try look(ImportedPerson(id: person, row: row, key: key), kinds, hours, take) } catch is JournalMoved { continue }
        }
        throw HubStoreError.database(path: journal.path, reason: "a segment that should wait in it is not there")
    }

    private static let looksMax = 50

    private func look(
        _ person: ImportedPerson, _ kinds: Set<DataKind>, _ hours: [Int64], _ take: (Int64, SampleSet) throws -> Void
    ) throws {
        guard let first = hours.min(), let last = hours.max() else { return }
        let span = (first * SeriesStore.hour)...(last * SeriesStore.hour + SeriesStore.hour - 1)
        // The pending ones first: what is merged after this shows in `merged` and is left out below.
        let pending = try store.state.withLock { $0.pending[person.row] ?? [] }.filter { segment in
            let model = try store.model(clock: Int64(segment.clock))
            let from = model.utc(segment.first) ?? segment.first, to = model.utc(segment.last) ?? segment.last
            return from <= span.upperBound && to >= span.lowerBound
        }
        try series.read { db in
            let merged = try db.fetchOne(Int64.self, sql: "SELECT journal FROM merged WHERE person = ?", arguments: [person.row]) ?? 0
            var waiting: [Int64: SampleSet] = [:]
            let open = pending.filter { $0.journal > merged }
            if !open.isEmpty { waiting = try self.waiting(open, of: person, kinds, Set(hours), span) }
            for hour in hours {
                var samples = try blocks(of: person, kinds, hour: hour, db)
                if let part = waiting[hour] { samples.append(part) }
                try take(hour, samples)
            }
        }
    }

    /// Rows that wait to be merged, by the hour.
    private func waiting(
        _ segments: [PendingSegment], of person: ImportedPerson, _ kinds: Set<DataKind>, _ hours: Set<Int64>,
        _ span: ClosedRange<Milliseconds>
    ) throws -> [Int64: SampleSet] {
        var waiting: [Int64: SampleSet] = [:]
        try journal.read { db in
            for segment in segments {
                let opened = try unlessDamaged(.segment, segment) { try store.samples(of: segment, person: person.id, db) }
                guard var samples = opened else { continue }
                samples.keep(kinds)
                samples = try store.converted(samples, clock: Int64(segment.clock), from: span.lowerBound, to: span.upperBound)
                for (hour, part) in samples.byHour() where hours.contains(hour) { waiting[hour, default: SampleSet()].append(part) }
            }
        }
        return waiting
    }

    private func blocks(of person: ImportedPerson, _ kinds: Set<DataKind>, hour: Int64, _ db: Connection) throws -> SampleSet {
        let start = hour * SeriesStore.hour, end = start + SeriesStore.hour - 1
        var found = SampleSet()
        // A block holds an hour of its clock: its end bounds its beginning, and the index goes by the end.
        let rows = try db.fetchAll(
            sql: """
                SELECT id, kind, clock, hour, envelope FROM block
                WHERE person = ? AND utc_last >= ? AND utc_last <= ? AND utc_first <= ? AND +kind IN (\(kinds.blocks))
                """,
            arguments: [person.row, start, end + SeriesStore.hour, end])
        for row in rows {
            let (kind, clock) = (row[1] as UInt8, row[2] as Int64)
            let place = Envelope.Place(
                person: person.id, table: .block, row: (UInt64(kind) << 32 | UInt64(clock), UInt64(bitPattern: row[3] as Int64)))
            let opened = try unlessDamaged(.block, row[0] as Int64) {
                try SeriesStore.columns(Envelope.open(row[4] as Data, with: person.key, at: place))
            }
            guard var samples = opened else { continue }
            samples.keep(kinds)
            found.append(try store.converted(samples, clock: clock, from: start, to: end))
        }
        return found
    }
}

private struct ImportedPerson {
    let id: PersonID
    let row: Int64
    let key: PersonKey
}

extension SampleSet {
    /// The samples by the hour (since 1970, UTC) of their times, each kind in its order. Clock records and unknown columns are left out.
    public func byHour() -> [Int64: SampleSet] {
        var hours: [Int64: SampleSet] = [:]
        func hour(_ time: Milliseconds) -> Int64 { (time >= 0 ? time : time - SeriesStore.hour + 1) / SeriesStore.hour }
        for sample in heartRates { hours[hour(sample.time), default: SampleSet()].heartRates.append(sample) }
        for sample in positions { hours[hour(sample.time), default: SampleSet()].positions.append(sample) }
        for sample in events { hours[hour(sample.time), default: SampleSet()].events.append(sample) }
        for sample in gaps { hours[hour(sample.time), default: SampleSet()].gaps.append(sample) }
        for sample in scalars { hours[hour(sample.time), default: SampleSet()].scalars.append(sample) }
        return hours
    }
}
