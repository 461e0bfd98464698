import Sensing
import SystemBus

/// ModemManager's errors (its API reference, "Errors"), with what to do about them.
enum ModemError {
    static func problem(_ what: String, _ error: BusError) -> SourceProblem {
        SourceProblem(what: "\(what): \(error)", advice: advice(error), retries: true)
    }

    private static func advice(_ error: BusError) -> String {
        if error.isAccessDenied || error.name.hasSuffix(".Core.Unauthorized") {
            return
                "Allow the agent's user to use the modem: put the package's trackme-agent.rules back into /usr/share/polkit-1/rules.d, and start polkit"
        }
        if error.isTimeout || error.name.hasSuffix(".Core.Timeout") {
            return "Look whether the modem hangs: unplug it and plug it in again"
        }
        if error.isUnknownService { return "Start ModemManager: systemctl start ModemManager" }
        let last = error.name.split(separator: ".").last ?? ""
        return switch last {
        case "SimNotInserted": "Put a SIM in"
        case "SimPin", "SimPuk": "Switch the PIN of the SIM off"
        case "NoNetwork", "NoNetworkService", "NetworkTimeout": "Move the box or its antenna to where there is signal"
        case "SmscAddressUnknown": "Set the operator's number for texts (SMSC) in the SIM, with a phone"
        case "MemoryFull": "Delete texts from the modem: mmcli -m any --messaging-list-sms"
        case "NetworkNotAllowed", "NotAllowed": "Ask the operator whether the SIM may text and call, and has credit"
        case "WrongState": "Wait until the modem is in its network"
        default: "Check the number, the SIM's credit and the signal; `mmcli -m any` says more"
        }
    }
}
