internal import Glibc

/// A file descriptor that came by a message, or is sent with one: closed when nobody holds this any more.
public final class BusDescriptor: Sendable, Hashable {
    /// Valid as long as this object is held.
    public let number: Int32

    /// Takes the descriptor over.
    public init(_ number: Int32) { self.number = number }

    deinit { close(number) }

    public static func == (one: BusDescriptor, other: BusDescriptor) -> Bool { one === other }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
