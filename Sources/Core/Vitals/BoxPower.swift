/// The power supply of a box.
public enum BoxPower: String, Sendable, Hashable, Codable, CaseIterable {
    /// A socket in the wall: the box stays where it is.
    case mains
    /// A power bank, or the box's own battery: the box is carried.
    case battery
    case unknown
}
