import Foundation
import Sensing
import Testing
import Vitals

/// Real captures. They are not part of the project: without TRACKME_CAPTURES these tests are skipped.
@Suite(.enabled(if: captures != nil)) struct RigCaptureTests {
    private func rig(_ name: String) throws -> [UInt8] {
        let directory = try #require(captures).deletingLastPathComponent().appendingPathComponent("rig/captures")
        return try contents(directory.appendingPathComponent(name))
    }

    private func steps(_ script: String) throws -> [HeartRateMeasurement] {
        let url = try #require(captures).deletingLastPathComponent().appendingPathComponent("rig/\(script)")
        let json = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
        return try #require(json["steps"] as? [[String: Any]]).compactMap { step in
            guard let rate = step["hr"] as? Int else { return nil }
            let contact = (step["contact"] as? Bool).map { $0 ? SensorContact.detected : .notDetected } ?? .unsupported
            return HeartRateMeasurement(
                beatsPerMinute: UInt16(rate), contact: contact, energyKilojoules: (step["energy"] as? Int).map { UInt16($0) },
                rrIntervals: (step["rr"] as? [Int] ?? []).map { UInt16($0) })
        }
    }

    private func measurements(_ events: [CaptureEvent]) -> [HeartRateMeasurement] {
        events.compactMap {
            guard case .measurement(let sample) = $0.event else { return nil }
            return HeartRateMeasurement(
                beatsPerMinute: sample.beatsPerMinute, contact: sample.contact, energyKilojoules: sample.energyKilojoules,
                rrIntervals: sample.rrIntervals)
        }
    }

    /// A second decoder that knows nothing of containers: looks for L2CAP length, channel 4, notification, handle 0x0010.
    private func scan(_ file: [UInt8]) throws -> [HeartRateMeasurement] {
        try (2..<(file.count - 5)).compactMap { index in
            guard Array(file[index..<(index + 5)]) == [0x04, 0x00, 0x1B, 0x10, 0x00] else { return nil }
            let length = Int(file[index - 2]) - 3
            return try HeartRateMeasurement(file[(index + 5)..<(index + 5 + length)])
        }
    }

    @Test(
        "EDGE-10: the rig's captures give exactly the strap's notifications",
        arguments: [
            ("hr-raw-att.btsnoop", 80), ("hr-dbus.btsnoop", 8), ("hr-faults.btsnoop", 40), ("hr-conf-h4.btsnoop", 18),
        ])
    func everyNotification(name: String, count: Int) throws {
        let file = try rig(name)
        let (events, reader) = try read(file)
        #expect(try measurements(events) == scan(file))
        #expect(measurements(events).count == count, "\(reader.report)")
        #expect(reader.report.damaged == 0)
        #expect(try read(file, chunk: 11).events == events)
    }

    @Test(
        "EDGE-2: what is decoded is what the strap's script says, in its order",
        arguments: [
            ("hr-raw-att.btsnoop", "hr-default.json", 1), ("hr-dbus.btsnoop", "hr-default.json", 0),
            ("hr-faults.btsnoop", "hr-faults.json", 0),
        ])
    func script(name: String, script: String, unheard: Int) throws {
        let steps = try steps(script), events = try read(rig(name)).events
        let times = events.compactMap { if case .measurement(let sample) = $0.event { sample.time } else { nil } }
        var next = 0, left = unheard
        for (index, measurement) in measurements(events).enumerated() {
            // While the adapter was reset (a hole of more than one interval) the strap went on, and nobody heard it.
            if left > 0, index > 0, times[index] - times[index - 1] > 1_500, measurement != steps[next % steps.count] {
                next += 1
                left -= 1
            }
            #expect(measurement == steps[next % steps.count])
            next += 1
        }
        #expect(left == 0)
    }

    @Test("EDGE-10: lost and regained links of the fault script are told")
    func faults() throws {
        let events = try read(rig("hr-faults.btsnoop")).events
        let lost = events.count { if case .lost = $0.event { true } else { false } }
        let connected = events.count { if case .connected = $0.event { true } else { false } }
        #expect(lost == 10 && connected == 10)
    }

    @Test(
        "EDGE-10: captures without heart rate give none, and no guess",
        arguments: [
            ("horizon__btsnoop_hci.log", 1047, 0), ("crackle__le_secure_connections.pcapng", 0, 1),
            ("crackle__pairing_and_ltk_exchange.pcap", 0, 1), ("whad__ble_pairing.pcap", 0, 1),
        ])
    func none(name: String, notifications: UInt64, encrypted: UInt64) throws {
        let file = try contents(#require(captures).appendingPathComponent("ble/\(name)"))
        let (events, reader) = try read(file)
        #expect(events.isEmpty)
        #expect(reader.guess == nil)
        #expect(reader.report.notifications == notifications)
        #expect(reader.report.encryptedConnections == encrypted)
        if encrypted > 0 { #expect(reader.report.description.contains("encrypted")) }
    }
}
