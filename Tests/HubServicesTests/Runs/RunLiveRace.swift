import Foundation
import HubStore
import Logging
import NIOCore
import Privacy
import Runs
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// A run with runners who send what their boxes see of an even pace, through ingest; and its live engine, whose seconds a test plays.
struct RunLiveRace {
    /// A runner's box, which gets a new token in time.
    final class Box: Sendable {
        private let box: ServicesFixture.Box
        private let token: Mutex<(text: String, until: Milliseconds)>
        private static let lasts: Milliseconds = 3_000_000

        init(_ box: ServicesFixture.Box, now: Milliseconds) {
            self.box = box
            token = Mutex((box.token, now + Self.lasts))
        }

        func send(_ segments: [[UInt8]], to hub: ServicesFixture) async throws {
            let known = token.withLock { $0 }
            var text = known.text
            if known.until < hub.clock.now {
                text = try await hub.token(box.id, box.key, predecessor: known.text).accessToken
                token.withLock { [text] in $0 = (text, hub.clock.now + Self.lasts) }
            }
            _ = try await hub.send(segments, token: text)
        }
    }

    struct Racer {
        let account: StoredAccount
        /// Metres a second.
        let speed: Double
        let box: Box
        var person: PersonID { account.id.person }
    }

    let town: RunTown
    let live: LiveRuns
    let run: StoredRun
    let course: Course
    let racers: [Racer]

    var gun: Milliseconds { run.plan.starts }

    /// - Parameters:
    ///   - field: names, metres a second, and what each chose. The first one is Ada.
    ///   - played: who has sent nothing but a replay.
    ///   - waves: names of those that start, all with the same gun.
    static func start(
        _ field: [(name: String, speed: Double, choices: EnrolmentChoices)], publicHeartRates: Set<String> = [], rehearsal: Double? = nil,
        played: Set<String> = [], places: RunPlaces = RunPlaces(), logger: Logger? = nil, waves: [String] = []
    ) async throws -> RunLiveRace {
        let town = try RunTown(logger: logger)
        var plan = town.plan()
        let gun = plan.starts
        (plan.rehearsal, plan.waves) = (rehearsal, waves.map { Wave(name: $0, gun: gun) })
        let run = try town.published(plan)
        var accounts: [StoredAccount] = []
        for (index, racer) in field.enumerated() {
            let account = index == 0 ? town.ada : try town.runner(racer.name)
            try await town.enrol(account, in: run, racer.choices)
            accounts.append(account)
        }
        try await town.advance(to: run.checkInOpens)
        for (account, racer) in zip(accounts, field) {
            let isPublic = publicHeartRates.contains(racer.name)
            _ = try town.checkIns.checkIn(account.id.person, to: run.id, publicHeartRate: isPublic, by: account)
        }
        var racers: [Racer] = []
        for (account, racer) in zip(accounts, field) {
            let box = try await town.hub.enrol([account.id.person])
            racers.append(Racer(account: account, speed: racer.speed, box: Box(box, now: town.now)))
        }
        let race = RunLiveRace(
            town: town, live: town.liveRuns(places: places), run: run,
            course: try Course(RunTown.course()), racers: racers)
        // Everybody stands at the line.
        town.clock.advance(run.plan.starts - 60_000 - town.now)
        for (index, racer) in field.enumerated() {
            try await race.send(index, from: -60, to: -60, provenance: played.contains(racer.name) ? .replay : .live)
        }
        try await town.advance(to: run.plan.starts)
        race.work()
        return race
    }

    /// The same race in a hub that was stopped and started.
    func restarted() throws -> RunLiveRace {
        let town = try town.restarted()
        return RunLiveRace(
            town: town, live: town.liveRuns(), run: run, course: course, racers: racers)
    }

    // MARK: What boxes send

    func position(_ index: Int, at second: Int) -> PositionSample {
        let point = course.point(at: racers[index].speed * Double(max(second, 0)))
        return PositionSample(
            time: gun + Milliseconds(second) * 1000, latitude: point.latitude, longitude: point.longitude, horizontalError: 30)
    }

    /// One segment: a fix and a heart rate each `every` seconds, from `first` to `last` seconds after the gun.
    func segment(
        _ index: Int, from first: Int, to last: Int, every: Int = 1, provenance: Provenance = .live, stream: StreamID? = nil
    ) -> [UInt8] {
        let seconds = Array(stride(from: first, through: last, by: every)), person = racers[index].person
        let samples = SampleSet(
            heartRates: seconds.map { HeartRateSample(time: gun + Milliseconds($0) * 1000, beatsPerMinute: UInt16(140 + index)) },
            positions: seconds.map { position(index, at: $0) })
        // Each segment in a stream of its own kind, with a number that follows from its time: sent twice it is the same.
        return Segment(
            stream: stream ?? StreamID(high: person.high, low: UInt64(provenance.rawValue)), sequence: UInt64(first + 100_000),
            person: person,
            provenance: provenance, clock: .wall, samples: samples
        ).encoded()
    }

    func send(_ index: Int, from first: Int, to last: Int, every: Int = 1, provenance: Provenance = .live) async throws {
        try await upload(segment(index, from: first, to: last, every: every, provenance: provenance), of: index)
    }

    func upload(_ segment: [UInt8], of index: Int) async throws { try await racers[index].box.send([segment], to: town.hub) }

    /// Everybody (or some) sends what they ran until `second`, and time is then.
    func go(from first: Int, to last: Int, _ some: [Int]? = nil, provenance: Provenance = .live) async throws {
        let time = gun + Milliseconds(last) * 1000
        if time > town.now { town.clock.advance(time - town.now) }
        for index in some ?? Array(racers.indices) { try await send(index, from: first, to: last, provenance: provenance) }
    }

    // MARK: The engine

    /// A second's work, and all readings of the store.
    func work() {
        live.tick()
        while live.readNext() {}
    }

    /// The event that a reader gets who waits for the next seconds.
    func next(_ reader: RunReader) async throws -> RunLiveEvent {
        let isThere = Atomic(false)
        let waiting = Task { () -> ByteBuffer? in
            defer { isThere.store(true, ordering: .sequentiallyConsistent) }
            return await reader.next()
        }
        while !reader.isAsking, !isThere.load(ordering: .sequentiallyConsistent) { await Task.yield() }
        while reader.isAsking { live.tick() }
        return try RunLiveEvent(#require(await waiting.value))
    }

    func rows() throws -> [PublicSheet.Row] { try #require(live.live(run.id)).publicRows(now: town.now) }

    func row(_ index: Int) throws -> PublicSheet.Row {
        let bib = try #require(try town.store.enrolments.enrolment(of: racers[index].person, in: run.id)).bib
        return try #require(try rows().first { $0.bib == bib })
    }

    func enrolment(_ index: Int) throws -> StoredEnrolment {
        try #require(try town.store.enrolments.enrolment(of: racers[index].person, in: run.id))
    }

    /// The run is over, and what is due is done.
    func end() async throws {
        try await town.advance(to: run.plan.ends + 1000)
        work()
        town.clock.advance(RunLive.settles * 2)
        work()
    }
}

/// A server-sent event with JSON in it.
struct RunLiveEvent {
    let name: String
    let json: [String: Any]
    let bytes: Int

    init(_ buffer: ByteBuffer) throws {
        let text = String(buffer: buffer)
        #expect(text.hasSuffix("\n\n"))
        let lines = text.dropLast(2).split(separator: "\n", omittingEmptySubsequences: false)
        try #require(lines.count == 2 && lines[0].hasPrefix("event: ") && lines[1].hasPrefix("data: "), "\(text)")
        name = String(lines[0].dropFirst(7))
        json = try #require(try JSONSerialization.jsonObject(with: Data(lines[1].dropFirst(6).utf8)) as? [String: Any], "\(text)")
        bytes = buffer.readableBytes
    }

    func rows(_ key: String = "rows") -> [[Int]] { json[key] as? [[Int]] ?? [] }
    var sequence: Int? { json["seq"] as? Int }
    var names: [String: String] { (json["names"] ?? json["n"]) as? [String: String] ?? [:] }
    var gone: [Int] { json["x"] as? [Int] ?? [] }
    var objects: [[String: Any]] { json["rows"] as? [[String: Any]] ?? [] }
}

/// A spectator's page: a snapshot, and deltas on top.
struct RunLiveSpectator {
    private(set) var rows: [Int: [Int]] = [:]
    private(set) var names: [String: String] = [:]
    private(set) var sequence = 0
    private(set) var gaps = 0

    mutating func hear(_ event: RunLiveEvent) {
        if event.name == "snapshot" {
            rows = Dictionary(uniqueKeysWithValues: event.rows().map { ($0[0], $0) })
            names = event.names
        } else {
            if event.sequence != sequence + 1 { gaps += 1 }
            let moved = event.json["m"] as? [Int] ?? []
            for at in stride(from: 0, to: moved.count, by: 2) {
                rows[moved[at]]?[3] += moved[at + 1]
                rows[moved[at]]?[7] = event.json["t"] as? Int ?? 0
            }
            for row in event.rows("r") { rows[row[0]] = row }
            names.merge(event.names) { $1 }
            for bib in event.gone { (rows[bib], names[String(bib)]) = (nil, nil) }
        }
        sequence = event.sequence ?? 0
    }
}
