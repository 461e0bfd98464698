import Segments
import Testing
import Vitals

/// Bits put together by hand from docs/segment-format.md, so that the decoder is held to the page and not to the encoder.
@Suite struct FormatTests {
    private static let first: Int64 = 1_000_000, firstStep: Int64 = 70
    private static let residuals: [Int64] = [5, -9, 0, 31, -2, -64, 7, 1, 0, -1]

    @Test("EDGE-6: every predictor is read as the page says", arguments: 0..<8 as Range<UInt64>, [1, 7] as [Int64])
    func predictor(_ predictor: UInt64, scale: Int64) throws {
        var bits = Bits()
        bits.append(sized: Self.zigzag(Self.first))
        if scale > 1 {
            bits.append(31, 8)
            bits.append(sized: UInt64(scale))
        }
        bits.append(predictor << 5 | 4, 8)  // Rice, k = 3
        if predictor == 2 { bits.append(sized: Self.zigzag(-20)) }
        if predictor == 1 || predictor > 2 { bits.append(sized: Self.zigzag(Self.firstStep)) }
        for residual in Self.residuals {
            let code = Self.zigzag(residual)
            if code >> 3 >= 12 {
                bits.append(0, 12)
                bits.append(sized: code)
            } else {
                bits.append(1 << (code >> 3), Int(code >> 3) + 1)
                bits.append(code & 7, 3)
            }
        }
        for constant in [3, 90] as [Int64] {
            bits.append(sized: Self.zigzag(constant))
            bits.append(0, 8)
        }

        var offsets: [Int64] = []
        var offset: Int64 = 0, step = Self.firstStep / scale
        var velocity = 16 * step
        let gain: Int64 = [3: 1, 4: 2, 5: 3, 6: 4, 7: 6][predictor] ?? 0
        for residual in Self.residuals {
            switch predictor {
            case 0: step = residual
            case 1: step += residual
            case 2: step = -20 + residual - offset
            default:
                step = (velocity + 8) >> 4 + residual
                velocity += ((16 * step - velocity) * gain) >> 3
            }
            offset += step
            offsets.append(offset)
        }
        let times = [Self.first] + offsets.map { Self.first + scale * $0 }
        let samples = try SampleColumns.decoded(bits.column(kind: 3, count: times.count))
        #expect(samples.events == times.map { StateEvent(time: $0, code: .sensorBattery, value: 90) })
    }

    @Test func evenlySpreadResidualsAreReadAsThePageSays() throws {
        // Truncated binary with span 4: w = 2, u = 3, so that 0, 1, 2 have two bits and 3, 4 the upper two bits of 6, 7 and the lowest.
        var bits = Bits()
        bits.append(sized: Self.zigzag(50))
        bits.append(25, 8)
        bits.append(sized: Self.zigzag(-1))
        bits.append(sized: 4)
        for (value, width) in [(0, 2), (1, 2), (2, 2)] as [(UInt64, Int)] { bits.append(value, width) }
        for low in [0, 1] as [UInt64] {
            bits.append(3, 2)
            bits.append(low, 1)
        }
        for constant in [3, 90] as [Int64] {
            bits.append(sized: Self.zigzag(constant))
            bits.append(0, 8)
        }
        let samples = try SampleColumns.decoded(bits.column(kind: 3, count: 6))
        #expect(samples.events.map(\.time) == [50, 49, 49, 50, 52, 55])
    }

    @Test func fewBitsCannotAnnounceManyIntervals() {
        var bits = Bits()
        bits.append(16, 5)
        for first in [0, 60, 60_000, 1000] as [Int64] {  // time, rate, count of intervals, first interval
            bits.append(sized: Self.zigzag(first))
            bits.append(0, 8)
        }
        #expect(throws: SegmentError.malformed(what: "count of RR intervals")) {
            try SampleColumns.decoded(bits.column(kind: 1, count: 127))
        }
    }

    private static func zigzag(_ value: Int64) -> UInt64 { value < 0 ? UInt64(-value) * 2 - 1 : UInt64(value) * 2 }
}

/// One bit an element, in the order of the stream.
private struct Bits {
    private var bits: [Bool] = []

    mutating func append(_ value: UInt64, _ width: Int) {
        for bit in 0..<width { bits.append(value >> UInt64(bit) & 1 == 1) }
    }

    mutating func append(sized value: UInt64) {
        let width = 64 - value.leadingZeroBitCount
        append(UInt64(width), 7)
        append(value, width)
    }

    /// As a column of at most 127 samples and bytes.
    func column(kind: UInt8, count: Int) -> [UInt8] {
        var payload = [UInt8](repeating: 0, count: (bits.count + 7) / 8)
        for (index, bit) in bits.enumerated() where bit { payload[index / 8] |= 1 << UInt8(index % 8) }
        return [kind, UInt8(count), UInt8(payload.count)] + payload
    }
}
