/// The kinds of data that are stored, granted and asked for apart from each other. The raw value is also the column kind in segments.
public enum DataKind: UInt8, Sendable, Hashable, Codable, CaseIterable {
    case heartRate = 1
    case position = 2
    case event = 3
    case gap = 4
    case clock = 5
}
