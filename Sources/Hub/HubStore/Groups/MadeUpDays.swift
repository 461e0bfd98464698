import Database
import History
public import Vitals

extension SeriesStore {
    /// Writes days of people who do not exist, as summaries without samples: for attacks on figures about groups, on a hub of which nobody is real. Days that
    /// were written before are written anew.
    /// - Parameters:
    ///   - values: of whom, and what: one value at noon, in the kind's resolution.
    ///   - days: since 1970-01-01.
    public func addMadeUpDays(_ kind: DataKind, _ values: [(person: PersonID, value: Int64)], on days: Range<Int64>) throws {
        guard let rule = RollupRule(kind) else { return }
        let owners = try values.compactMap { one -> (owner: RollupOwner, row: RollupRow)? in
            guard let row = try accounts.row(of: one.person), let key = try keys.key(of: one.person) else { return nil }
            var rollup = Rollup()
            rollup.take(one.value, by: rule)
            return (RollupOwner(person: one.person, row: row, key: key), RollupRow([0: rollup]))
        }
        try series.write { db in
            for (owner, row) in owners {
                for day in days { try rollups.put([day * 24 + 12: row], of: kind, owner, db) }
            }
        }
    }
}
