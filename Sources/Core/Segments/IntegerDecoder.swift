/// Reads integer blocks (docs/segment-format.md).
enum IntegerDecoder {
    /// Reads `count` values (0 to ``IntegerBlock/valuesMax``) into `values`.
    static func decode(
        _ count: Int, from reader: inout BitReader, state: inout FieldState, into values: UnsafeMutablePointer<Int64>
    ) throws(SegmentError) {
        guard count > 0 else { return }
        var first = 0
        if !state.isStarted {
            let value = Int64(zigzag: try sized(&reader))
            state = FieldState(isStarted: true, last: value, lastDelta: 0)
            values[0] = value
            first = 1
            if count == 1 { return try checkEnd(reader) }
        }
        let rest = count - first, residuals = values + first
        let header = try Header(from: &reader, isFirst: first == 1)
        if let delta = header.firstDelta { state.lastDelta = delta }
        try readResiduals(rest, header.coding, from: &reader, into: residuals)
        try checkEnd(reader)

        undoPrediction(rest, header, state: state, values: residuals)
        state.advance(over: values, count)
    }

    private struct Header {
        var predictor: Predictor
        var coding: ResidualCoding
        var scale: Int64 = 1
        var level: Int64 = 0
        var firstDelta: Int64?

        init(from reader: inout BitReader, isFirst: Bool) throws(SegmentError) {
            var byte = UInt8(truncatingIfNeeded: reader.read(8))
            if byte & 31 == ResidualCoding.scalePrefix {
                let scale = try sized(&reader)
                guard byte >> 5 == 0, 2...IntegerBlock.scaleMax ~= scale else {
                    throw .malformed(what: "scale of an integer block")
                }
                self.scale = Int64(scale)
                byte = UInt8(truncatingIfNeeded: reader.read(8))
            }
            predictor = Predictor(rawValue: byte >> 5)
            guard let coding = ResidualCoding(rawValue: byte & 31) else {
                throw .malformed(what: "coding of an integer block")
            }
            self.coding = coding
            if predictor == .level { level = Int64(zigzag: try sized(&reader)) }
            if isFirst && predictor.usesDelta { firstDelta = Int64(zigzag: try sized(&reader)) }
        }
    }

    private static func sized(_ reader: inout BitReader) throws(SegmentError) -> UInt64 {
        guard let value = reader.readSized() else { throw .malformed(what: "width of a number") }
        return value
    }

    private static func checkEnd(_ reader: BitReader) throws(SegmentError) {
        if reader.isOverrun { throw .truncated(at: reader.byteCount) }
    }

    private static func readResiduals(
        _ count: Int, _ coding: ResidualCoding, from reader: inout BitReader, into residuals: UnsafeMutablePointer<Int64>
    ) throws(SegmentError) {
        switch coding {
        case .zero:
            residuals.update(repeating: 0, count: count)
        case .rice(let parameter):
            for index in 0..<count {
                if let code = reader.readRice(parameter) {
                    residuals[index] = Int64(zigzag: code)
                } else {
                    residuals[index] = Int64(zigzag: try sized(&reader))
                }
            }
        case .uniform:
            let least = Int64(zigzag: try sized(&reader))
            let span = try sized(&reader)
            guard span <= UInt64(UInt32.max) else { throw .malformed(what: "span of an integer block") }
            let code = TruncatedBinary(span: span)
            for index in 0..<count { residuals[index] = least &+ Int64(bitPattern: code.read(from: &reader)) }
        }
    }

    /// Turns residuals into values in place.
    private static func undoPrediction(
        _ count: Int, _ header: Header, state: FieldState, values: UnsafeMutablePointer<Int64>
    ) {
        let start = state.last, scale = header.scale
        // Offsets from the value before the block, in units of the scale.
        var offset: Int64 = 0
        if header.predictor == .level {
            for index in 0..<count { values[index] = start &+ (header.level &+ values[index]) &* scale }
        } else if header.predictor == .last {
            for index in 0..<count {
                offset &+= values[index]
                values[index] = start &+ offset &* scale
            }
        } else if let gain = header.predictor.gain {
            var velocity = SmoothedVelocity(start: state.lastDelta / scale, gain: gain)
            for index in 0..<count {
                let delta = velocity.step &+ values[index]
                velocity.follow(delta)
                offset &+= delta
                values[index] = start &+ offset &* scale
            }
        } else {
            var delta = state.lastDelta / scale
            for index in 0..<count {
                delta &+= values[index]
                offset &+= delta
                values[index] = start &+ offset &* scale
            }
        }
    }
}
