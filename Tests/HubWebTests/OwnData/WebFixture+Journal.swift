import Foundation
import Segments
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

extension WebFixture {
    /// Puts samples straight into the journal, each set as a segment of one stream. Nothing is looked at as ingest would.
    func append(_ sets: [SampleSet], of person: PersonID, _ provenance: Provenance = .live) throws {
        let series = hub.series, stream = StreamID.random(), now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        let row = try #require(try series.streams([.init(stream: stream, agent: 1, provenance: provenance)], now: now)[stream]?.row)
        let key = SeriesStore.ClockKey(stream: row, domain: .recorded)
        let clock = try #require(try series.clocks([key])[key]), owner = try #require(try hub.accounts.row(of: person))
        let frames = try sets.enumerated().map { index, samples in
            let sequence = UInt64(index + 1)
            let segment = Segment(
                stream: stream, sequence: sequence, person: person, provenance: provenance, clock: .recorded, samples: samples)
            let sealed = try segment.encoded().withUnsafeBytes {
                try series.seal($0, person: person, stream: row, sequence: sequence)
            }
            return JournalFrame(
                person: owner, stream: row, clock: clock, sequence: sequence, fingerprint: sequence,
                first: segment.header.firstTime, last: segment.header.lastTime, hasClocks: false, gaps: [],
                envelope: try #require(sealed))
        }
        try series.append(frames, clocks: [], now: now)
    }
}
