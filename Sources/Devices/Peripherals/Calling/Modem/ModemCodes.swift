/// ModemManager's numbers (its API reference, "Flags and Enumerations"), as far as they matter here.
enum ModemCodes {
    static let service = "org.freedesktop.ModemManager1"
    static let root = "/org/freedesktop/ModemManager1"
    static let modem = service + ".Modem"
    static let network = service + ".Modem.Modem3gpp"
    static let messaging = service + ".Modem.Messaging"
    static let voice = service + ".Modem.Voice"
    static let text = service + ".Sms"
    static let call = service + ".Call"

    /// MMModemState.
    enum State: Int {
        case failed = -1
        case unknown = 0
        case initializing = 1
        case locked = 2
        case disabled = 3
        case disabling = 4
        case enabling = 5
        case enabled = 6
        case searching = 7
        case registered = 8
        case disconnecting = 9
        case connecting = 10
        case connected = 11
    }

    /// MMModemStateFailedReason.
    enum Failure: Int {
        case simMissing = 2
        case simError = 3
        case withoutProfile = 5
    }

    /// MMModem3gppRegistrationState: those in which the network takes texts but no calls, and neither.
    static let textOnly: Set<Int> = [6, 7]
    static let denied = 3
    static let emergencyOnly = 8

    /// MMCallState.
    enum CallState: Int {
        case unknown = 0
        case dialing = 1
        case ringing = 2
        case incoming = 3
        case active = 4
        case held = 5
        case waiting = 6
        case terminated = 7
    }

    /// MMCallStateReason.
    enum CallReason: Int {
        case hungUp = 4
        case refusedOrBusy = 5
        case error = 6
        case audio = 7
    }

    /// MMSmsState and MMSmsPduType.
    static let smsReceived = 3
    static let statusReport = 3
    /// MMSmsDeliveryState (3GPP TS 23.040, 9.2.3.15): below this the recipient has it.
    static let deliveredBelow = 0x20
    /// From here on the network has given up.
    static let givenUpFrom = 0x40
}
