import Segments
import Vitals

/// What a reader by arrival has of one person: for each stream the sequences that need not come again. No order of arrival stands in it, so it is good at
/// any hub, and at a restored one, to which boxes send again what it lost.
///
/// Known is whatever was received before `made`, and what the ranges hold. Ranges of streams that were quiet for longer than ``ArrivalReader/lifetime``
/// go: nothing of theirs comes again.
struct ReceivedPlace: Sendable, Hashable {
    struct Stream: Sendable, Hashable {
        /// The day (of 24 hours since 1970) on which something last came of it.
        var day: Int64 = 0
        var sequences = SequenceSet()
    }

    /// When it was made, UTC milliseconds; where not all was handed out, when the oldest of the rest was received.
    var made: Milliseconds
    /// The journal row of the hub that made it up to which everything is known: the same hub looks no further back.
    var journal: Int64
    /// The ranges were more than a place holds: what comes behind it can only be told as a time from which on to read again.
    var isCut = false
    /// By the first 64 bits of the stream's identifier.
    var streams: [UInt64: Stream] = [:]

    init(made: Milliseconds, journal: Int64) { (self.made, self.journal) = (made, journal) }

    func contains(_ sequence: UInt64, of stream: UInt64) -> Bool { streams[stream]?.sequences.contains(sequence) == true }

    mutating func insert(_ sequence: UInt64, of stream: UInt64, received: Milliseconds) {
        streams[stream, default: Stream()].sequences.insert(sequence)
        streams[stream, default: Stream()].day = max(streams[stream]?.day ?? 0, Self.day(received))
    }

    /// Adds what the hub has of a stream below a sequence (all of it with nil), whosoever it is: so one range is left where a stream is of several people.
    mutating func fill(_ stream: UInt64, with received: SequenceSet, below end: UInt64?) {
        for range in received.ranges {
            guard let end else {
                streams[stream, default: Stream()].sequences.insert(range)
                continue
            }
            guard range.lowerBound < end else { return }
            streams[stream, default: Stream()].sequences.insert(range.lowerBound...min(range.upperBound, end - 1))
        }
    }

    private static let dayMilliseconds: Milliseconds = 86_400_000
    private static func day(_ time: Milliseconds) -> Int64 { time / dayMilliseconds }

    // MARK: Text

    private static let version: UInt64 = 1
    /// More cannot stand in a place that fits.
    private static let streamsMax = SubscriptionCursor.bytesMax

    /// Sealed with the person's key; without the ranges where they are too many.
    func sealed(with key: PersonKey, person: PersonID) throws -> SubscriptionCursor {
        var bytes = encoded()
        if bytes.count + Envelope.overhead > SubscriptionCursor.bytesMax {
            var cut = ReceivedPlace(made: made, journal: journal)
            cut.isCut = true
            bytes = cut.encoded()
        }
        return .sequences(sealed: try Envelope.seal(bytes, with: key, at: Self.place(of: person)))
    }

    /// nil for what was not sealed for this person.
    static func open(_ sealed: [UInt8], with key: PersonKey, person: PersonID) -> ReceivedPlace? {
        (try? Envelope.open(sealed, with: key, at: place(of: person))).flatMap(ReceivedPlace.init(decoding:))
    }

    private static func place(of person: PersonID) -> Envelope.Place { Envelope.Place(person: person, table: .arrivalPlace, row: (0, 0)) }

    func encoded() -> [UInt8] {
        var writer = NumberWriter()
        writer.write(Self.version)
        writer.write(signed: made)
        writer.write(signed: journal)
        writer.write(isCut ? 1 : 0)
        let oldest = Self.day(made - ArrivalReader.lifetime) - 1
        let kept = streams.filter { $0.value.day >= oldest }.sorted { $0.key < $1.key }
        writer.write(UInt64(kept.count))
        for (stream, known) in kept {
            writer.write(stream)
            writer.write(signed: known.day)
            writer.write(UInt64(known.sequences.ranges.count))
            var end: UInt64 = 0
            for range in known.sequences.ranges {
                writer.write(range.lowerBound - end)
                writer.write(range.upperBound - range.lowerBound)
                end = range.upperBound
            }
        }
        return writer.bytes
    }

    /// nil for anything that ``encoded()`` did not write.
    init?(decoding bytes: [UInt8]) {
        var reader = NumberReader(bytes)
        guard reader.number() == Self.version, let made = reader.signed(), let journal = reader.signed(), let cut = reader.number(),
            let count = reader.count(Self.streamsMax)
        else { return nil }
        self.init(made: made, journal: journal)
        isCut = cut == 1
        for _ in 0..<count {
            guard let stream = reader.number(), let day = reader.signed(), let ranges = reader.count(Self.streamsMax) else { return nil }
            var known = Stream(day: day), end: UInt64 = 0
            for _ in 0..<ranges {
                guard let gap = reader.number(), let length = reader.number() else { return nil }
                let (first, isPast) = end.addingReportingOverflow(gap), (last, isLong) = first.addingReportingOverflow(length)
                guard !isPast, !isLong else { return nil }
                known.sequences.insert(first...last)
                end = last
            }
            streams[stream] = known
        }
        guard reader.isAtEnd else { return nil }
    }
}
