import Foundation
import Sensing
import SourceThread
import Synchronization
import SystemBus
import Testing
import Vitals

@testable import BlueZ

/// The whole source with its thread, on a real bus.
@Suite(.enabled(if: !PlayedBluetoothd.isMissing, "there is no dbus-daemon here (Debian: dbus-daemon)"))
struct HeartRateSourceTests {
    /// What a source told, from its threads.
    private final class Events: Sendable {
        private let list = Mutex<[HeartRateEvent]>([])
        var all: [HeartRateEvent] { list.withLock { $0 } }
        func take(_ event: HeartRateEvent) { list.withLock { $0.append(event) } }

        var lost: [SourceProblem] {
            all.compactMap { event in
                if case .lost(let problem, _) = event { return problem }
                return nil
            }
        }
        func count(_ isWanted: (HeartRateEvent) -> Bool) -> Int { all.filter(isWanted).count }
        var readings: Int { count { if case .measurement = $0 { true } else { false } } }
        var connections: Int { count { if case .connected = $0 { true } else { false } } }
    }

    private func source(_ bus: BusAddress, _ transport: SensorTransport, _ events: Events) throws -> HeartRateSource {
        var settings = HeartRateSource.Configuration(
            address: try #require(SensorAddress("C4:01:02:03:04:05")), transport: transport)
        settings.bus = bus
        return HeartRateSource(configuration: settings, sink: events.take)
    }

    private func wait(_ isOver: () -> Bool) async throws {
        for _ in 0..<3000 where !isOver() { try await Task.sleep(for: .milliseconds(10)) }
        #expect(isOver())
    }

    @Test("EDGE-2: readings come over a real bus, through a restart of bluetoothd, and the link is closed at the end")
    func delivers() async throws {
        let bluetoothd = try PlayedBluetoothd()
        let events = Events()
        let source = try source(bluetoothd.address, .auto, events)
        try bluetoothd.start()
        try source.start()
        try await wait { events.readings >= 3 }
        #expect(events.connections == 1 && events.lost.isEmpty)
        bluetoothd.stop()
        try await wait { !events.lost.isEmpty }
        #expect(events.lost.map(\.what) == ["bluetoothd does not run"])
        let before = events.readings
        try bluetoothd.start()
        try await wait { events.readings > before }
        #expect(events.connections == 2 && events.lost.count == 1)
        source.stop()
        try await wait { bluetoothd.calls.last == "Disconnect" }
        let after = events.all.count
        try await Task.sleep(for: .milliseconds(100))
        #expect(events.all.count == after, "nothing follows the end")
    }

    @Test("EDGE-2: without a bus or a bluetoothd it is said what to start, and bluetoothd is used when it comes")
    func comesLate() async throws {
        let nowhere = Events()
        let alone = try source(.address("unix:path=/nonexistent/bus"), .bluez, nowhere)
        try alone.start()
        try await wait { nowhere.lost.first?.advice.contains("systemctl start dbus") == true }
        alone.stop()

        let bluetoothd = try PlayedBluetoothd()
        let events = Events()
        let source = try source(bluetoothd.address, .bluez, events)
        try source.start()
        try await wait { events.lost.map(\.what) == ["bluetoothd does not run"] }
        try bluetoothd.start()
        try await wait { events.readings > 0 }
        #expect(events.lost.count == 1 && events.connections == 1)
        source.stop()
    }

    @Test("EDGE-2: where bluetoothd does not run the socket is tried, and bluetoothd takes over when it starts")
    func changesOver() async throws {
        let bluetoothd = try PlayedBluetoothd()
        let events = Events()
        let source = try source(bluetoothd.address, .auto, events)
        try source.start()
        // A machine that runs tests has no adapter, or none that finds this sensor.
        try await wait { !events.lost.isEmpty }
        #expect(events.lost.first?.what != "bluetoothd does not run")
        try bluetoothd.start()
        try await wait { events.readings > 0 }
        source.stop()
    }

    @Test("EDGE-2: the pairing agent agrees to all sensors of the box, and to nothing that would need a person")
    func agent() async throws {
        let bluetoothd = try PlayedBluetoothd()
        let sensor = try #require(SensorAddress("C4:01:02:03:04:05"))
        let (server, client) = (try Bus(bluetoothd.address), try Bus(bluetoothd.address))
        let other = try #require(SensorAddress("C4:01:02:03:04:99"))
        for sensor in [sensor, other] { PairingAgent.expect(sensor) }
        defer { for sensor in [sensor, other] { PairingAgent.forget(sensor) } }
        let agent = try PairingAgent.export(on: server)
        try server.requestName("org.example.Box")
        var answers: [String] = []
        let questions: [(String, [BusValue])] = [
            ("RequestConfirmation", [.objectPath(BlueZScript.device), .uint32(1)]),
            ("RequestAuthorization", [.objectPath("/org/bluez/hci0/dev_C4_01_02_03_04_99")]),
            ("RequestConfirmation", [.objectPath("/org/bluez/hci0/dev_AA_01_02_03_04_05"), .uint32(1)]),
            ("RequestPasskey", [.objectPath(BlueZScript.device)]),
        ]
        for (member, arguments) in questions {
            try client.send(.init("org.example.Box", BlueZName.agentPath, BlueZName.agent, member, arguments), limit: 20_000) { answer in
                if case .failure(let error) = answer { answers.append(error.name) } else { answers.append("yes") }
            }
        }
        let stop = try #require(StopSignal())
        for _ in 0..<2000 where answers.count < 4 {
            for bus in [server, client] {
                _ = bus.wait(stop: stop, milliseconds: 5)
                try bus.process()
            }
        }
        #expect(answers == ["yes", "yes", "org.bluez.Error.Rejected", "org.bluez.Error.Rejected"])
        withExtendedLifetime(agent) {}
    }

    @Test("EDGE-1: forgetting needs a bluetoothd that knows the sensor; a scan says what is wrong")
    func registry() throws {
        let bluetoothd = try PlayedBluetoothd()
        let sensor = try #require(SensorAddress("C4:01:02:03:04:05"))
        #expect(try !SensorRegistry.forget(sensor, bus: bluetoothd.address))
        let stop = try #require(StopSignal())
        let problem = #expect(throws: SourceProblem.self) {
            try SensorScanner.scan(seconds: 1, transport: .bluez, bus: bluetoothd.address, stop: stop)
        }
        #expect(problem?.what == "bluetoothd does not run")
    }

    @Test("EDGE-1: a sensor that is forgotten is removed from bluetoothd, and no other one")
    func removal() async throws {
        let bluetoothd = try PlayedBluetoothd()
        let sensor = try #require(SensorAddress("C4:01:02:03:04:05")), other = try #require(SensorAddress("C4:01:02:03:04:99"))
        try bluetoothd.start()
        try await wait { BlueZScan.isAvailable(bluetoothd.address) }
        #expect(try !SensorRegistry.forget(other, bus: bluetoothd.address))
        #expect(bluetoothd.calls.isEmpty)
        #expect(try SensorRegistry.forget(sensor, bus: bluetoothd.address))
        #expect(bluetoothd.calls == ["RemoveDevice"])
        #expect(try !SensorRegistry.forget(sensor, bus: bluetoothd.address), "it is gone")
        bluetoothd.stop()
    }
}
