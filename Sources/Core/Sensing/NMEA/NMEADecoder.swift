public import Vitals

/// A position out of an NMEA log.
public struct NMEAFix: Sendable, Hashable {
    public enum DateQuality: Sendable, Hashable {
        case asRecorded
        /// Moved by ``NMEADecoder/Options/correctsWeekRollover``.
        case corrected
        /// Before ``NMEADecoder/Options/notBefore``: not to be trusted, the receiver may be 1024 weeks off.
        case beforeFloor
        /// No sentence gave a date: the sample's time is that of the day, on 1970-01-01.
        case missing
    }

    /// Its time is in UTC milliseconds as the receiver gave it (`ClockDomain.recorded`).
    public var sample: PositionSample
    public var date: DateQuality
    /// The number of bytes of the file that had been consumed when all sentences of this fix had been.
    public var endOffset: Int64
}

/// Reads positions out of an NMEA 0183 log, fed in chunks of any size. The fixes do not depend on the chunks.
///
/// All sentences of one time stamp make one fix; it is given when a sentence of another time comes, and at the end. RMC, GGA, GNS and
/// GLL give positions; the last of those with the most digits is kept. One of them that says "no fix" (RMC and GLL status V, GGA quality
/// 0, 7 or 8, GNS mode N) makes the whole time stamp void. GSA gives the mode, GST the error, VTG the speed, RMC and ZDA the date. The
/// horizontal error is the root of the sum of GST's two squared deviations where there is GST, otherwise HDOP times 5 m (a usual
/// user-range error of a consumer receiver), otherwise unknown.
///
/// To resume a replay, feed the file from its start again and drop the fixes whose ``NMEAFix/endOffset`` is not greater than the last one
/// used: what date and mode hold at an offset depends on what came before, and reading is much faster than playing.
public struct NMEADecoder: Sendable {
    public struct Options: Sendable, Hashable {
        /// The earliest credible time, UTC: fixes dated before are marked. nil: every date that exists is taken as it is.
        public var notBefore: Milliseconds?
        /// Add multiples of 1024 weeks to dates before ``notBefore`` until they are not (GPS week rollover, IS-GPS-200, 20.3.3.3.1.1).
        public var correctsWeekRollover: Bool

        public init(notBefore: Milliseconds? = nil, correctsWeekRollover: Bool = false) {
            self.notBefore = notBefore
            self.correctsWeekRollover = correctsWeekRollover
        }
    }

    /// Longer lines are no sentences (the standard's limit is 82, real receivers send up to about 200).
    public static let lineBytesMax = 1024

    /// The report of the part read so far.
    public internal(set) var report = NMEAReport()
    var merger: NMEAMerger
    private var carry: [UInt8] = []
    /// The rest of a line that was too long is dropped up to its end.
    private var isDropping = false
    /// Offset in the file of the first byte that was not consumed.
    private var offset: Int64 = 0
    private var lineStart: Int64 = 0
    /// The first bytes, for the message when there is not one sentence.
    private var head: [UInt8] = []

    public init(options: Options = Options()) { merger = NMEAMerger(options: options) }

    public init(notBefore: Milliseconds?) { self.init(options: Options(notBefore: notBefore)) }

    /// Reads on, and gives the fixes that are complete.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer, emit: (NMEAFix) -> Void) {
        report.bytes += Int64(bytes.count)
        if head.count < RecordingFormat.bytesExamined {
            head += bytes.prefix(RecordingFormat.bytesExamined - head.count)
        }
        let span = bytes.bytes
        var start = 0
        var position = 0
        while position < span.byteCount {
            let byte = span.byte(at: position)
            position += 1
            guard byte == 0x0A || byte == 0x0D else { continue }
            end(span, start..<(position - 1), emit)
            start = position
        }
        keep(span, start..<span.byteCount)
    }

    /// Reads on from an array.
    public mutating func feed(_ bytes: [UInt8], emit: (NMEAFix) -> Void) {
        bytes.withUnsafeBytes { feed($0, emit: emit) }
    }

    /// Tells that the file has ended: gives the last fix.
    /// - Throws: ``RecordingRefused`` when there was not one sentence in it, with what the file is instead.
    public mutating func finish(emit: (NMEAFix) -> Void) throws(RecordingRefused) {
        if !carry.isEmpty {
            let line = carry
            carry = []
            lineStart = offset
            self.line(line.span.bytes, 0..<line.count, emit)
            offset += Int64(line.count)
        }
        merger.endEpoch(at: offset, &report, emit)
        guard report.sentences == 0 else { return }
        if report.bytes == 0 { throw RecordingRefused("the file is empty") }
        switch try RecordingFormat.captureFormat(head) {
        case nil: break
        default: throw RecordingRefused("this is a Bluetooth capture, not an NMEA 0183 log")
        }
        if report.damaged > report[.noise] {
            throw RecordingRefused("not one sentence of this NMEA 0183 log is whole")
        }
        throw RecordingRefused("this is \(RecordingFormat.nameOfForeign(head)), not an NMEA 0183 log")
    }

    /// A line ends: it is read where it lies, unless its beginning came in an earlier chunk.
    private mutating func end(_ span: RawSpan, _ range: Range<Int>, _ emit: (NMEAFix) -> Void) {
        if isDropping || !carry.isEmpty {
            keep(span, range)
            let whole = carry
            carry = []
            lineStart = offset
            if !isDropping { line(whole.span.bytes, 0..<whole.count, emit) }
            isDropping = false
            offset += Int64(whole.count) + 1
        } else {
            lineStart = offset - Int64(range.lowerBound)
            line(span, range, emit)
            offset += Int64(range.count) + 1
        }
    }

    /// The offset in the file of a position in the bytes that ``line(_:_:_:)`` is reading.
    func lineOffset(_ position: Int) -> Int64 { lineStart + Int64(position) }

    /// Keeps the beginning of a line for the next chunk, up to the limit.
    private mutating func keep(_ span: RawSpan, _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        if isDropping {
            offset += Int64(range.count)
        } else if carry.count + range.count > Self.lineBytesMax {
            report.skip(.tooLong)
            isDropping = true
            offset += Int64(carry.count + range.count)
            carry = []
        } else {
            carry.append(contentsOf: span.extracting(range).bytes)
        }
    }
}
