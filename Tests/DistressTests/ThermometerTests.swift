import Testing
import Vitals

@testable import Distress

@Suite struct ThermometerTests {
    /// (minutes, hundredths of a degree): which of them count.
    private func counted(_ readings: [(Double, Int)]) -> [Int] {
        var thermometer = Thermometer()
        return readings.filter { thermometer.judge($0.1, at: Milliseconds($0.0 * 60_000)) == nil }.map(\.1)
    }

    @Test("SOS-2: a body cools slowly: such readings count down to the lowest that a body can have")
    func cools() {
        let cooling = (0..<180).map { (Double($0), 3700 - $0 * 6) }
        #expect(counted(cooling) == cooling.map(\.1))
        // As fast as anybody was seen to cool: 9 °C an hour.
        let buried = (0..<60).map { (Double($0), 3700 - $0 * 15) }
        #expect(counted(buried) == buried.map(\.1))
        let dense: [(Double, Int)] = (0..<3600).map { second in (Double(second) / 60, 3700 - second / 4) }
        #expect(counted(dense) == dense.map(\.1))
    }

    @Test("SOS-2: a thermometer that is taken off cools to its room, and no low reading of it counts")
    func takenOff() {
        let cooling = [(0.0, 3660), (0.5, 3500), (1, 3340), (2, 3180), (3, 3050), (5, 2900), (8, 2700), (15, 2650), (24, 2640)]
        #expect(counted(cooling) == [3660])
        // For as long as it lies there.
        #expect(counted([(0, 3660)] + (1...240).map { (Double($0), 2600) }) == [3660])
        // The same with a reading each second, which falls little from one to the next.
        let dense: [(Double, Int)] = (0..<600).map { second in (Double(second) / 60, 3660 - second * 2) }
        #expect(counted(dense).allSatisfy { $0 > TemperatureLimits.criticalLow })
    }

    @Test("SOS-2: one that lies on a table since it was switched on tells nobody's temperature")
    func onTheTable() {
        #expect(counted((0..<120).map { (Double($0), 2600) }) == [])
        #expect(counted([(0, 2600), (1, 3300), (2, 3450), (3, 3520), (4, 3490)]) == [3520, 3490], "put on")
    }

    @Test("SOS-2: put on again it counts, also where it was hot before; after a long silence nothing is known of it")
    func wornAgain() {
        #expect(counted([(0, 3660), (1, 3000), (2, 3300), (3, 3570), (4, 3660)]) == [3660, 3570, 3660])
        #expect(counted([(0, 3460), (1, 3000), (2, 3370), (3, 3450)]) == [3460, 3370, 3450])
        #expect(counted([(0, 4160), (1, 3660), (2, 3660)]) == [4160, 3660, 3660])
        #expect(counted([(0, 3660), (11, 3100)]) == [3660])
        #expect(counted([(0, 3660), (11, 3400)]) == [3660, 3400])
    }

    @Test("SOS-2: a thermometer that lies about is said once, not with each reading")
    func saidOnce() throws {
        var watch = DistressWatch(
            person: PersonID(high: 1, low: 1), provenance: .live, side: .box, settings: DistressSettings(age: 40), at: 0)
        var said = 0
        for second in 1...120 {
            let key = SampleKey(stream: StreamID(high: 1, low: 1), sequence: 0, kind: .event, index: UInt32(second))
            let value = second == 60 ? 3600 : 2600
            for case .decided(let decision) in watch.handle(.temperature(hundredths: value, key), at: Milliseconds(second) * 1000)
            where decision.kind == .notCounting { said += 1 }
        }
        #expect(said == 2)
    }

    @Test("SOS-2: the alarm's readings are of what it is about, where heart and temperature are both beyond their limits")
    func readingsOfOneKind() {
        func reading(_ value: Int, _ kind: DataKind) -> Reading {
            Reading(time: 0, value: value, key: SampleKey(stream: StreamID(high: 1, low: 1), sequence: 0, kind: kind, index: 0))
        }
        let circumstances = Circumstances(readings: [reading(180, .heartRate), reading(4050, .event)])
        func about(_ triggers: Trigger...) -> [Int] {
            circumstances.readings(
                for: triggers.map {
                    Abnormality(
                        trigger: $0, tier: .critical, limit: nil, context: .rest, first: reading(0, .event), latest: reading(0, .event),
                        worst: 0, count: 3)
                }
            ).map(\.value)
        }
        #expect(about(.heartRateHigh) == [180] && about(.temperatureHigh, .heartRateHigh) == [4050])
        #expect(about(.help, .temperatureLow) == [4050] && about(.fall) == [180] && about(.help) == [180])
    }

    @Test("SOS-2: a pod that fell silent raises the limit for 20 s, and no longer than recovery after that")
    func silentPod() {
        var detector = Detector(settings: DistressSettings(age: 40), at: 0)
        for second in 0...60 { _ = detector.handle(.cadence(perMinute: 168), at: Milliseconds(second) * 1000) }
        #expect(detector.context == .exercise)
        _ = detector.handle(.tick, at: 79_000)
        #expect(detector.context == .exercise)
        _ = detector.handle(.tick, at: 81_000)
        #expect(detector.context == .recovery)
        _ = detector.handle(.tick, at: 60_000 + 20_000 + DistressConstants.recovery)
        #expect(detector.context == .unknown)
    }

    @Test("SOS-2: the scalars that the detector looks at are those of which the table of kinds says so")
    func kinds() {
        let key = SampleKey(stream: .random(), sequence: 0, kind: .event, index: 0)
        let heard = DataKind.scalars.filter { kind in
            ScalarSample(kind, time: 0, value: kind.entry.range.lowerBound).flatMap { DistressEvent($0, key: key) } != nil
        }
        #expect(heard == DataKind.scalars.filter { $0.entry.uses.contains(.alarms) } && heard.contains(.bodyTemperature))
    }
}
