import Database
import Foundation
import HubServices
import SampleBuffer
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// The agent's real buffer against the hub's real pipeline in one process, with everything between them going wrong.
struct AgentAgainstHubTests {
    /// A box: its buffer and what it measured.
    final class Box {
        let directory: TemporaryDirectory
        var buffer: SampleBuffer
        var identity: ServicesFixture.Box
        let person: PersonID
        var time: Milliseconds = 0
        var measured: [HeartRateSample] = []
        /// What the disk did not take yet.
        private var waiting: [HeartRateSample] = []

        init(person: PersonID, identity: ServicesFixture.Box, copyOf other: Box? = nil) throws {
            directory = try other.map { try TemporaryDirectory(copyOf: $0.directory.url) } ?? TemporaryDirectory()
            self.person = person
            self.identity = identity
            if let other { time = other.time }
            buffer = try SampleBuffer(directory: directory.url.path)
        }

        var now: BufferTime { BufferTime(boot: 1, milliseconds: time) }

        /// Measures for some seconds and seals.
        func collect(from start: Milliseconds, seconds: Int, rate: UInt16) throws {
            let samples = (0..<seconds).map { index in
                HeartRateSample(
                    time: start + time + Milliseconds(index) * 1000, beatsPerMinute: rate + UInt16(index % 7), contact: .detected)
            }
            measured += samples
            waiting += samples
            time += Milliseconds(seconds) * 1000
            try buffer.seal([SealPart(person: person, clock: .wall, samples: SampleSet(heartRates: waiting))], to: .live, at: now)
            waiting = []
        }

        /// What SQLite would say of a full disk, at each change of a segment.
        func fillDisk() throws {
            try disk { database in
                for change in ["INSERT", "UPDATE", "DELETE"] {
                    try database.execute(
                        sql: """
                            CREATE TRIGGER full_\(change) BEFORE \(change) ON segment
                            BEGIN SELECT raise(ABORT, 'database or disk is full'); END
                            """)
                }
            }
        }

        func emptyDisk() throws {
            try disk { database in
                for change in ["INSERT", "UPDATE", "DELETE"] { try database.execute(sql: "DROP TRIGGER full_\(change)") }
            }
        }

        private func disk(_ change: (Connection) throws -> Void) throws {
            try DatabasePool(path: buffer.path).write(change)
        }

        func reopen() throws { buffer = try SampleBuffer(directory: directory.url.path) }
    }

    private func exchange(_ box: Box, _ hub: ServicesFixture, bytesMax: Int = 100_000) async throws -> AnswerOutcome? {
        guard let batch = try box.buffer.nextBatch(bytesMax: bytesMax, at: box.now) else { return nil }
        return try box.buffer.apply(try await post(batch.body, box, hub), to: batch.sent)
    }

    private func post(_ body: [UInt8], _ box: Box, _ hub: ServicesFixture) async throws -> SyncAnswer {
        try await Self.post(body, box.identity.token, hub)
    }

    private static func post(_ body: [UInt8], _ token: String, _ hub: ServicesFixture) async throws -> SyncAnswer {
        let prepared = try body.withUnsafeBytes { try hub.ingest.receive(session: hub.ingest.session(bearer: token), body: $0) }
        return try JSONDecoder().decode(SyncAnswer.self, from: Data(try await hub.ingest.commit(prepared)))
    }

    private func drain(_ box: Box, _ hub: ServicesFixture) async throws {
        var rounds = 0
        while try await exchange(box, hub) != nil {
            rounds += 1
            try #require(rounds < 1000, "it does not end")
        }
    }

    private func drain(_ box: Box, _ hub: ServicesFixture, collecting start: Milliseconds) async throws {
        try box.collect(from: start, seconds: 10, rate: 140)
        try await drain(box, hub)
    }

    private func expectStored(_ samples: [HeartRateSample], _ hub: ServicesFixture, _ comment: Comment) throws {
        #expect(try hub.stored().heartRates == samples.sorted { $0.time < $1.time }, comment)
    }

    @Test(
        "EDGE-5, EDGE-6: lost answers, repeated, parallel and late requests, full disks and restarts of both leave every sample exactly once",
        arguments: 0..<12 as Range<UInt64>)
    func anything(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        var hub = try ServicesFixture()
        let box = try Box(person: hub.person, identity: try await hub.enrol())
        let start = hub.clock.now - 3_600_000
        var late: [[UInt8]] = []
        for _ in 0..<60 {
            try box.collect(from: start, seconds: Int.random(in: 1...10, using: &generator), rate: 100)
            switch Int.random(in: 0..<8, using: &generator) {
            case 7:
                // The box's disk takes nothing for a while, neither samples nor what an answer says.
                try box.fillDisk()
                #expect(throws: BufferError.self) { try box.collect(from: start, seconds: 5, rate: 80) }
                _ = try? await exchange(box, hub, bytesMax: 5000)
                try box.emptyDisk()
            case 0:
                // The answer is lost.
                if let batch = try box.buffer.nextBatch(bytesMax: 5000, at: box.now) {
                    _ = try await post(batch.body, box, hub)
                    late.append(batch.body)
                }
            case 1:
                // The request is lost, and comes much later.
                if let batch = try box.buffer.nextBatch(bytesMax: 5000, at: box.now) { late.append(batch.body) }
            case 2:
                if let batch = try box.buffer.nextBatch(bytesMax: 5000, at: box.now) {
                    let (body, token, same) = (batch.body, box.identity.token, hub)
                    async let first = Self.post(body, token, same)
                    async let second = Self.post(body, token, same)
                    let (one, two) = try await (first, second)
                    #expect(one.streams.allSatisfy { $0.forked == nil } && two.streams.allSatisfy { $0.forked == nil })
                }
            case 3:
                if let body = late.randomElement(using: &generator) { _ = try await post(body, box, hub) }
            case 4: try hub.series.merger.merge(now: hub.clock.now)
            case 5: try box.reopen()
            default: hub = try ServicesFixture(hub.directory, person: hub.person, clock: hub.clock)
            }
            if Bool.random(using: &generator) { _ = try await exchange(box, hub) }
        }
        try await drain(box, hub, collecting: start)
        for body in late { _ = try await post(body, box, hub) }
        try expectStored(box.measured, hub, "seed \(seed)")
    }

    @Test("OPS-2: a hub restored from an older backup gets the missing data again from the agent")
    func restoredHub() async throws {
        var hub = try ServicesFixture()
        let box = try Box(person: hub.person, identity: try await hub.enrol())
        let start = hub.clock.now - 3_600_000
        try box.collect(from: start, seconds: 10, rate: 90)
        try await drain(box, hub)
        let backup = try TemporaryDirectory(copyOf: hub.directory.url)
        for _ in 0..<20 { try box.collect(from: start, seconds: 10, rate: 120) }
        try await drain(box, hub)
        // The backup knows nothing of the twenty.
        hub = try ServicesFixture(backup, person: hub.person, clock: hub.clock)
        #expect(try hub.stored().heartRates.count == 10)
        try box.collect(from: start, seconds: 10, rate: 150)
        try await drain(box, hub)
        try expectStored(box.measured, hub, "all of it is back")
    }

    @Test("OPS-2: also when the box has a newer token than the backup, which looks like a copied card")
    func restoredHubWithOldTokens() async throws {
        var hub = try ServicesFixture()
        let box = try Box(person: hub.person, identity: try await hub.enrol())
        let start = hub.clock.now - 3_600_000
        try box.collect(from: start, seconds: 10, rate: 90)
        try await drain(box, hub)
        let backup = try TemporaryDirectory(copyOf: hub.directory.url)
        func renew() async throws -> TokenAnswer {
            let answer = try await hub.token(box.identity.id, box.identity.key, predecessor: box.identity.token)
            try box.buffer.store(token: answer.accessToken, newStream: answer.newStream == true)
            box.identity.token = answer.accessToken
            return answer
        }
        for _ in 0..<3 {
            #expect(try await renew().newStream == nil)
            for _ in 0..<5 { try box.collect(from: start, seconds: 10, rate: 120) }
            try await drain(box, hub)
        }
        hub = try ServicesFixture(backup, person: hub.person, clock: hub.clock)
        await #expect(throws: Authenticator.Refusal.invalidToken) { try await self.drain(box, hub, collecting: start) }
        #expect(try await renew().newStream == true)
        try box.collect(from: start, seconds: 10, rate: 150)
        try await drain(box, hub)
        try expectStored(box.measured, hub, "all of it is back")
    }

    @Test("EDGE-6: a restored old image of the agent and the box that went on are kept apart, and nothing of either is lost")
    func restoredAgent() async throws {
        let hub = try ServicesFixture()
        let identity = try await hub.enrol()
        let box = try Box(person: hub.person, identity: identity)
        let start = hub.clock.now - 3_600_000
        try box.collect(from: start, seconds: 10, rate: 90)
        try await drain(box, hub)
        try box.collect(from: start, seconds: 10, rate: 100)
        // The card is copied with one segment unsent; then both go on, with other readings.
        let copy = try Box(person: hub.person, identity: identity, copyOf: box)
        try box.collect(from: start, seconds: 10, rate: 110)
        try await drain(box, hub)
        copy.time += 600_000
        try copy.collect(from: start, seconds: 10, rate: 200)
        try await drain(copy, hub)
        try box.collect(from: start, seconds: 10, rate: 120)
        try copy.collect(from: start, seconds: 10, rate: 210)
        try await drain(box, hub)
        try await drain(copy, hub)
        // The shared segments are stored once, what each measured alone is all there.
        try expectStored(box.measured + copy.measured, hub, "both")
        #expect(try copy.buffer.status().unsentSegments == 0)
    }

    @Test("EDGE-5: a hub whose disk is full takes nothing, says so, and has everything once there is room again")
    func hubDiskFull() async throws {
        let hub = try ServicesFixture()
        let box = try Box(person: hub.person, identity: try await hub.enrol())
        let start = hub.clock.now - 3_600_000
        try box.collect(from: start, seconds: 10, rate: 90)
        try await drain(box, hub)
        func setPagesMax(_ pages: Int) throws {
            try hub.series.journal.writeWithoutTransaction { try $0.execute(sql: "PRAGMA max_page_count = \(pages)") }
        }
        try setPagesMax(1)
        for _ in 0..<100 { try box.collect(from: start, seconds: 10, rate: 100) }
        await #expect(throws: StorageFailure.self) { try await drain(box, hub) }
        let stored = try hub.stored().heartRates.count
        #expect(stored < box.measured.count)
        try setPagesMax(1 << 30)
        try await drain(box, hub)
        try expectStored(box.measured, hub, "all of it")
    }

    @Test("EDGE-6: what the hub refuses is kept with its reason, and does not stop the rest")
    func refused() async throws {
        let hub = try ServicesFixture()
        let box = try Box(person: hub.person, identity: try await hub.enrol())
        try box.collect(from: hub.clock.now - 100_000, seconds: 10, rate: 400)
        try box.collect(from: hub.clock.now - 100_000, seconds: 10, rate: 100)
        try await drain(box, hub)
        let status = try box.buffer.status()
        #expect(status.refusedSegments == 1 && status.unsentSegments == 0)
        #expect(status.refusals.keys.contains { $0.contains("range") })
        #expect(try hub.stored().heartRates.count == 10)
    }
}
