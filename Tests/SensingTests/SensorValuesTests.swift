import Testing
import Vitals

@testable import Sensing

@Suite struct SensorValuesTests {
    private func float(_ exponent: Int8, _ mantissa: Int32) -> [UInt8] {
        (0..<3).map { UInt8(truncatingIfNeeded: mantissa >> Int32(8 * $0)) } + [UInt8(bitPattern: exponent)]
    }

    private func temperature(_ bytes: [UInt8]) -> Result<Int, SensorValueProblem> {
        do throws(SensorValueProblem) { return .success(try TemperatureMeasurement(bytes).hundredths) } catch { return .failure(error) }
    }

    // MARK: Health thermometer

    @Test(
        "SOS-2: a thermometer's 32-bit FLOAT is read in Celsius and Fahrenheit, and rounded once",
        arguments: [
            (UInt8(0), Int8(-1), Int32(366), 3660), (0, -2, 3664, 3664), (0, 0, 37, 3700), (0, 1, 4, 4000), (0, -4, 366_449, 3664),
            (0, -4, 366_450, 3665), (0, -1, -15, -150), (0, -128, 1, 0), (0, 127, 0, 0),
            (1, -1, 986, 3700), (1, -2, 10_400, 4000), (1, -1, 1040, 4000), (1, 0, 32, 0), (1, -1, 1022, 3900), (1, -1, 14, -1700),
            (1, -1, 13, -1706),
        ])
    func floats(unit: UInt8, exponent: Int8, mantissa: Int32, hundredths: Int) {
        #expect(temperature([unit] + float(exponent, mantissa)) == .success(hundredths))
    }

    @Test(
        "SOS-2: what is no number is no temperature: NaN, NRes, both infinities, the reserved one",
        arguments: [Int32(0x7FFFFF), 0x800000, 0x7FFFFE, 0x800002, 0x800001])
    func noNumbers(mantissa: Int32) {
        #expect(temperature([0] + float(0, mantissa)) == .failure(.temperatureNoNumber))
        #expect(temperature([1] + float(0, mantissa)) == .failure(.temperatureNoNumber))
    }

    @Test("SOS-2: numbers that no thermometer shows are refused, however large they are")
    func impossible() {
        for (exponent, mantissa) in [(Int8(0), Int32(201)), (0, -101), (127, 1), (127, -8_000_000), (7, 8_388_000), (4, 8_388_000)] {
            #expect(temperature([0] + float(exponent, mantissa)) == .failure(.temperatureImpossible), "\(exponent) \(mantissa)")
        }
    }

    @Test("SOS-2: every length but the one that the flags announce is damaged; reserved flags are ignored")
    func lengths() throws {
        let number = float(-1, 366), stamp: [UInt8] = [0xEA, 0x07, 11, 23, 10, 0, 59]
        for (flags, rest) in [(UInt8(0), [UInt8]()), (2, stamp), (4, [3]), (6, stamp + [3]), (0xF8, [])] {
            let whole = [flags] + number + rest
            #expect(temperature(whole) == .success(3660))
            for length in 0..<whole.count { #expect(temperature(Array(whole.prefix(length))) == .failure(.temperatureCutShort)) }
            #expect(temperature(whole + [0]) == .failure(.temperatureTooLong))
        }
        #expect(try TemperatureMeasurement([6] + number + stamp + [3]).place == .ear)
        #expect(try TemperatureMeasurement([4] + number + [0]).place == nil)
        #expect(try TemperatureMeasurement([4] + number + [200]).place == nil, "reserved")
        // 2026-11-23 10:00:59, seconds since 1970 by `date -u -d`.
        #expect(try TemperatureMeasurement([2] + number + stamp).stamp == 1_795_428_059_000)
    }

    @Test(
        "SOS-2: a time that no calendar has is damage; one that the thermometer does not know is none",
        arguments: [
            ([UInt8(0xEA), 0x07, 13, 1, 0, 0, 0], false), ([0xEA, 0x07, 2, 30, 0, 0, 0], false), ([0xEA, 0x07, 1, 1, 24, 0, 0], false),
            ([0xEA, 0x07, 1, 1, 0, 60, 0], false), ([0xEA, 0x07, 1, 1, 0, 0, 60], false), ([0x01, 0x00, 1, 1, 0, 0, 0], false),
            ([0, 0, 0, 0, 0, 0, 0], true), ([0xEA, 0x07, 0, 1, 0, 0, 0], true), ([0xEA, 0x07, 1, 0, 0, 0, 0], true),
        ] as [([UInt8], Bool)])
    func stamps(bytes: [UInt8], isUnknown: Bool) throws {
        let value = [2] + float(-1, 366) + bytes
        if isUnknown {
            #expect(try TemperatureMeasurement(value).stamp == nil)
        } else {
            #expect(temperature(value) == .failure(.temperatureTime))
        }
    }

    private func stamped(_ tenths: Int32, _ minute: UInt8, _ second: UInt8) -> [UInt8] {
        [2] + float(-1, tenths) + [0xEA, 0x07, 11, 23, 10, minute, second]
    }

    private func take(_ values: inout SensorValues, _ bytes: [UInt8], at time: Milliseconds) -> Result<HeartRateEvent?, SensorValueProblem>
    {
        do throws(SensorValueProblem) { return .success(try values.take(bytes, of: .temperature, at: time)) } catch {
            return .failure(error)
        }
    }

    @Test("SOS-2: what a thermometer kept while nobody was connected is no reading of now")
    func stored() {
        var values = SensorValues()
        // Fever of this morning, handed on within a second.
        for (index, minute) in [UInt8(1), 6, 11, 16].enumerated() {
            #expect(take(&values, stamped(405, minute, 0), at: 5_000_000 + Milliseconds(index) * 300) == .failure(.temperatureStored))
        }
        // Measured now, half an hour later by its own clock.
        #expect(take(&values, stamped(366, 46, 0), at: 5_001_000) == .failure(.temperatureStored), "nothing tells of its clock yet")
        for (index, second) in [UInt8(4), 8, 12].enumerated() {
            let time = 5_005_000 + Milliseconds(index) * 4000
            #expect(
                take(&values, stamped(367, 46, second), at: time)
                    == .success(.reading(.bodyTemperature, 3670, at: time)))
        }
    }

    @Test("SOS-2: a thermometer whose clock was set counts again with the second measurement")
    func clockSet() {
        var values = SensorValues()
        _ = take(&values, stamped(366, 0, 0), at: 0)
        #expect((try? take(&values, stamped(366, 0, 10), at: 10_000).get()) != nil)
        #expect(take(&values, stamped(366, 30, 0), at: 20_000) == .failure(.temperatureStored))
        #expect((try? take(&values, stamped(366, 30, 10), at: 30_000).get()) != nil)
    }

    @Test("SOS-2: a finger's or a toe's temperature is not the body's, whether the value or the sensor says where")
    func elsewhere() throws {
        var values = SensorValues()
        for place in TemperaturePlace.allCases {
            let value = [4] + float(-1, 300) + [place.rawValue]
            if place == .finger || place == .toe {
                #expect(take(&values, value, at: 1) == .failure(.temperatureElsewhere))
            } else {
                #expect(try take(&values, value, at: 1).get() != nil)
            }
        }
        values.place = .finger
        #expect(take(&values, [0] + float(-1, 300), at: 1) == .failure(.temperatureElsewhere))
        #expect(try take(&values, [4] + float(-1, 366) + [6], at: 1).get() != nil, "the value knows better")
    }

    // MARK: Cadence

    @Test("SOS-2: a running pod's cadence is read; every other length is damaged")
    func running() throws {
        let whole = try RunningMeasurement([0x07, 0x00, 0x03, 172, 0x6E, 0x00, 0x10, 0x27, 0x00, 0x00])
        #expect(whole == RunningMeasurement(speed: 768, cadence: 172, strideLength: 110, distance: 10_000, isRunning: true))
        #expect(try RunningMeasurement([0, 0, 0, 90]).cadence == 90)
        #expect(try RunningMeasurement([0xF8, 0, 0, 90]).cadence == 90)
        for (flags, length) in [(UInt8(0), 4), (1, 6), (2, 8), (3, 10)] {
            let bytes = [flags] + [UInt8](repeating: 0, count: 16)
            for count in 0..<length {
                #expect(throws: SensorValueProblem.runningCutShort) { try RunningMeasurement(Array(bytes.prefix(count))) }
            }
            #expect(throws: SensorValueProblem.runningTooLong) { try RunningMeasurement(Array(bytes.prefix(length + 1))) }
        }
    }

    @Test("SOS-2: a crank's counters are read behind the wheel's; every other length is damaged")
    func cycling() throws {
        let both = try CyclingMeasurement([3, 1, 0, 0, 0, 2, 0, 7, 0, 0, 4])
        #expect(both.wheelTurns == 1 && both.crank == .init(turns: 7, lastTurn: 1024))
        #expect(try CyclingMeasurement([1, 1, 0, 0, 0, 2, 0]).crank == nil)
        #expect(try CyclingMeasurement([0]).crank == nil)
        for (flags, length) in [(UInt8(0), 1), (1, 7), (2, 5), (3, 11)] {
            let bytes = [flags] + [UInt8](repeating: 0, count: 16)
            for count in 0..<length {
                #expect(throws: SensorValueProblem.cyclingCutShort) { try CyclingMeasurement(Array(bytes.prefix(count))) }
            }
            #expect(throws: SensorValueProblem.cyclingTooLong) { try CyclingMeasurement(Array(bytes.prefix(length + 1))) }
        }
    }

    @Test("SOS-2: turns a minute come from both counters, also where these begin anew at 65,536")
    func crank() {
        var cadence = CrankCadence()
        var turns: UInt16 = 65_533, units: UInt16 = 63_000
        #expect(cadence.take(.init(turns: turns, lastTurn: units), at: 0) == nil)
        // 90 turns a minute: 683 units each.
        for second in 1...9 {
            (turns, units) = (turns &+ 3, units &+ 2048)
            #expect(cadence.take(.init(turns: turns, lastTurn: units), at: Milliseconds(second) * 2000) == 90)
        }
    }

    @Test("SOS-2: pedals that stand are 0 after 3 s, and never the last turn's cadence; a longer pause begins anew")
    func crankStands() {
        var cadence = CrankCadence()
        _ = cadence.take(.init(turns: 10, lastTurn: 0), at: 0)
        #expect(cadence.take(.init(turns: 11, lastTurn: 1024), at: 1000) == 60)
        let same = CyclingMeasurement.Crank(turns: 11, lastTurn: 1024)
        #expect(cadence.take(same, at: 2000) == nil && cadence.take(same, at: 3999) == nil)
        #expect(cadence.take(same, at: 4000) == 0 && cadence.take(same, at: 9000) == 0)
        #expect(cadence.take(.init(turns: 12, lastTurn: 1024 + 8192), at: 9000) == 7)
        // 64 s later the time of the turn would mean another one.
        #expect(cadence.take(.init(turns: 13, lastTurn: 1024 + 9000), at: 75_000) == nil)
        #expect(cadence.take(.init(turns: 14, lastTurn: 1024 + 10_024), at: 76_000) == 60)
        #expect(cadence.take(.init(turns: 2, lastTurn: 12_000), at: 77_000) == nil, "the sensor began anew")
        #expect(cadence.take(.init(turns: 3, lastTurn: 12_000), at: 78_000) == nil, "two turns at one time")
    }

    // MARK: Battery

    @Test(
        "EDGE-9: Battery Level Status says whether the sensor lies at its charger",
        arguments: [
            (UInt16(0x0023), true as Bool?), (0x0021, true), (0x0043, true), (0x0063, true), (0x0009, true), (0x0041, false),
            (0x0061, false), (0x0001, false), (0x0005, nil), (0x0011, nil), (0x0015, nil), (0x0007, nil), (0x0045, false), (0x8023, true),
        ])
    func charging(power: UInt16, expected: Bool?) throws {
        let value = try BatteryLevelStatus([0, UInt8(power & 0xFF), UInt8(power >> 8)])
        #expect(value.isCharging == expected && value.isBatteryPresent)
    }

    @Test("EDGE-9: a battery's state of another length, or with a level above 100, is damaged")
    func batteryStatus() throws {
        let whole: [UInt8] = [7, 0x23, 0, 6, 1, 55, 0]
        #expect(try BatteryLevelStatus(whole).percent == 55)
        #expect(try BatteryLevelStatus([2, 0x23, 0, 55]).percent == 55)
        for count in 0..<whole.count {
            #expect(throws: SensorValueProblem.batteryStatusCutShort) { try BatteryLevelStatus(Array(whole.prefix(count))) }
        }
        #expect(throws: SensorValueProblem.batteryStatusTooLong) { try BatteryLevelStatus(whole + [0]) }
        #expect(throws: SensorValueProblem.batteryStatusLevel) { try BatteryLevelStatus([2, 0x23, 0, 101]) }
        for state in [true, false, nil] {
            #expect(try BatteryLevelStatus(BatteryLevelStatus.encoded(isCharging: state)).isCharging == state)
        }
    }
}
