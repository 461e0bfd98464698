import Foundation
import GRDB
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

/// People who were deleted at the hub, or left the box.
struct ErasureTests {
    private let other = PersonID(high: 0xA1B2_C3D4_E5F6_0718, low: 0x1122_3344_5566_7788)

    @Test("DATA-10: what a box holds of somebody who is gone leaves its file and its log, and others lose nothing")
    func erased() throws {
        let fixture = try BufferFixture(), files = [fixture.path, fixture.path + "-wal"]
        for index in 0..<3 {
            fixture.now.milliseconds += 1000
            let parts = [fixture.person, other].map {
                SealPart(person: $0, clock: .recorded, samples: BufferFixture.samples(Milliseconds(index) * 1000))
            }
            try fixture.buffer.seal(parts, to: .live, at: fixture.now)
        }
        let bytes = try fixture.buffer.read {
            try Data.fetchAll($0, sql: "SELECT bytes FROM segment WHERE person = ?", arguments: [other.blob])
        }
        #expect(bytes.count == 3)
        func holds(_ needle: Data) throws -> Bool {
            try files.contains { try Data(contentsOf: URL(fileURLWithPath: $0)).range(of: needle) != nil }
        }
        #expect(try bytes.allSatisfy(holds), "or the test looks at the wrong place")
        try fixture.buffer.erase([other])
        #expect(try bytes.allSatisfy { try !holds($0) } && !holds(other.blob))
        let people = try fixture.buffer.read { try Data.fetchAll($0, sql: "SELECT person FROM segment") }
        #expect(people == Array(repeating: fixture.person.blob, count: 3))
        try fixture.reopen()
        #expect(try fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now)?.sent.segmentCount == 3)
    }

    @Test(
        "DATA-10: a box hears of whom the hub takes nothing again; a refusal for another reason says that of nobody",
        arguments: [true, false])
    func heard(fromDisk: Bool) throws {
        let fixture = try BufferFixture()
        var memory = MemoryOutbox(stream: StreamID(high: 3, low: 3))
        if fromDisk {
            try fixture.seal(count: 1)
        } else {
            _ = memory.hold(BufferFixture.samples(0), of: fixture.person, clock: .recorded)
        }
        func gone(_ reason: SyncAnswer.Refusal.Reason) throws -> Set<PersonID>? {
            let batch = try #require(try fromDisk ? fixture.buffer.nextBatch(bytesMax: 1 << 20, at: fixture.now) : memory.batch())
            let streams = batch.sent.sequences.map { stream, sequences in
                SyncAnswer.StreamState(
                    stream: stream, received: SequenceSet(), refused: sequences.map { .init(sequence: $0, reason: reason, detail: "") })
            }
            let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 1), utc: BufferFixture.utc, cadence: .interval, streams: streams)
            return try fromDisk ? fixture.buffer.apply(answer, to: batch.sent).gone : memory.apply(answer, to: batch.sent)?.gone
        }
        #expect(try gone(.range) == [])
        if fromDisk {
            try fixture.seal(count: 1, from: 1)
        } else {
            _ = memory.hold(BufferFixture.samples(0), of: fixture.person, clock: .recorded)
        }
        #expect(try gone(.notBound) == [], "it does not know them, as after a restore of an older backup")
        if fromDisk {
            try fixture.seal(count: 1, from: 2)
        } else {
            memory.bringBack([fixture.person])
        }
        #expect(try gone(.left) == [fixture.person])
        if fromDisk {
            try fixture.seal(count: 1, from: 3)
        } else {
            _ = memory.hold(BufferFixture.samples(0), of: fixture.person, clock: .recorded)
        }
        #expect(try gone(.deleted) == [fixture.person])
    }
}
