import GRDB
import Segments
import Testing
import Vitals

@testable import SampleBuffer

/// A seal whose last sync failed, and whose pages another opening of the file takes for committed.
struct UnconfirmedSealTests {
    @Test("EDGE-5, EDGE-6: a seal that failed and is found in the file nevertheless is undone, so that its samples are stored once")
    func undone() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 2)
        // What the box knows after a failed sync: how it was before; what the file has: everything.
        let stream = try fixture.buffer.write { try $0.stream(key: try $0.stream(.liveStream, .live)) }
        try fixture.buffer.write { try fixture.buffer.unconfirmed.begin(stream, .live, in: $0) }
        let before = try #require(fixture.buffer.unconfirmed.last)
        try fixture.seal(BufferFixture.samples(50_000))
        fixture.buffer.unconfirmed.assume(before)
        fixture.buffer.closeReadOnly()
        // The same samples once more, with those that came meanwhile.
        try fixture.seal(BufferFixture.samples(50_000, count: 5))
        let segments = try fixture.segments(in: try #require(try fixture.batch()))
        #expect(segments.map(\.header.sequence).sorted() == [0, 1, 2])
        #expect(segments.flatMap { $0.samples.heartRates }.filter { $0.time >= 50_000 }.count == 5)
        #expect(fixture.buffer.unconfirmed.last == nil)
    }

    @Test("EDGE-5: a seal that succeeded stays when the file is opened anew")
    func kept() throws {
        let fixture = try BufferFixture()
        try fixture.seal(count: 3)
        fixture.buffer.closeReadOnly()
        #expect(try fixture.segments(in: try #require(try fixture.batch())).count == 3)
    }
}
