import Vitals

/// Column kind 1 (docs/segment-format.md, "Heart rates").
enum HeartRateColumn {
    private static let mixedContact: UInt64 = 3

    static func encode(_ samples: UnsafeBufferPointer<HeartRateSample>, to writer: inout BitWriter) {
        let encoder = IntegerEncoder()
        let buffers = FieldBuffers(fields: 1)
        let values = buffers[0]
        var time = FieldState(), rate = FieldState(), contact = FieldState()
        var energy = FieldState(), intervalCount = FieldState(), interval = FieldState()
        var start = 0
        while start < samples.count {
            let count = min(IntegerBlock.valuesMax, samples.count - start)
            let block = UnsafeBufferPointer(rebasing: samples[start..<start + count])
            start += count

            var energies = PresenceMap()
            var intervals = 0, isMixed = false
            let firstContact = block[0].contact
            for index in 0..<count {
                if block[index].energyKilojoules != nil { energies.insert(index) }
                intervals += block[index].rrIntervals.count
                isMixed = isMixed || block[index].contact != firstContact
            }
            let energyPresence = Presence(present: energies.count, of: count)
            let blockContact = isMixed ? mixedContact : UInt64(firstContact.rawValue)
            writer.write(blockContact | energyPresence.rawValue << 2 | (intervals > 0 ? 16 : 0), 5)
            if energyPresence == .mixed { energies.write(count, to: &writer) }

            for index in 0..<count { values[index] = block[index].time }
            encoder.encode(values, count, to: &writer, state: &time)
            for index in 0..<count { values[index] = Int64(block[index].beatsPerMinute) }
            encoder.encode(values, count, to: &writer, state: &rate)
            if isMixed {
                for index in 0..<count { values[index] = Int64(block[index].contact.rawValue) }
                encoder.encode(values, count, to: &writer, state: &contact)
            }
            if energyPresence != .none {
                var present = 0
                for index in 0..<count {
                    guard let value = block[index].energyKilojoules else { continue }
                    values[present] = Int64(value)
                    present += 1
                }
                encoder.encode(values, present, to: &writer, state: &energy)
            }
            guard intervals > 0 else { continue }
            for index in 0..<count { values[index] = Int64(block[index].rrIntervals.count) }
            encoder.encode(values, count, to: &writer, state: &intervalCount)
            var pending = 0
            for sample in block {
                for value in sample.rrIntervals {
                    values[pending] = Int64(value)
                    pending += 1
                    guard pending == IntegerBlock.valuesMax else { continue }
                    encoder.encode(values, pending, to: &writer, state: &interval, mayBeFree: false)
                    pending = 0
                }
            }
            encoder.encode(values, pending, to: &writer, state: &interval, mayBeFree: false)
        }
    }

    static func decode(
        _ count: Int, from reader: inout BitReader, into samples: inout [HeartRateSample]
    ) throws(SegmentError) {
        reserve(count, in: &samples)
        let buffers = FieldBuffers(fields: 5)
        let times = buffers[0], rates = buffers[1], contacts = buffers[2], energies = buffers[3], intervalCounts = buffers[4]
        var time = FieldState(), rate = FieldState(), contact = FieldState()
        var energy = FieldState(), intervalCount = FieldState()
        var intervals = IntervalReader()
        var start = 0
        while start < count {
            let size = min(IntegerBlock.valuesMax, count - start)
            start += size
            let flags = reader.read(5)
            guard let energyPresence = Presence(rawValue: flags >> 2 & 3) else {
                throw .malformed(what: "presence of energy")
            }
            let withEnergy = PresenceMap(energyPresence, samples: size, from: &reader)
            try IntegerDecoder.decode(size, from: &reader, state: &time, into: times)
            try IntegerDecoder.decode(size, from: &reader, state: &rate, into: rates)
            let hasOneContact = flags & 3 != mixedContact
            if !hasOneContact { try IntegerDecoder.decode(size, from: &reader, state: &contact, into: contacts) }
            try IntegerDecoder.decode(withEnergy.count, from: &reader, state: &energy, into: energies)
            let hasIntervals = flags & 16 != 0
            if hasIntervals {
                try IntegerDecoder.decode(size, from: &reader, state: &intervalCount, into: intervalCounts)
                try intervals.begin(counts: intervalCounts, size, reader)
            }

            let blockContact = SensorContact(rawValue: UInt8(flags & 3)) ?? .unsupported
            var nextEnergy = 0
            for index in 0..<size {
                guard let beats = UInt16(exactly: rates[index]) else { throw .malformed(what: "heart rate") }
                var sample = HeartRateSample(time: times[index], beatsPerMinute: beats, contact: blockContact)
                if !hasOneContact {
                    guard let raw = UInt8(exactly: contacts[index]), let value = SensorContact(rawValue: raw) else {
                        throw .malformed(what: "sensor contact")
                    }
                    sample.contact = value
                }
                if withEnergy[index] {
                    sample.energyKilojoules = try narrow(energies[nextEnergy], to: UInt16.self, "energy")
                    nextEnergy += 1
                }
                if hasIntervals {
                    try intervals.read(Int(intervalCounts[index]), from: &reader, into: &sample.rrIntervals)
                }
                samples.append(sample)
            }
        }
    }
}

/// Reads the RR intervals of a block, which are written in integer blocks of their own behind the other fields.
private struct IntervalReader: ~Copyable {
    private let buffers = FieldBuffers(fields: 1)
    private var state = FieldState()
    /// Intervals of the block that are not decoded yet.
    private var outstanding = 0
    private var next = 0
    private var decoded = 0
    /// Intervals of all blocks so far.
    private var announced = 0

    /// Starts a block whose samples have `counts` intervals. Refuses more than the column has bits: a real one costs at least one, so
    /// that damaged counts cannot ask for memory.
    mutating func begin(
        counts: UnsafeMutablePointer<Int64>, _ size: Int, _ reader: BitReader
    ) throws(SegmentError) {
        var total: Int64 = 0
        for index in 0..<size {
            guard let count = UInt32(exactly: counts[index]) else { throw .malformed(what: "count of RR intervals") }
            total += Int64(count)
        }
        (next, decoded) = (0, 0)
        outstanding = Int(total)
        announced += outstanding
        guard announced <= reader.byteCount * 8 else { throw .malformed(what: "count of RR intervals") }
    }

    mutating func read(
        _ count: Int, from reader: inout BitReader, into intervals: inout [UInt16]
    ) throws(SegmentError) {
        guard count > 0 else { return }
        intervals.reserveCapacity(count)
        for _ in 0..<count {
            if next == decoded {
                decoded = min(outstanding, IntegerBlock.valuesMax)
                try IntegerDecoder.decode(decoded, from: &reader, state: &state, into: buffers[0])
                outstanding -= decoded
                next = 0
            }
            intervals.append(try narrow(buffers[0][next], to: UInt16.self, "RR interval"))
            next += 1
        }
    }
}
