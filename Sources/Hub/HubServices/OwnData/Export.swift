public import Exchange
public import HubStore
public import Privacy
import Seams
public import Vitals

/// A download of a person's own data (DATA-9), hour by hour: neither memory nor a read transaction grows with the span.
public struct Export: Sendable {
    private let series: SeriesReader
    private let now: @Sendable () -> Milliseconds

    /// Bytes are gathered up to this before they are sent.
    static let chunkBytes = 64 << 10
    /// One thread for all downloads, which take turns by the hour: the requests of others keep the processors.
    private var turns: any ReadTurns

    public init(series: SeriesReader, now: @escaping @Sendable () -> Milliseconds) {
        (self.series, self.now, turns) = (series, now, BlockingQueue.export.made(on: series.machine))
    }

    /// The same, with other turns.
    public func taking(_ turns: some ReadTurns) -> Export {
        var export = self
        export.turns = turns
        return export
    }

    /// Hours with data that were written, of all. A format that goes through the series several times counts each of them, with the hours of
    /// the kinds that it then writes.
    public struct Progress: Sendable, Hashable {
        public let done: Int64
        public let all: Int64
    }

    public enum Failure: Error, Sendable, Hashable, CustomStringConvertible {
        /// The grant ended: revoked, expired, or the person was deleted. What was sent is incomplete and must not look whole.
        case grantEnded

        public var description: String { "The permission to read this data has ended. The file is incomplete: throw it away." }
    }

    /// The number of hours with data; nil when the grant does not hold (any more).
    public func hours(_ grant: Grant, in span: ClosedRange<Milliseconds>) throws -> Int64? {
        try series.hours(grant, in: span, now: now()).map { $0.reduce(0) { $0 + Int64($1.count) } }
    }

    /// A writer of CSV that has columns for scalars where there are any.
    public func csv(_ grant: Grant, in span: ClosedRange<Milliseconds>) throws -> CSVWriter {
        CSVWriter(scalars: try series.holdsScalars(grant, in: span, now: now()) == true)
    }

    /// Writes what a grant allows, the oldest first. The grant is checked again with every hour.
    /// - Parameters:
    ///   - span: UTC, both ends included.
    ///   - progress: told after each hour.
    ///   - send: gets the next bytes; the export waits until it returns.
    /// - Throws: ``Failure``, what `send` throws, and a store's errors. Whoever sends must then cut the connection, not end the file.
    public func write(
        _ writer: some SampleWriter, _ grant: Grant, in span: ClosedRange<Milliseconds>,
        progress: @Sendable (Progress) -> Void = { _ in }, send: ([UInt8]) async throws -> Void
    ) async throws {
        var (writer, buffer, done, largest) = (writer, [UInt8](), 0 as Int64, 0)
        let kinds = type(of: writer).passes
        let (passes, longest) = try await turns.run {
            let passes = try kinds.map { kinds in
                guard let hours = try series.hours(grant, of: Set(kinds), in: span, now: now()) else { throw Failure.grantEnded }
                return (kinds: kinds, hours: hours)
            }
            guard let longest = try series.longestBlock(grant, now: now()) else { throw Failure.grantEnded }
            return (passes, longest)
        }
        let all = passes.reduce(0) { $0 + $1.hours.reduce(0) { $0 + Int64($1.count) } }
        writer.begin(&buffer)
        for (kinds, hours) in passes {
            for hour in hours.joined() {
                try Task.checkCancellation()
                (writer, buffer) = try await turns.run { [writer, buffer, largest] in
                    try append(hour, kinds, grant, span, longest, to: (writer, buffer), room: largest)
                }
                largest = max(largest, buffer.count)
                done += 1
                progress(Progress(done: done, all: all))
                guard buffer.count >= Self.chunkBytes else { continue }
                try await send(buffer)
                buffer = []
            }
        }
        writer.end(&buffer)
        // Also for a file without samples: it must not be complete for somebody who may not read.
        guard try await turns.run({ try series.hours(grant, in: span.lowerBound...span.lowerBound, now: now()) }) != nil else {
            throw Failure.grantEnded
        }
        try await send(buffer)
    }

    /// - Parameters:
    ///   - longest: of the person's blocks, milliseconds.
    ///   - room: bytes for which there shall be room at once: an hour is about as long as the one before.
    private func append<Writer: SampleWriter>(
        _ hour: Int64, _ kinds: [DataKind], _ grant: Grant, _ span: ClosedRange<Milliseconds>, _ longest: Milliseconds,
        to state: (Writer, [UInt8]), room: Int
    ) throws -> (Writer, [UInt8]) {
        var (writer, buffer) = state
        buffer.reserveCapacity(room)
        guard let pieces = try series.pieces(grant, kinds: kinds, hour: hour, in: span, longest: longest, now: now()) else {
            throw Failure.grantEnded
        }
        for piece in pieces { try writer.append(piece.samples, from: piece.provenance, to: &buffer) }
        return (writer, buffer)
    }
}
