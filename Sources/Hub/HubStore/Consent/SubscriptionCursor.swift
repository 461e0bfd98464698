public import Vitals

/// A place in the order of arrival at one hub's journal, as hubs up to release 0.3 and shortly after it gave it. It is good for one person's data.
public struct ArrivalCursor: Sendable, Hashable {
    /// The journal row up to which everything is known.
    public let journal: Int64
    /// The number of the person's segments in the next row with any that are known too.
    public let part: Int
    /// When what is known was received, UTC milliseconds.
    public let received: Milliseconds

    public init(journal: Int64, part: Int = 0, received: Milliseconds) {
        (self.journal, self.part, self.received) = (journal, part, received)
    }
}

/// A subscriber's place in what arrives (CONS-14), as text: opaque to whoever keeps it, and without a character that URLs, JSON or headers escape.
public enum SubscriptionCursor: Sendable, Hashable, LosslessStringConvertible {
    /// In the order of arrival, of the hub that gave it. Such places are read, and no longer given.
    case order(ArrivalCursor, hub: HubIncarnation)
    /// Ranges of sequences by stream (``ReceivedPlace``), sealed with the person's key: it tells its holder nothing, and dies with the person. Good at
    /// every hub that has the key.
    case sequences(sealed: [UInt8])

    /// The length of a place as bytes, at most: as text it is a third longer, and fits into a header and into an address.
    static let bytesMax = 2048
    private static let version = "2."

    /// nil for anything that no hub gave.
    public init?(_ description: String) {
        if description.hasPrefix(Self.version), !description.dropFirst(2).contains(".") {
            let text = String(description.dropFirst(2))
            // One text for one place: padding would be another.
            guard text.utf8.count <= 2 * Self.bytesMax, !text.contains("="), let sealed = Base64URL.bytes(text), !sealed.isEmpty else {
                return nil
            }
            self = .sequences(sealed: sealed)
            return
        }
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let hub = HubIncarnation(String(parts[0])), let journal = Int64(parts[1]), let part = Int(parts[2]),
            let received = Milliseconds(parts[3]), journal >= 0, (0...Int(Int32.max)).contains(part)
        else { return nil }
        self = .order(ArrivalCursor(journal: journal, part: part, received: received), hub: hub)
    }

    public var description: String {
        switch self {
        case .order(let place, let hub): "\(hub).\(place.journal).\(place.part).\(place.received)"
        case .sequences(let sealed): Self.version + Base64URL.text(sealed)
        }
    }

    /// Stands for a kept text that nobody can read: all that there is comes again.
    public static let unreadable = SubscriptionCursor.sequences(sealed: [])
}
