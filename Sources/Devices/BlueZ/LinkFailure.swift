import Glibc
import Sensing
import Vitals

/// Why the link to a sensor cannot be opened or is over.
enum LinkFailure: Error, Equatable {
    case kernelWithoutBluetooth
    case noAdapter(Int?)
    case adapterDown(Int)
    case notPermitted
    case descriptorsExhausted
    /// Somebody else, usually bluetoothd, holds the link.
    case busy
    /// The sensor did not answer the call for as long as it was tried.
    case outOfRange
    /// The link was there and is gone.
    case supervisionTimeout
    case sensorHungUp
    case other(operation: String, code: Int32)

    /// It answers, and has no service 0x180D.
    case noHeartRate
    /// It answers, and measures nothing that is used beside a heart rate.
    case noReadings
    /// It wants a paired partner before it tells its heart rate.
    case needsPairing(ATT.ErrorCode)
    case refused(what: String, ATT.ErrorCode)
    case malformed(String)
    case noAnswer(after: Milliseconds)
    /// The link is open, and no reading came for so many milliseconds.
    case silent(Milliseconds)

    // Through bluetoothd, which does not say why a link ended.
    case noSystemBus(String)
    case noBluetoothd
    case linkLost
    case adapterOff(Int)
    case adapterRefuses(Int, String)
    case radioBlocked(isHard: Bool)
    case busForbids(String)
    case pairingFailed(String)
    /// Paired, and refused all the same, also after a new pairing.
    case bondLost
    case bluez(String, String)
    /// bluetoothd came up: the link changes over to it.
    case changesOver

    /// Of a failed call on a connected socket.
    init(linkCode code: Int32, operation: String) {
        self =
            switch code {
            case ETIMEDOUT: .supervisionTimeout
            case 0, ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: .sensorHungUp
            default: .other(operation: operation, code: code)
            }
    }

    /// Of a connection that did not come about.
    init(connectCode code: Int32) {
        self =
            switch code {
            case EAFNOSUPPORT, EPROTONOSUPPORT: .kernelWithoutBluetooth
            case ENODEV, EHOSTUNREACH: .noAdapter(nil)
            case ENETDOWN: .adapterDown(0)
            case EPERM, EACCES: .notPermitted
            case EMFILE, ENFILE: .descriptorsExhausted
            case EBUSY: .busy
            // The kernel gives up after 40 s, and says so in different words: ECONNREFUSED where the socket does not block.
            case ECONNREFUSED, EINPROGRESS, EHOSTDOWN, ETIMEDOUT: .outOfRange
            default: .other(operation: "connecting", code: code)
            }
    }

    /// The longest pause before the next try. Waiting for an absent sensor is done in `connect`, which sees it at once when it is
    /// back; what a person puts right at this box shall be noticed soon.
    var retryDelayMax: Milliseconds {
        switch self {
        case .outOfRange: 1000
        case .noAdapter, .adapterDown, .busy, .notPermitted, .descriptorsExhausted: 5000
        default: 30_000
        }
    }

    func problem(_ address: SensorAddress) -> SourceProblem {
        let (what, advice) = text(address)
        return SourceProblem(what: what, advice: advice, retries: true, kind: kind)
    }

    private var kind: SourceProblem.Kind? {
        switch self {
        case .outOfRange, .supervisionTimeout, .linkLost: .strapAway
        case .busy: .strapTaken
        case .silent: .strapSilent
        case .sensorHungUp, .refused, .malformed, .noAnswer: .strapFails
        case .needsPairing, .pairingFailed, .bondLost: .strapUnpaired
        case .noHeartRate, .noReadings: .noStrap
        case .noAdapter: .noAdapter
        case .kernelWithoutBluetooth, .adapterDown, .notPermitted, .descriptorsExhausted, .noSystemBus, .noBluetoothd, .adapterOff,
            .adapterRefuses, .radioBlocked, .busForbids, .other, .bluez:
            .noBluetooth
        case .changesOver: nil
        }
    }

    private func text(_ address: SensorAddress) -> (what: String, advice: String) {
        switch self {
        case .kernelWithoutBluetooth:
            return ("This machine's kernel has no Bluetooth", "Load it with modprobe bluetooth, or use a kernel that has it")
        case .noAdapter(let index):
            let which = index.map { "No Bluetooth adapter hci\($0)" } ?? "No Bluetooth adapter"
            return (which, "Plug one in. If it is in, look at dmesg | grep -i bluetooth: its firmware may be missing")
        case .adapterDown(let index):
            return (
                "The Bluetooth adapter hci\(index) is off",
                "Switch it on with bluetoothctl power on, or as root hciconfig hci\(index) up; rfkill unblock bluetooth if it is blocked"
            )
        case .notPermitted:
            return (
                "This process may not use Bluetooth", "Allow AF_BLUETOOTH in its service (RestrictAddressFamilies=) or container"
            )
        case .descriptorsExhausted: return ("This process has no file descriptor left", "Raise its limit (LimitNOFILE=)")
        case .busy:
            return (
                "Another program on this machine holds the link to \(address)",
                "Most often it is bluetoothd: bluetoothctl disconnect \(address.plain), and bluetoothctl untrust \(address.plain) "
                    + "so that it does not take it again"
            )
        case .outOfRange:
            return (
                "The sensor \(address) does not answer",
                "Wear it (most straps sleep until they feel skin), bring it within a few metres, check its battery and its address, "
                    + "and that no phone or watch is connected to it"
            )
        case .supervisionTimeout:
            return ("The sensor \(address) went out of range", "It is reached again by itself when it is near")
        case .sensorHungUp:
            return ("The sensor \(address) ended the connection", "It is tried again; if that goes on, check its battery")
        case .other(let operation, let code):
            return (
                "Bluetooth failed while \(operation) (\(address)): \(String(cString: strerror(code))), error \(code)",
                "It is tried again; if that goes on, look at dmesg | grep -i bluetooth"
            )
        default: return sensorText(address)
        }
    }

    private func sensorText(_ address: SensorAddress) -> (what: String, advice: String) {
        switch self {
        case .noHeartRate:
            return (
                "\(address) is no heart-rate sensor: it has no service 0x180D with a measurement to subscribe to",
                "Check the address. A watch may have to be set to broadcast its heart rate"
            )
        case .noReadings:
            return (
                "\(address) is neither a thermometer nor a running pod or cadence sensor: it has no service 0x1809, 0x1814 or 0x1816",
                "Check the address"
            )
        case .needsPairing(let code):
            return (
                "The sensor \(address) gives its readings only to a paired device (\(code))",
                "Pair it once with bluetoothctl pair \(address.plain), then bluetoothctl disconnect \(address.plain)"
            )
        case .refused(let what, let code): return ("The sensor \(address) refused \(what): \(code)", Self.restart)
        case .malformed(let what): return ("The sensor \(address) answered against the protocol: \(what)", Self.restart)
        case .noAnswer(let age): return ("The sensor \(address) left a request unanswered for \(age / 1000) s", Self.restart)
        case .silent(let age):
            return (
                "The sensor \(address) is connected and has sent no reading for \(age / 1000) s",
                "This says nothing about the heart. Check that the sensor is worn; the link is opened anew"
            )
        default: return bluetoothdText(address)
        }
    }

    private func bluetoothdText(_ address: SensorAddress) -> (what: String, advice: String) {
        switch self {
        case .noSystemBus(let error):
            return ("The system's message bus does not answer: \(error)", "Start it: systemctl start dbus; look at journalctl -u dbus")
        case .noBluetoothd:
            return ("bluetoothd does not run", "Start it: systemctl start bluetooth; look at journalctl -u bluetooth")
        case .linkLost:
            return (
                "The link to the sensor \(address) was lost", "It is reached again by itself when it is near; if not, check its battery"
            )
        case .adapterOff(let index):
            return (
                "The Bluetooth adapter hci\(index) was switched off",
                "It is switched on again by itself. Pause the monitoring if no readings are wanted"
            )
        case .adapterRefuses(let index, let error):
            return (
                "The Bluetooth adapter hci\(index) cannot be switched on: \(error)",
                "Unplug it and plug it in again, or restart the box; look at dmesg | grep -i bluetooth"
            )
        case .radioBlocked(let isHard): return Self.blockText(isHard: isHard)
        case .busForbids(let error):
            return (
                "This process may not use bluetoothd: \(error)",
                "Run it as a member of the group bluetooth, or allow its user in /etc/dbus-1/system.d"
            )
        case .pairingFailed(let error):
            return (
                "The sensor \(address) gives its readings only to a paired device, and pairing failed: \(error)",
                "Put the sensor into pairing mode (its manual says how), and remove it from other phones and watches"
            )
        case .bondLost:
            return (
                "The sensor \(address) does not know this box any more, though they were paired",
                "Forget it and use it again: trackme-agent sensors forget \(address.plain), then sensors use \(address.plain)"
            )
        case .changesOver:
            return ("bluetoothd has started and takes over the link to the sensor \(address)", "Nothing needs doing")
        case .bluez(let operation, let error):
            return (
                "bluetoothd failed while \(operation) (\(address)): \(error)",
                "It is tried again; if that goes on: systemctl restart bluetooth, and look at journalctl -u bluetooth"
            )
        default: return ("Bluetooth failed (\(address)): \(self)", Self.restart)
        }
    }

    static func blockText(isHard: Bool) -> (what: String, advice: String) {
        isHard
            ? ("Bluetooth is blocked by a switch of this machine", "Look for the switch or the flight-mode key, and switch it on")
            : ("Bluetooth is blocked by rfkill (flight mode)", "Unblock it, as root: rfkill unblock bluetooth")
    }

    private static let restart = "It is tried again; if that goes on, take the sensor off for a minute so that it starts anew"
}

extension SensorAddress {
    /// As bluetoothctl wants it.
    var plain: String { description.prefix(17).description }
}

extension SourceProblem {
    static func unreadable(measurements count: Int, last reason: String, _ address: SensorAddress) -> SourceProblem {
        SourceProblem(
            what: "\(count) PDUs of the sensor \(address) could not be used and were left out; the last: \(reason)",
            advice: "If the number grows, the sensor is damaged or none that is made for this", retries: true)
    }

    static func batteryUnreadable(_ address: SensorAddress) -> SourceProblem {
        SourceProblem(
            what: "The sensor \(address) answered its battery level or its place on the body with no valid value",
            advice: "Readings go on; nothing needs doing", retries: true)
    }

    static func notSubscribed(to characteristic: SensorCharacteristic, _ error: String, _ address: SensorAddress) -> SourceProblem {
        SourceProblem(
            what: "The sensor \(address) does not send its \(characteristic) (\(characteristic.type)): \(error)",
            advice: "Its other readings go on; it is tried again with the next connection", retries: true)
    }

    static func padded(measurements count: Int, _ address: SensorAddress) -> SourceProblem {
        SourceProblem(
            what: "\(count) measurements of the sensor \(address) had bytes behind what they announce; the bytes were left out",
            advice: "Readings go on; nothing needs doing", retries: true)
    }

    static func bondRenewed(_ address: SensorAddress) -> SourceProblem {
        SourceProblem(
            what: "The sensor \(address) does not know this box any more; they are paired anew",
            advice: "If no readings follow, put the sensor into pairing mode (its manual says how)", retries: true)
    }

    static func switchedOn(adapter index: Int) -> SourceProblem {
        SourceProblem(
            what: "The Bluetooth adapter hci\(index) was off and has been switched on", advice: "Nothing needs doing", retries: true)
    }

    static let unblocked = SourceProblem(
        what: "Bluetooth was blocked by rfkill (flight mode) and has been unblocked",
        advice: "Nothing needs doing. Pause the monitoring if no readings are wanted", retries: true)
}
