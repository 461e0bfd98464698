/// The classes of positions: the box around a region in five columns and three rows, class 0 in the south-west, and class 15 for
/// elsewhere.
public struct PositionGrid: Sendable, Hashable {
    /// In 1e-7 degrees.
    public let south: Int32, west: Int32, north: Int32, east: Int32

    public static let columns = 5
    public static let rows = 3
    /// Where a person is who was mostly outside.
    public static let elsewhere = GroupBins.count - 1

    /// - Returns: nil for a box without an inside, or over the 180th meridian.
    public init?(south: Int32, west: Int32, north: Int32, east: Int32) {
        guard south < north, west < east else { return nil }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    /// The class of a position in 1e-7 degrees.
    public func bin(latitude: Int32, longitude: Int32) -> Int {
        guard (south..<north).contains(latitude), (west..<east).contains(longitude) else { return Self.elsewhere }
        let row = Int((Int64(latitude) - Int64(south)) * Int64(Self.rows) / (Int64(north) - Int64(south)))
        let column = Int((Int64(longitude) - Int64(west)) * Int64(Self.columns) / (Int64(east) - Int64(west)))
        return row * Self.columns + column
    }

    /// The class of a person: where most of their positions of the window were; of equals the first.
    /// - Returns: nil without positions.
    public func bin(of positions: [(latitude: Int32, longitude: Int32)]) -> Int? {
        guard !positions.isEmpty else { return nil }
        var counts = [Int](repeating: 0, count: GroupBins.count)
        for position in positions { counts[bin(latitude: position.latitude, longitude: position.longitude)] += 1 }
        return counts.indices.max { (counts[$0], $1) < (counts[$1], $0) }
    }
}
