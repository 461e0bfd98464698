/// The meaning of a push service's answer for the message and the subscription (RFC 8030, sections 5 and 8.4).
public enum PushAnswer: Sendable, Hashable {
    /// The service took the message; whether the phone shows it, nobody learns.
    case accepted
    /// The subscription has ended: forget it.
    case gone
    /// The message is too large for this service: sending it again is of no use.
    case tooLarge
    /// Not now: try again after `seconds`, or after the caller's own time when the service names none.
    case later(seconds: Int?)
    /// The service refuses what the hub sends (a wrong key, signature or clock): for the operator, with the status. The subscription is
    /// kept, as the fault is the hub's.
    case refused(status: Int)

    /// Longer waits are cut to a day.
    static let secondsMax = 86_400

    /// - Parameters:
    ///   - status: of the HTTP answer. Redirects are refused: the message is for the endpoint alone.
    ///   - retryAfter: the header Retry-After, of which only seconds are read; a date counts as no word.
    public init(status: Int, retryAfter: String? = nil) {
        switch status {
        case 200...299: self = .accepted
        case 404, 410: self = .gone
        case 413: self = .tooLarge
        case 408, 425, 429, 500...599:
            let seconds = retryAfter.flatMap { Int($0.filter { $0 != " " }) }.flatMap { $0 < 0 ? nil : min($0, Self.secondsMax) }
            self = .later(seconds: seconds)
        default: self = .refused(status: status)
        }
    }
}
