import Sensing
import Testing
import Vitals

/// Captures with a thermometer, a pod and a battery's state.
@Suite struct SensorCaptureTests {
    typealias Build = CaptureBuilding

    private static let characteristics: [(handle: UInt16, type: UInt16)] = [
        (0x32, 0x2A1C), (0x35, 0x2A1D), (0x42, 0x2A53), (0x52, 0x2A5B), (0x22, 0x2BED),
    ]

    /// Discovery of a sensor without a heart rate, then what it said, each a second after the other.
    private func capture(_ pdus: [[UInt8]]) -> [UInt8] {
        var packets = Build.session([], discovers: false)
        func add(_ isSent: Bool, _ pdu: [UInt8]) {
            packets.append(
                Build.Packet(
                    kind: 2, isSent: isSent, bytes: Build.acl(Build.l2cap(pdu)),
                    microseconds: Build.start + Int64(packets.count) * 1_000_000))
        }
        add(true, [0x08, 1, 0, 0xFF, 0xFF, 0x03, 0x28])
        var found: [UInt8] = [0x09, 7]
        for (handle, type) in Self.characteristics {
            found += Build.le16(handle - 1) + [0x10]
            found += Build.le16(handle) + Build.le16(type)
        }
        add(false, found)
        for pdu in pdus { add(pdu[0] == 0x0A || pdu[0] == 0x1E, pdu) }
        return Build.btsnoop(packets)
    }

    private func value(_ opcode: UInt8, _ handle: UInt16, _ bytes: [UInt8]) -> [UInt8] { [opcode] + Build.le16(handle) + bytes }

    private func told(_ events: [CaptureEvent]) -> [String] {
        events.map { event in
            switch event.event {
            case .reading(let reading): "\(reading.kind)(\(reading.value))"
            case .charging(let isCharging, _): "charging \(isCharging.map { "\($0)" } ?? "unknown")"
            default: "another"
            }
        }
    }

    @Test("EDGE-10: a capture's temperatures, cadences and battery states are read as live ones, and its damaged ones counted by reason")
    func reads() throws {
        let (events, reader) = try read(
            capture([
                value(0x1D, 0x32, [0, 0x6E, 0x0E, 0, 0xFE]), [0x1E], value(0x1D, 0x32, [1, 0xDA, 0x03, 0, 0xFF]),
                value(0x1B, 0x42, [0, 0, 2, 168]), value(0x1B, 0x52, [2, 10, 0, 0, 0]), value(0x1B, 0x52, [2, 11, 0, 0, 4]),
                value(0x0A, 0x22, []), [0x0B, 0, 0x23, 0], value(0x1B, 0x22, [0, 0x41, 0]),
                // Damaged, each in its way.
                value(0x1D, 0x32, [0, 0xFF, 0xFF, 0x7F, 0]), value(0x1D, 0x32, [0, 1]), value(0x1B, 0x42, [0, 0, 2]),
                value(0x1B, 0x52, [2, 10, 0]), value(0x1B, 0x22, [2, 0x41, 0, 101]),
                // Of a finger, as it says later: no damage.
                value(0x0A, 0x35, []), [0x0B, 4], value(0x1D, 0x32, [0, 0x6E, 0x0E, 0, 0xFE]),
            ]))
        #expect(
            told(events) == [
                "bodyTemperature(3694)", "bodyTemperature(3700)", "cadence(1680)", "cadence(600)", "charging true", "charging false",
            ])
        let report = reader.report
        #expect(report.readings == [.bodyTemperature: 2, .cadence: 2] && report.batteryStates == 2 && report.measurements == 0)
        for reason in [
            SensorValueProblem.temperatureNoNumber, .temperatureCutShort, .runningCutShort, .cyclingCutShort, .batteryStatusLevel,
        ] {
            #expect(report[reason] == 1, "\(reason)")
        }
        #expect(report[SensorValueProblem.temperatureElsewhere] == 1 && report.damaged == 5)
        #expect("\(report)".contains("2 temperatures, 2 cadences, 2 battery states"))
    }

    @Test("EDGE-10: what live sensors told beside the heart rate is recorded, and read back the same")
    func writes() throws {
        var writer = BtsnoopWriter()
        let time: Milliseconds = 1_767_225_600_000
        let events: [HeartRateEvent] = [
            .reading(.bodyTemperature, 3866, at: time),
            .reading(.bodyTemperature, -150, at: time + 1000),
            .reading(.cadence, 1720, at: time + 2000), .charging(true, time: time + 3000),
            .charging(false, time: time + 4000), .charging(nil, time: time + 5000),
        ]
        var file = BtsnoopWriter.header
        for (index, event) in events.enumerated() {
            let records = writer.records(for: event, of: 0x1_C401_0203_0406, utc: time + Milliseconds(index) * 1000)
            file += try #require(records)
        }
        let (found, reader) = try read(file)
        #expect(found.map(\.event) == events)
        #expect(reader.report.damaged == 0)
        #expect(writer.records(for: .reading(.steps, 12, at: time), of: 1, utc: time) == nil, "no sensor that is read here counts steps")
    }

    @Test("EDGE-10: every reason is counted under a name of its own")
    func reasons() {
        let names = CaptureSkip.allCases.map { "\($0)" } + SensorValueProblem.allCases.map { "\($0)" }
        #expect(Set(names).count == names.count)
    }
}
