/// Which device is the button.
public enum ButtonChoice: Sendable, Hashable, CustomStringConvertible {
    /// The first that offers a few of ``ButtonKeys/usual`` and nothing else.
    case automatic
    /// Such as "/dev/input/by-id/usb-…-event-kbd".
    case path(String)
    /// As `evtest` shows it.
    case name(String)

    /// Reads "auto", a path that begins with "/", or a name; nil for the empty text.
    public init?(_ text: String) {
        if text.isEmpty { return nil }
        self = text == "auto" ? .automatic : text.hasPrefix("/") ? .path(text) : .name(text)
    }

    public var description: String {
        switch self {
        case .automatic: "auto"
        case .path(let text), .name(let text): text
        }
    }
}

/// A device's description of itself.
struct InputAbilities: Hashable, Sendable {
    var name: String
    /// Codes of all keys that it can send.
    var keys: Set<UInt16>
    /// It also points, or has switches: a mouse, a pad, a lid, the socket of a headset.
    var doesMore: Bool
    /// Codes of its lights (LED_… of linux/input-event-codes.h).
    var lights: Set<UInt16> = []

    /// More keys than a small remote has.
    private static let fewKeys = 8

    /// The keys that count, when this device is the button; nil when it is not.
    /// - Parameter wanted: the keys that were configured; nil for none.
    func keys(for choice: ButtonChoice, wanted: Set<UInt16>?) -> Set<UInt16>? {
        let usable: Set<UInt16>
        switch choice {
        case .automatic:
            guard !doesMore, keys.count <= Self.fewKeys else { return nil }
            usable = keys.intersection(wanted ?? ButtonKeys.usual)
        case .name(let name) where name != self.name: return nil
        case .name, .path: usable = wanted.map(keys.intersection) ?? keys
        }
        let allowed = usable.subtracting(ButtonKeys.system)
        return allowed.isEmpty ? nil : allowed
    }
}
