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
    /// - Parameters:
    ///   - charges: in the order of the people, some hundreds.
    ///   - budget: of a year, without what the second door has spent of it.
    /// - Returns: for each of them which kinds they are in, a bit for each by the order of ``Charge/kinds``; the others are beyond the budget.
    public func charge(_ charges: [Charge], _ window: GroupWindow, within budget: Rho) throws -> [UInt32] {
        guard let first = charges.first?.person, let last = charges.last?.person else { return [] }
        let keys = try keys.keys(from: first, through: last), year = window.year
        return try pool.write { db in
            let read = try db.cachedStatement(sql: "SELECT envelope FROM group_year WHERE person = ? AND year = ?")
            let write = try db.cachedStatement(
                sql: """
                    INSERT INTO group_year(person, year, envelope) VALUES(?, ?, ?)
                    ON CONFLICT(person, year) DO UPDATE SET envelope = excluded.envelope
                    """)
            return try charges.map { charge -> UInt32 in
                guard let key = keys[charge.person] else { return 0 }
                let id = Data(charge.person.bytes), envelope = try read.fetchOne(Data.self, arguments: [id, year])
                let known = try envelope.map { envelope in
                    try unlessDamaged(.ledgerLine, charge.person) { try open(envelope, of: charge.person, year, with: key) }
                }
                guard var charged = known ?? ChargedYear() else { return 0 }
                let (allowed, isChanged) = charged.charge(window, charge.kinds, within: budget)
                if isChanged {
                    let sealed = try Envelope.seal(charged.encoded(), with: key, at: Self.place(charge.person, year))
                    try write.execute(arguments: [id, year, Data(sealed)])
                }
                return allowed
            }
        }
    }
}

extension ConsentStore {
    public var groupYears: GroupYearStore { GroupYearStore(accounts: accounts) }
}
