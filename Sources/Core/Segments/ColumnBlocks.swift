/// Memory for the fields of one block, and what all column decoders share.
struct FieldBuffers: ~Copyable {
    private let base: UnsafeMutablePointer<Int64>

    init(fields: Int) {
        base = .allocate(capacity: fields * IntegerBlock.valuesMax)
    }

    deinit { base.deallocate() }

    /// The values of one field.
    subscript(field: Int) -> UnsafeMutablePointer<Int64> { base + field * IntegerBlock.valuesMax }
}

/// Whether an optional field is there in the samples of a block; 2 bits.
enum Presence: UInt64 {
    case none = 0
    case all = 1
    /// One bit a sample follows.
    case mixed = 2

    init(present: Int, of count: Int) {
        self = present == 0 ? .none : present == count ? .all : .mixed
    }
}

/// One bit for each sample of a block.
struct PresenceMap {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    subscript(index: Int) -> Bool { (index < 64 ? low >> UInt64(index) : high >> UInt64(index - 64)) & 1 == 1 }

    var count: Int { low.nonzeroBitCount + high.nonzeroBitCount }

    mutating func insert(_ index: Int) {
        if index < 64 { low |= 1 << UInt64(index) } else { high |= 1 << UInt64(index - 64) }
    }

    func write(_ samples: Int, to writer: inout BitWriter) {
        writer.write(low, min(64, samples))
        writer.write(high, max(0, samples - 64))
    }

    /// Reads what `presence` says about a block of `samples` samples, with the bits when they differ.
    init(_ presence: Presence, samples: Int, from reader: inout BitReader) {
        switch presence {
        case .none: break
        case .all:
            low = samples >= 64 ? .max : 1 << UInt64(samples) - 1
            high = samples <= 64 ? 0 : samples == 128 ? .max : 1 << UInt64(samples - 64) - 1
        case .mixed:
            low = reader.readWide(min(64, samples))
            high = reader.readWide(max(0, samples - 64))
        }
    }

    init() {}
}

/// Makes room for the samples of a column. Further columns of a kind let the array grow as it does by itself: exact room for each would
/// copy all samples again for every one of many short columns.
@inline(__always)
func reserve<Sample>(_ count: Int, in samples: inout [Sample]) {
    if samples.isEmpty { samples.reserveCapacity(count) }
}

/// A value of a field with fewer bits than the column's integers.
@inline(__always)
func narrow<Value: FixedWidthInteger>(_ value: Int64, to type: Value.Type, _ what: String) throws(SegmentError) -> Value {
    guard let narrowed = Value(exactly: value) else { throw .malformed(what: what) }
    return narrowed
}
