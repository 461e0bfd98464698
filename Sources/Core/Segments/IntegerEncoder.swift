/// Writes integer blocks, each in the cheapest way that it finds (docs/segment-format.md).
struct IntegerEncoder: ~Copyable {
    /// Offsets of a block's values from the value before it, in units of the scale.
    private let offsets: UnsafeMutablePointer<Int64>
    /// Residuals of the predictor that was chosen.
    private let residuals: UnsafeMutablePointer<Int64>

    init() {
        offsets = .allocate(capacity: 2 * IntegerBlock.valuesMax)
        residuals = offsets + IntegerBlock.valuesMax
    }

    deinit { offsets.deallocate() }

    /// Writes `count` values (0 to ``IntegerBlock/valuesMax``). Where a decoder cannot bound the count otherwise, each value must cost a
    /// bit: `mayBeFree` is false.
    func encode(
        _ values: UnsafeMutablePointer<Int64>, _ count: Int, to writer: inout BitWriter, state: inout FieldState,
        mayBeFree: Bool = true
    ) {
        guard count > 0 else { return }
        var first = 0
        if !state.isStarted {
            writer.writeSized(UInt64(zigzag: values[0]))
            state = FieldState(isStarted: true, last: values[0], lastDelta: 0)
            if count == 1 { return }
            first = 1
        }
        let rest = count - first
        for index in 0..<rest { offsets[index] = values[first + index] &- state.last }
        encodeOffsets(rest, to: &writer, state: state, isFirst: first == 1, mayBeFree: mayBeFree)
        state.advance(over: values, count)
    }

    private func encodeOffsets(_ count: Int, to writer: inout BitWriter, state: FieldState, isFirst: Bool, mayBeFree: Bool) {
        var delta = isFirst ? offsets[0] : state.lastDelta
        let regular = regularPredictor(count, delta: delta)
        let scale = regular == nil ? takeOutScale(count) : 1
        if scale > 1 {
            writer.write(UInt64(ResidualCoding.scalePrefix), 8)
            writer.writeSized(UInt64(scale))
        }
        // The step that a first block states is in whole units, for the decoder divides it like any other.
        let statedDelta = delta
        delta /= scale
        let deltaBits = isFirst ? 7 + width(statedDelta) : 0
        let plan = plan(count, delta: delta, deltaBits: deltaBits, regular: regular, mayBeFree: mayBeFree)
        writer.write(UInt64(plan.predictor.rawValue << 5 | plan.coding.rawValue), 8)
        if plan.predictor == .level { writer.writeSized(UInt64(zigzag: plan.level)) }
        if isFirst && plan.predictor.usesDelta { writer.writeSized(UInt64(zigzag: statedDelta)) }
        writeResiduals(count, plan, to: &writer)
    }

    /// How a block is written; its residuals stand in `residuals`.
    private struct Plan {
        var predictor: Predictor
        var level: Int64 = 0
        var coding = ResidualCoding.zero
        var least: Int64 = 0
        var span: UInt64 = 0
    }

    private func plan(
        _ count: Int, delta: Int64, deltaBits: Int, regular: Predictor?, mayBeFree: Bool
    ) -> Plan {
        if let regular {
            residuals.update(repeating: 0, count: count)
            return Plan(predictor: regular, coding: mayBeFree ? .zero : .rice(0))
        }
        let bounds = bounds(of: offsets, count)
        let middle = bounds.least &+ Int64(bitPattern: UInt64(bitPattern: bounds.greatest &- bounds.least) / 2)
        let predictor = bestPredictor(count, delta: delta, deltaBits: deltaBits, level: middle)
        var plan = Plan(predictor: predictor, level: middle)
        forEachResidual(predictor, count, delta: delta, level: middle) { index, residual in residuals[index] = residual }
        let cost = chooseCoding(&plan, count)

        // Values that are spread evenly, like many receivers' error estimates, need no prediction.
        let span = UInt64(bitPattern: bounds.greatest &- bounds.least)
        let evenCost = uniformCost(offsets, bounds.least, span, count)
        guard evenCost < cost else { return plan }
        for index in 0..<count { residuals[index] = offsets[index] &- bounds.least }
        return Plan(predictor: .level, level: bounds.least, coding: .uniform, span: span)
    }

    // MARK: Scale and predictor

    /// The predictor that leaves no residual at all, which is what a fixed cadence and a constant field have.
    private func regularPredictor(_ count: Int, delta: Int64) -> Predictor? {
        var isConstant = true, isLinear = true
        var before: Int64 = 0
        for index in 0..<count {
            let step = offsets[index] &- before
            isConstant = isConstant && step == 0
            isLinear = isLinear && step == delta
            if !isConstant && !isLinear { return nil }
            before = offsets[index]
        }
        return isConstant ? .last : .linear
    }

    /// Divides the offsets by what they have in common, when that is worth its bits.
    private func takeOutScale(_ count: Int) -> Int64 {
        var divisor: UInt64 = 0
        for index in 0..<count {
            var value = offsets[index].magnitude
            if divisor != 0 && value % divisor == 0 { continue }
            while value != 0 { (divisor, value) = (value, divisor % value) }
            if divisor == 1 { return 1 }
        }
        let bits = 63 - divisor.leadingZeroBitCount
        guard 2...IntegerBlock.scaleMax ~= divisor, bits * count > 16 + bits else { return 1 }
        let scale = Int64(divisor)
        for index in 0..<count { offsets[index] /= scale }
        return scale
    }

    private func bounds(of values: UnsafeMutablePointer<Int64>, _ count: Int) -> (least: Int64, greatest: Int64) {
        var least = values[0], greatest = values[0]
        for index in 1..<max(1, count) {
            least = min(least, values[index])
            greatest = max(greatest, values[index])
        }
        return (least, greatest)
    }

    /// The predictor whose residuals have the least summed width: near enough to what they cost, and outliers do not distort it.
    /// `deltaBits` is what it costs to say with which step the block starts, where that must be said.
    private func bestPredictor(_ count: Int, delta: Int64, deltaBits: Int, level: Int64) -> Predictor {
        var widths = (last: 0, linear: deltaBits, level: 7 + width(level), quarter: deltaBits, half: deltaBits)
        var before: Int64 = 0, stepBefore = delta
        var quarter = SmoothedVelocity(start: delta, gain: 2), half = SmoothedVelocity(start: delta, gain: 4)
        for index in 0..<count {
            let step = offsets[index] &- before
            before = offsets[index]
            widths.last &+= width(step)
            widths.linear &+= width(step &- stepBefore)
            widths.level &+= width(before &- level)
            widths.quarter &+= width(step &- quarter.step)
            widths.half &+= width(step &- half.step)
            stepBefore = step
            quarter.follow(step)
            half.follow(step)
        }
        var best = Predictor.last, bestWidths = widths.last
        func offer(_ predictor: Predictor, _ widths: Int) {
            if widths < bestWidths { (best, bestWidths) = (predictor, widths) }
        }
        offer(.linear, widths.linear)
        offer(.level, widths.level)
        offer(.quarter, widths.quarter)
        offer(.half, widths.half)
        // The gains beside the better one of the two are worth a look only where a velocity helps and enough values pay for it.
        guard best.gain != nil, count >= 32 else { return best }
        for neighbour in best == .quarter ? [Predictor.eighth, .threeEighths] : [.threeEighths, .threeQuarters] {
            var sum = deltaBits
            forEachResidual(neighbour, count, delta: delta, level: 0) { _, residual in sum &+= width(residual) }
            offer(neighbour, sum)
        }
        return best
    }

    /// The bits of a residual without its sign's coding.
    @inline(__always)
    private func width(_ residual: Int64) -> Int { 64 &- UInt64(zigzag: residual).leadingZeroBitCount }

    @inline(__always)
    private func forEachResidual(
        _ predictor: Predictor, _ count: Int, delta: Int64, level: Int64, _ body: (Int, Int64) -> Void
    ) {
        var before: Int64 = 0
        if predictor == .level {
            for index in 0..<count { body(index, offsets[index] &- level) }
        } else if predictor == .last {
            for index in 0..<count {
                body(index, offsets[index] &- before)
                before = offsets[index]
            }
        } else if let gain = predictor.gain {
            var velocity = SmoothedVelocity(start: delta, gain: gain)
            for index in 0..<count {
                let step = offsets[index] &- before
                body(index, step &- velocity.step)
                velocity.follow(step)
                before = offsets[index]
            }
        } else {
            var stepBefore = delta
            for index in 0..<count {
                let step = offsets[index] &- before
                body(index, step &- stepBefore)
                stepBefore = step
                before = offsets[index]
            }
        }
    }

    // MARK: Coding

    /// Chooses the cheapest coding of `residuals` and returns its cost in bits.
    private func chooseCoding(_ plan: inout Plan, _ count: Int) -> Int {
        var bits = 0
        for index in 0..<count { bits &+= width(residuals[index]) }
        var parameter = max(0, min(23, bits / count - 1))
        var cost = riceCost(parameter, count)
        // The cost has one minimum: down from the guess as long as it falls, else up.
        let guess = parameter
        while parameter > 0 {
            let lower = riceCost(parameter - 1, count)
            guard lower < cost else { break }
            (parameter, cost) = (parameter - 1, lower)
        }
        while parameter >= guess && parameter < 23 {
            let higher = riceCost(parameter + 1, count)
            guard higher < cost else { break }
            (parameter, cost) = (parameter + 1, higher)
        }
        plan.coding = .rice(parameter)
        let bounds = bounds(of: residuals, count)
        let span = UInt64(bitPattern: bounds.greatest &- bounds.least)
        let evenCost = uniformCost(residuals, bounds.least, span, count)
        guard evenCost < cost else { return cost }
        (plan.coding, plan.least, plan.span) = (.uniform, bounds.least, span)
        return evenCost
    }

    private func riceCost(_ parameter: Int, _ count: Int) -> Int {
        var cost = 0
        for index in 0..<count {
            let code = UInt64(zigzag: residuals[index])
            let zeros = code >> UInt64(parameter)
            cost &+= zeros < riceEscape ? Int(zeros) + 1 + parameter : riceEscape + 7 + 64 - code.leadingZeroBitCount
        }
        return cost
    }

    /// `Int.max` when the span is too large for the coding, or 0: then values would be free.
    private func uniformCost(
        _ values: UnsafeMutablePointer<Int64>, _ least: Int64, _ span: UInt64, _ count: Int
    ) -> Int {
        guard span > 0, span <= UInt64(UInt32.max) else { return .max }
        let code = TruncatedBinary(span: span)
        var cost = 14 + width(least) + 64 - span.leadingZeroBitCount + count * (code.width + 1)
        for index in 0..<count where UInt64(bitPattern: values[index] &- least) < code.shortCount { cost &-= 1 }
        return cost
    }

    private func writeResiduals(_ count: Int, _ plan: Plan, to writer: inout BitWriter) {
        switch plan.coding {
        case .zero: break
        case .rice(let parameter):
            for index in 0..<count { writeRice(UInt64(zigzag: residuals[index]), parameter, to: &writer) }
        case .uniform:
            writer.writeSized(UInt64(zigzag: plan.least))
            writer.writeSized(plan.span)
            let code = TruncatedBinary(span: plan.span)
            for index in 0..<count { code.write(UInt64(bitPattern: residuals[index] &- plan.least), to: &writer) }
        }
    }

    @inline(__always)
    private func writeRice(_ code: UInt64, _ parameter: Int, to writer: inout BitWriter) {
        let zeros = code >> UInt64(parameter)
        guard zeros < riceEscape else {
            writer.write(0, riceEscape)
            writer.writeSized(code)
            return
        }
        let low = code & ((1 as UInt64) << UInt64(parameter) - 1)
        writer.write((low << 1 | 1) << zeros, Int(zeros) + 1 + parameter)
    }
}
