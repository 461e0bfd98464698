/// How a call ended.
public enum CallOutcome: Sendable, Hashable, CustomStringConvertible {
    /// Somebody pressed 1.
    case taken
    /// News that asks for no key: somebody, or a machine, answered.
    case heard
    /// It was answered, and nobody pressed 1: a voicemail, or somebody who cannot help.
    case noKey(pressed: String)
    /// It rang in vain.
    case noAnswer
    case busy
    /// The other side or the trunk refused it, in its own words: `404 Not Found`.
    case refused(String)
    /// The line cannot call: no registration, no trunk, no program. Nobody's telephone rang.
    case lineFailed(String)
    /// It was not needed any more before somebody answered.
    case recalled

    public var description: String {
        switch self {
        case .taken: "answered with key 1"
        case .heard: "answered"
        case .noKey(""): "answered, but nobody pressed 1"
        case .noKey(let pressed): "answered, but nobody pressed 1 (pressed: \(pressed))"
        case .noAnswer: "nobody answered"
        case .busy: "busy"
        case .refused(let why): "refused: \(why)"
        case .lineFailed(let why): "the hub's telephone line does not work: \(why)"
        case .recalled: "not needed any more"
        }
    }

    /// Of a call that nobody answered, by what the trunk says when it ends.
    init(unanswered reason: String) {
        switch reason.prefix(3) {
        case "486", "600": self = .busy
        case "408", "480", "487", "603": self = .noAnswer
        case let code where code.count == 3 && code.allSatisfy { ("0"..."9").contains($0) }: self = .refused(String(reason.prefix(100)))
        default: self = .lineFailed(reason.isEmpty ? "the call ended without a reason" : String(reason.prefix(100)))
        }
    }
}
