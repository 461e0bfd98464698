public import Alerts
import Vitals

/// The number of people with AutomatedSOS on who have lost their last way to somebody: who they are is compared, and told to nobody.
public struct PeopleUnreached: Sendable, Hashable {
    private(set) var people: Set<PersonID> = []
    public var count: Int { people.count }
    /// The number of them for whom each way fails.
    public private(set) var byWay: [Way: Int] = [:]

    public init() {}

    /// Counts a person whose ways, these, have all failed; nobody for none.
    mutating func add(_ person: PersonID, _ failed: Set<Way>) {
        guard !failed.isEmpty, people.insert(person).inserted else { return }
        for way in failed { byWay[way, default: 0] += 1 }
    }

    /// As a notice keeps it: a line for each way, with how many before it.
    public var listed: String {
        byWay.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.value) \($0.key)" }.joined(separator: "\n")
    }
}
