import Foundation
import Sensing
import SourceThread
import Synchronization
import SystemBus

@testable import BlueZ

/// A dbus-daemon of its own, and on it a bluetoothd that a test plays. Its sensor is always near and sends a reading every 20 ms.
final class PlayedBluetoothd: Sendable {
    static let program = "/usr/bin/dbus-daemon"
    static var isMissing: Bool { !FileManager.default.isExecutableFile(atPath: program) }

    let address: BusAddress
    private let daemon: Int32
    private let output: FileHandle
    private let thread = SourceThread(name: "bluetoothd")
    private let log = Mutex<[String]>([])

    init() throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["--session", "--nofork", "--nopidfile", "--print-address"]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        output = pipe.fileHandleForReading
        daemon = process.processIdentifier
        var text = ""
        while !text.hasSuffix("\n"), let byte = try output.read(upToCount: 1), !byte.isEmpty {
            text += String(decoding: byte, as: UTF8.self)
        }
        address = .address(text.trimmingCharacters(in: .whitespacesAndNewlines))
    }

    deinit {
        thread.stop()
        kill(daemon, SIGKILL)
    }

    /// What clients called, in order.
    var calls: [String] { log.withLock { $0 } }

    func stop() { thread.stop() }

    func start() throws {
        let address = address
        try thread.start { [weak self] stop in
            do { try self?.serve(on: Bus(address), stop) } catch { self?.note("failed: \(error)") }
        }
    }

    private func note(_ text: String) { log.withLock { $0.append(text) } }

    private func serve(on bus: Bus, _ stop: StopSignal) throws {
        let isConnected = Mutex(false), isNotifying = Mutex(false)
        let isForgotten = Mutex(false)
        let root = try bus.export("/") { call in
            guard call.member == "GetManagedObjects" else { return nil }
            var objects = [BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: BlueZScript.sensor()]
            objects[BlueZScript.device]?[BlueZName.device]?["Adapter"] = .objectPath(BlueZScript.hci)
            if isForgotten.withLock(\.self) { objects[BlueZScript.device] = nil }
            return BlueZScript.answer(objects)
        }
        let adapter = try bus.export(BlueZScript.hci) { [self] call in
            guard call.member == "RemoveDevice", call.arguments == [.objectPath(BlueZScript.device)] else { return nil }
            note(call.member)
            isForgotten.withLock { $0 = true }
            return []
        }
        let device = try bus.export(BlueZScript.device) { [unowned bus, self] call throws(BusError) in
            note(call.member)
            guard call.member == "Connect" || call.member == "Disconnect" else { return nil }
            isConnected.withLock { $0 = call.member == "Connect" }
            try Self.tell(bus, BlueZScript.device, BlueZName.device, ["Connected": .bool(call.member == "Connect")])
            guard call.member == "Connect" else { return [] }
            for (path, interfaces) in BlueZScript.services {
                let tables = interfaces.map { (BusValue.string($0), BusValue.properties($1)) }
                let value = BusValue.dictionary(Dictionary(tables) { $1 }, key: "s", value: "a{sv}")
                try bus.emit("/", BlueZName.objectManager, "InterfacesAdded", [.objectPath(path), value])
            }
            try Self.tell(bus, BlueZScript.device, BlueZName.device, ["ServicesResolved": .bool(true)])
            return []
        }
        let measurement = try bus.export(BlueZScript.measurement) { [self] call in
            note(call.member)
            isNotifying.withLock { $0 = true }
            return []
        }
        let location = try bus.export(BlueZScript.location) { _ in [.bytes([1])] }
        try bus.requestName(BlueZName.service)
        while bus.wait(stop: stop, milliseconds: 20) != .stopped {
            try bus.process()
            if isNotifying.withLock(\.self), isConnected.withLock(\.self) {
                try Self.tell(bus, BlueZScript.measurement, BlueZName.characteristic, ["Value": .bytes([0x00, 72])])
            }
        }
        withExtendedLifetime((root, adapter, device, measurement, location)) {}
    }

    private static func tell(_ bus: Bus, _ path: String, _ interface: String, _ values: [String: BusValue]) throws(BusError) {
        try bus.emit(path, BlueZName.properties, "PropertiesChanged", [.string(interface), .properties(values), .strings([])])
    }
}
