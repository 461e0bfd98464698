import Database
import Foundation
public import Privacy
public import Vitals

/// A segment as it arrived, with what tells its samples apart (design rule 2).
public struct ArrivedSegment: Sendable, Hashable {
    /// The journal row in which it stands.
    public let journal: Int64
    public let stream: StreamID
    public let sequence: UInt64
    public let provenance: Provenance
    /// UTC milliseconds.
    public let received: Milliseconds
    /// Times are UTC; each kind in the order of the segment, whose places are the indexes of sample keys.
    public let samples: SampleSet

    /// The same with its times moved, for a reader whose clock is ahead by `offset` milliseconds.
    public func shifted(by offset: Milliseconds) -> ArrivedSegment {
        guard offset != 0 else { return self }
        var moved = samples, edit = Shift(offset: offset)
        moved.edit(&edit)
        return ArrivedSegment(
            journal: journal, stream: stream, sequence: sequence, provenance: provenance, received: received + offset, samples: moved)
    }
}

private struct Shift: SampleEdit {
    let offset: Milliseconds

    func edit<Sample: TimedSample>(_ samples: inout [Sample]) {
        for index in samples.indices { samples[index].move(to: samples[index].time + offset) }
    }
}

/// The arrivals for a person behind a place of the journal.
public struct NewArrivals: Sendable, Hashable {
    public let segments: [ArrivedSegment]
    /// The place of the journal up to which this is all.
    public let upTo: Int64
}

extension DetectionReader {
    private struct Asked {
        let person: PersonID
        let taken: [PendingSegment]
        let upTo: Int64
    }

    /// The arrivals for some people, for the hub's own detector: one reading for all of them, since readings wait for each other when thousands
    /// send. What is merged already is ten minutes old: nobody is called for that any more. Where one person's cannot be read, the others' is.
    /// - Parameter questions: grants of the hub itself, for detection, and the place of the journal behind which to look.
    /// - Returns: an answer for each question, in their order.
    public func arrivals(_ questions: [(grant: Grant, after: Int64)], max: Int = 200) throws -> [Result<NewArrivals, any Error>] {
        let asked = questions.map { question in Result { try pending(question.grant, after: question.after, max: max) } }
        let taken = asked.flatMap { (try? $0.get().taken) ?? [] }
        guard !taken.isEmpty else { return asked.map { $0.map { NewArrivals(segments: [], upTo: $0.upTo) } } }
        let streams = try names(of: Set(taken.map { Int64($0.stream) }))
        return try journal.read { db in
            let receivedAt = try db.cachedStatement(sql: "SELECT received FROM journal WHERE id = ?")
            func segment(_ segment: PendingSegment, of person: PersonID) throws -> ArrivedSegment? {
                // Merged a moment ago: it had waited for ten minutes.
                guard let received = try receivedAt.fetchOne(Milliseconds.self, arguments: [segment.journal]),
                    let (stream, provenance) = streams[Int64(segment.stream)]
                else { return nil }
                var samples = try store.samples(of: segment, person: person, db)
                (samples.clocks, samples.unknown, samples.gaps) = ([], [], [])
                return ArrivedSegment(
                    journal: segment.journal, stream: stream, sequence: segment.sequence, provenance: provenance, received: received,
                    samples: try store.inUTC(samples, clock: Int64(segment.clock)))
            }
            return asked.map { asked in
                asked.flatMap { asked in
                    Result { NewArrivals(segments: try asked.taken.compactMap { try segment($0, of: asked.person) }, upTo: asked.upTo) }
                }
            }
        }
    }

    private func pending(_ grant: Grant, after journalRow: Int64, max: Int) throws -> Asked {
        func nothing(_ upTo: Int64) -> Asked { Asked(person: grant.person, taken: [], upTo: upTo) }
        guard grant.ground == .system(.detection), let row = try accounts.row(of: grant.person) else { return nothing(journalRow) }
        let (waiting, last) = store.state.withLock { ($0.pending[row] ?? [], $0.lastJournal) }
        // From another life of this database: only what comes from here on.
        guard journalRow <= last else { return nothing(last) }
        let new = waiting.filter { $0.journal > journalRow }
        // A row of the journal is looked at as a whole.
        var taken = Array(new.prefix(min(max, new.count(within: SeriesReader.waitingMax, unknown: SeriesReader.waitingUnknown))))
        if let end = taken.last?.journal { taken += new.dropFirst(taken.count).prefix { $0.journal == end } }
        let upTo = taken.count == new.count ? Swift.max(journalRow, last, taken.last?.journal ?? 0) : taken.last?.journal ?? last
        return Asked(person: grant.person, taken: taken, upTo: upTo)
    }

    /// The newest place of the journal.
    public var newestArrival: Int64 { store.state.withLock { $0.lastJournal } }

    private func names(of rows: Set<Int64>) throws -> [Int64: (StreamID, Provenance)] {
        try series.read { db in
            let statement = try db.cachedStatement(sql: "SELECT stream, provenance FROM stream WHERE id = ?")
            return try rows.reduce(into: [:]) { found, row in
                guard let stored = try statement.fetchOne(arguments: [row]), let id = StreamID(bytes: stored[0] as Data) else {
                    return
                }
                found[row] = (id, Provenance(rawValue: stored[1]) ?? .replay)
            }
        }
    }
}
