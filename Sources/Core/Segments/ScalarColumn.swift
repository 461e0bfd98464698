import Vitals

/// The columns of scalar kinds, from 16 on (docs/segment-format.md, "Scalars"). All have one layout, so that a new kind needs no code here.
enum ScalarColumn {
    static func encode(_ samples: [ScalarSample], to writer: inout BitWriter) {
        let encoder = IntegerEncoder()
        let buffers = FieldBuffers(fields: 1)
        let values = buffers[0]
        var time = FieldState(), value = FieldState(), span = FieldState(), second = FieldState()
        for start in stride(from: 0, to: samples.count, by: IntegerBlock.valuesMax) {
            let block = samples[start..<min(start + IntegerBlock.valuesMax, samples.count)], count = block.count
            var ends = PresenceMap(), seconds = PresenceMap()
            for (index, sample) in block.enumerated() {
                if sample.end != nil { ends.insert(index) }
                if sample.second != nil { seconds.insert(index) }
            }
            for map in [ends, seconds] {
                let presence = Presence(present: map.count, of: count)
                writer.write(presence.rawValue, 2)
                if presence == .mixed { map.write(count, to: &writer) }
            }
            for (index, sample) in block.enumerated() { values[index] = sample.time }
            encoder.encode(values, count, to: &writer, state: &time)
            for (index, sample) in block.enumerated() { values[index] = sample.value }
            encoder.encode(values, count, to: &writer, state: &value)
            for (index, (time, end)) in block.lazy.compactMap({ s in s.end.map { (s.time, $0) } }).enumerated() {
                values[index] = end &- time
            }
            encoder.encode(values, ends.count, to: &writer, state: &span)
            for (index, second) in block.lazy.compactMap(\.second).enumerated() { values[index] = second }
            encoder.encode(values, seconds.count, to: &writer, state: &second)
        }
    }

    static func decode(
        _ kind: DataKind, _ count: Int, from reader: inout BitReader, into samples: inout [ScalarSample]
    ) throws(SegmentError) {
        reserve(count, in: &samples)
        let buffers = FieldBuffers(fields: 4)
        let times = buffers[0], values = buffers[1], spans = buffers[2], seconds = buffers[3]
        var time = FieldState(), value = FieldState(), span = FieldState(), second = FieldState()
        for start in stride(from: 0, to: count, by: IntegerBlock.valuesMax) {
            let size = min(IntegerBlock.valuesMax, count - start)
            let withEnd = try presence("end of a scalar", size, from: &reader)
            let withSecond = try presence("second value of a scalar", size, from: &reader)
            try IntegerDecoder.decode(size, from: &reader, state: &time, into: times)
            try IntegerDecoder.decode(size, from: &reader, state: &value, into: values)
            try IntegerDecoder.decode(withEnd.count, from: &reader, state: &span, into: spans)
            try IntegerDecoder.decode(withSecond.count, from: &reader, state: &second, into: seconds)
            var nextEnd = 0, nextSecond = 0
            for index in 0..<size {
                guard var sample = ScalarSample(kind, time: times[index], value: values[index]) else {
                    throw .malformed(what: "kind of a scalar")
                }
                if withEnd[index] {
                    sample.end = sample.time &+ spans[nextEnd]
                    nextEnd += 1
                }
                if withSecond[index] {
                    sample.second = seconds[nextSecond]
                    nextSecond += 1
                }
                samples.append(sample)
            }
        }
    }

    private static func presence(_ what: String, _ size: Int, from reader: inout BitReader) throws(SegmentError) -> PresenceMap {
        guard let presence = Presence(rawValue: reader.read(2)) else { throw .malformed(what: what) }
        return PresenceMap(presence, samples: size, from: &reader)
    }
}
