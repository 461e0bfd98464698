import Accounts
import Database
import Foundation
public import Groups
public import Vitals

/// What groups have cost each person in each year: one sealed row, that goes with the person and is in their own download.
public struct GroupYearStore: SubjectStore {
    let accounts: AccountStore

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

    static func place(_ person: PersonID, _ year: Int) -> Envelope.Place {
        Envelope.Place(person: person, table: .groupYear, row: (UInt64(bitPattern: Int64(year)), 0))
    }

    func open(_ envelope: Data, of person: PersonID, _ year: Int, with key: PersonKey) throws -> ChargedYear {
        guard let charged = ChargedYear(decoding: try Envelope.open(envelope, with: key, at: Self.place(person, year))) else {
            throw HubStoreError.database(path: pool.path, reason: "what groups cost somebody in \(year) is no such row")
        }
        return charged
    }

    /// Charges one person for releases of a window, before their noise is drawn. Asked again, after the hub died before the window was closed, it
    /// charges nothing twice.
    /// - Parameters:
    ///   - costs: of each release that the person would be in.
    ///   - budget: of a year, without what the second door has spent of it.
    /// - Returns: the releases that the person is in; the others are beyond the budget.
    public func charge(
        _ person: PersonID, _ window: GroupWindow, _ costs: [ChargedYear.Release: Rho], within budget: Rho
    ) throws -> Set<ChargedYear.Release> {
        guard let key = try keys.key(of: person) else { return [] }
        let year = window.year, id = Data(person.bytes)
        return try pool.write { db in
            let envelope = try db.cachedStatement(sql: "SELECT envelope FROM group_year WHERE person = ? AND year = ?")
                .fetchOne(Data.self, arguments: [id, year])
            var charged = try envelope.map { try open($0, of: person, year, with: key) } ?? ChargedYear()
            let (allowed, isChanged) = charged.charge(window, costs, within: budget)
            if isChanged {
                let sealed = try Envelope.seal(charged.encoded(), with: key, at: Self.place(person, year))
                try db.cachedStatement(
                    sql: """
                        INSERT INTO group_year(person, year, envelope) VALUES(?, ?, ?)
                        ON CONFLICT(person, year) DO UPDATE SET envelope = excluded.envelope
                        """
                ).execute(arguments: [id, year, Data(sealed)])
            }
            return allowed
        }
    }
}

extension ConsentStore {
    public var groupYears: GroupYearStore { GroupYearStore(accounts: accounts) }
}
