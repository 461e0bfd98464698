import SampleBuffer
import Segments
import Testing
import Vitals

struct ReplayStartTests {
    private func specification(_ fixture: BufferFixture, nmea: UInt8? = 1, ble: UInt8? = 2, offset: Milliseconds = 0) -> ReplaySpecification
    {
        ReplaySpecification(
            person: fixture.person, nmea: nmea.map { ReplayFile(digest: [$0], name: "\($0).nmea") },
            ble: ble.map { ReplayFile(digest: [$0], name: "\($0).btsnoop") }, offset: offset, handle: nil)
    }

    private func finish(_ start: ReplayStart, _ fixture: BufferFixture) throws {
        guard case .fresh(let replay) = start else { throw BufferError.missing(what: "fresh replay") }
        var progress = ReplayProgress()
        progress.finished = 99
        try fixture.seal(BufferFixture.samples(0), to: .replay(replay), progress: progress)
    }

    @Test("EDGE-10: a finished replay is refused without --again, which begins a new stream")
    func again() throws {
        let fixture = try BufferFixture(), asked = specification(fixture)
        try finish(fixture.buffer.beginReplay(asked, again: false, utc: 1), fixture)
        guard
            case .alreadyFinished(_, 99, "1.nmea and 2.btsnoop", isWaiting: true) = try fixture.buffer.beginReplay(
                asked, again: false, utc: 2)
        else {
            Issue.record("not known")
            return
        }
        try fixture.acknowledgeAll()
        guard case .alreadyFinished(_, _, _, isWaiting: false) = try fixture.buffer.beginReplay(asked, again: false, utc: 2) else {
            Issue.record("still waiting")
            return
        }
        let before = try #require(try fixture.buffer.status().acknowledgedSegments as Int?)
        try finish(fixture.buffer.beginReplay(asked, again: true, utc: 3), fixture)
        #expect(before == 1)
        #expect(try fixture.unsent().map(\.header.sequence) == [0], "a stream of its own")
    }

    @Test("EDGE-10: a file that was begun in another way is not mixed up with it")
    func otherwise() throws {
        let fixture = try BufferFixture()
        guard case .fresh = try fixture.buffer.beginReplay(specification(fixture), again: false, utc: 1) else {
            Issue.record("not fresh")
            return
        }
        let others = [specification(fixture, offset: 1), specification(fixture, ble: nil), specification(fixture, nmea: 8)]
        for other in others {
            #expect(
                try fixture.buffer.beginReplay(other, again: false, utc: 2) == .playedOtherwise(utc: 1, name: "1.nmea and 2.btsnoop"))
        }
        guard case .fresh = try fixture.buffer.beginReplay(specification(fixture, nmea: 8, ble: 9), again: false, utc: 2) else {
            Issue.record("other files are another replay")
            return
        }
    }
}
