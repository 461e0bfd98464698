public import HubStore
public import Runs
import Synchronization
public import Vitals

/// One runner as everybody may see them now, for pages without scripts.
public struct ShownRunner: Sendable, Hashable {
    public let bib: Int
    /// Empty for the number alone.
    public let name: String
    public let group: RankingRow.Group
    public let place: Int?
    /// From the start.
    public let metres: Int
    /// Seconds a kilometre.
    public let pace: Int?
    /// Seconds behind the first.
    public let gap: Int?
    /// Beats per minute, of those who agreed.
    public let heartRate: Int?
    /// Of the newest fix that everybody knows, UTC milliseconds.
    public let seen: Milliseconds?
    public let isOffCourse: Bool
}

extension LiveRuns {
    /// Everybody who is public, in their order; empty for a run that does not go on.
    public func shown(_ run: StoredRun) -> [ShownRunner] {
        let (rows, names) = publicRows(of: run.id)
        return rows.map { row in
            ShownRunner(
                bib: row.bib, name: names[row.bib] ?? "", group: RankingRow.Group.allCases[row.group],
                place: row.place > 0 ? row.place : nil,
                metres: row.metres, pace: row.pace > 0 ? row.pace : nil, gap: row.gap >= 0 ? row.gap : nil,
                heartRate: row.heartRate > 0 ? row.heartRate : nil, seen: row.seen > 0 ? row.seen : nil, isOffCourse: row.spot != nil)
        }
    }
}
