internal import BlueZ
internal import Glibc
internal import Seams
internal import Sensing
internal import SourceThread
internal import Synchronization
internal import Vitals

/// Looking for sensors: by the running agent, which has the rights for it where bluetoothd runs; by the command itself as root.
public enum SensorSearch {
    /// A sensor as heard in scans: its name, and how loud it last was. One that is connected advertises no more, and only an administrator
    /// may ask for the signal of a link.
    struct Heard: Hashable, Sendable {
        var name: String?
        /// dBm, and when, in the boot clock; nil when a scan found it connected and never heard it.
        var signal: Int?
        var signalTime: Milliseconds?
        /// It announced that it measures something, and no heart rate.
        var isBesides = false
    }

    private static let known = Mutex<[SensorAddress: Heard]>([:])

    /// For the command line: asks the running agent; where that may not scan and this process is root's, scans here.
    public static func perform(seconds: Int, over client: ControlClient) async throws -> ControlReply {
        let asked: Result<ControlReply, any Error>
        do { asked = .success(try await client.send(ControlRequest(.scan, seconds: seconds))) } catch { asked = .failure(error) }
        if case .success(let reply) = asked, reply.isDone { return reply }
        guard geteuid() == 0 else { return try asked.get() }
        return reply(try await scan(seconds: seconds, transport: .auto, on: client.machine), batteries: [:])
    }

    static func scan(seconds: Int, transport: SensorTransport, on machine: Machine) async throws -> SensorScan {
        guard let stop = StopSignal() else { throw AgentProblem("No file descriptor is left", advice: "Raise the limit (LimitNOFILE=)") }
        return try await withTaskCancellationHandler {
            try await machine.wait(named: "scan") {
                try SensorScanner.scan(seconds: seconds, transport: transport, stop: stop)
            }
        } onCancel: {
            stop.stop()
        }
    }

    /// Remembers what the running agent's scan heard. `time` is of the boot clock.
    static func note(_ found: [FoundSensor], at time: Milliseconds) {
        known.withLock { known in
            for sensor in found where known.count < 256 || known[sensor.address] != nil {
                var heard = known[sensor.address] ?? Heard()
                heard.name = sensor.name ?? heard.name
                heard.isBesides = !sensor.besides.isEmpty
                if let signal = sensor.rssi { (heard.signal, heard.signalTime) = (signal, time) }
                known[sensor.address] = heard
            }
        }
    }

    static func heard(_ address: SensorAddress) -> Heard? { known.withLock { $0[address] } }

    /// Removes what BlueZ remembers of the sensor, its pairing too; where there is no BlueZ there is nothing to remove.
    /// - Throws: when it could not be removed.
    static func forget(_ address: SensorAddress, on machine: Machine) async throws {
        _ = try await machine.wait(named: "forget") { try SensorRegistry.forget(address) }
    }

    static func reply(_ scan: SensorScan, batteries: [SensorAddress: Int]) -> ControlReply {
        let list = scan.sensors.map { sensor in
            ControlReply.FoundSensor(
                address: sensor.address.description, name: sensor.name, signal: sensor.rssi,
                batteryPercent: sensor.batteryPercent ?? batteries[sensor.address], unsupported: sensor.unsupported.map { "\($0)" },
                besides: sensor.devices.isEmpty ? nil : sensor.devices)
        }
        var rows = list.map(\.row)
        if !list.contains(where: { $0.unsupported == nil && $0.besides == nil }) {
            rows.append(
                "No usable heart-rate sensor is in range (\(scan.others) other devices are). Wear it: most straps sleep until they feel skin. "
                    + "See that no phone or watch is connected to it.")
        }
        return ControlReply(isDone: true, message: rows.joined(separator: "\n"), found: list)
    }
}

extension ControlReply.FoundSensor {
    /// For a terminal.
    fileprivate var row: String {
        var parts = [address, name ?? "(no name)"]
        if let signal { parts.append("\(signal) dBm") }
        if let batteryPercent { parts.append("battery \(batteryPercent) %") }
        if let besides { parts.append("no heart rate: \(besides.joined(separator: ", ")); use it with `sensors add`") }
        return parts.joined(separator: "  ") + (unsupported.map { "\n    cannot be used: \($0)" } ?? "")
    }
}

extension FoundSensor {
    /// What it is sold as beside a heart-rate sensor, each once.
    fileprivate var devices: [String] {
        besides.map(\.device).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}
