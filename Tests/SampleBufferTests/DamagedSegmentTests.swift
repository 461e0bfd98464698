import Foundation
import GRDB
import Segments
import SyncProtocol
import Testing
import Vitals

@testable import SampleBuffer

struct DamagedSegmentTests {
    @Test(
        "EDGE-5: a stored segment that cannot be read is set aside with a gap record, and the others are sent",
        arguments: [
            "bytes = CAST(x'FF' || substr(bytes, 2) AS BLOB)", "bytes = x''", "bytes = zeroblob(2000000)", "sequence = 77",
            "bytes = 'text'",
        ])
    func unreadable(change: String) throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 5)
        try fixture.buffer.write { try $0.execute(sql: "UPDATE segment SET \(change) WHERE key = 3") }
        let segments = try fixture.unsent()
        #expect(segments.map(\.header.sequence) == [0, 1, 3, 4])
        #expect(fixture.buffer.takeNotices().count == 1)
        #expect(try fixture.unsent().map(\.samples.gaps).last == [GapRecord(time: 1002, sequences: 2...2, reason: .corruption)])
        let status = try fixture.buffer.status()
        #expect(status.refusals == ["damaged in the buffer": 1])
        #expect(status.unsentSegments == 5)
        try fixture.seal(count: 1, from: 5)
        #expect(try fixture.unsent().map(\.header.sequence) == [0, 1, 3, 4, 5, 6])
        try fixture.acknowledgeAll()
        #expect(try fixture.buffer.status().unsentSegments == 0)
        #expect(fixture.buffer.takeNotices() == [])
    }

    @Test("EDGE-5: live data goes on when everything that was stored is unreadable")
    func allUnreadable() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 300)
        try fixture.buffer.write { try $0.execute(sql: "UPDATE segment SET bytes = x'00'") }
        // Bounded work for each request.
        #expect(try fixture.unsent().count == 256)
        #expect(Set(try fixture.unsent().flatMap(\.samples.gaps).map(\.sequences)) == Set((0..<300).map { $0...$0 }))
        try fixture.seal(count: 1, from: 300)
        try fixture.acknowledgeAll()
        #expect(try fixture.buffer.status().refusedSegments == 300)
    }

    @Test("EDGE-5: what is whole is sent even when the disk does not take that something is not")
    func unwritable() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        try fixture.buffer.write { database in
            try database.execute(sql: "UPDATE segment SET bytes = x'' WHERE key = 1")
            try database.execute(sql: "CREATE TRIGGER no BEFORE UPDATE ON segment BEGIN SELECT raise(ABORT, 'no'); END")
        }
        #expect(try fixture.unsent().map(\.header.sequence) == [1, 2])
        try fixture.buffer.write { try $0.execute(sql: "DROP TRIGGER no") }
        #expect(try fixture.unsent().map(\.header.sequence) == [1, 2])
        #expect(try fixture.unsent().map(\.header.sequence) == [1, 2, 3])
    }

    @Test("EDGE-5: a segment of which nothing is known is set aside, and the next seal declares a loss")
    func unknown() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        try fixture.buffer.write { database in
            try database.execute(sql: "UPDATE segment SET bytes = x'', person = x'' WHERE key = 1")
        }
        #expect(try fixture.unsent().map(\.header.sequence) == [1])
        try fixture.seal(count: 1, from: 2)
        #expect(try fixture.unsent().flatMap(\.samples.gaps) == [GapRecord(time: 2000, sequences: 2...2, reason: .corruption)])
    }
}
