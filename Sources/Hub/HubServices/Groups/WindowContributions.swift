import Accounts
import Groups
import HubStore
import Synchronization
import Vitals

/// One person's row of a window before it is charged.
struct WindowRow: Sendable {
    let person: PersonID
    let sex: CellSex
    let band: AgeBand
    /// A number of ``WindowRows/homes``.
    let home: Int
    let value: GroupValue
}

/// The rows of everybody who counts in a window, in the order of their identifiers.
struct WindowRows: Sendable {
    let homes: [RegionCode]
    let rows: [WindowRow]
}

/// Puts together what people contribute to a window: one row for each person, with one class for each kind.
///
/// What somebody contributes is worked out ahead where there is time, some 70 bytes a person in memory alone, and anew where it changed since: what is in
/// a window is what was there when it closed.
final class WindowContributions: Sendable {
    private let series: SeriesStore
    private let index: AttributeIndex
    private let state = Mutex(State())

    private struct State {
        var window: GroupWindow?
        var kinds: [DataKind] = []
        var values: [PersonID: GroupValue] = [:]
        /// People whose value is not known yet, the last ones first.
        var left: [GroupValues.Person] = []
        var everPlayed: Set<PersonID> = []
    }

    init(series: SeriesStore, index: AttributeIndex) { (self.series, self.index) = (series, index) }

    /// Begins a window, or goes on with it: finds who is to be worked out, because they are new or something of theirs changed.
    /// - Parameter kinds: in the order of rows, at most ``HubStore/GroupValue/kindsMax``.
    func begin(_ window: GroupWindow, _ kinds: [DataKind]) throws {
        let people = index.people(), everPlayed = try series.groupEligibility.peopleWithPlayedData(from: .min / 2, to: .max / 2)
        state.withLock { state in
            if state.window != window || state.kinds != kinds { state.values = [:] }
            for person in everPlayed.symmetricDifference(state.everPlayed) { state.values[person] = nil }
            (state.window, state.kinds, state.everPlayed) = (window, kinds, everPlayed)
        }
        let known = state.withLock { $0.values }
        var left: [GroupValues.Person] = []
        for part in people.chunks(of: GroupClosing.slice) {
            let changes = try known.isEmpty ? [:] : series.groupValues.changes(of: part.map(\.person))
            left += part.filter { someone in known[someone.person].map { !$0.holds(at: changes[someone.person] ?? 0) } ?? true }
        }
        state.withLock { $0.left = left.reversed() }
    }

    /// Works out some people.
    /// - Returns: false when nobody is left.
    func prepare(_ count: Int) throws -> Bool {
        let (window, kinds, everPlayed, part) = state.withLock {
            ($0.window, $0.kinds, $0.everPlayed, Array($0.left.suffix(count).reversed()))
        }
        guard let window, !part.isEmpty else { return false }
        let found = try series.groupValues.values(of: part, in: window, kinds: kinds, everPlayed: everPlayed)
        return state.withLock { state in
            for person in part { state.values[person.person] = found[person.person] }
            state.left.removeLast(part.count)
            return !state.left.isEmpty
        }
    }

    /// The rows of everybody who counts now. Who has replays or drills within the window is not among them, because the rollups of their hours hold these
    /// as well.
    /// - Returns: nil while the index is not whole.
    func rows() throws -> WindowRows? {
        guard index.isWhole, let window = state.withLock({ $0.window }) else { return nil }
        let played = try series.groupEligibility.peopleWithPlayedData(from: window.start, to: window.end)
        let values = state.withLock { $0.values }
        var numbers: [RegionCode: Int] = [:], homes: [RegionCode] = [], rows: [WindowRow] = []
        index.eachMember(in: window) { person, attributes in
            guard let region = attributes.region, !played.contains(person), let value = values[person], value.isSomething else { return }
            let home = numbers[region] ?? homes.count
            if home == homes.count {
                numbers[region] = home
                homes.append(region)
            }
            rows.append(WindowRow(person: person, sex: attributes.sex, band: attributes.band, home: home, value: value))
        }
        rows.sort { $0.person < $1.person }
        return WindowRows(homes: homes, rows: rows)
    }

    /// Forgets what was worked out.
    func end() { state.withLock { $0 = State() } }
}

extension Array {
    /// In parts, of which the last may be shorter.
    fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
