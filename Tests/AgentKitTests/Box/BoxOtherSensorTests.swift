import BlueZ
import Distress
import Monitoring
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import Peripherals

/// Thermometers, pods and batteries beside the heart rate.
@Suite(.timeLimit(.minutes(1)))
struct BoxOtherSensorTests {
    private static let address = "D8:01:02:03:04:09"

    /// A box with AutomatedSOS that listens to one more sensor.
    private func box(_ sos: SOSFixture = SOSFixture(settings: SOSFixture.settings())) async throws -> (BoxFixture, SensorAddress) {
        let fixture = try await sos.box()
        let reply = await fixture.box.perform(ControlRequest(.add, address: Self.address))
        #expect(reply.isDone, "\(reply.message)")
        return (fixture, try #require(SensorAddress(Self.address)))
    }

    private func tell(_ kind: DataKind, _ value: Int64, _ sensor: SensorAddress, _ fixture: BoxFixture, after time: Milliseconds = 1000)
        async
    {
        fixture.clock.advance(time)
        await fixture.box.take(.heartRate(.reading(kind, value, at: fixture.clock.now), fixture.person, sensor))
    }

    @Test("EDGE-1: sensors are used beside the heart rate, listed, kept, and forgotten; the strap stays")
    func chosen() async throws {
        let fixture = try BoxFixture()
        defer { fixture.parts.sources.stop() }
        try await fixture.box.begin(listening: false)
        let thermometer = try #require(SensorAddress(Self.address))
        SensorSearch.note([FoundSensor(address: thermometer, name: "Thermo", besides: [.temperature])], at: 0)
        let wrong = await fixture.box.perform(ControlRequest(.use, address: Self.address))
        #expect(!wrong.isDone && wrong.advice?.contains("sensors add") == true)
        #expect(await fixture.box.perform(ControlRequest(.add, address: Self.address)).isDone)
        #expect(await !fixture.box.perform(ControlRequest(.add, address: "C4:01:02:03:04:00")).isDone, "it is the strap")
        for last in 1...2 { #expect(await fixture.box.perform(ControlRequest(.add, address: "D8:01:02:03:04:1\(last)")).isDone) }
        #expect(await fixture.box.perform(ControlRequest(.add, address: Self.address)).isDone, "again is no fourth")
        let fourth = await fixture.box.perform(ControlRequest(.add, address: "D8:01:02:03:04:13"))
        #expect(!fourth.isDone && fourth.message.contains("3 sensors"))
        let kept = BoxSettings.load(from: fixture.state).settings[fixture.person]
        #expect(kept.sensor == fixture.strap(of: fixture.person) && kept.others?.count == 3)
        #expect(kept.others?.contains { $0.name == "Thermo" } == true)
        #expect(await fixture.box.status().sensorTable.contains("beside it: \(thermometer) Thermo, not connected, no reading"))
        #expect(await !fixture.box.perform(ControlRequest(.forget)).isDone, "which of the four is not clear")
        // No bluetoothd runs here: the settings tell.
        _ = await fixture.box.perform(ControlRequest(.forget, address: Self.address))
        let left = BoxSettings.load(from: fixture.state).settings[fixture.person]
        #expect(left.others?.map(\.address.description) == ["D8:01:02:03:04:11/random", "D8:01:02:03:04:12/random"])
        #expect(left.sensor == fixture.strap(of: fixture.person))
        _ = try await fixture.stored()
    }

    @Test("SOS-2: three critical temperatures ask and raise; the alarm's record holds them as temperatures")
    func fever() async throws {
        let sos = SOSFixture(hub: .unreachable, settings: SOSFixture.settings())
        let (fixture, thermometer) = try await box(sos)
        defer { fixture.parts.sources.stop() }
        await fixture.rest()
        await tell(.bodyTemperature, 3900, thermometer, fixture)
        #expect(await fixture.sos?.question == nil)
        await tell(.bodyTemperature, 4020, thermometer, fixture)
        #expect(await fixture.sos?.question?.trigger == .temperatureHigh)
        for value: Int64 in [4030, 4040] { await tell(.bodyTemperature, value, thermometer, fixture, after: 2000) }
        try await fixture.beats(96) { await fixture.sos?.alarm?.trigger == .temperatureHigh }
        try await #require(eventually { sos.hub.reports.contains { $0.alarm != nil } })
        let alarm = try #require(sos.hub.reports.compactMap(\.alarm).last)
        #expect(alarm.readings.map(\.value) == [4020, 4030, 4040] && alarm.readings.allSatisfy(\.isTemperature))
        #expect(alarm.abnormalities.map(\.trigger) == [.temperatureHigh])
        #expect(sos.caller.calls == 1)
        let message = sos.caller.message(LocalAlarm.Attempt(id: 1, channel: .hooks, content: .alert, isTest: false))
        #expect(String(decoding: message.json, as: UTF8.self).contains("40.4"), "\(String(decoding: message.json, as: UTF8.self))")
        #expect(message.text.contains("body temperature too high") && !message.text.contains("40.4"), "\(message.text)")
        _ = try await fixture.stored()
    }

    @Test("SOS-2: a thermometer that fell silent raises nothing, and its last value is shown no longer than 10 min")
    func silentThermometer() async throws {
        let sos = SOSFixture(hub: .unreachable, settings: SOSFixture.settings())
        let (fixture, thermometer) = try await box(sos)
        defer { fixture.parts.sources.stop() }
        await tell(.bodyTemperature, 4050, thermometer, fixture)
        #expect(await fixture.sos?.question?.trigger == .temperatureHigh)
        await fixture.box.take(.heartRate(.lost(SOSFixture.away, time: fixture.clock.now), fixture.person, thermometer))
        var shown = await fixture.box.status().persons[0].otherSensors?.first
        #expect(shown?.temperature == 4050 && shown?.isConnected == false && shown?.problem != nil)
        for _ in 0..<605 { await fixture.beat(70) }
        let sosState = try #require(await fixture.sos)
        #expect(sosState.question == nil && sosState.alarm == nil && sos.caller.calls == 0)
        shown = await fixture.box.status().persons[0].otherSensors?.first
        #expect(shown != nil && shown?.temperature == nil && shown?.time == nil)
        // A sensor beside the strap is none whose silence is told as the strap's.
        #expect(await fixture.box.status().persons[0].notices.contains(.sensorLost) == false)
        #expect(try await fixture.stored()[fixture.person]?.events.contains { $0.code == .sensorLost } == false)
    }

    @Test("SOS-2: a pod's cadence raises the high limit, and not the low one")
    func pod() async throws {
        let sos = SOSFixture(hub: .unreachable, settings: SOSFixture.settings())
        let (fixture, pod) = try await box(sos)
        defer { fixture.parts.sources.stop() }
        await fixture.rest()
        for rate in stride(from: UInt16(80), through: 160, by: 2) {
            await tell(.cadence, 1680, pod, fixture, after: 0)
            await fixture.beat(rate)
        }
        for _ in 0..<10 {
            await tell(.cadence, 1680, pod, fixture, after: 0)
            await fixture.beat(160)
        }
        #expect(await fixture.sos?.question == nil, "160 is no alarm while running")
        #expect(await fixture.box.status().persons[0].otherSensors?.first?.cadence == 168)
        for _ in 0..<3 {
            await tell(.cadence, 1680, pod, fixture, after: 0)
            await fixture.beat(35)
        }
        #expect(await fixture.sos?.question?.trigger == .heartRateLow)
        _ = try await fixture.stored()
    }

    @Test("SOS-2: without the pod the same rate asks")
    func withoutPod() async throws {
        let (fixture, _) = try await box()
        defer { fixture.parts.sources.stop() }
        await fixture.rest()
        for rate in stride(from: UInt16(80), through: 160, by: 2) { await fixture.beat(rate) }
        let found = try #require(await fixture.sos)
        #expect(found.question?.trigger == .heartRateHigh, "\(found.decisions)")
        _ = try await fixture.stored()
    }

    @Test("EDGE-9: a strap that says that it charges: SOS off and told at once, also while readings come; then on again")
    func charging() async throws {
        let log = KeptLog()
        let fixture = try BoxFixture(sos: SOSFixture(settings: SOSFixture.settings()), logger: log.logger)
        try await fixture.box.begin(listening: false)
        await fixture.rest()
        let strap = fixture.strap(of: fixture.person)
        #expect(await fixture.box.status().persons[0].isWatched)
        await fixture.box.take(.heartRate(.charging(true, time: fixture.clock.now), fixture.person, strap))
        for _ in 0..<6 { await fixture.beat(180) }
        let status = await fixture.box.status().persons[0]
        #expect(status.wearing == .charging && !status.isWatched && status.sos?.question == nil)
        #expect(status.sos?.reasons.contains(.charging) == true && log.lines.contains("notice: sensor-charging"))
        await fixture.box.take(.heartRate(.charging(false, time: fixture.clock.now), fixture.person, strap))
        await fixture.rest(4)
        #expect(await fixture.box.status().persons[0].wearing == .worn)
        await fixture.distress()
        #expect(await fixture.sos?.alarm?.trigger == .heartRateHigh)
        let events = try await fixture.stored()[fixture.person]?.events ?? []
        #expect(events.filter { $0.code == .sensorCharging }.map(\.value) == [1, 0])
    }

    @Test("EDGE-7: while heart rate is not collected, or monitoring is paused, no other reading is")
    func notCollected() async throws {
        let (fixture, thermometer) = try await box()
        defer { fixture.parts.sources.stop() }
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false))).isDone)
        for _ in 0..<4 { await tell(.bodyTemperature, 4100, thermometer, fixture) }
        #expect(await fixture.sos?.question == nil)
        #expect(await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: true))).isDone)
        #expect(await fixture.box.perform(ControlRequest(.pause, minutes: 5)).isDone)
        for _ in 0..<4 { await tell(.bodyTemperature, 4100, thermometer, fixture) }
        #expect(await fixture.sos?.question == nil)
        _ = try await fixture.stored()
    }
}

extension SOSFixture {
    fileprivate static let away = SourceProblem(what: "Away", advice: "Wait", retries: true)
}
