internal import Segments

/// Rollups that stand one after the other in one row of a table: the minutes of an hour, the hours of a day.
///
/// Encoded as bits: for each slot a 1, how many slots were left out before it, the first bin as the difference from the first bin of the
/// slot before, how many more bins there are, the Rice parameter (4 bits), then the count of each bin less one in the Rice code, behind how
/// many empty bins lie before it. Where sum, least and greatest do not follow from the bins, they come behind them, and count and squares
/// of successive differences behind those. A 0 ends the row. Numbers are in Elias' gamma code of one more, signed ones in zigzag.
public struct RollupRow: Sendable, Hashable {
    /// By slot, 0 to 255.
    public var slots: [Int: Rollup]

    public init(_ slots: [Int: Rollup] = [:]) { self.slots = slots }

    /// Bytes that are no row of rollups.
    public struct Malformed: Error, Sendable, Hashable {}

    public func encoded(by rule: RollupRule) -> [UInt8] {
        var writer = BitWriter()
        var next = 0, first: Int64 = 0
        for (slot, rollup) in slots.sorted(by: { $0.key < $1.key }) where !rollup.isEmpty {
            writer.write(1, 1)
            writer.write(number: UInt64(slot - next))
            next = slot + 1
            let start = rollup.histogram.first?.number ?? first
            writer.write(signed: start - first)
            first = start
            writer.write(bins: rollup.histogram)
            if !rule.isExact { writer.write(boundsOf: rollup, from: start * rule.binWidth) }
            if rule.hasSuccessiveDifferences {
                writer.write(number: UInt64(rollup.successive.count))
                writer.write(number: UInt64(rollup.successive.squares))
            }
        }
        writer.write(0, 1)
        return writer.finish()
    }

    public init(decoding bytes: [UInt8], by rule: RollupRule) throws(Malformed) {
        var slots: [Int: Rollup] = [:]
        try Self.read(bytes, by: rule) { slots[$0] = $1 }
        self.init(slots)
    }

    /// Reads a row slot by slot, in ascending order: ten years have 3,650 rows of hours, and nobody keeps one.
    /// - Throws: ``Malformed``; then some slots may have been given already.
    public static func read(_ bytes: [UInt8], by rule: RollupRule, _ take: (Int, Rollup) -> Void) throws(Malformed) {
        do { try bytes.withUnsafeBytes { try read($0, by: rule, take) } } catch { throw Malformed() }
    }

    private static func read(
        _ bytes: UnsafeRawBufferPointer, by rule: RollupRule, _ take: (Int, Rollup) -> Void
    ) throws(Malformed) {
        var reader = BitReader(bytes), next = 0, first: Int64 = 0
        while reader.read(1) == 1 {
            let skipped = try reader.number()
            guard skipped <= 255, next + Int(skipped) <= 255 else { throw Malformed() }
            let slot = next + Int(skipped)
            next = slot + 1
            first = try reader.signed(addedTo: first)
            let histogram = try reader.bins(from: first)
            var rollup =
                rule.isExact
                ? Rollup(exact: histogram, hasSum: rule.hasSum) : try reader.bounds(of: histogram, from: first &* rule.binWidth)
            if rule.hasSuccessiveDifferences {
                rollup.successive = SuccessiveDifferences(count: try reader.count(), squares: try reader.count())
            }
            take(slot, rollup)
        }
        guard reader.isFinished() else { throw Malformed() }
    }

    /// All slots together.
    public var total: Rollup { RollupSum(slots.values).rollup }

    /// The distribution of the slots' means (``Rollup/init(meansOf:)``).
    public var means: Rollup { Rollup(meansOf: slots.values) }
}

extension Rollup {
    /// Sum, least and greatest, from bins of width 1.
    fileprivate init(exact histogram: [Bin], hasSum: Bool) {
        guard hasSum else {
            self.init(histogram: histogram, sum: 0, minimum: nil, maximum: nil)
            return
        }
        let sum = histogram.reduce(0 as Int64) { sum, bin in
            let (product, overflow) = bin.number.multipliedReportingOverflow(by: bin.count)
            return sum.addingClamped(overflow ? .max : product)
        }
        self.init(histogram: histogram, sum: sum, minimum: histogram.first?.number, maximum: histogram.last?.number)
    }
}

extension BitWriter {
    fileprivate mutating func write(number: UInt64) {
        let value = number + 1, width = 64 - value.leadingZeroBitCount
        write(0, width - 1)
        write(1, 1)
        write(value & ~(1 << UInt64(width - 1)), width - 1)
    }

    fileprivate mutating func write(signed value: Int64) { write(number: UInt64(zigzag: value)) }

    fileprivate mutating func write(bins: [Rollup.Bin]) {
        write(number: UInt64(bins.count))
        guard let first = bins.first else { return }
        let counts = bins.map { UInt64($0.count - 1) }
        let parameter = Self.parameter(counts)
        write(UInt64(parameter), 4)
        var next = first.number
        for (bin, count) in zip(bins, counts) {
            if bin.number != first.number { write(number: UInt64(bin.number - next)) }
            next = bin.number + 1
            var zeros = Int(count >> UInt64(parameter))
            while zeros > 0 {
                write(0, min(zeros, 64))
                zeros -= 64
            }
            write(1, 1)
            write(count & (1 << UInt64(parameter) - 1), parameter)
        }
    }

    /// The one that takes the fewest bits, of several the least.
    private static func parameter(_ counts: [UInt64]) -> Int {
        var best = 0, least = UInt64.max
        for parameter in 0..<16 as Range<UInt64> {
            let bits = counts.reduce(0) { $0 &+ ($1 &>> parameter) &+ parameter }
            if bits < least { (best, least) = (Int(parameter), bits) }
        }
        return best
    }

    fileprivate mutating func write(boundsOf rollup: Rollup, from start: Int64) {
        write(signed: rollup.sum)
        guard let minimum = rollup.minimum, let maximum = rollup.maximum else { return write(number: 0) }
        write(number: UInt64(maximum - minimum) + 1)
        write(signed: minimum - start)
    }
}

extension BitReader {
    /// The longest run of zeros in a Rice code: more than 2^31 readings in one bin.
    private static let runMax = 1 << 16

    /// The zeros before the next one, which is taken as well.
    private mutating func zeros(atMost most: Int) throws(RollupRow.Malformed) -> Int {
        var run = readZeros(), zeros = run
        while run == Self.zerosMax {
            guard zeros <= most, !isOverrun else { throw RollupRow.Malformed() }
            run = readZeros()
            zeros += run
        }
        guard zeros <= most else { throw RollupRow.Malformed() }
        return zeros
    }

    fileprivate mutating func number() throws(RollupRow.Malformed) -> UInt64 {
        let width = try zeros(atMost: 63)
        return width > 0 ? (readWide(width) | 1 << UInt64(width)) - 1 : 0
    }

    fileprivate mutating func count() throws(RollupRow.Malformed) -> Int64 {
        guard let count = Int64(exactly: try number()) else { throw RollupRow.Malformed() }
        return count
    }

    fileprivate mutating func signed(addedTo base: Int64) throws(RollupRow.Malformed) -> Int64 {
        let (sum, overflow) = base.addingReportingOverflow(Int64(zigzag: try number()))
        guard !overflow else { throw RollupRow.Malformed() }
        return sum
    }

    fileprivate mutating func bins(from start: Int64) throws(RollupRow.Malformed) -> [Rollup.Bin] {
        let count = try number()
        guard count > 0 else { return [] }
        // Each takes a bit at least.
        guard count <= UInt64(remainingBits) else { throw RollupRow.Malformed() }
        let parameter = Int(read(4))
        var bins: [Rollup.Bin] = [], next = start
        bins.reserveCapacity(Int(count))
        for index in 0..<count {
            if index > 0 {
                let (number, overflow) = next.addingReportingOverflow(try self.count())
                guard !overflow else { throw RollupRow.Malformed() }
                next = number
            }
            bins.append(Rollup.Bin(number: next, count: try rice(parameter) + 1))
            guard next < .max else { throw RollupRow.Malformed() }
            next += 1
        }
        return bins
    }

    private mutating func rice(_ parameter: Int) throws(RollupRow.Malformed) -> Int64 {
        let zeros = try zeros(atMost: Self.runMax)
        return Int64(zeros) << Int64(parameter) | Int64(read(parameter))
    }

    fileprivate mutating func bounds(of histogram: [Rollup.Bin], from start: Int64) throws(RollupRow.Malformed) -> Rollup {
        let sum = try signed(addedTo: 0), span = try count()
        guard span > 0 else { return Rollup(histogram: histogram, sum: sum, minimum: nil, maximum: nil) }
        let minimum = try signed(addedTo: start)
        return Rollup(histogram: histogram, sum: sum, minimum: minimum, maximum: minimum.addingClamped(span - 1))
    }
}
