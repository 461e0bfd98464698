public import HubStore
public import Vitals

/// A subscriber's place in what arrives (CONS-14), as text: opaque to whoever keeps it.
public struct SubscriptionCursor: Sendable, Hashable, LosslessStringConvertible {
    /// Of the hub that gave it.
    public let hub: HubIncarnation
    public let place: ArrivalCursor

    public init(hub: HubIncarnation, place: ArrivalCursor) { (self.hub, self.place) = (hub, place) }

    /// nil for anything that no hub gave.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, let hub = HubIncarnation(String(parts[0])), let journal = Int64(parts[1]), let part = Int(parts[2]),
            let received = Milliseconds(parts[3]), journal >= 0, (0...Int(Int32.max)).contains(part)
        else { return nil }
        self.init(hub: hub, place: ArrivalCursor(journal: journal, part: part, received: received))
    }

    public var description: String { "\(hub).\(place.journal).\(place.part).\(place.received)" }
}
