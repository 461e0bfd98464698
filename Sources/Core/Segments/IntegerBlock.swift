/// How a run of at most ``IntegerBlock/valuesMax`` integers of one field is written (docs/segment-format.md, "Integer blocks").
///
/// A block is predicted by the cheapest of eight predictors and its residuals written in the cheapest of the codings. All arithmetic wraps
/// around, so that every Int64 survives and none can trap.
enum IntegerBlock {
    /// Samples in a block of a column, and values in an integer block. A column's last block holds the rest.
    static let valuesMax = 128
    /// The largest common divisor that is taken out.
    static let scaleMax: UInt64 = 1 << 32
}

/// Where a Rice code gives up: so many zeros announce a value of its own width.
let riceEscape = 12

/// State that carries over from one block of a field to the next.
struct FieldState {
    var isStarted = false
    /// The last value.
    var last: Int64 = 0
    /// The last value minus the one before.
    var lastDelta: Int64 = 0

    /// Goes on behind the `count` (at least 1) values of a block.
    mutating func advance(over values: UnsafeMutablePointer<Int64>, _ count: Int) {
        let before = count >= 2 ? values[count - 2] : last
        last = values[count - 1]
        lastDelta = last &- before
    }
}

/// The predictor of a value; the raw value is the 3 upper bits of a block's header.
struct Predictor: Equatable {
    let rawValue: UInt8

    /// The value before.
    static let last = Predictor(rawValue: 0)
    /// The value before plus the step before.
    static let linear = Predictor(rawValue: 1)
    /// One level for the block.
    static let level = Predictor(rawValue: 2)
    // The value before plus a velocity that follows the steps with such a gain.
    static let eighth = Predictor(rawValue: 3)
    static let quarter = Predictor(rawValue: 4)
    static let threeEighths = Predictor(rawValue: 5)
    static let half = Predictor(rawValue: 6)
    static let threeQuarters = Predictor(rawValue: 7)

    /// In eighths, for the predictors with a smoothed velocity; nil for the others.
    var gain: Int64? {
        switch rawValue {
        case 3: 1
        case 4: 2
        case 5: 3
        case 6: 4
        case 7: 6
        default: nil
        }
    }

    /// Whether a field's first block has to say with which step it starts.
    var usesDelta: Bool { rawValue == 1 || rawValue >= 3 }
}

/// The encoding of the residuals, in the 5 lower bits of a block's header.
enum ResidualCoding: Equatable {
    /// All residuals are 0: nothing follows.
    case zero
    /// Rice codes with this parameter, 0 to 23.
    case rice(Int)
    /// Least residual, span, and truncated binary codes.
    case uniform

    static let scalePrefix: UInt8 = 31

    var rawValue: UInt8 {
        switch self {
        case .zero: 0
        case .rice(let parameter): UInt8(1 + parameter)
        case .uniform: 25
        }
    }

    init?(rawValue: UInt8) {
        switch rawValue {
        case 0: self = .zero
        case 1...24: self = .rice(Int(rawValue) - 1)
        case 25: self = .uniform
        default: return nil
        }
    }
}

/// A velocity that follows the steps of a series, in sixteenths; the same in the encoder and in the decoder.
struct SmoothedVelocity {
    private var sixteenths: Int64
    private let gain: Int64

    @inline(__always)
    init(start delta: Int64, gain: Int64) {
        sixteenths = delta &<< 4
        self.gain = gain
    }

    /// The next step, rounded.
    @inline(__always)
    var step: Int64 { (sixteenths &+ 8) >> 4 }

    @inline(__always)
    mutating func follow(_ delta: Int64) {
        sixteenths &+= ((delta &<< 4 &- sixteenths) &* gain) >> 3
    }
}

/// The code of numbers 0...`span` that spends one bit less on the first ones when their count is not a power of two.
struct TruncatedBinary {
    let width: Int
    let shortCount: UInt64

    /// `span` below 2^32.
    init(span: UInt64) {
        width = 63 - (span + 1).leadingZeroBitCount
        shortCount = (2 << UInt64(width)) - (span + 1)
    }

    @inline(__always)
    func write(_ value: UInt64, to writer: inout BitWriter) {
        if value < shortCount { return writer.write(value, width) }
        let long = value &+ shortCount
        writer.write(long >> 1 | (long & 1) << UInt64(width), width + 1)
    }

    @inline(__always)
    func read(from reader: inout BitReader) -> UInt64 {
        let high = reader.read(width)
        return high < shortCount ? high : (high << 1 | reader.read(1)) &- shortCount
    }
}
