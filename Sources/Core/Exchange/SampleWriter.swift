public import Vitals

/// Writes samples as a file, piece by piece: a value that appends bytes to a buffer which the caller empties in between. What it keeps
/// does not grow with the series, and what one call appends is in proportion to the samples that it was given.
///
///     var writer = CSVWriter(), buffer: [UInt8] = []
///     writer.begin(&buffer)
///     for kinds in CSVWriter.passes {
///         for each hour of the span, oldest first { try writer.append(samples of those kinds, from: provenance, to: &buffer); send }
///     }
///     writer.end(&buffer)
public protocol SampleWriter: Sendable {
    /// The media type, for `Content-Type`.
    static var mediaType: String { get }
    /// The end of the file's name, without the point.
    static var fileExtension: String { get }
    /// The kinds that the series is to be gone through for, once for each member: most formats want one pass, one wants a pass for each kind.
    static var passes: [[DataKind]] { get }

    /// Writes the text before the first sample. Call it once.
    mutating func begin(_ buffer: inout [UInt8])

    /// Appends samples whose times are UTC, each kind in the order of time, and none before those of the last call.
    /// Clock records and unknown columns are not written: times are in UTC already, and nobody can read the others.
    /// - Throws: ``ExportError`` when the kinds come in an order that the format cannot hold. The buffer is as it was.
    mutating func append(_ samples: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) throws(ExportError)

    /// Writes the text behind the last sample. Call it once.
    mutating func end(_ buffer: inout [UInt8])
}

/// A mistake of the program that calls a writer.
public enum ExportError: Error, Hashable, CustomStringConvertible {
    /// Samples of this kind came when its list was closed already.
    case listClosed(DataKind)

    public var description: String {
        switch self {
        case .listClosed(let kind):
            "samples of the kind \(kind) came after those of a later list; go through the series once for each member of `passes`"
        }
    }
}

/// The samples of a set in the order of time, whatever their kind.
struct TimeMerge {
    enum Next {
        case heartRate(HeartRateSample)
        case position(PositionSample)
        case event(StateEvent)
        case gap(GapRecord)
        case scalar(ScalarSample)
    }

    private let samples: SampleSet
    /// In the order of time, whatever their kind.
    private let scalars: [ScalarSample]
    private var heartRate = 0, position = 0, event = 0, gap = 0, scalar = 0

    init(_ samples: SampleSet) {
        self.samples = samples
        scalars = samples.scalars.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }.map(\.element)
    }

    mutating func next() -> Next? {
        let times = (
            heartRate < samples.heartRates.count ? samples.heartRates[heartRate].time : nil,
            position < samples.positions.count ? samples.positions[position].time : nil,
            event < samples.events.count ? samples.events[event].time : nil,
            gap < samples.gaps.count ? samples.gaps[gap].time : nil,
            scalar < scalars.count ? scalars[scalar].time : nil
        )
        func first(_ time: Milliseconds?, _ others: Milliseconds?...) -> Bool {
            guard let time else { return false }
            return others.allSatisfy { $0.map { time <= $0 } ?? true }
        }
        if first(times.0, times.1, times.2, times.3, times.4) {
            heartRate += 1
            return .heartRate(samples.heartRates[heartRate - 1])
        }
        if first(times.1, times.2, times.3, times.4) {
            position += 1
            return .position(samples.positions[position - 1])
        }
        if first(times.2, times.3, times.4) {
            event += 1
            return .event(samples.events[event - 1])
        }
        if first(times.3, times.4) {
            gap += 1
            return .gap(samples.gaps[gap - 1])
        }
        guard times.4 != nil else { return nil }
        scalar += 1
        return .scalar(scalars[scalar - 1])
    }
}
