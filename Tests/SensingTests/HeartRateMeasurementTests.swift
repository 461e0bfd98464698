import Sensing
import Testing
import Vitals

@Suite struct HeartRateMeasurementTests {
    @Test("EDGE-2: 8-bit and 16-bit values are read")
    func widths() throws {
        #expect(try HeartRateMeasurement([0x00, 72]).beatsPerMinute == 72)
        #expect(try HeartRateMeasurement([0x01, 0x2C, 0x01]).beatsPerMinute == 300)
        #expect(try HeartRateMeasurement([0x01, 72, 0]).beatsPerMinute == 72)
    }

    @Test(
        "EDGE-2: the contact bit means something only where contact is supported",
        arguments: [
            (UInt8(0b000), SensorContact.unsupported), (0b010, .unsupported), (0b100, .notDetected), (0b110, .detected),
        ])
    func contact(flags: UInt8, expected: SensorContact) throws {
        #expect(try HeartRateMeasurement([flags, 60]).contact == expected)
    }

    @Test("EDGE-2: energy and RR intervals are read, oldest first")
    func energyAndIntervals() throws {
        let value = try HeartRateMeasurement([0x1F, 150, 0, 0xFF, 0xFF, 0x9A, 0x01, 0x99, 0x01, 0x9B, 0x01])
        #expect(value.energyKilojoules == 65_535)
        #expect(value.rrIntervals == [410, 409, 411])
        #expect(
            value.sample(time: 5)
                == HeartRateSample(
                    time: 5, beatsPerMinute: 150, contact: .detected, energyKilojoules: 65_535, rrIntervals: [410, 409, 411]))
    }

    @Test("EDGE-2: announced intervals may be none, reserved flags are ignored")
    func tolerated() throws {
        #expect(try HeartRateMeasurement([0x10, 72]).rrIntervals == [])
        #expect(try HeartRateMeasurement([0xE0, 72]).beatsPerMinute == 72)
    }

    @Test("EDGE-2: a value that a sensor padded is a reading, and its bytes too many are counted")
    func padded() throws {
        let value = try HeartRateMeasurement([0x06, 72, 0, 0, 0])
        #expect(value.beatsPerMinute == 72 && value.contact == .detected && value.trailingBytes == 3)
        #expect(try HeartRateMeasurement([0x08, 72, 1, 0, 9]).trailingBytes == 1)
        #expect(try HeartRateMeasurement([0x00, 72]).trailingBytes == 0)
    }

    @Test(
        "EDGE-2: a damaged value is refused with its reason",
        arguments: [
            ([UInt8](), HeartRateMeasurement.Malformed.empty), ([0x00], .valueCutShort), ([0x01, 72], .valueCutShort),
            ([0x08, 72, 1], .energyCutShort), ([0x10, 72, 1], .intervalCutShort), ([0x18, 72, 1, 0, 9, 9, 9], .intervalCutShort),
        ])
    func damaged(bytes: [UInt8], reason: HeartRateMeasurement.Malformed) {
        #expect(throws: reason) { try HeartRateMeasurement(bytes) }
    }

    @Test("EDGE-2: every variant survives encoding and decoding")
    func roundTrip() throws {
        for rate: UInt16 in [0, 1, 255, 256, 65_535] {
            for contact in SensorContact.allCases {
                for energy: UInt16? in [nil, 0, 65_535] {
                    for intervals: [UInt16] in [[], [819], [0, 65_535, 800]] {
                        let value = HeartRateMeasurement(
                            beatsPerMinute: rate, contact: contact, energyKilojoules: energy, rrIntervals: intervals)
                        #expect(try HeartRateMeasurement(value.encoded) == value)
                    }
                }
            }
        }
    }

    @Test("EDGE-2: no cut and no flipped bit of a value crashes; a cut inside a field is never a reading")
    func robust() throws {
        let whole: [UInt8] = [0x1F, 150, 0, 12, 0, 0x9A, 0x01, 0x99, 0x01]
        for length in 0..<whole.count {
            let value = try? HeartRateMeasurement(whole.prefix(length))
            // 5 and 7 end behind a whole field.
            #expect((value != nil) == [5, 7].contains(length))
        }
        for bit in 0..<(whole.count * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            _ = try? HeartRateMeasurement(flipped)
        }
    }

    @Test("EDGE-2: battery level and body location")
    func others() {
        #expect(BatteryLevel([87])?.percent == 87)
        #expect(BatteryLevel([101]) == nil)
        #expect(BatteryLevel([UInt8]()) == nil)
        #expect(BodySensorLocation([1])?.rawValue == 1)
        #expect(BodySensorLocation([1, 2]) == nil)
    }
}
