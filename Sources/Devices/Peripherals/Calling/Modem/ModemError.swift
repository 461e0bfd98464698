import Sensing
import SystemBus

/// ModemManager's errors (its API reference, "Errors"), with what to do about them.
enum ModemError {
    static func problem(_ what: String, _ error: BusError) -> SourceProblem {
        let (kind, advice) = advice(error)
        return SourceProblem(what: "\(what): \(error)", advice: advice, retries: true, kind: kind)
    }

    private static func advice(_ error: BusError) -> (SourceProblem.Kind, String) {
        if error.isAccessDenied || error.name.hasSuffix(".Core.Unauthorized") {
            return (
                .refused,
                "Allow the agent's user to use the modem: put the package's trackme-agent.rules back into /usr/share/polkit-1/rules.d, and start polkit"
            )
        }
        if error.isTimeout || error.name.hasSuffix(".Core.Timeout") {
            return (.modemHangs, "Look whether the modem hangs: unplug it and plug it in again")
        }
        if error.isUnknownService { return (.noModem, "Start ModemManager: systemctl start ModemManager") }
        let last = error.name.split(separator: ".").last ?? ""
        return switch last {
        case "SimNotInserted": (.noSIM, "Put a SIM in")
        case "SimPin", "SimPuk": (.noSIM, "Switch the PIN of the SIM off")
        case "NoNetwork", "NoNetworkService", "NetworkTimeout": (.noNetwork, "Move the box or its antenna to where there is signal")
        case "SmscAddressUnknown": (.refused, "Set the operator's number for texts (SMSC) in the SIM, with a phone")
        case "MemoryFull": (.refused, "Delete texts from the modem: mmcli -m any --messaging-list-sms")
        case "NetworkNotAllowed", "NotAllowed": (.notAllowed, "Ask the operator whether the SIM may text and call, and has credit")
        case "WrongState": (.noNetwork, "Wait until the modem is in its network")
        default: (.refused, "Check the number, the SIM's credit and the signal; `mmcli -m any` says more")
        }
    }
}
