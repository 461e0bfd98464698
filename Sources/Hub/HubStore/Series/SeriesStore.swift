import Database
import Foundation
public import Seams
import Segments
import Synchronization
public import Vitals

/// The time series of everybody: a journal of what was received, and blocks of an hour into which it is merged. Here is what ingest needs:
/// streams, clocks, sealing and appending. Each other subject has a store of its own over this one (``SeriesSubjectStore``).
///
/// Appending, merging and reading run side by side. What a person has is always the blocks plus the pending segments that lie behind the
/// person's `merged` mark, whichever moment a crash or a reader hits.
public final class SeriesStore: Sendable {
    let journal: DatabasePool, series: DatabasePool
    let accounts: AccountStore
    let keys: KeyStore
    let state: BargingMutex<State>
    /// The machine that the hub was built on.
    public var machine: Machine { keys.machine }

    struct State: Sendable {
        /// Received and not merged, by person.
        var pending: [Int64: [PendingSegment]] = [:]
        /// Sequences and fingerprints in the journal that the series do not hold yet, by stream.
        var unsaved: [Int64: [(sequence: UInt64, fingerprint: UInt64, journal: Int64)]] = [:]
        var gaps: [Int64: [(range: ClosedRange<UInt64>, journal: Int64)]] = [:]
        var clocks: [Int64: ClockModel] = [:]
        var clockRows: [ClockKey: Int64] = [:]
        var streams: [Int64: StoredStream] = [:]
        var pendingCount = 0
        /// When the hub last got something for a person.
        var received: [Int64: Milliseconds] = [:]
        var oldest: Milliseconds?
        /// The newest journal row whose segments stand in here: a later one may be committed, but must not be merged yet.
        var lastJournal: Int64 = 0
    }

    /// What could not be read when the store was opened, for the operator.
    public var problemsOfRecovery: [String] { recoveryProblems.withLock { $0 } }
    private let recoveryProblems = Mutex<[String]>([])

    /// A stream as the store knows it.
    public struct StoredStream: Sendable, Hashable {
        public let row: Int64
        /// The agent that made it: no other may write to it.
        public let agent: Int64
        public let provenance: Provenance
        /// Every sequence that is stored or declared lost.
        public var received: SequenceSet

        /// Whether a person brings it on a page: agents of hand-made rows are below zero.
        var isByHand: Bool { provenance == .manual || provenance == .import && agent < 0 }
    }

    /// Opens the store and finds what was received and not merged.
    /// - Parameter progress: told the share of the journal that was read, for long starts.
    public init(_ directory: HubDirectory, accounts: AccountStore, keys: KeyStore, progress: (Double) -> Void = { _ in }) throws {
        (self.accounts, self.keys) = (accounts, keys)
        journal = try directory.open("journal", pageSize: 4096, migrations: Migration.journal)
        // Rows of a few kilobytes waste little of a page this large.
        series = try directory.open("series", pageSize: 32_768, migrations: Migration.series)
        state = BargingMutex(State())
        try recover(progress)
    }

    private func recover(_ progress: (Double) -> Void) throws {
        let merged = try series.read { db in
            try Dictionary(
                uniqueKeysWithValues: db.fetchAll(sql: "SELECT person, journal FROM merged").map { ($0[0] as Int64, $0[1] as Int64) })
        }
        var withClocks: [(JournalFrame, PendingSegment, Milliseconds)] = []
        var newest: [Int64: (last: Milliseconds, received: Milliseconds)] = [:]
        var damaged: [(row: Int64, received: Milliseconds, bytes: Data, whole: Int)] = []
        try journal.read { db in
            let total = try Double(db.fetchOne(Int64.self, sql: "SELECT count(*) FROM journal") ?? 0)
            var done = 0.0
            let rows = try db.fetchCursor(sql: "SELECT id, received, frames FROM journal ORDER BY id")
            while let row = try rows.next() {
                let id: Int64 = row[0], received: Milliseconds = row[1]
                let (frames, isWhole) = try row.withBytes(at: 2) { $0.map(JournalFrame.read) } ?? ([], false)
                if !isWhole { damaged.append((id, received, row[2], frames.count)) }
                state.withLock { state in
                    for (frame, offset) in frames {
                        state.add(frame, journal: id, offset: offset, received: received, pending: id > merged[frame.person] ?? 0)
                        if frame.hasClocks { withClocks.append((frame, PendingSegment(frame, journal: id, offset: offset), received)) }
                        if frame.last >= newest[frame.clock]?.last ?? .min { newest[frame.clock] = (frame.last, received) }
                    }
                }
                done += 1
                if Int64(done).isMultiple(of: 1000) { progress(done / total) }
            }
            // Also when merging has emptied it: whoever reads by arrival compares with this.
            let last = try db.lastIdentity(of: "journal") ?? 0
            state.withLock { $0.lastJournal = max($0.lastJournal, last) }
        }
        if !damaged.isEmpty {
            try series.write { db in for one in damaged { try JournalFrame.setAside(one.row, one.bytes, received: one.received, db) } }
        }
        recoveryProblems.withLock { $0 = damaged.map { "row \($0.row) of the journal, of which the first \($0.whole) segments are read" } }
        let people = try accounts.people(rows: Set(withClocks.map(\.0.person)))
        for (frame, segment, received) in withClocks {
            do {
                guard let person = people[frame.person] else { throw HubStoreError.unknownPerson("\(frame.person)") }
                // A deleted person's, in a journal from a backup: it cannot be read, as it should be.
                guard try keys.key(of: person) != nil else { continue }
                let samples = try open(frame.envelope, of: person, stream: frame.stream, sequence: segment.sequence).samples
                try learn(samples.clocks, clock: frame.clock, now: received)
            } catch {
                recoveryProblems.withLock { $0.append("segment \(frame.sequence) of stream \(frame.stream): \(error)") }
            }
        }
        for (clock, seen) in newest { try assume(time: seen.last, now: seen.received, clock: clock) }
    }

    // MARK: Streams and clocks

    /// A segment's description of its stream.
    public struct StreamClaim: Sendable, Hashable {
        public let stream: StreamID
        public let agent: Int64
        public let provenance: Provenance

        public init(stream: StreamID, agent: Int64, provenance: Provenance) {
            (self.stream, self.agent, self.provenance) = (stream, agent, provenance)
        }
    }

    /// Finds streams; those that are new are made as they are claimed, all in one transaction.
    public func streams(_ claims: some Collection<StreamClaim>, now: Milliseconds) throws -> [StreamID: StoredStream] {
        var found: [StreamID: StoredStream] = [:]
        try series.read { db in
            for claim in claims { found[claim.stream] = try Self.stream(claim, db) }
        }
        let missing = claims.filter { found[$0.stream] == nil }
        if !missing.isEmpty {
            try series.write { db in
                for claim in missing {
                    try db.execute(
                        sql: "INSERT INTO stream(stream, agent, provenance, created) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        arguments: [Data(claim.stream.bytes), claim.agent, claim.provenance.rawValue, now])
                    found[claim.stream] = try Self.stream(claim, db)
                }
            }
        }
        return state.withLock { state in
            found.mapValues { stored in
                if let known = state.streams[stored.row] { return known }
                var stream = stored
                for entry in state.unsaved[stored.row] ?? [] { stream.received.insert(entry.sequence) }
                for gap in state.gaps[stored.row] ?? [] { stream.received.insert(gap.range) }
                state.streams[stored.row] = stream
                return stream
            }
        }
    }

    /// A row whose provenance is none that the hub knows has that of the claim: the segments say it too, and the stream goes on.
    private static func stream(_ claim: StreamClaim, _ db: Connection) throws -> StoredStream? {
        let statement = try db.cachedStatement(sql: "SELECT id, agent, provenance, received FROM stream WHERE stream = ?")
        guard let row = try statement.fetchOne(arguments: [Data(claim.stream.bytes)]) else { return nil }
        let provenance = Provenance(rawValue: row[2]) ?? claim.provenance
        return StoredStream(row: row[0], agent: row[1], provenance: provenance, received: try received(row[3], of: row[0], db).set)
    }

    /// The sequences of a stream by its row. A damaged text holds nobody up: it is made anew of the fingerprints of the last 30 days, and whatever
    /// comes before those counts as received, because no box keeps anything for so long.
    static func received(_ text: String, of stream: Int64, _ db: Connection) throws -> (set: SequenceSet, isWhole: Bool) {
        if let known = try? ranges(text) { return (known, true) }
        var set = SequenceSet()
        let rows = try db.fetchAll(sql: "SELECT first, hashes FROM fingerprint WHERE stream = ? ORDER BY first", arguments: [stream])
        for row in rows {
            let first = UInt64(bitPattern: row[0]), count = UInt64((row[1] as Data).count / fingerprintBytes)
            if set.ranges.isEmpty, first > 0 { set.insert(0...first - 1) }
            if count > 0 { set.insert(first...first &+ count - 1) }
        }
        return (set, false)
    }

    static func ranges(_ json: String) throws -> SequenceSet {
        let pairs = try JSONDecoder().decode([[UInt64]].self, from: Data(json.utf8))
        return SequenceSet(pairs.compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]...$0[1] : nil })
    }

    static func json(_ set: SequenceSet) -> String {
        "[" + set.ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",") + "]"
    }

    /// A clock domain of a stream (by its row).
    public struct ClockKey: Sendable, Hashable {
        public let stream: Int64
        public let domain: ClockDomain

        public init(stream: Int64, domain: ClockDomain) {
            (self.stream, self.domain) = (stream, domain)
        }
    }

    /// The rows of clock domains; those that are new are made, all in one transaction.
    public func clocks(_ keys: some Collection<ClockKey>) throws -> [ClockKey: Int64] {
        var rows: [ClockKey: Int64] = [:]
        state.withLock { state in
            for key in keys { rows[key] = state.clockRows[key] }
        }
        let unknown = keys.filter { rows[$0] == nil }
        guard !unknown.isEmpty else { return rows }
        try series.read { db in
            for key in unknown { rows[key] = try Self.clock(key, db) }
        }
        let missing = unknown.filter { rows[$0] == nil }
        if !missing.isEmpty {
            try series.write { db in
                for key in missing {
                    let (domain, boot, counter) = Self.columns(key.domain)
                    try db.execute(
                        sql: "INSERT INTO clock(stream, domain, boot, counter) VALUES(?, ?, ?, ?) ON CONFLICT DO NOTHING",
                        arguments: [key.stream, domain, boot, counter])
                    rows[key] = try Self.clock(key, db)
                }
            }
        }
        state.withLock { state in
            for key in unknown { state.clockRows[key] = rows[key] }
        }
        return rows
    }

    private static func clock(_ key: ClockKey, _ db: Connection) throws -> Int64? {
        let (domain, boot, _) = columns(key.domain)
        let statement = try db.cachedStatement(sql: "SELECT id FROM clock WHERE stream = ? AND domain = ? AND boot = ?")
        return try statement.fetchOne(Int64.self, arguments: [key.stream, domain, boot])
    }

    private static func columns(_ domain: ClockDomain) -> (domain: Int, boot: Data, counter: UInt32) {
        switch domain {
        case .wall: (0, Data(), 0)
        case .recorded: (1, Data(), 0)
        case .boottime(let boot, let counter): (2, Data(boot.bytes), counter)
        }
    }

    /// The known facts of a clock. The wall and recorded domains are UTC as they stand.
    func model(clock: Int64) throws -> ClockModel {
        if let model = state.withLock({ $0.clocks[clock] }) { return model }
        // Also called while reading and merging.
        let model: ClockModel = try series.readWithinRead { db in
            let domain = try db.fetchOne(Int.self, sql: "SELECT domain FROM clock WHERE id = ?", arguments: [clock])
            if domain != 2 { return .utc }
            return ClockModel(
                try db.fetchAll(
                    sql: "SELECT time, utc, uncertainty, source FROM clock_record WHERE clock = ? ORDER BY time", arguments: [clock]
                ).map {
                    ClockRecord(time: $0[0], utc: $0[1], uncertainty: $0[2], source: ClockRecord.Source(rawValue: $0[3]) ?? .wall)
                })
        }
        return state.withLock { state in
            if let raced = state.clocks[clock] { return raced }
            state.clocks[clock] = model
            return model
        }
    }

    /// Takes clock records in; they are stored with the next merging.
    func learn(_ records: [ClockRecord], clock: Int64, now: Milliseconds) throws {
        // A clock that is decades ahead would hide everything that comes after it.
        let credible = records.filter { $0.utc <= now + SampleLimits.aheadMax }
        guard !credible.isEmpty else { return }
        _ = try model(clock: clock)
        state.withLock { state in
            for record in credible { state.clocks[clock]?.insert(record) }
        }
    }

    /// What the hub itself can say of a live box's clock when the box said nothing: now is when its last sample arrived.
    public func assume(time: Milliseconds, now: Milliseconds, clock: Int64) throws {
        guard try model(clock: clock).isEmpty else { return }
        try learn([ClockRecord(time: time, utc: now, uncertainty: 60_000, source: .wall)], clock: clock, now: now)
    }

    /// Whether the person's data can be sealed: false when it was deleted.
    public func canSeal(_ person: PersonID) throws -> Bool { try keys.key(of: person) != nil }

    // MARK: Appending

    /// Seals an encoded segment for the journal.
    /// - Returns: nil when the person was deleted.
    public func seal(_ encoded: UnsafeRawBufferPointer, person: PersonID, stream: Int64, sequence: UInt64) throws -> [UInt8]? {
        guard let key = try keys.key(of: person) else { return nil }
        var out: [UInt8] = []
        out.reserveCapacity(encoded.count + Envelope.overhead)
        try Envelope.seal(
            encoded, with: key, at: .init(person: person, table: .segment, row: (UInt64(bitPattern: stream), sequence)), into: &out)
        return out
    }

    func open(_ envelope: some Collection<UInt8>, of person: PersonID, stream: Int64, sequence: UInt64) throws -> Segment {
        guard let key = try keys.key(of: person) else { throw HubStoreError.unknownPerson(person.description) }
        return try Segment(
            decoding: Envelope.open(
                envelope, with: key, at: .init(person: person, table: .segment, row: (UInt64(bitPattern: stream), sequence))))
    }

    /// Makes frames durable with one commit. When it throws, nothing is stored.
    public func append(_ frames: [JournalFrame], clocks: [(clock: Int64, records: [ClockRecord])], now: Milliseconds) throws {
        guard !frames.isEmpty else { return }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(frames.reduce(0) { $0 + $1.envelope.count + 64 })
        let places = frames.map { $0.write(into: &bytes) }
        let id: Int64 = try journal.write { db in
            try db.cachedStatement(sql: "INSERT INTO journal(received, frames) VALUES(?, ?) RETURNING id").insert(arguments: [
                now, Data(bytes),
            ])
        }
        state.withLock { state in
            for (frame, place) in zip(frames, places) {
                state.add(frame, journal: id, offset: place.offset, received: now, pending: true)
            }
        }
        for (clock, records) in clocks { try learn(records, clock: clock, now: now) }
    }

    /// 40 bits.
    static let fingerprintBytes = 5

    /// The fingerprint under which a sequence is stored; nil when it is unknown or older than what is kept.
    public func fingerprint(stream: Int64, sequence: UInt64) throws -> UInt64? {
        let unsaved = state.withLock { state in
            state.unsaved[stream]?.last { $0.sequence == sequence }?.fingerprint
        }
        if let unsaved { return unsaved }
        return try series.read { db in
            guard
                let row = try db.fetchOne(
                    sql: "SELECT first, hashes FROM fingerprint WHERE stream = ? AND first <= ? ORDER BY first DESC LIMIT 1",
                    arguments: [stream, Int64(bitPattern: sequence)])
            else { return nil }
            let hashes: Data = row[1]
            let index = sequence &- UInt64(bitPattern: row[0] as Int64)
            guard index < UInt64(hashes.count / Self.fingerprintBytes) else { return nil }
            let start = hashes.startIndex + Int(index) * Self.fingerprintBytes
            return hashes[start..<start + Self.fingerprintBytes].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}

extension SeriesStore.State {
    mutating func add(_ frame: JournalFrame, journal: Int64, offset: Int, received: Milliseconds, pending isPending: Bool) {
        if isPending {
            pending[frame.person, default: []].append(PendingSegment(frame, journal: journal, offset: offset))
            pendingCount += 1
            if oldest == nil { oldest = received }
        }
        unsaved[frame.stream, default: []].append((frame.sequence, frame.fingerprint, journal))
        for gap in frame.gaps { gaps[frame.stream, default: []].append((gap, journal)) }
        streams[frame.stream]?.received.insert(frame.sequence)
        for gap in frame.gaps { streams[frame.stream]?.received.insert(gap) }
        // That a person typed or imported something does not say that a box is heard.
        if streams[frame.stream]?.isByHand != true { self.received[frame.person] = received }
        lastJournal = max(lastJournal, journal)
    }

    /// What waits for merging of a person, without what they typed, unless that is all.
    /// - Parameter isFirst: nothing of the person is merged.
    func sent(_ person: Int64, isFirst: Bool) -> [PendingSegment] {
        let all = pending[person] ?? [], sent = all.filter { streams[Int64($0.stream)]?.provenance != .manual }
        return sent.isEmpty && isFirst ? all : sent
    }
}
