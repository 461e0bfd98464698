import Foundation
import GRDB
public import Privacy
public import Vitals

extension SeriesStore {
    /// What the emergency chain may see of a person: only with an open case of theirs, and nothing from before the grant's beginning.
    /// - Parameter cases: says, in a transaction around the read, whether the grant holds.
    /// - Returns: nil when it does not hold (any more).
    public func read(
        _ grant: Grant, upheldBy cases: SOSStore, from: Milliseconds, to: Milliseconds, now: Milliseconds
    ) throws -> Reading? {
        guard case .sos(let since) = grant.ground, try keys.key(of: grant.person) != nil else { return nil }
        return try cases.whileOpen(grant.person) {
            guard let row = try accounts.row(of: grant.person) else { return Reading() }
            let (streams, received) = try readStreams(grant.person, row: row, kinds: grant.kinds, from: max(from, since), to: to)
            var reading = PrimarySource.select(streams)
            reading.received = received
            return reading
        }
    }
}

extension SOSStore {
    /// Runs `body` while the person has an open case; nil where there is none.
    func whileOpen<Value>(_ person: PersonID, _ body: () throws -> Value) throws -> Value? {
        try pool.read { db in
            let isOpen = try Bool.fetchOne(
                db, sql: "SELECT 1 FROM incident WHERE person = ? AND is_open = 1", arguments: [Data(person.bytes)])
            return isOpen == nil ? nil : try body()
        }
    }
}
