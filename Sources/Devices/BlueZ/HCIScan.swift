import CBluetooth
import Glibc
import Sensing
import SourceThread

/// A scan by the adapter itself, where bluetoothd does not run (Core 5.3, Vol 4 Part E, 7.8.10 and 7.7.65.2).
enum HCIScan {
    private static let answerLimit: Int32 = 2000

    static func run(milliseconds: Int64, stop: StopSignal) throws(SourceProblem) -> SensorScan {
        do throws(LinkFailure) { try BluetoothAdapter.requireRunning(nil) } catch {
            throw problem(error)
        }
        let index = hci_get_route(nil)
        let descriptor = index < 0 ? -1 : hci_open_dev(index)
        guard descriptor >= 0 else { throw problem("opening the adapter", errno) }
        defer { hci_close_dev(descriptor) }
        guard hci_le_set_scan_parameters(descriptor, 1, UInt16(0x60).littleEndian, UInt16(0x30).littleEndian, 0, 0, answerLimit) >= 0 else {
            throw problem("setting up a scan", errno)
        }
        var filter = hci_filter()
        hci_filter_set_ptype(HCI_EVENT_PKT, &filter)
        hci_filter_set_event(EVT_LE_META_EVENT, &filter)
        guard setsockopt(descriptor, SOL_HCI, HCI_FILTER, &filter, socklen_t(MemoryLayout<hci_filter>.size)) == 0,
            hci_le_set_scan_enable(descriptor, 1, 0, answerLimit) >= 0
        else { throw problem("starting a scan", errno) }
        defer { hci_le_set_scan_enable(descriptor, 0, 0, answerLimit) }
        return SensorScan(listen(descriptor, until: Boottime.now() + milliseconds, stop).values)
    }

    private static func listen(_ descriptor: Int32, until end: Int64, _ stop: StopSignal) -> [SensorAddress: HeardDevice] {
        var devices: [SensorAddress: HeardDevice] = [:]
        while true {
            let left = end - Boottime.now()
            guard left > 0 else { return devices }
            switch stop.wait(for: descriptor, events: POLLIN, milliseconds: left) {
            case .stopped: return devices
            case .timedOut: continue
            case .ready: break
            }
            var packet = [UInt8](repeating: 0, count: 260)
            let count = read(descriptor, &packet, packet.count)
            if count > 0 {
                AdvertisingReports.take(packet.prefix(count), &devices)
            } else if errno != EAGAIN && errno != EINTR {
                return devices
            }
        }
    }

    private static func problem(_ operation: String, _ code: Int32) -> SourceProblem {
        if code == EPERM || code == EACCES {
            return SourceProblem(
                what: "This process may not search for sensors without bluetoothd",
                advice: "Start bluetoothd (systemctl start bluetooth), or run the search as root (it needs CAP_NET_RAW)", retries: false)
        }
        return SourceProblem(
            what: "Bluetooth failed while \(operation): \(String(cString: strerror(code))), error \(code)",
            advice: "Try again; if that goes on, look at dmesg | grep -i bluetooth", retries: false)
    }

    private static func problem(_ failure: LinkFailure) -> SourceProblem {
        var (what, advice) = ("Bluetooth cannot be used", "")
        // No failure of an adapter names the sensor.
        if let nobody = SensorAddress("00:00:00:00:00:00") {
            (what, advice) = (failure.problem(nobody).what, failure.problem(nobody).advice)
        }
        return SourceProblem(what: what, advice: advice, retries: false)
    }
}
