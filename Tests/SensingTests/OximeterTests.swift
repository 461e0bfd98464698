import Testing
import Vitals

@testable import Sensing

/// Oxygen saturation by pulse oximeters (0x1822).
@Suite struct OximeterTests {
    /// As an IEEE 11073 SFLOAT, in the order of a value's bytes.
    private func short(_ exponent: Int8, _ mantissa: Int) -> [UInt8] {
        let word = UInt16(UInt8(bitPattern: exponent) & 0xF) << 12 | UInt16(truncatingIfNeeded: mantissa) & 0x0FFF
        return [UInt8(truncatingIfNeeded: word), UInt8(word >> 8)]
    }

    private static let pulse: [UInt8] = [72, 0]
    private static let stamp: [UInt8] = [0xEA, 0x07, 11, 23, 12, 0, 0]

    private func continuous(_ bytes: [UInt8]) -> Result<Int, SensorValueProblem> {
        Result { () throws(SensorValueProblem) in try OximeterMeasurement(continuous: bytes).tenths }
    }

    private func spotCheck(_ bytes: [UInt8]) -> Result<Int, SensorValueProblem> {
        Result { () throws(SensorValueProblem) in try OximeterMeasurement(spotCheck: bytes).tenths }
    }

    @Test("EDGE-15: a pulse oximeter's values are decoded with all their fields, in both forms")
    func decoded() throws {
        #expect(continuous([0] + short(0, 97) + Self.pulse) == .success(970))
        #expect(continuous([0] + short(-1, 965) + Self.pulse) == .success(965))
        #expect(continuous([0x1F] + short(0, 97) + Self.pulse + [1, 2, 3, 4, 5, 6, 7, 8, 0x20, 0, 0x10, 0, 0, 9, 9]) == .success(970))
        let spot = try OximeterMeasurement(spotCheck: [0x0F] + short(0, 93) + Self.pulse + Self.stamp + [0x80, 1, 0, 0, 0, 9, 9])
        #expect(spot.tenths == 930 && spot.stamp == 1_795_435_200_000)
        #expect(spotCheck([0xF0] + short(0, 93) + Self.pulse) == .success(930), "reserved flags")
    }

    @Test("EDGE-15: an oximeter's damaged values are told apart")
    func damaged() {
        #expect(
            continuous([]) == .failure(.oximeterCutShort) && continuous([0x04] + short(0, 97) + Self.pulse) == .failure(.oximeterCutShort))
        #expect(continuous([0] + short(0, 97) + Self.pulse + [1]) == .failure(.oximeterTooLong))
        #expect(spotCheck([1] + short(0, 97) + Self.pulse + [0xEA, 0x07, 13, 23, 12, 0, 0]) == .failure(.oximeterTime))
        // NaN, NRes, both infinities and the reserved one.
        for word: UInt16 in [0x07FF, 0x0800, 0x07FE, 0x0802, 0x0801] {
            #expect(continuous([0, UInt8(word & 0xFF), UInt8(word >> 8)] + Self.pulse) == .failure(.oximeterNoNumber))
        }
        #expect(continuous([0] + short(0, 101) + Self.pulse) == .failure(.oximeterImpossible))
        #expect(continuous([0] + short(0, -1) + Self.pulse) == .failure(.oximeterImpossible))
    }

    @Test("EDGE-15: what an oximeter calls stored, made up, or no good signal is no reading, and no damage")
    func status() {
        func told(status: Int = 0, device: Int = 0) -> Result<Int, SensorValueProblem> {
            continuous(
                [0x0C] + short(0, 97) + Self.pulse
                    + [status, status >> 8, device, device >> 8, device >> 16].map(UInt8.init(truncatingIfNeeded:)))
        }
        #expect(told(status: 1 << 5 | 1 << 6 | 1 << 7 | 1 << 8, device: 1 << 5) == .success(970))
        #expect(told(status: 1 << 9) == .failure(.oximeterStored))
        for bit in 10...11 { #expect(told(status: 1 << bit) == .failure(.oximeterMadeUp), "\(bit)") }
        for bit in 12...15 { #expect(told(status: 1 << bit) == .failure(.oximeterUncertain), "\(bit)") }
        for bit in [1, 3, 6, 7, 11, 13, 14, 15] { #expect(told(device: 1 << bit) == .failure(.oximeterUncertain), "\(bit)") }
        for problem: SensorValueProblem in [.oximeterStored, .oximeterMadeUp, .oximeterUncertain, .oximeterNoNumber] {
            #expect(problem.isHarmless, "\(problem)")
        }
        #expect(!SensorValueProblem.oximeterCutShort.isHarmless)
    }

    @Test("EDGE-15: readings are of the kind, a spot check of before is none, and what is written is read back the same")
    func readings() throws {
        var values = SensorValues()
        #expect(try values.take([0] + short(0, 97) + Self.pulse, of: .oximeter, at: 5) == .reading(.oxygenSaturation, 970, at: 5))
        #expect(throws: SensorValueProblem.oximeterStored) {
            try values.take([1] + short(0, 91) + Self.pulse + Self.stamp, of: .oximeterSpotCheck, at: 6)
        }
        let written = try #require(ScalarSample(.oxygenSaturation, time: 0, value: 965).flatMap(SensorValues.encoded))
        #expect(written.characteristic == .oximeter)
        #expect(try values.take(written.value, of: .oximeter, at: 7) == .reading(.oxygenSaturation, 965, at: 7))
        #expect(SensorCharacteristic.oximeter.service == ATT.UUID(0x1822) && SensorCharacteristic.oximeterSpotCheck.isMeasurement)
    }
}
