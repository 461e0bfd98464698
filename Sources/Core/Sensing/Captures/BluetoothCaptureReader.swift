/// One event out of a Bluetooth capture.
public struct CaptureEvent: Sendable, Hashable {
    /// Its times are UTC milliseconds as the capture recorded them (`ClockDomain.recorded`).
    public var event: HeartRateEvent
    /// The number of bytes of the file up to and including the record that gave this event.
    public var endOffset: Int64

    public init(event: HeartRateEvent, endOffset: Int64) {
        self.event = event
        self.endOffset = endOffset
    }
}

/// Reads heart rates out of a Bluetooth capture (btsnoop, pcap, pcapng), fed in chunks of any size. The events do not depend on the chunks.
///
/// Which notifications are heart rates is learned, per connection, from the discovery in the capture; where that is missing, from an
/// earlier discovery of the same sensor, ``Options/handle``, or ``Options/guess``. A guess needs to have seen the whole file: read it once,
/// drop the events, and read it again with `guess` taken from the first reader's ``guess`` (nil mostly, because it was not needed).
///
/// To resume a replay, feed the file from its start again and drop the events whose ``CaptureEvent/endOffset`` is not greater than the last
/// one that was used: what connections and handles are known at an offset depends on everything before it, and reading is much faster than
/// playing. All events of one record have the same `endOffset`, so a resumption point must be taken after the last of them; count the
/// events where it falls between them.
public struct BluetoothCaptureReader: Sendable {
    public struct Options: Sendable, Hashable {
        /// The value handle of 0x2A37 on connections on which the capture does not tell.
        public var handle: UInt16?
        /// The findings of a first reading of the same file.
        public var guess: HandleGuess?

        public init(handle: UInt16? = nil, guess: HandleGuess? = nil) {
            self.handle = handle
            self.guess = guess
        }
    }

    private enum Container {
        case undecided
        case btsnoop(BtsnoopContainer)
        case pcap(PcapContainer)
        case pcapng(PcapngContainer)
        /// Damage: the rest is only counted.
        case unreadable
    }

    private var container = Container.undecided
    /// The beginning of a record that is not complete yet.
    private var carry: [UInt8] = []
    /// Offset in the file of the first byte that was not consumed.
    private var offset: Int64 = 0
    private var packets: PacketDecoder

    public init(options: Options = Options()) {
        packets = PacketDecoder(options: options)
    }

    /// The report of the part read so far.
    public var report: CaptureReport { packets.follower.report }

    /// After ``finish(emit:)``: the one handle that can be taken for heart rates where no discovery tells, if there is exactly one.
    public var guess: HandleGuess? { packets.follower.survey.guess }

    /// Reads on.
    /// - Throws: ``RecordingRefused`` when the file is no capture, or one of a kind that cannot be read; nothing was emitted then.
    public mutating func feed(_ bytes: UnsafeRawBufferPointer, emit: (CaptureEvent) -> Void) throws(RecordingRefused) {
        packets.follower.report.bytes += Int64(bytes.count)
        if carry.isEmpty {
            let consumed = try parse(bytes.bytes, emit: emit)
            if consumed < bytes.count { carry.append(contentsOf: bytes[consumed...]) }
        } else {
            carry.append(contentsOf: bytes)
            var pending: [UInt8] = []
            swap(&pending, &carry)
            let consumed = try parse(pending.span.bytes, emit: emit)
            pending.removeFirst(consumed)
            swap(&pending, &carry)
        }
    }

    /// Reads on from an array.
    public mutating func feed(_ bytes: [UInt8], emit: (CaptureEvent) -> Void) throws(RecordingRefused) {
        let result = bytes.withUnsafeBytes { buffer -> Result<Void, RecordingRefused> in
            do throws(RecordingRefused) { return .success(try feed(buffer, emit: emit)) } catch { return .failure(error) }
        }
        try result.get()
    }

    /// Tells that the file has ended. A record that is cut short there is counted.
    /// - Throws: ``RecordingRefused`` when the file was empty, cut inside its header, or held only interfaces of another kind.
    public mutating func finish(emit: (CaptureEvent) -> Void) throws(RecordingRefused) {
        switch container {
        case .undecided:
            if carry.isEmpty { throw RecordingRefused("the file is empty") }
            throw try refusal(carry) ?? RecordingRefused("the capture is cut short inside its header of \(carry.count) bytes")
        case .pcapng(let pcapng) where pcapng.hasOnlyForeignInterfaces:
            throw RecordingRefused("\(pcapng.name): only \(CaptureLink.supported) can be read")
        default: break
        }
        if !carry.isEmpty {
            packets.follower.report.skip(.cutAtEnd)
            packets.follower.report.warn("the file ends inside a record, \(carry.count) bytes of it are there")
            carry = []
        }
        packets.follower.finish()
    }

    private func refusal(_ head: [UInt8]) throws(RecordingRefused) -> RecordingRefused? {
        if try RecordingFormat.captureFormat(head) != nil { return nil }
        let name = RecordingFormat.holdsSentence(head) ? "an NMEA 0183 log" : RecordingFormat.nameOfForeign(head)
        return RecordingRefused("this is \(name), not a Bluetooth capture (btsnoop, pcap or pcapng)")
    }

    /// Consumes whole records and says how many bytes that were.
    private mutating func parse(_ bytes: RawSpan, emit: (CaptureEvent) -> Void) throws(RecordingRefused) -> Int {
        if case .undecided = container {
            guard bytes.byteCount >= 8 else { return 0 }
            try decide(bytes)
        }
        var position = 0
        let start = offset
        while position < bytes.byteCount {
            switch step(bytes, at: position) {
            case .needsMore:
                offset = start + Int64(position)
                return position
            case .record(let record, let next):
                packets.decode(bytes, record, endOffset: start + Int64(next), emit: emit)
                position = next
            case .structure(let next):
                position = next
                packets.follower.report.format = formatName
            case .skipped(let reason, let next):
                packets.follower.report.skip(reason)
                position = next
            case .unreadable(let what):
                packets.follower.report.warn(
                    "damaged at byte \(start + Int64(position)): \(what). What follows cannot be read")
                container = .unreadable
            case .refused(let refusal): throw refusal
            }
        }
        offset = start + Int64(position)
        return position
    }

    private mutating func decide(_ bytes: RawSpan) throws(RecordingRefused) {
        let head = bytes.extracting(0..<min(bytes.byteCount, RecordingFormat.bytesExamined)).bytes
        if let refusal = try refusal(head) { throw refusal }
        switch try RecordingFormat.captureFormat(head) {
        case .btsnoop: container = .btsnoop(BtsnoopContainer())
        case .pcap: container = .pcap(PcapContainer())
        default: container = .pcapng(PcapngContainer())
        }
    }

    private mutating func step(_ bytes: RawSpan, at position: Int) -> CaptureStep {
        switch container {
        case .btsnoop(var btsnoop):
            let step = btsnoop.step(bytes, at: position)
            if case .structure = step { container = .btsnoop(btsnoop) }
            return step
        case .pcap(var pcap):
            let step = pcap.step(bytes, at: position)
            if case .structure = step { container = .pcap(pcap) }
            return step
        case .pcapng(var pcapng):
            let step = pcapng.step(bytes, at: position)
            if case .structure = step { container = .pcapng(pcapng) }
            return step
        case .undecided: return .needsMore
        case .unreadable:
            packets.follower.report.skip(.unreadable, count: UInt64(bytes.byteCount - position))
            return .structure(next: bytes.byteCount)
        }
    }

    private var formatName: String {
        switch container {
        case .btsnoop(let btsnoop): btsnoop.name
        case .pcap(let pcap): pcap.name
        case .pcapng(let pcapng): pcapng.name
        case .undecided, .unreadable: report.format
        }
    }
}
