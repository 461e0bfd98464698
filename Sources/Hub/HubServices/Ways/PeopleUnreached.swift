public import Alerts

/// How many people with AutomatedSOS on have lost their last way to somebody: never who.
public struct PeopleUnreached: Sendable, Hashable {
    public private(set) var count = 0
    /// How many of them each way fails.
    public private(set) var byWay: [Way: Int] = [:]

    public init() {}

    /// Counts a person whose ways, these, have all failed; nobody for none.
    mutating func add(_ failed: Set<Way>) {
        guard !failed.isEmpty else { return }
        count += 1
        for way in failed { byWay[way, default: 0] += 1 }
    }

    /// As a notice keeps it: a line for each way, with how many before it.
    public var listed: String {
        byWay.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }.joined(separator: "\n")
    }
}
