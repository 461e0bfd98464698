import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

/// What is read beside the heart rate, by both transports.
struct OtherSensorTests {
    private static let temperature: [UInt8] = [0, 0x6E, 0x0E, 0, 0xFE]

    // MARK: By the ATT socket

    /// Services of a thermometer, a pod and a battery with its state, behind those of the strap.
    private static let more: [ScriptedSensor.Attribute] = [
        .init(handle: 34, type: 0x2803, value: [0x12, 35, 0, 0xED, 0x2B]), .init(handle: 35, type: 0x2BED, value: [0, 0x23, 0]),
        .init(handle: 36, type: 0x2902, value: [0, 0]), .init(handle: 50, type: 0x2800, value: [0x09, 0x18], end: 59),
        .init(handle: 51, type: 0x2803, value: [0x20, 52, 0, 0x1C, 0x2A]), .init(handle: 52, type: 0x2A1C, value: []),
        .init(handle: 53, type: 0x2902, value: [0, 0]), .init(handle: 54, type: 0x2803, value: [0x02, 55, 0, 0x1D, 0x2A]),
        .init(handle: 55, type: 0x2A1D, value: [4]), .init(handle: 60, type: 0x2800, value: [0x14, 0x18], end: 69),
        .init(handle: 61, type: 0x2803, value: [0x10, 62, 0, 0x53, 0x2A]), .init(handle: 62, type: 0x2A53, value: []),
        .init(handle: 63, type: 0x2902, value: [0, 0]),
    ]

    private static func sensor(without handles: ClosedRange<UInt16>...) -> ScriptedSensor {
        var sensor = ScriptedSensor()
        sensor.attributes = (ScriptedSensor.attributes + more).filter { attribute in !handles.contains { $0.contains(attribute.handle) } }
        return sensor
    }

    @Test("SOS-2: whatever a strap measures beside the heart rate is subscribed to, indications too")
    func strapByATT() throws {
        var talk = try Conversation(Self.sensor())
        talk.start(at: 5)
        #expect(
            talk.said == [
                .event(.connected(time: 5)), .event(.bodyLocation(1, time: 5)), .event(.battery(percent: 87, time: 5)),
                .event(.charging(true, time: 5)),
            ])
        #expect(talk.sensor.written == [[18, 1, 0], [33, 1, 0], [36, 1, 0], [53, 2, 0], [63, 1, 0]])
        #expect(talk.session.step == .idle)
        #expect(talk.session.receive([0x1B, 62, 0, 0, 0, 2, 168], at: 9) == [.event(.reading(.cadence, 1680, at: 9))])
        #expect(talk.session.receive([0x1B, 35, 0, 0, 0x41, 0], at: 10) == [.event(.charging(false, time: 10))])
        // It says that it measures at a finger: confirmed, and no body's temperature.
        let indicated = talk.session.receive([0x1D, 52, 0] + Self.temperature, at: 11)
        #expect(indicated.first == .send(.confirmation))
        guard case .problem(let problem) = indicated.last else {
            Issue.record("\(indicated)")
            return
        }
        #expect(problem.what.contains("finger"))
        // Cadence is no heart rate: without one the link is lost all the same.
        #expect(talk.session.tick(at: 10_005) == [.failed(.silent(10_000))])
    }

    @Test("EDGE-9: the battery's state is read again with its level")
    func stateAgain() throws {
        var limits = GATTSession.Limits()
        limits.batteryInterval = 5000
        var talk = try Conversation(Self.sensor(), limits: limits)
        talk.start()
        #expect(talk.session.tick(at: 5000) == [.send(.readRequest(handle: 32))])
        #expect(
            talk.session.receive([0x0B, 55], at: 5001) == [.event(.battery(percent: 55, time: 5001)), .send(.readRequest(handle: 35))])
        #expect(talk.session.receive([0x0B, 0, 0x41, 0], at: 5002) == [.event(.charging(false, time: 5002))])
        #expect(talk.session.step == .idle)
    }

    @Test("SOS-2: a thermometer without a heart rate is connected when it is subscribed, and may be silent")
    func thermometerByATT() throws {
        var limits = GATTSession.Limits()
        limits.silence = 86_400_000
        var talk = try Conversation(Self.sensor(without: 10...40, 54...69), role: .readings, limits: limits)
        talk.start(at: 5)
        #expect(talk.said == [.event(.connected(time: 5))])
        #expect(talk.sensor.written == [[53, 2, 0]])
        #expect(talk.session.tick(at: 3_600_000) == [])
        #expect(
            talk.session.receive([0x1D, 52, 0] + Self.temperature, at: 3_600_000) == [
                .send(.confirmation), .event(.reading(.bodyTemperature, 3694, at: 3_600_000)),
            ])
    }

    @Test("EDGE-1: what is neither thermometer nor pod says so; a refused pairing likewise")
    func unfit() throws {
        var talk = try Conversation(Self.sensor(without: 50...69), role: .readings)
        talk.start()
        #expect(talk.said == [.failed(.noReadings)])
        #expect(LinkFailure.noReadings.problem(talk.session.address).what.contains("0x1809"))
        var sensor = Self.sensor(without: 10...40, 54...69)
        sensor.refusals = [(0x12, 53, 0x05)]
        talk = try Conversation(sensor, role: .readings)
        talk.start()
        #expect(talk.failure == .needsPairing(.insufficientAuthentication))
    }

    // MARK: Through bluetoothd

    private static let pod = BlueZScript.device + "/service0030/char0031"
    private static let thermometer = BlueZScript.device + "/service0040/char0041"
    private static let place = BlueZScript.device + "/service0040/char0044"
    private static let state = BlueZScript.device + "/service0050/char0051"

    @Test("SOS-2: through bluetoothd a strap's cadence and charging are told beside its heart rate")
    func strapByBlueZ() throws {
        var bluez = try BlueZScript()
        try bluez.start(
            BlueZScript.ready.merging([
                Self.pod: BlueZScript.characteristic("2a53"), Self.state: BlueZScript.characteristic("2bed"),
            ]) { $1 })
        try bluez.answer(.subscribe)
        #expect(bluez.operations.contains(.subscribeTo(.running)) && bluez.operations.contains(.subscribeTo(.batteryStatus)))
        // What is read is told once, as the answer.
        bluez.value([0, 0x23, 0], of: Self.state)
        try bluez.answer(.readBatteryStatus, .success([.bytes([0, 0x23, 0])]))
        try bluez.answer(.subscribeTo(.running))
        try bluez.answer(.subscribeTo(.batteryStatus))
        bluez.value([0, 0, 2, 168], of: Self.pod)
        bluez.value([0, 0x41, 0], of: Self.state)
        bluez.value([0, 0x41], of: Self.state)
        let told = bluez.told()
        #expect(
            told.prefix(4) == [
                .event(.connected(time: 1000)), .event(.charging(true, time: 1000)), .event(.reading(.cadence, 1680, at: 1000)),
                .event(.charging(false, time: 1000)),
            ])
        guard case .problem(let problem)? = told.last else {
            Issue.record("\(told)")
            return
        }
        #expect(problem.what.contains("battery status: cut short"))
    }

    @Test("EDGE-9: a sensor that does not notify its battery's state is asked each minute")
    func stateIsAsked() throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.ready.merging([Self.state: BlueZScript.characteristic("2bed")]) { $1 })
        try bluez.answer(.subscribe)
        try bluez.answer(.readBatteryStatus, .success([.bytes([0, 0x41, 0])]))
        try bluez.fail(.subscribeTo(.batteryStatus), "NotSupported")
        for _ in 0..<59 {
            bluez.tick(after: 1000)
            bluez.value([0x00, 72])
        }
        #expect(!bluez.operations.contains(.readBatteryStatus))
        bluez.tick(after: 1000)
        try bluez.answer(.readBatteryStatus, .success([.bytes([0, 0x23, 0])]))
        #expect(bluez.told().contains(.event(.charging(true, time: bluez.now))))
        for _ in 0..<60 {
            bluez.tick(after: 1000)
            bluez.value([0x00, 72])
        }
        #expect(bluez.operations.contains(.readBatteryStatus), "and again")
    }

    @Test("SOS-2: through bluetoothd a thermometer is subscribed, read, and kept through hours of silence")
    func thermometerByBlueZ() throws {
        var limits = BlueZSession.Limits()
        limits.silence = 86_400_000
        var bluez = try BlueZScript(role: .readings, limits: limits)
        try bluez.start([
            BlueZScript.hci: BlueZScript.adapter(),
            BlueZScript.device: BlueZScript.sensor(isConnected: true, isResolved: true, service: "1809"),
            Self.thermometer: BlueZScript.characteristic("2a1c"), Self.place: BlueZScript.characteristic("2a1d"),
        ])
        #expect(bluez.calls.map(\.call) == [BusCall("org.bluez", Self.thermometer, BlueZName.characteristic, "StartNotify")])
        try bluez.answer(.subscribe)
        try bluez.answer(.readTemperaturePlace, .success([.bytes([2])]))
        bluez.tick(after: 7_200_000)
        #expect(bluez.operations.isEmpty)
        bluez.value(Self.temperature, of: Self.thermometer)
        #expect(
            bluez.told() == [.event(.connected(time: 1000)), .event(.reading(.bodyTemperature, 3694, at: bluez.now))])
    }

    @Test("EDGE-1: through bluetoothd what is neither thermometer nor pod says so")
    func unfitByBlueZ() throws {
        var bluez = try BlueZScript(role: .readings)
        try bluez.start(BlueZScript.ready)
        bluez.tick(after: 1500)
        try bluez.answer(.objects, .success(BlueZScript.answer(BlueZScript.ready)))
        bluez.tick(after: 1500)
        #expect(bluez.told() == [.lost(.noReadings)])
    }

    @Test("EDGE-1: a scan tells thermometers, pods and cadence sensors from straps")
    func scan() throws {
        func found(_ services: [UInt8]) throws -> FoundSensor? {
            var device = HeardDevice(address: try #require(SensorAddress("C4:01:02:03:04:05")))
            let data = AdvertisingData([UInt8(services.count + 1), 0x03] + services)
            (device.hasHeartRate, device.measures) = (data.hasHeartRate, data.measures)
            return device.found
        }
        #expect(try found([0x09, 0x18, 0x0F, 0x18])?.besides == [.temperature])
        #expect(try found([0x14, 0x18, 0x16, 0x18])?.besides == [.running, .cycling])
        #expect(try found([0x0D, 0x18, 0x14, 0x18])?.besides == [], "a strap, whatever else it measures")
        #expect(try found([0x0F, 0x18]) == nil)
    }
}
