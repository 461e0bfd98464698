import Foundation
import Vitals

/// The part of a ``MadeUpYear`` that a hub has or is to get, as the state file keeps it. It is kept for good, so that a day that was sent is the
/// same when it is sent again, and what is made up later follows it.
struct YearSent: Codable, Sendable, Hashable {
    var seed: UInt64
    /// Of the wearer's clock, an IANA name.
    var zone: String
    var stream: StreamID
    /// On the first day, UTC milliseconds.
    var begins: Milliseconds
    /// The ends of what was asked for, one after the other.
    private(set) var ends: [Milliseconds] = []

    /// Less than this is not worth a segment of its own.
    private static let least: Milliseconds = 600_000

    init(seed: UInt64, zone: String, stream: StreamID, begins: Milliseconds) {
        (self.seed, self.zone, self.stream, self.begins) = (seed, zone, stream, begins)
    }

    var year: MadeUpYear { MadeUpYear(seed: seed, zone: zone, begins: begins) }

    /// Goes on until a time, in whole seconds.
    mutating func reach(_ time: Milliseconds) {
        let end = time / 1000 * 1000
        if end - (ends.last ?? begins) >= Self.least { ends.append(end) }
    }

    /// A day, or a part of one that begins or ends with what was asked for.
    struct Part: Sendable, Hashable {
        /// In the stream, from 1.
        let sequence: UInt64
        let day: Int
        let span: Range<Milliseconds>
    }

    /// In the order of time. Those that were there stay as they are when more is asked for.
    var parts: [Part] {
        guard let last = ends.last else { return [] }
        let year = year
        var parts: [Part] = [], from = year.day(0).span.lowerBound
        for index in 0...max(0, year.index(of: last)) {
            let span = year.day(index).span
            for end in ends.filter({ span.contains($0) && $0 > from }) + [span.upperBound] where end <= last && end > from {
                parts.append(Part(sequence: UInt64(parts.count + 1), day: index, span: from..<end))
                from = end
            }
        }
        return parts
    }
}
