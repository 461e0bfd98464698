public import Sensing
import SystemBus

/// A modem that ModemManager shows: whether a text or a call would go through it now, and what stands in the way.
public struct ModemStatus: Sendable, Hashable {
    /// ModemManager's object, such as "/org/freedesktop/ModemManager1/Modem/0".
    public var path: String
    /// Maker and model, for people.
    public var name: String
    /// A text can be sent now.
    public var canText: Bool
    /// A call can be made now.
    public var canCall: Bool
    /// 0 to 100 percent.
    public var signal: Int
    /// The network's name; empty while there is none.
    public var network: String
    /// The obstacle that keeps it from texting or calling.
    public var problem: SourceProblem?
    /// ModemManager's objects of the texts that it and its SIM hold.
    var texts: [String]
    /// It is off, and can be switched on.
    var isDisabled: Bool
}

extension ModemStatus {
    /// From the properties of the object's interfaces. nil when the object is no modem.
    init?(path: String, interfaces: [String: [String: BusValue]]) {
        guard let modem = interfaces[ModemCodes.modem] else { return nil }
        let texts = interfaces[ModemCodes.messaging] != nil, calls = interfaces[ModemCodes.voice] != nil
        let state = modem["State"]?.int.flatMap(ModemCodes.State.init) ?? .unknown
        let registration = interfaces[ModemCodes.network]?["RegistrationState"]?.int ?? 0
        let isRegistered = state.rawValue >= ModemCodes.State.registered.rawValue
        self.path = path
        self.texts = interfaces[ModemCodes.messaging]?["Messages"]?.strings ?? []
        let names = ["Manufacturer", "Model"].compactMap { modem[$0]?.string }.filter { !$0.isEmpty }
        name = names.isEmpty ? "modem" : names.joined(separator: " ")
        signal = modem["SignalQuality"]?.elements?.first?.int ?? 0
        network = interfaces[ModemCodes.network]?["OperatorName"]?.string ?? ""
        isDisabled = state == .disabled
        canText = isRegistered && texts
        canCall = isRegistered && calls && !ModemCodes.textOnly.contains(registration)
        problem = Self.problem(
            name, state, registration, modem["StateFailedReason"]?.int.flatMap(ModemCodes.Failure.init), texts: texts, calls: calls,
            stored: self.texts.count)
    }

    /// Old SIMs have room for twenty to fifty.
    static let storedMax = 15

    private static func problem(
        _ name: String, _ state: ModemCodes.State, _ registration: Int, _ failure: ModemCodes.Failure?, texts: Bool, calls: Bool,
        stored: Int
    ) -> SourceProblem? {
        func problem(_ what: String, _ advice: String) -> SourceProblem {
            SourceProblem(what: "The modem \(name) \(what)", advice: advice, retries: true)
        }
        switch state {
        case .failed:
            return switch failure {
            case .simMissing: problem("has no SIM", "Put a SIM in, with a contract for texts and calls")
            case .simError: problem("cannot read its SIM", "Take the SIM out, clean it, put it in again, or replace it")
            case .withoutProfile: problem("has an eSIM without a profile", "Load the profile of an operator, or use a SIM card")
            case nil: problem("has failed", "Unplug it and plug it in again; `mmcli -m any` says more")
            }
        case .locked:
            return problem(
                "waits for the PIN of its SIM", "Switch the PIN off: put the SIM into a phone, or run mmcli -i 0 --pin=PIN --disable-pin")
        case .unknown, .initializing: return problem("is not ready yet", "Wait a minute")
        case .disabled, .disabling, .enabling: return problem("is switched off", "It is being switched on; wait half a minute")
        case .enabled, .searching:
            return switch registration {
            case ModemCodes.denied: problem("is refused by the network", "Ask the operator whether the SIM is active and paid")
            case ModemCodes.emergencyOnly: problem("may only make emergency calls", "Ask the operator whether the SIM is active and paid")
            default: problem("has no network", "Move the box or its antenna to where there is signal, and check the SIM's contract")
            }
        case .registered, .disconnecting, .connecting, .connected:
            if texts, calls, ModemCodes.textOnly.contains(registration) {
                return problem(
                    "can text and not call: its network offers no calls here", "Use an operator with calls over LTE, or another modem")
            }
            if stored >= Self.storedMax {
                return problem(
                    "holds \(stored) texts: where its SIM is full, no answer by text arrives",
                    "Delete them: the next alarm or drill does, or mmcli -m any --messaging-list-sms and --messaging-delete-sms=PATH")
            }
            if texts, calls { return nil }
            if texts { return problem("can text and not call", "Use a modem with voice, where a call is wanted too") }
            if calls { return problem("can call and not text", "Use a modem with SMS, where texts are wanted too") }
            return problem("can neither text nor call", "It carries data only: use another")
        }
    }
}
