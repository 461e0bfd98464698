public import Vitals

/// A way out by which a hub or a box reaches people: the hub's mail program, one control room, the box's modem.
public struct Way: Hashable, Sendable, Comparable {
    /// Names the kind in texts: `mail`, `text`, `room`, `push`, `voice`, `modem`, `hooks`.
    public let kind: String
    /// Which one of its kind: the control room's name, the push service's host. Empty where there is only one.
    public let name: String

    public init(_ kind: String, name: String = "") { (self.kind, self.name) = (kind, name) }

    public static let mail = Way("mail")
    public static let text = Way("text")
    /// Telephone calls by the hub's trunk.
    public static let voice = Way("voice")
    public static func room(_ name: String) -> Way { Way("room", name: name) }
    /// The push service at a host. Without a host: the hub's own queue of push messages.
    public static func push(_ host: String = "") -> Way { Way("push", name: host) }
    public static let modem = Way("modem")
    public static let hooks = Way("hooks")

    public static func < (left: Way, right: Way) -> Bool { (left.kind, left.name) < (right.kind, right.name) }
}

extension Way: CustomStringConvertible {
    public var description: String { name.isEmpty ? kind : "\(kind) \(name)" }
}

/// One thing that was seen of a way.
public struct WaySign: Hashable, Sendable {
    public enum Source: String, Hashable, Sendable {
        /// A look that reaches nobody.
        case probe
        /// A real message.
        case attempt
        /// Messages that nobody has tried to send.
        case waiting
    }

    public let at: Milliseconds
    public let source: Source
    /// The observation, in English, for the operator; it names no recipient.
    public let what: String

    public init(at: Milliseconds, source: Source, what: String) { (self.at, self.source, self.what) = (at, source, what) }
}
