/// The outcome of one message. Every case says what to tell a person.
public enum SIPOutcome: Sendable, Hashable {
    /// The other side has taken it (2xx).
    case delivered(SIPReceipt)
    /// The other side has answered, and does not take it.
    case refused(SIPRefusal)
    /// Nothing final was heard. It may have arrived all the same: repeat it, under the same incident.
    case noAnswer(what: String, advice: String)

    public var isDelivered: Bool {
        if case .delivered = self { true } else { false }
    }
}

/// Why nobody was found at a place.
public struct SIPSilence: Error, Sendable, Hashable, CustomStringConvertible {
    public var what: String
    /// The way there is open, as far as can be seen: nothing refused the request, and nothing answered it.
    public var isOpen = false
    public var description: String { what }
}

/// Proof of a delivery.
public struct SIPReceipt: Sendable, Hashable {
    /// 200 to 299.
    public var status: Int
    public var reason: String
    /// Address and port that answered, the way there, and what it calls itself (`Server`).
    public var peer: String, transport: String, server: String?
    /// The Call-ID, which the control room's log has too.
    public var callID: String
    /// The answer in the 2xx, or in a message that followed. Empty: there was none.
    public var answer: [UInt8]
    public var answerType: String?
}

/// A message that was not taken.
public struct SIPRefusal: Sendable, Hashable {
    /// 300 to 699.
    public var status: Int
    public var what: String
    public var advice: String
    /// In how many seconds it may be tried again, where the other side says so.
    public var retryAfter: Int?
    /// The code of AlertMsg-Error (RFC 8876, 5.1), with status 425.
    public var alertError: Int?
    /// Sending the same again will not help.
    public var isPermanent: Bool
}

extension SIPRefusal {
    init(_ response: SIPIncoming, status: Int, reason: String) {
        let error = response.header("alertmsg-error")
        let code = error.flatMap { Int($0.prefix { $0.isASCII && $0.isNumber }) }
        let told = [reason, response.header("warning"), error].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: "; ")
        let what = "the control room answered \(status)" + (told.isEmpty ? "" : " (\(told.headerSafe.prefix(200)))")
        let (advice, isPermanent) = Self.advice(status, code, response)
        self.init(
            status: status, what: what, advice: advice, retryAfter: response.retryAfter.map { min(max($0, 0), 86_400) }, alertError: code,
            isPermanent: isPermanent)
    }

    private static func advice(_ status: Int, _ alertError: Int?, _ response: SIPIncoming) -> (String, isPermanent: Bool) {
        switch status {
        case 300...399: ("it has moved, and says no place that can be used: set the new address", true)
        case 401, 407: ("it wants a name and a password, or refuses those that are set: check them", true)
        case 403, 603: ("it does not know this sender: have the sender's address admitted there", true)
        case 404, 410, 416, 604: ("the address is not known there: check the address", true)
        case 405, 501: ("it takes no SIP MESSAGE at that address: ask for the right one", true)
        case 408, 480, 486, 600: ("nobody takes it there at the moment: it is tried again", false)
        case 413, 513: ("the message is too large for it: send it without texts, or by HTTPS", response.retryAfter == nil)
        case 415, 488, 606:
            (
                "it does not take that format" + (response.header("accept").map { ", only \($0.headerSafe.prefix(100))" } ?? "")
                    + ": set another", true
            )
        case 425: (alertAdvice(alertError), true)
        case 500...599: ("it has trouble of its own or too much to do: it is tried again", false)
        default: ("ask the control room what that means", true)
        }
    }

    /// IANA's registry of AlertMsg-Error codes (RFC 8876, 10.5).
    private static func alertAdvice(_ code: Int?) -> String {
        switch code {
        case 100: "it cannot process this alert: send it one in another form"
        case 101: "it found no alert in the message: its own software may not take CAP as RFC 8876 sends it"
        case 102: "the alert does not tell it what it is about: agree on the event and its parameters"
        case 103: "the alert arrived damaged: something on the way changes it; use TLS"
        default: "it calls the alert bad: compare the message with what it expects"
        }
    }
}
