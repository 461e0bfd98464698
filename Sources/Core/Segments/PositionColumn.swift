import Vitals

/// Column kind 2 (docs/segment-format.md, "Positions").
enum PositionColumn {
    static func encode(_ samples: UnsafeBufferPointer<PositionSample>, to writer: inout BitWriter) {
        let encoder = IntegerEncoder()
        let buffers = FieldBuffers(fields: 1)
        let values = buffers[0]
        var time = FieldState(), attributes = FieldState(), latitude = FieldState(), longitude = FieldState()
        var optionals = (FieldState(), FieldState(), FieldState(), FieldState())
        let grid = CoordinateGrid(of: samples)
        writer.write(grid.rawValue, 2)
        var start = 0
        while start < samples.count {
            let count = min(IntegerBlock.valuesMax, samples.count - start)
            let block = UnsafeBufferPointer(rebasing: samples[start..<start + count])
            start += count

            var maps = (PresenceMap(), PresenceMap(), PresenceMap(), PresenceMap())
            for index in 0..<count {
                if block[index].altitude != nil { maps.0.insert(index) }
                if block[index].speed != nil { maps.1.insert(index) }
                if block[index].course != nil { maps.2.insert(index) }
                if block[index].horizontalError != nil { maps.3.insert(index) }
            }
            writePresence(maps.0, count, to: &writer)
            writePresence(maps.1, count, to: &writer)
            writePresence(maps.2, count, to: &writer)
            writePresence(maps.3, count, to: &writer)

            for index in 0..<count { values[index] = block[index].time }
            encoder.encode(values, count, to: &writer, state: &time)
            for index in 0..<count {
                values[index] = Int64(block[index].mode.rawValue) | Int64(block[index].source.rawValue) << 2
            }
            encoder.encode(values, count, to: &writer, state: &attributes)
            for index in 0..<count { values[index] = grid.index(of: block[index].latitude) }
            encoder.encode(values, count, to: &writer, state: &latitude)
            for index in 0..<count { values[index] = grid.index(of: block[index].longitude) }
            encoder.encode(values, count, to: &writer, state: &longitude)

            gather(block, into: values) { $0.altitude }
            encoder.encode(values, maps.0.count, to: &writer, state: &optionals.0)
            gather(block, into: values) { $0.speed }
            encoder.encode(values, maps.1.count, to: &writer, state: &optionals.1)
            gather(block, into: values) { $0.course }
            encoder.encode(values, maps.2.count, to: &writer, state: &optionals.2)
            gather(block, into: values) { $0.horizontalError }
            encoder.encode(values, maps.3.count, to: &writer, state: &optionals.3)
        }
    }

    /// The values of one optional field, without the samples that lack it.
    @inline(__always)
    private static func gather(
        _ block: UnsafeBufferPointer<PositionSample>, into values: UnsafeMutablePointer<Int64>,
        _ field: (PositionSample) -> Int32?
    ) {
        var present = 0
        for index in 0..<block.count {
            guard let value = field(block[index]) else { continue }
            values[present] = Int64(value)
            present += 1
        }
    }

    private static func writePresence(_ map: PresenceMap, _ count: Int, to writer: inout BitWriter) {
        let presence = Presence(present: map.count, of: count)
        writer.write(presence.rawValue, 2)
        if presence == .mixed { map.write(count, to: &writer) }
    }
}
