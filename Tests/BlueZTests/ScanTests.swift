import Foundation
import Sensing
import SourceThread
import SystemBus
import Testing

@testable import BlueZ

struct ScanTests {
    private static let strap: [UInt8] = [2, 0x01, 6, 5, 0x03, 0x0D, 0x18, 0x0F, 0x18, 7, 0x09] + Array("HR-SIM".utf8)

    private func device(_ address: String = "C4:01:02:03:04:05", _ change: (inout HeardDevice) -> Void) throws -> HeardDevice {
        var device = HeardDevice(address: try #require(SensorAddress(address)))
        change(&device)
        return device
    }

    @Test("EDGE-1: name and service are read from what a sensor advertises; damaged parts are left out")
    func advertising() {
        let data = AdvertisingData(Self.strap)
        #expect(data.hasHeartRate && data.name == "HR-SIM")
        #expect(AdvertisingData([3, 0x19, 0x41, 0x03]).appearance == 0x0341)
        #expect(AdvertisingData([6, 0x09, 0x1B, 0x5B, 0x41, 0x0A, 0x42]).name == "[AB", "no control character reaches a terminal")
        for length in 0..<Self.strap.count { _ = AdvertisingData(Self.strap.prefix(length)) }
        #expect(AdvertisingData([4, 0x03, 0x0D, 0x18, 0x0D]).hasHeartRate && !AdvertisingData([9, 0x03, 0x0D, 0x18]).hasHeartRate)
    }

    @Test("EDGE-1: reports of the adapter are read, also several in one event and cut ones")
    func reports() throws {
        var devices: [SensorAddress: HeardDevice] = [:]
        let report = [0, 1, 5, 4, 3, 2, 1, 0xC4, UInt8(Self.strap.count)] + Self.strap + [0xC4]
        let packet: [UInt8] = [4, 0x3E, UInt8(truncatingIfNeeded: 2 + report.count), 2, 1] + report
        AdvertisingReports.take(packet, &devices)
        let address = try #require(SensorAddress("C4:01:02:03:04:05/random"))
        #expect(devices[address]?.found == FoundSensor(address: address, name: "HR-SIM", rssi: -60))
        let response: [UInt8] = [4, 1, 5, 4, 3, 2, 1, 0xC4, 0, 127]
        AdvertisingReports.take([4, 0x3E, 0, 2, 2] + report + response, &devices)
        #expect(devices.count == 1 && devices[address]?.rssi == -60 && devices[address]?.hasHeartRate == true)
        // As adapters with Bluetooth 5 report.
        let extended: [UInt8] = [1, 0, 1, 6, 4, 3, 2, 1, 0xC4, 1, 1, 0, 0, 0xCE, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(Self.strap.count)]
        AdvertisingReports.take([4, 0x3E, 0, 0x0D, 1] + extended + Self.strap, &devices)
        let other = try #require(SensorAddress("C4:01:02:03:04:06/random"))
        #expect(devices.removeValue(forKey: other)?.found == FoundSensor(address: other, name: "HR-SIM", rssi: -50))
        for length in 0..<packet.count { AdvertisingReports.take(packet.prefix(length), &devices) }
        #expect(devices.count == 1)
    }

    @Test("EDGE-1: devices that look like a sensor and cannot be used get the reason; other gadgets are only counted")
    func verdicts() throws {
        let usable = try device { ($0.hasHeartRate, $0.rssi) = (true, -80) }
        let near = try device("C4:01:02:03:04:06") { ($0.hasHeartRate, $0.rssi) = (true, -40) }
        let watch = try device("C4:01:02:03:04:07") { ($0.name, $0.rssi) = ("Forerunner 45", -30) }
        let classic = try device("00:01:02:03:04:08") { ($0.name, $0.isClassic) = ("Polar iWL", true) }
        let strap = try device("C4:01:02:03:04:09") { $0.appearance = 0x0341 }
        let lamp = try device("C4:01:02:03:04:0A") { $0.name = "Lamp" }
        let speaker = try device("00:01:02:03:04:0B") { ($0.name, $0.isClassic) = ("Speaker", true) }
        let scan = SensorScan([lamp, watch, usable, classic, near, speaker, strap])
        #expect(scan.others == 2)
        #expect(scan.sensors.prefix(2).map(\.address) == [near.address, usable.address])
        let problems = scan.sensors.dropFirst(2).compactMap(\.unsupported)
        #expect(problems.count == 3)
        #expect(problems.filter { $0.what.contains("classic Bluetooth") }.count == 1)
        #expect(problems.filter { $0.what.contains("0x180D") && $0.advice.contains("broadcast") }.count == 2)
    }

    @Test("EDGE-1: an adapter that fails does not end the scan of the others; when all fail it is told")
    func badAdapter() throws {
        let bad = BusError(name: "org.bluez.Error.Failed")
        var begun: [String] = []
        try BlueZScan.beginAny(of: ["a", "b", "c"]) { adapter throws(BusError) in
            if adapter != "c" { throw bad }
            begun.append(adapter)
        }
        #expect(begun == ["c"])
        #expect(throws: BusError.self) { try BlueZScan.beginAny(of: ["a", "b"]) { _ throws(BusError) in throw bad } }
    }

    @Test("EDGE-2: a blocked radio is seen under any number")
    func rfkill() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rfkill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, type, soft) in [("rfkill3", "wlan", "1"), ("rfkill173", "bluetooth", "0")] {
            let entry = folder.appendingPathComponent(name)
            try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
            for (file, text) in [("type", type), ("soft", soft), ("hard", "0")] {
                try Data((text + "\n").utf8).write(to: entry.appendingPathComponent(file))
            }
        }
        #expect(RadioSwitch.blocks(in: folder.path) == (false, false))
        try Data("1\n".utf8).write(to: folder.appendingPathComponent("rfkill173/soft"))
        #expect(RadioSwitch.blocks(in: folder.path) == (true, false))
        #expect(RadioSwitch.blocks(in: folder.path + "/none") == (false, false))
    }

    @Test(
        "EDGE-1: a scan whose adapter is blocked says what to do; one that was unblocked waits for bluetoothd",
        arguments: [
            (RadioSwitch.Outcome.notPermitted, 1, String?.some("rfkill unblock bluetooth")), (.hard, 1, "switch it on"),
            (.nothingBlocked, 1, "restart bluetooth"), (.unblocked, 2, nil),
        ])
    func blocked(block: RadioSwitch.Outcome, triesMax: Int, advice: String?) throws {
        let stop = try #require(StopSignal())
        var tries = 0, told: SourceProblem?
        do throws(SourceProblem) {
            try BlueZScan.asking { () throws(BusError) in
                try BlueZScan.switchOn(after: block, stop) { () throws(BusError) in
                    tries += 1
                    if tries < 2 { throw BusError(name: "org.bluez.Error.Failed", message: "Failed") }
                }
            }
        } catch { told = error }
        #expect(tries == triesMax)
        if let advice { #expect(told?.advice.contains(advice) == true) } else { #expect(told == nil) }
    }

    @Test("EDGE-1: what bluetoothd only remembers is not in range; a connected sensor is, with its battery")
    func bluetoothd() throws {
        var interfaces = BlueZScript.sensor()
        #expect(BlueZScan.device(interfaces) == nil)
        interfaces["org.bluez.Device1"]?["RSSI"] = .int16(-55)
        #expect(BlueZScan.device(interfaces)?.found?.rssi == -55)
        interfaces = BlueZScript.sensor(isConnected: true)
        interfaces[BlueZName.battery] = ["Percentage": .byte(87)]
        let found = try #require(BlueZScan.device(interfaces)?.found)
        #expect(found.rssi == nil && found.batteryPercent == 87 && found.address.kind == .random && found.unsupported == nil)
        interfaces[BlueZName.device]?["Name"] = .string("H10 \u{1B}]0;x\u{07}\u{9B}2J\r\nné")
        #expect(BlueZScan.device(interfaces)?.name == "H10 ]0;x2Jné", "no control character reaches a terminal")
        interfaces[BlueZName.device]?["Name"] = .string("\u{1B}\n")
        let nameless = try #require(BlueZScan.device(interfaces))
        #expect(nameless.name == nil)
    }
}
