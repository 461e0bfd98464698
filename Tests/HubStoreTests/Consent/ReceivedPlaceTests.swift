import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

/// Places of readers as ranges of sequences by stream, over merges, late data and a restored hub.
@Suite struct ReceivedPlaceTests {
    /// A person who sends from several boxes, and a reader of heart rate and position.
    private struct Sending {
        let asking: AskingFixture
        let store: StoreFixture
        let id: ConsentID
        let grant: Grant
        let streams = (0..<3).map { StreamID(high: UInt64($0 + 1), low: 7) }

        /// When the fixture's segments are received.
        static let received = noon + day

        init(_ engine: Engine) throws {
            asking = try AskingFixture(engine)
            store = try StoreFixture(asking.fixture.directory, hub: asking.fixture.hub, person: asking.person)
            id = try asking.give(asking.scope([.heartRate, .position]))
            grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: 1))
        }

        /// The time of a segment's samples names it: a second for each sequence, and hours between streams.
        static func time(_ sequence: UInt64, of stream: Int) -> Milliseconds {
            noon + Milliseconds(stream) * 7 * 3_600_000 + Milliseconds(sequence) * 120_000
        }

        func append(_ sequence: UInt64, of stream: Int = 0, to other: StoreFixture? = nil) throws {
            let start = Self.time(sequence, of: stream)
            try (other ?? store).append(
                SampleSet(heartRates: heartRates(from: start, count: 3), positions: positions(from: start, count: 2)), sequence: sequence,
                stream: streams[stream])
        }

        func read(
            after cursor: SubscriptionCursor?, most: Int = 200, at other: StoreFixture? = nil, now: Milliseconds = received
        ) throws -> Arrivals {
            // As a program keeps it: by its text alone.
            let kept = try cursor.map { try #require(SubscriptionCursor($0.description)) }
            return try #require(
                try (other ?? store).series.arrivals.read(grant, after: kept, since: noon, segmentsMax: most, now: now))
        }

        /// The first times of what comes, segment by segment, until nothing does; and the place behind each.
        func all(
            after cursor: SubscriptionCursor?, most: Int = 200, at other: StoreFixture? = nil
        ) throws -> (times: [Milliseconds], places: [SubscriptionCursor], last: SubscriptionCursor?) {
            var times: [Milliseconds] = [], places: [SubscriptionCursor] = [], cursor = cursor
            while true {
                guard case .items(let items, let upTo) = try read(after: cursor, most: most, at: other) else { throw HubFixture.Taken() }
                for item in items {
                    try #require(item.samples.heartRates.count == 3 && item.samples.positions.count == 2)
                    times.append(item.samples.heartRates[0].time)
                    places.append(item.cursor)
                }
                guard let upTo else { return (times, places, cursor) }
                cursor = upTo
            }
        }

        func merge() throws { try store.series.merger.merge(now: Self.received) }
    }

    @Test(
        "CONS-14: whatever order segments come in and however they are merged, each comes once behind any place", arguments: Engine.allCases
    )
    func anyOrder(engine: Engine) throws {
        for seed in Seeds.some(3, of: 1..<40) {
            var generator = SeededGenerator(seed: seed)
            let sending = try Sending(engine)
            var left = (0..<3).flatMap { stream in (0..<12 as Range<UInt64>).map { (stream, $0) } }.shuffled(using: &generator)
            // Every place that was ever given, and what had come until then.
            var given: [(place: SubscriptionCursor?, had: Set<Milliseconds>)] = [(nil, [])], sent: Set<Milliseconds> = []
            while !left.isEmpty {
                for _ in 0..<Int.random(in: 1...5, using: &generator) {
                    guard let (stream, sequence) = left.popLast() else { break }
                    try sending.append(sequence, of: stream)
                    sent.insert(Sending.time(sequence, of: stream))
                }
                if Bool.random(using: &generator) { try sending.merge() }
                guard let from = given.randomElement(using: &generator) else { continue }
                let found = try sending.all(after: from.place, most: Int.random(in: 1...7, using: &generator))
                #expect(Set(found.times).count == found.times.count, "seed \(seed): twice")
                #expect(from.had.isDisjoint(with: found.times), "seed \(seed): again")
                #expect(from.had.union(found.times) == sent, "seed \(seed): left out")
                for (index, place) in found.places.enumerated() { given.append((place, from.had.union(found.times[...index]))) }
            }
        }
    }

    @Test("CONS-14: a place of the order of arrival, as hubs gave it before, goes on exactly", arguments: Engine.allCases)
    func orders(engine: Engine) throws {
        let sending = try Sending(engine), hub = sending.asking.accounts.incarnation
        for number in 0..<4 as Range<UInt64> { try sending.append(number) }
        func rest(_ place: ArrivalCursor) throws -> [Milliseconds] { try sending.all(after: .order(place, hub: hub)).times }
        let places = [
            ArrivalCursor(journal: 1, received: Sending.received), ArrivalCursor(journal: 1, part: 1, received: Sending.received),
        ]
        for _ in 0..<2 {
            #expect(try rest(places[0]) == [1, 2, 3].map { Sending.time($0, of: 0) })
            #expect(try rest(places[1]) == [2, 3].map { Sending.time($0, of: 0) })
            try sending.merge()
        }
        // What it becomes is as exact.
        let next = try sending.all(after: .order(places[1], hub: hub)).last
        try sending.append(4)
        #expect(try sending.all(after: next).times == [Sending.time(4, of: 0)])
    }

    @Test("CONS-14: what a hub of an older version merged is told as missed, from when on; then it goes on", arguments: Engine.allCases)
    func olderMerges(engine: Engine) throws {
        let sending = try Sending(engine)
        try sending.append(0)
        try sending.merge()
        try sending.store.series.series.write { try $0.execute(sql: "UPDATE arrival SET segments = NULL") }
        try sending.append(1)
        guard case .startOver(let from, let next) = try sending.read(after: nil) else {
            Issue.record("nobody knows which segments were merged")
            return
        }
        #expect(from == Sending.time(0, of: 0))
        #expect(try sending.all(after: next).times == [Sending.time(1, of: 0)])
    }

    @Test("CONS-14, DATA-11: a hub out of a backup goes on at places given since: nothing that boxes send again comes twice")
    func restored() throws {
        let sending = try Sending(.files)
        for number in 0..<3 as Range<UInt64> { try sending.append(number) }
        try sending.merge()
        let backup = try TemporaryDirectory(copyOf: sending.store.directory.url)
        for number in 3..<6 as Range<UInt64> { try sending.append(number) }
        let had = try sending.all(after: nil)
        #expect(had.times.count == 6)
        let restored = try StoreFixture(backup, person: sending.asking.person)
        #expect(try sending.all(after: had.last, at: restored).times.isEmpty)
        // The boxes send again what the backup lacks, and what is new.
        for number in [4, 6, 3, 5, 7] as [UInt64] { try sending.append(number, to: restored) }
        let new = [6, 7].map { Sending.time($0, of: 0) }
        #expect(try sending.all(after: had.last, at: restored).times == new)
        try restored.series.merger.merge(now: Sending.received)
        #expect(try sending.all(after: had.last, at: restored).times == new)
        #expect(try sending.all(after: had.places[3], at: restored).times.sorted() == [4, 5, 6, 7].map { Sending.time($0, of: 0) })
    }

    @Test("CONS-14, DATA-9: a deleted part does not come, and the rest of its hour does", arguments: Engine.allCases)
    func deleted(engine: Engine) throws {
        let sending = try Sending(engine), accounts = sending.asking.accounts
        for number in 0..<3 as Range<UInt64> { try sending.append(number) }
        try sending.merge()
        let gone = Sending.time(1, of: 0), later = Sending.received
        let part = try accounts.requestDeletion(
            of: [.heartRate, .position], in: gone...gone + 10_000, person: sending.asking.person, now: later)
        try sending.store.series.erasure.delete(part, now: later)
        #expect(try sending.all(after: nil).times == [0, 2].map { Sending.time($0, of: 0) })
    }

    @Test("CONS-14: a place tells its holder nothing, is read for its person alone, and another's begins anew")
    func sealedPlaces() throws {
        let sending = try Sending(.files), other = try Sending(.files)
        try sending.append(0)
        try other.append(0)
        let place = try #require(try sending.all(after: nil).last)
        guard case .startOver(let from, let next) = try other.read(after: place) else {
            Issue.record("a place of another person was taken")
            return
        }
        #expect(from == 0)
        #expect(try other.all(after: next).times.isEmpty)
        guard case .startOver = try sending.read(after: place, now: Sending.received + ArrivalReader.lifetime + 1) else {
            Issue.record("a place older than its 30 days was taken")
            return
        }
    }

    @Test("CONS-14: one stream of many people takes one range; more streams than fit are told as missed from when on")
    func length() throws {
        var place = ReceivedPlace(made: Sending.received, journal: 9)
        for sequence in stride(from: 1 as UInt64, to: 4001, by: 2) { place.insert(sequence, of: 5, received: noon) }
        #expect(place.streams[5]?.sequences.ranges.count == 2000)
        place.fill(5, with: SequenceSet([0...5000]), below: 4001)
        #expect(place.streams[5]?.sequences.ranges == [0...4000])
        #expect(ReceivedPlace(decoding: place.encoded()) == place)
        for cut in place.encoded().indices { #expect(ReceivedPlace(decoding: Array(place.encoded()[..<cut])) == nil) }
        let sending = try Sending(.files), key = try #require(try sending.store.accounts.keys.key(of: sending.asking.person))
        for stream in 0..<2000 as Range<UInt64> { place.insert(1, of: stream &* 0x9E37_79B9_7F4A_7C15, received: noon) }
        let long = try place.sealed(with: key, person: sending.asking.person)
        guard case .sequences(let sealed) = long, let read = ReceivedPlace.open(sealed, with: key, person: sending.asking.person) else {
            Issue.record("a place that is too long does not open")
            return
        }
        #expect(sealed.count <= SubscriptionCursor.bytesMax && read.isCut && read.streams.isEmpty)
        // Nothing is behind it; then something is.
        guard case .items([], upTo: nil) = try sending.read(after: long) else {
            Issue.record("nothing had come")
            return
        }
        for number in 0..<10 as Range<UInt64> { try sending.append(number) }
        guard case .startOver(let from, _) = try sending.read(after: long) else {
            Issue.record("what came was not told")
            return
        }
        #expect(from == Sending.time(9, of: 0), "nine rows of the journal were known")
    }

    @Test("CONS-14: which sample of a block came with which segment is kept over a sort, a removal and the disk")
    func blocks() {
        var sequences = BlockSequences(unknown: 2)
        for number in 0..<3 as Range<UInt64> { sequences.append(UInt64.max - number, count: 2) }
        sequences.append(7)
        #expect(BlockSequences(decoding: sequences.encoded()) == sequences)
        for cut in sequences.encoded().indices.dropFirst() where BlockSequences(decoding: sequences.encoded()[..<cut]) == sequences {
            Issue.record("\(cut) bytes read as the whole")
        }
        sequences.sort(by: [5, 6, 7, 8, 1, 2, 3, 4, 0])
        #expect(sequences.runs.map(\.sequence) == [7, UInt64.max - 1, UInt64.max - 2, nil, UInt64.max])
        func last(_ number: UInt64) -> BlockSequences.Run { .init(sequence: UInt64.max - number, count: 2) }
        sequences.remove(where: [true, false, false, true, true, false, false, false, false])
        #expect(sequences.runs == [last(1), BlockSequences.Run(sequence: nil, count: 2), last(0)])
        #expect(BlockSequences(decoding: [1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1]) == nil)
        var hour = BlockSequences()
        for number in 0..<360 as Range<UInt64> { hour.append(1_000_000 + number, count: 10) }
        #expect(hour.encoded().count < 16, "an hour at 1 Hz")
    }

    @Test("CONS-14: what a merge took reads as it was written, and nothing else does")
    func merges() throws {
        func frame(_ sequence: UInt64, _ stream: Int64, at time: Milliseconds) -> JournalFrame {
            JournalFrame(
                person: 1, stream: stream, clock: stream + 10, sequence: sequence, fingerprint: 0, first: time, last: time + 5,
                hasClocks: false, gaps: [], envelope: [])
        }
        let segments = [
            PendingSegment(frame(5, 1, at: 100), journal: 3, offset: 0), PendingSegment(frame(6, 1, at: 50), journal: 3, offset: 0),
            PendingSegment(frame(.max, 2, at: 7), journal: 4, offset: 0), PendingSegment(frame(4, 1, at: 200), journal: 9, offset: 0),
        ]
        let bytes = MergedSegments.encode(segments, received: [3: 1000, 4: 900, 9: 2000])
        let read = try #require(MergedSegments.decode(bytes))
        #expect(read.map(\.sequence) == [5, 6, .max, 4] && read.map(\.stream) == [1, 1, 2, 1] && read.map(\.clock) == [11, 11, 12, 11])
        #expect(read.map(\.journal) == [3, 3, 4, 9] && read.map(\.received) == [1000, 1000, 900, 2000])
        #expect(read.map(\.first) == [50, 50, 7, 50] && read.map(\.last) == [205, 205, 12, 205])
        for cut in bytes.indices { #expect(MergedSegments.decode(bytes[..<cut]) == nil) }
    }
}
