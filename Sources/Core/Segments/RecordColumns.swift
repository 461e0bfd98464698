import Vitals

/// Columns whose samples are a fixed number of integers: events (kind 3), gaps (4) and clock records (5).
enum RecordColumn {
    /// Blocks in which each field of the record is an integer block.
    static func encode<Record>(
        _ records: [Record], fields: [(Record) -> Int64], to writer: inout BitWriter
    ) {
        let encoder = IntegerEncoder()
        let buffers = FieldBuffers(fields: 1)
        let values = buffers[0]
        var states = [FieldState](repeating: FieldState(), count: fields.count)
        for start in stride(from: 0, to: records.count, by: IntegerBlock.valuesMax) {
            let count = min(IntegerBlock.valuesMax, records.count - start)
            for field in fields.indices {
                for index in 0..<count { values[index] = fields[field](records[start + index]) }
                encoder.encode(values, count, to: &writer, state: &states[field])
            }
        }
    }

    /// `make` gets the fields of one record in order.
    static func decode<Record>(
        _ count: Int, fields: Int, from reader: inout BitReader, into records: inout [Record],
        make: (Fields) throws(SegmentError) -> Record
    ) throws(SegmentError) {
        reserve(count, in: &records)
        let buffers = FieldBuffers(fields: fields)
        var states = [FieldState](repeating: FieldState(), count: fields)
        for start in stride(from: 0, to: count, by: IntegerBlock.valuesMax) {
            let size = min(IntegerBlock.valuesMax, count - start)
            for field in 0..<fields {
                try IntegerDecoder.decode(size, from: &reader, state: &states[field], into: buffers[field])
            }
            for index in 0..<size { records.append(try make(Fields(first: buffers[0], index: index))) }
        }
    }

    /// The fields of one record.
    struct Fields {
        let first: UnsafeMutablePointer<Int64>
        let index: Int

        subscript(field: Int) -> Int64 { first[field * IntegerBlock.valuesMax + index] }
    }
}

extension StateEvent {
    static var fields: [(StateEvent) -> Int64] { [{ $0.time }, { Int64($0.code.rawValue) }, { $0.value }] }

    init(_ fields: RecordColumn.Fields) throws(SegmentError) {
        let code = try narrow(fields[1], to: UInt16.self, "code of an event")
        self.init(time: fields[0], code: Code(rawValue: code), value: fields[2])
    }
}

extension GapRecord {
    static var fields: [(GapRecord) -> Int64] {
        [
            { $0.time },
            { Int64(bitPattern: $0.sequences.lowerBound) },
            { Int64(bitPattern: $0.sequences.upperBound - $0.sequences.lowerBound) },
            { Int64($0.reason.rawValue) },
        ]
    }

    init(_ fields: RecordColumn.Fields) throws(SegmentError) {
        let first = UInt64(bitPattern: fields[1])
        let (last, overflow) = first.addingReportingOverflow(UInt64(bitPattern: fields[2]))
        guard !overflow else { throw .malformed(what: "sequences of a gap") }
        guard let reason = Reason(rawValue: try narrow(fields[3], to: UInt8.self, "reason of a gap")) else {
            throw .malformed(what: "reason of a gap")
        }
        self.init(time: fields[0], sequences: first...last, reason: reason)
    }
}

extension ClockRecord {
    static var fields: [(ClockRecord) -> Int64] {
        [{ $0.time }, { $0.utc &- $0.time }, { Int64($0.uncertainty) }, { Int64($0.source.rawValue) }]
    }

    init(_ fields: RecordColumn.Fields) throws(SegmentError) {
        guard let source = Source(rawValue: try narrow(fields[3], to: UInt8.self, "source of a clock record")) else {
            throw .malformed(what: "source of a clock record")
        }
        self.init(
            time: fields[0], utc: fields[0] &+ fields[1],
            uncertainty: try narrow(fields[2], to: UInt32.self, "uncertainty of a clock record"), source: source)
    }
}
