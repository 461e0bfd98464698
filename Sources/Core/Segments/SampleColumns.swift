public import Vitals

/// The columns of a segment without its header and checksum: what the hub keeps of merged hours as well.
///
/// Each column is a kind (1 byte), a count and a byte length (LEB128) and its payload; docs/segment-format.md says what is in it.
/// The order of the samples of a kind is kept. A second column of the same kind goes on where the first one ended, so that columns may be
/// put behind each other as they are.
public enum SampleColumns {
    /// The kinds of this version.
    enum Kind: UInt8 {
        case heartRate = 1
        case position = 2
        case event = 3
        case gap = 4
        case clock = 5
    }

    /// Appends the columns of `samples` to `bytes`; nothing for kinds without samples. Unknown columns come last, as they are: their kind
    /// must not be one of 1 to 5, else they are read as that.
    public static func encode(_ samples: SampleSet, into bytes: inout [UInt8]) {
        if !samples.heartRates.isEmpty {
            append(.heartRate, samples.heartRates.count, to: &bytes) { writer in
                samples.heartRates.withUnsafeBufferPointer { HeartRateColumn.encode($0, to: &writer) }
            }
        }
        if !samples.positions.isEmpty {
            append(.position, samples.positions.count, to: &bytes) { writer in
                samples.positions.withUnsafeBufferPointer { PositionColumn.encode($0, to: &writer) }
            }
        }
        append(.event, samples.events, StateEvent.fields, to: &bytes)
        append(.gap, samples.gaps, GapRecord.fields, to: &bytes)
        append(.clock, samples.clocks, ClockRecord.fields, to: &bytes)
        for column in samples.unknown {
            bytes.append(column.kind)
            bytes.append(number: UInt64(column.count))
            bytes.append(number: UInt64(column.bytes.count))
            bytes += column.bytes
        }
    }

    private static func append<Record>(
        _ kind: Kind, _ records: [Record], _ fields: @autoclosure () -> [(Record) -> Int64], to bytes: inout [UInt8]
    ) {
        guard !records.isEmpty else { return }
        let fields = fields()
        append(kind, records.count, to: &bytes) { RecordColumn.encode(records, fields: fields, to: &$0) }
    }

    private static func append(_ kind: Kind, _ count: Int, to bytes: inout [UInt8], _ write: (inout BitWriter) -> Void) {
        var writer = BitWriter()
        write(&writer)
        let payload = writer.finish()
        bytes.append(kind.rawValue)
        bytes.append(number: UInt64(count))
        bytes.append(number: UInt64(payload.count))
        bytes += payload
    }

    /// Reads columns that fill `bytes` entirely and hold at most `samplesMax` samples of known kinds.
    ///
    /// Any bytes are safe to give: memory and time are bounded by `samplesMax` and the number of bytes, and nothing traps. There is no
    /// checksum here, so damaged bytes may also be read as other samples.
    public static func decode(_ bytes: UnsafeRawBufferPointer, samplesMax: Int) throws(SegmentError) -> SampleSet {
        var reader = ByteReader(bytes)
        var samples = SampleSet()
        var total = 0
        while reader.remaining > 0 {
            let rawKind = try reader.byte()
            let count = try reader.number()
            let payload = try reader.slice(try reader.number())
            guard let kind = Kind(rawValue: rawKind) else {
                guard let count = UInt32(exactly: count) else { throw .malformed(what: "count of an unknown column") }
                samples.unknown.append(UnknownColumn(kind: rawKind, count: count, bytes: [UInt8](payload)))
                continue
            }
            guard count <= UInt64(max(0, samplesMax - total)) else { throw .tooLarge(what: "samples") }
            // A block takes at least two bytes, so that a short column cannot claim many samples.
            guard count <= UInt64(payload.count / 2 + 1) * UInt64(IntegerBlock.valuesMax) else {
                throw .malformed(what: "count of a column")
            }
            total += Int(count)
            try decode(kind, Int(count), payload, into: &samples)
        }
        return samples
    }

    private static func decode(
        _ kind: Kind, _ count: Int, _ payload: UnsafeRawBufferPointer, into samples: inout SampleSet
    ) throws(SegmentError) {
        var reader = BitReader(payload)
        switch kind {
        case .heartRate:
            try HeartRateColumn.decode(count, from: &reader, into: &samples.heartRates)
        case .position:
            try PositionColumn.decode(count, from: &reader, into: &samples.positions)
        case .event:
            try RecordColumn.decode(count, fields: 3, from: &reader, into: &samples.events) { fields throws(SegmentError) in
                try StateEvent(fields)
            }
        case .gap:
            try RecordColumn.decode(count, fields: 4, from: &reader, into: &samples.gaps) { fields throws(SegmentError) in
                try GapRecord(fields)
            }
        case .clock:
            try RecordColumn.decode(count, fields: 4, from: &reader, into: &samples.clocks) { fields throws(SegmentError) in
                try ClockRecord(fields)
            }
        }
        if reader.isOverrun { throw .truncated(at: payload.count) }
        guard reader.isFinished() else { throw .malformed(what: "bytes behind a column") }
    }
}
