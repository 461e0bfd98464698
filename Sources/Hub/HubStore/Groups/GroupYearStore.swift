import Accounts
import Database
import Foundation
public import Groups
public import Vitals

/// The cost of groups to each person in each year: one sealed row, that goes with the person and is in their own download.
public struct GroupYearStore: SubjectStore {
    let accounts: AccountStore

    /// A charge to one person.
    public struct Charge: Sendable, Hashable {
        public let person: PersonID
        /// The cost of each kind, by level; empty for a kind of which the person has no value. At most 32 kinds.
        public let kinds: [[GroupCost]]

        public init(_ person: PersonID, _ kinds: [[GroupCost]]) { (self.person, self.kinds) = (person, kinds) }
    }

    /// A person's years, the oldest first. What the second door answered costs everybody the same, and stands in everybody's.
    public func ledgers(of person: PersonID) throws -> [PersonLedger] {
        guard let key = try keys.key(of: person) else { return [] }
        let rows = try pool.read { db in
            try db.fetchAll(sql: "SELECT year, envelope FROM group_year WHERE person = ? ORDER BY year", arguments: [Data(person.bytes)])
        }
        return try rows.map { row in
            let year: Int = row[0], charged = try open(row[1] as Data, of: person, year, with: key)
            return PersonLedger(year: year, lines: charged.lines + (try doorLines(of: year)))
        }
    }

    /// One line for each kind that the door was asked about.
    private func doorLines(of year: Int) throws -> [PersonLedger.Line] {
        var door = PersonLedger(year: year)
        for given in try accounts.consents.groupDoor.given(in: year) {
            _ = door.charge(given.cost, for: .secondDoor(given.kind), within: Rho(trillionths: .max))
        }
        return door.lines
    }

    private static func place(_ person: PersonID, _ year: Int) -> Envelope.Place {
        Envelope.Place(person: person, table: .groupYear, row: (UInt64(bitPattern: Int64(year)), 0))
    }

    private func open(_ envelope: Data, of person: PersonID, _ year: Int, with key: PersonKey) throws -> ChargedYear {
        guard let charged = ChargedYear(decoding: try Envelope.open(envelope, with: key, at: Self.place(person, year))) else {
            throw HubStoreError.database(path: pool.path, reason: "what groups cost somebody in \(year) is no such row")
        }
        return charged
    }

    /// Charges people for releases of a window, before their noise is drawn, in one transaction. Asked again, after the hub died before the window was
    /// closed, it charges nothing twice. Whose row does not open is in no release: what they have spent is not known.
    ///
    /// Rows are opened and sealed before the transaction, so that it holds up other writers no longer than its statements take.
    /// - Parameters:
    ///   - charges: in the order of the people, some hundreds.
    ///   - budget: of a year, without what the second door has spent of it.
    /// - Returns: for each of them which kinds they are in, a bit for each by the order of ``Charge/kinds``; the others are beyond the budget.
    public func charge(_ charges: [Charge], _ window: GroupWindow, within budget: Rho) throws -> [UInt32] {
        guard let first = charges.first?.person, let last = charges.last?.person else { return [] }
        let keys = try keys.keys(from: first, through: last), year = window.year
        let found = try pool.read { db in
            let read = try db.cachedStatement(sql: "SELECT envelope FROM group_year WHERE person = ? AND year = ?")
            return try charges.map { try read.fetchOne(Data.self, arguments: [Data($0.person.bytes), year]) }
        }
        var rows: [ChangedRow] = []
        let allowed = try zip(charges, found).enumerated().map { number, item -> UInt32 in
            let (charge, envelope) = item
            guard let key = keys[charge.person] else { return 0 }
            let known = try envelope.map { envelope in
                try unlessDamaged(.ledgerLine, charge.person) { try open(envelope, of: charge.person, year, with: key) }
            }
            guard var charged = known ?? ChargedYear() else { return 0 }
            let (allowed, isChanged) = charged.charge(window, charge.kinds, within: budget)
            if isChanged {
                let sealed = try Envelope.seal(charged.encoded(), with: key, at: Self.place(charge.person, year))
                rows.append(ChangedRow(number: number, person: charge.person, before: envelope, after: Data(sealed)))
            }
            return allowed
        }
        let lost = try write(rows, year)
        return allowed.enumerated().map { lost.contains($0) ? 0 : $1 }
    }

    private struct ChangedRow {
        /// The place of its person among those that are charged.
        let number: Int
        let person: PersonID
        let before: Data?, after: Data
    }

    /// - Returns: those whose row is another one by now, or gone with its person: they have not been charged.
    private func write(_ rows: [ChangedRow], _ year: Int) throws -> Set<Int> {
        guard !rows.isEmpty else { return [] }
        return try pool.write { db in
            let add = try db.cachedStatement(
                sql: "INSERT INTO group_year(person, year, envelope) VALUES(?, ?, ?) ON CONFLICT(person, year) DO NOTHING")
            let change = try db.cachedStatement(
                sql: "UPDATE group_year SET envelope = ? WHERE person = ? AND year = ? AND envelope = ?")
            var lost: Set<Int> = []
            for row in rows {
                let id = Data(row.person.bytes)
                if let before = row.before {
                    try change.execute(arguments: [row.after, id, year, before])
                } else {
                    try add.execute(arguments: [id, year, row.after])
                }
                if db.changesCount != 1 { lost.insert(row.number) }
            }
            return lost
        }
    }
}

extension ConsentStore {
    public var groupYears: GroupYearStore { GroupYearStore(accounts: accounts) }
}
