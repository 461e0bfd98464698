/// The failure and its remedy, for the person at the terminal.
public struct FleetError: Error, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}
