import Vitals

extension PositionColumn {
    static func decode(
        _ count: Int, from reader: inout BitReader, into samples: inout [PositionSample]
    ) throws(SegmentError) {
        guard let grid = CoordinateGrid(rawValue: reader.read(2)) else { throw .malformed(what: "grid of coordinates") }
        reserve(count, in: &samples)
        let buffers = FieldBuffers(fields: 8)
        var time = FieldState(), attributes = FieldState(), latitude = FieldState(), longitude = FieldState()
        var altitudes = OptionalField(buffers[4]), speeds = OptionalField(buffers[5])
        var courses = OptionalField(buffers[6]), errors = OptionalField(buffers[7])
        let times = buffers[0], allAttributes = buffers[1], latitudes = buffers[2], longitudes = buffers[3]
        var start = 0
        while start < count {
            let size = min(IntegerBlock.valuesMax, count - start)
            start += size
            try altitudes.readPresence(size, from: &reader)
            try speeds.readPresence(size, from: &reader)
            try courses.readPresence(size, from: &reader)
            try errors.readPresence(size, from: &reader)
            try IntegerDecoder.decode(size, from: &reader, state: &time, into: times)
            try IntegerDecoder.decode(size, from: &reader, state: &attributes, into: allAttributes)
            try IntegerDecoder.decode(size, from: &reader, state: &latitude, into: latitudes)
            try IntegerDecoder.decode(size, from: &reader, state: &longitude, into: longitudes)
            try altitudes.readValues(from: &reader)
            try speeds.readValues(from: &reader)
            try courses.readValues(from: &reader)
            try errors.readValues(from: &reader)

            for index in 0..<size {
                let raw = allAttributes[index]
                guard 0...15 ~= raw, let mode = FixMode(rawValue: UInt8(raw & 3)),
                    let source = PositionSource(rawValue: UInt8(raw >> 2))
                else { throw .malformed(what: "mode or source of a position") }
                samples.append(
                    PositionSample(
                        time: times[index],
                        latitude: try narrow(grid.coordinate(at: latitudes[index]), to: Int32.self, "latitude"),
                        longitude: try narrow(grid.coordinate(at: longitudes[index]), to: Int32.self, "longitude"),
                        altitude: try altitudes.value(at: index), speed: try speeds.value(at: index),
                        course: try courses.value(at: index), horizontalError: try errors.value(at: index), mode: mode,
                        source: source))
            }
        }
    }
}

/// One optional field of the positions of a block.
private struct OptionalField {
    private let values: UnsafeMutablePointer<Int64>
    private var state = FieldState()
    private var map = PresenceMap()
    private var next = 0

    init(_ values: UnsafeMutablePointer<Int64>) { self.values = values }

    mutating func readPresence(_ size: Int, from reader: inout BitReader) throws(SegmentError) {
        guard let presence = Presence(rawValue: reader.read(2)) else { throw .malformed(what: "presence of a field") }
        map = PresenceMap(presence, samples: size, from: &reader)
        next = 0
    }

    mutating func readValues(from reader: inout BitReader) throws(SegmentError) {
        try IntegerDecoder.decode(map.count, from: &reader, state: &state, into: values)
    }

    /// To be called for every sample in order.
    @inline(__always)
    mutating func value(at index: Int) throws(SegmentError) -> Int32? {
        guard map[index] else { return nil }
        defer { next += 1 }
        return try narrow(values[next], to: Int32.self, "field of a position")
    }
}
