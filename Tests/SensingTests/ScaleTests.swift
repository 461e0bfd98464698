import Testing
import Vitals

@testable import Sensing

/// Weight scales (0x181D) and blood pressure monitors (0x1810).
@Suite struct ScaleTests {
    private static let stamp: [UInt8] = [0xEA, 0x07, 11, 23, 12, 0, 0]

    private func weight(_ bytes: [UInt8]) -> Result<WeightMeasurement, SensorValueProblem> {
        Result { () throws(SensorValueProblem) in try WeightMeasurement(bytes) }
    }

    private func pressure(_ bytes: [UInt8]) -> Result<BloodPressureMeasurement, SensorValueProblem> {
        Result { () throws(SensorValueProblem) in try BloodPressureMeasurement(bytes) }
    }

    @Test("EDGE-15: a scale's weights are decoded in both units, with time and user")
    func weights() {
        // 14,500 steps of 5 g are 72.5 kg; 15,983 hundredths of a pound likewise.
        #expect(weight([0, 0xA4, 0x38]) == .success(WeightMeasurement(hundredths: 7250)))
        #expect(weight([1, 0x6F, 0x3E]) == .success(WeightMeasurement(hundredths: 7250)))
        #expect(
            weight([0x0E, 0xA4, 0x38] + Self.stamp + [2, 240, 0, 0x2C, 0x07])
                == .success(WeightMeasurement(hundredths: 7250, stamp: 1_795_435_200_000, user: 2)))
        #expect(weight([0x04, 0xA4, 0x38, 255]) == .success(WeightMeasurement(hundredths: 7250)), "an unknown user is none")
        #expect(weight([0, 0xA4]) == .failure(.weightCutShort) && weight([2, 0xA4, 0x38]) == .failure(.weightCutShort))
        #expect(weight([0, 0xA4, 0x38, 0]) == .failure(.weightTooLong) && weight([0, 0xFF, 0xFF]) == .failure(.weightNoNumber))
        #expect(weight([2, 0xA4, 0x38, 0xEA, 0x07, 11, 32, 12, 0, 0]) == .failure(.weightTime))
    }

    @Test("EDGE-15: blood pressure is decoded in both units; what the monitor calls disturbed is no reading")
    func pressures() {
        #expect(pressure([0, 120, 0, 80, 0, 0xFF, 0x07]) == .success(BloodPressureMeasurement(systolic: 120, diastolic: 80)))
        // 16.0 and 10.7 kPa.
        #expect(pressure([1, 0xA0, 0xF0, 0x6B, 0xF0, 0, 0]) == .success(BloodPressureMeasurement(systolic: 120, diastolic: 80)))
        #expect(
            pressure([0x1E, 120, 0, 80, 0, 93, 0] + Self.stamp + [72, 0, 1, 0x04, 0])
                == .success(BloodPressureMeasurement(systolic: 120, diastolic: 80, stamp: 1_795_435_200_000, user: 1)),
            "an irregular pulse does not disturb it")
        for bit in [0, 1, 5] {
            #expect(pressure([0x10, 120, 0, 80, 0, 93, 0, 1 << bit, 0]) == .failure(.pressureUncertain), "\(bit)")
        }
        #expect(pressure([0, 120, 0, 80, 0, 93]) == .failure(.pressureCutShort))
        #expect(pressure([0, 120, 0, 80, 0, 93, 0, 0]) == .failure(.pressureTooLong))
        #expect(pressure([0, 0xFF, 0x07, 80, 0, 93, 0]) == .failure(.pressureNoNumber))
        #expect(pressure([0, 80, 0, 120, 0, 0xFF, 0x07]) == .failure(.pressureSwapped))
        #expect(pressure([0, 80, 0, 80, 0, 0xFF, 0x07]) == .success(BloodPressureMeasurement(systolic: 80, diastolic: 80)))
        #expect(pressure([0, 0xF4, 0x21, 80, 0, 93, 0]) == .failure(.pressureImpossible))
    }

    @Test("EDGE-15: both are readings of their kinds, not of another user; what is written is read back the same")
    func readings() throws {
        var values = SensorValues()
        #expect(try values.take([0, 0xA4, 0x38], of: .weightScale, at: 5) == .reading(.weight, 7250, at: 5))
        #expect(throws: SensorValueProblem.weightOfAnother) { try values.take([0x04, 0xA4, 0x38, 3], of: .weightScale, at: 5) }
        #expect(throws: SensorValueProblem.weightStored) { try values.take([2, 0xA4, 0x38] + Self.stamp, of: .weightScale, at: 5) }
        #expect(throws: SensorValueProblem.pressureOfAnother) {
            try values.take([0x08, 120, 0, 80, 0, 93, 0, 2], of: .bloodPressure, at: 5)
        }
        for sample in [ScalarSample(.weight, time: 9, value: 7250), ScalarSample(.bloodPressure, time: 9, value: 118, second: 76)] {
            let sample = try #require(sample), written = try #require(SensorValues.encoded(sample))
            #expect(try values.take(written.value, of: written.characteristic, at: 9) == .reading(sample))
        }
        #expect(SensorCharacteristic.weightScale.service == ATT.UUID(0x181D))
        #expect(SensorCharacteristic.bloodPressure.service == ATT.UUID(0x1810))
    }
}
