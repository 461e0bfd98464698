import Foundation
import GRDB
import Logging
import Segments
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

/// Recordings through the real recorder into a real buffer.
struct ReplayTests {
    /// A walk of `seconds`, one RMC a second, without a fix from 60 to 80.
    static func log(seconds: Int) -> String {
        (0..<seconds).map { second in
            let time = String(format: "%02d%02d%02d", second / 3600, second / 60 % 60, second % 60)
            let isVoid = (60..<80).contains(second)
            let place = isVoid ? "V,,,,,,," : String(format: "A,47%07.4f,N,00259.0000,W,4.0,90.0,", 30 + Double(second) / 1000)
            let body = "GPRMC,\(time),\(place)211126,,"
            let sum = body.utf8.reduce(0, ^)
            return "$\(body)*\(String(format: "%02X", sum))\r\n"
        }.joined()
    }

    struct Fixture {
        let directory: TemporaryDirectory
        let buffer: SampleBuffer
        let identity: Identity
        let nmea: String

        init(seconds: Int = 300) throws {
            directory = try TemporaryDirectory()
            buffer = try SampleBuffer(directory: directory.url.path)
            identity = Identity(
                agent: AgentID(high: 1, low: 1), name: "box", hub: try HubAddress("https://hub.example"), certificateAuthority: nil,
                persons: [BoundPerson(person: PersonID(high: 5, low: 5), name: "Ada")])
            nmea = directory.url.appendingPathComponent("walk.nmea").path
            try Data(ReplayTests.log(seconds: seconds).utf8).write(to: URL(fileURLWithPath: nmea))
        }

        func prepare(again: Bool = false) throws -> PreparedReplay {
            let options = ReplayOptions(nmea: nmea, bluetooth: nil, speed: .max, again: again)
            return try PreparedReplay(options, identity: identity, buffer: buffer, clock: .system)
        }

        func recorder(_ replay: PreparedReplay) throws -> Recorder {
            try Recorder(
                buffer: buffer, target: .replay(replay.id), boot: BootID(high: 1, low: 1), clock: .system,
                configuration: AgentConfiguration(stateDirectory: directory.url.path), nudges: SyncSignals(), logger: Logger(label: "test"))
        }

        /// Plays up to `limit` events beyond what is sealed, as the service does, and stops without sealing, as a killed process does.
        func play(_ limit: Int = .max, sealEvery: Int? = nil) async throws {
            let replay = try prepare(), recorder = try recorder(replay)
            var recording = try replay.recording(), played = 0
            while let event = try recording.next() {
                let isSealed = recording.progress.nmeaEvents <= replay.done.nmeaEvents
                if !isSealed {
                    if played == limit { return }
                    played += 1
                }
                try await recorder.replay(event, of: replay.person, progress: recording.progress, sealed: isSealed)
                if let sealEvery, !isSealed, played.isMultiple(of: sealEvery) { try await recorder.seal() }
            }
            var progress = recording.progress
            progress.finished = 1
            try await recorder.finish(progress, skipped: recording.skipped, of: replay.person)
        }

        /// All samples in the buffer in the order of their stream.
        func samples() throws -> SampleSet {
            var all = SampleSet()
            for segment in try segments() { all.append(segment.samples) }
            return all
        }

        func segments() throws -> [Segment] {
            let batch = try buffer.nextBatch(bytesMax: 4 << 20, at: BufferTime(boot: 9, milliseconds: 0))
            return try (batch?.body ?? []).withUnsafeBytes { body in
                try SegmentBatch.ranges(in: body).map { try Segment(decoding: UnsafeRawBufferPointer(rebasing: body[$0])) }
            }.sorted { $0.header.sequence < $1.header.sequence }
        }
    }

    @Test(
        "EDGE-10: a replay that is killed at any point goes on where it was: the same samples, none twice, none missing",
        arguments: 0..<8 as Range<UInt64>)
    func resumes(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let whole = try Fixture(), broken = try Fixture()
        try await whole.play()
        for _ in 0..<6 {
            try await broken.play(Int.random(in: 0...60, using: &random), sealEvery: Int.random(in: 1...15, using: &random))
        }
        try await broken.play()
        #expect(try broken.samples() == whole.samples(), "seed \(seed)")
        let headers = try broken.segments().map(\.header)
        #expect(Set(headers.map(\.stream)).count == 1)
        #expect(headers.map(\.sequence) == (0..<UInt64(headers.count)).map { $0 })
        #expect(headers.allSatisfy { $0.provenance == .replay && $0.clock == .recorded })
    }

    @Test("EDGE-10: a replay's samples are those of the log, in segments of ten seconds, and a tunnel is told")
    func content() async throws {
        let fixture = try Fixture()
        try await fixture.play()
        let samples = try fixture.samples()
        #expect(samples.positions.count == 280)
        #expect(samples.events.map(\.code) == [.fixAcquired, .fixLost, .fixAcquired])
        #expect(samples.events[1].value == 3000)
        #expect(try fixture.segments().allSatisfy { $0.header.lastTime - $0.header.firstTime <= 10_000 })
        guard try fixture.prepare().isPlayed else {
            Issue.record("begun again")
            return
        }
    }

    @Test("EDGE-10: a shift moves all times of a recording, also where there was no fix, and nothing else")
    func shifted() throws {
        let fixture = try Fixture(seconds: 100), shift: Milliseconds = 86_400_000 * 30 + 1
        func events(shift: Milliseconds) throws -> [PositionEvent] {
            let options = ReplayOptions(nmea: fixture.nmea, bluetooth: nil, speed: .max, shift: shift)
            let replay = try PreparedReplay(options, identity: fixture.identity, buffer: fixture.buffer, clock: .system)
            var recording = try replay.recording(), events: [PositionEvent] = []
            while let event = try recording.next() { if case .position(let position) = event.kind { events.append(position) } }
            return events
        }
        let recorded = try events(shift: 0), moved = try events(shift: shift)
        #expect(recorded.count == moved.count && recorded.count > 80)
        for (before, after) in zip(recorded, moved) {
            #expect(after.time == before.time + shift)
            guard case .fix(var sample, let utc) = before else { continue }
            sample.time += shift
            #expect(after == .fix(sample, utc: utc.map { $0 + shift }))
        }
    }

    @Test("EDGE-5: while the disk takes nothing, samples wait in memory, and are stored afterwards")
    func diskFull() async throws {
        let fixture = try Fixture(seconds: 5), replay = try fixture.prepare()
        let live = try Recorder(
            buffer: fixture.buffer, target: .live, boot: BootID(high: 1, low: 1), clock: .system,
            configuration: AgentConfiguration(stateDirectory: fixture.directory.url.path), nudges: SyncSignals(),
            logger: Logger(label: "test"))
        try setWritable(false, fixture.buffer)
        for second in 0..<40 {
            await live.take(.measurement(HeartRateSample(time: Milliseconds(second) * 1000, beatsPerMinute: 70)), of: replay.person)
        }
        #expect(try fixture.segments().isEmpty)
        try setWritable(true, fixture.buffer)
        try await live.seal()
        #expect(try fixture.samples().heartRates.count == 40)
    }

    @Test("EDGE-5, EDGE-10: a replay whose disk is full for a while loses nothing", arguments: 0..<5 as Range<Int>)
    func diskFullInReplay(seed: Int) async throws {
        let whole = try Fixture(), full = try Fixture()
        try await whole.play()
        let replay = try full.prepare(), recorder = try full.recorder(replay)
        var recording = try replay.recording(), count = 0
        while let event = try recording.next() {
            count += 1
            if count == 40 + seed { try setWritable(false, full.buffer) }
            do {
                try await recorder.replay(event, of: replay.person, progress: recording.progress, sealed: false)
            } catch {
                try setWritable(true, full.buffer)
                try await recorder.seal()
            }
        }
        var progress = recording.progress
        progress.finished = 1
        try await recorder.finish(progress, skipped: recording.skipped, of: replay.person)
        #expect(try full.samples() == whole.samples())
    }

    /// Makes every seal fail, or work again.
    private func setWritable(_ isWritable: Bool, _ buffer: SampleBuffer) throws {
        let statement =
            isWritable ? "DROP TRIGGER no" : "CREATE TRIGGER no BEFORE INSERT ON segment BEGIN SELECT raise(ABORT, 'no'); END"
        try buffer.write { try $0.execute(sql: statement) }
    }

    @Test("EDGE-5: beyond a bound the oldest waiting samples go, and the gap is declared")
    func tooMuchWaits() async throws {
        let fixture = try Fixture(seconds: 5)
        let directory = fixture.directory.url.path
        let live = try Recorder(
            buffer: fixture.buffer, target: .live, boot: BootID(high: 1, low: 1), clock: .system,
            configuration: AgentConfiguration(stateDirectory: directory), nudges: SyncSignals(), logger: Logger(label: "test"))
        let person = fixture.identity.persons[0].person
        try setWritable(false, fixture.buffer)
        for second in 0..<25_000 {
            await live.take(.measurement(HeartRateSample(time: Milliseconds(second) * 1000, beatsPerMinute: 70)), of: person)
        }
        try setWritable(true, fixture.buffer)
        try await live.seal()
        let samples = try fixture.samples()
        #expect(samples.heartRates.count > 8000 && samples.heartRates.count < 25_000)
        #expect(samples.heartRates.last?.time == 24_999_000)
        #expect(samples.gaps.map(\.reason) == [.diskFull])
    }

    @Test(
        "EDGE-10: what cannot be used is said in words",
        arguments: [
            ("", "empty"), ("{\"class\":\"TPV\"}\n", "JSON"), ("PK\u{3}\u{4} and so on", "zip archive"),
        ])
    func refused(content: String, expected: String) throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("x").path
        try Data(content.utf8).write(to: URL(fileURLWithPath: path))
        for file in [DecodedFile.nmea(path), .bluetooth(path, handle: nil)] {
            let problem = #expect(throws: AgentProblem.self) { try decode(file) { _ in } }
            #expect(problem?.description.contains(expected) == true && problem?.description.contains(path) == true)
        }
        #expect(throws: AgentProblem.self) { try decode(.nmea(path + "-missing")) { _ in } }
        #expect(throws: AgentProblem.self) { try decode(.nmea(directory.url.path)) { _ in } }
    }

    @Test("EDGE-10: decode writes one JSON object a line with exact numbers")
    func decoded() throws {
        let fixture = try Fixture(seconds: 2)
        var lines = ""
        let report = try decode(.nmea(fixture.nmea)) { lines += $0 }
        let first = try #require(lines.split(separator: "\n").first)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        #expect(object["time"] as? String == "2026-11-21T00:00:00.000Z")
        #expect(object["lat"] as? Double == 47.5 && object["lon"] as? Double == -2.9833333)
        #expect(lines.split(separator: "\n").count == 2 && report.contains("2 fixes"))
    }

    @Test("EDGE-10: a replay that is refused for a bad file is not remembered, and does not block the good one")
    func badPartner() throws {
        let fixture = try Fixture(seconds: 5), bad = fixture.directory.url.appendingPathComponent("bad").path
        try Data("no capture".utf8).write(to: URL(fileURLWithPath: bad))
        func prepare(bluetooth: String?) throws -> PreparedReplay {
            let options = ReplayOptions(nmea: fixture.nmea, bluetooth: bluetooth, speed: .max, handle: bluetooth == nil ? nil : 5)
            return try PreparedReplay(options, identity: fixture.identity, buffer: fixture.buffer, clock: .system)
        }
        let problem = #expect(throws: AgentProblem.self) { try prepare(bluetooth: bad) }
        #expect(problem?.what.contains(bad) == true)
        #expect(try prepare(bluetooth: nil).done == ReplayProgress())
    }

    @Test("EDGE-10: without --person the only one is taken, several are listed")
    func persons() throws {
        var identity = try Fixture(seconds: 1).identity
        #expect(try identity.person(nil).name == "Ada")
        #expect(try identity.person("Ada").name == "Ada")
        #expect(throws: AgentProblem.self) { try identity.person("Eve") }
        identity.persons.append(BoundPerson(person: PersonID(high: 6, low: 6), name: "Bob"))
        let problem = #expect(throws: AgentProblem.self) { try identity.person(nil) }
        #expect(problem?.description.contains("Ada") == true && problem?.description.contains("Bob") == true)
        #expect(try identity.person(PersonID(high: 6, low: 6).description).name == "Bob")
    }

    @Test("EDGE-14: one process uses a box's state; its files are for their owner only")
    func stateDirectory() throws {
        let directory = try TemporaryDirectory(), path = directory.url.appendingPathComponent("state").path
        var held: StateDirectory? = try StateDirectory(path)
        #expect(throws: AgentProblem.self) { try StateDirectory(path) }
        try held?.write([1, 2], to: "secret")
        let permissions = try FileManager.default.attributesOfItem(atPath: path + "/secret")[.posixPermissions] as? Int
        #expect(permissions == 0o600)
        held = nil
        _ = try StateDirectory(path)
    }

    @Test("EDGE-14: a box's state is free as soon as it is given back, though a program that is being started has the lock's descriptor")
    func stateDirectoryWhileForking() throws {
        let directory = try TemporaryDirectory(), path = directory.url.path
        var held: StateDirectory? = try StateDirectory(path)
        let inherited = dup(try #require(openDescriptor(of: path + "/lock")))
        defer { close(inherited) }
        #expect(held != nil && inherited >= 0)
        held = nil
        _ = try StateDirectory(path)
    }
}
