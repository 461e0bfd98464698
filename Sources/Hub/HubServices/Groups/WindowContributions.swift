import Accounts
public import Groups
import History
public import HubStore
import Privacy
public import Vitals

/// Puts together what people contribute to a window: one row for each person, with one class for each kind.
public struct WindowContributions: Sendable {
    let series: SeriesStore
    let index: AttributeIndex

    private static let day: Milliseconds = 86_400_000

    public init(series: SeriesStore, index: AttributeIndex) { (self.series, self.index) = (series, index) }

    /// What everybody who counts now contributes to a window. Who has replays or drills within it contributes nothing, because the summaries of their
    /// hours hold these as well.
    /// - Returns: nil while the index is not whole.
    public func people(in window: GroupWindow, kinds: [DataKind], now: Milliseconds) throws -> WindowPeople? {
        guard index.isWhole else { return nil }
        let eligibility = series.groupEligibility
        let everPlayed = try eligibility.peopleWithPlayedData(from: .min / 2, to: .max / 2)
        let played = try eligibility.peopleWithPlayedData(from: window.start, to: window.end)
        let members = index.members(on: CalendarDate(utc: window.start)).filter { $0.attributes.region != nil && !played.contains($0.person) }
        let homes = Set(members.compactMap(\.attributes.region)).sorted()
        let numbers = Dictionary(uniqueKeysWithValues: homes.enumerated().map { ($1, $0) })
        var people = WindowPeople(kinds: kinds, homes: homes, capacity: members.count)
        for member in members {
            let isPlayed = everPlayed.contains(member.person)
            guard let home = member.attributes.region.flatMap({ numbers[$0] }),
                try eligibility.isMet(by: member.person, created: member.created, isPlayed: isPlayed, now: window.end)
            else { continue }
            let bins = try kinds.map { try bin(of: $0, of: member.person, in: window, isPlayed: isPlayed, now: now) }
            guard bins.contains(where: { $0 != nil }) else { continue }
            _ = people.append(CellSex(member.attributes.gender), member.attributes.band, home: home, bins: bins)
        }
        return people
    }

    private func bin(of kind: DataKind, of person: PersonID, in window: GroupWindow, isPlayed: Bool, now: Milliseconds) throws -> Int? {
        func days(from: Milliseconds) throws -> [Int64: Rollup] {
            let hours = try series.history.rollups(.maintenance(of: person), of: kind, by: .hours, from: from, to: window.end, now: now) ?? [:]
            let days = Dictionary(grouping: hours) { $0.key.flooredQuotient(by: 24) }
            return days.mapValues { RollupSum($0.map(\.value)).rollup }.filter { !$0.value.isEmpty }
        }
        if let bin = Contribution.bin(of: kind, days: Array(try days(from: window.start).values)) { return bin }
        guard let reach = Contribution.reach(of: kind), !isPlayed else { return nil }
        guard let latest = try days(from: window.end - Milliseconds(reach) * Self.day).max(by: { $0.key < $1.key }) else { return nil }
        return Contribution.bin(of: kind, days: [], latest: (latest.value, Int(window.end / Self.day - latest.key)))
    }
}

extension CellSex {
    /// Who does not say it counts as other.
    init(_ gender: Gender?) {
        switch gender {
        case .female: self = .female
        case .male: self = .male
        case .other, nil: self = .other
        }
    }
}
