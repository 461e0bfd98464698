import Crypto
import Database
import Foundation
public import Groups
import Seams
import Vitals

extension Migration {
    /// With what people count in the closed windows of statistics about groups, without who they are: parts of some thousand rows, sealed with a
    /// key of the hub. No row here belongs to anybody, so that a deletion holds from the next window on.
    static let groupWindows = Migration(
        name: "21 windows of groups",
        sql: """
            CREATE TABLE group_window(start INTEGER NOT NULL, length INTEGER NOT NULL, part INTEGER NOT NULL, envelope BLOB NOT NULL,
                PRIMARY KEY(start, length, part)) WITHOUT ROWID;
            """)
}

/// The sealed contributions of closed windows.
public struct GroupWindowStore: SubjectStore {
    let accounts: AccountStore

    private static let key: UInt32 = 1

    private var key: PersonKey { PersonKey(number: Self.key, key: SymmetricKey(data: keys.derived("contributions to groups"))) }

    private static func place(_ window: GroupWindow, _ part: Int) -> Envelope.Place {
        // The place of a window stands where that of a person does elsewhere.
        let owner = PersonID(high: UInt64(bitPattern: window.start), low: UInt64(bitPattern: window.length.milliseconds))
        return Envelope.Place(person: owner, table: .groupWindow, row: (UInt64(bitPattern: Int64(part)), 0))
    }

    /// The parts of a window as ``keep(_:of:_:)`` takes them.
    func sealed(_ parts: [[UInt8]], of window: GroupWindow) throws -> [Data] {
        guard !parts.isEmpty else { return [] }
        let key = key
        return try parts.enumerated().map { Data(try Envelope.seal($1, with: key, at: Self.place(window, $0))) }
    }

    /// Keeps the contributions of a window that closes. Those of windows before it go: what is kept is what can be asked about.
    func keep(_ sealed: [Data], of window: GroupWindow, _ db: Connection) throws {
        guard !sealed.isEmpty else { return }
        try db.execute(sql: "DELETE FROM group_window WHERE start < ?", arguments: [window.start])
        for (part, envelope) in sealed.enumerated() {
            try db.execute(
                sql: "INSERT INTO group_window(start, length, part, envelope) VALUES(?, ?, ?, ?)",
                arguments: [window.start, window.length.milliseconds, part, envelope])
        }
    }

    /// The parts of a closed window in their order; empty for one that is open, or was forgotten.
    public func contributions(to window: GroupWindow) throws -> [[UInt8]] {
        let key = key
        let rows = try pool.read { db in
            try db.fetchAll(
                sql: "SELECT part, envelope FROM group_window WHERE start = ? AND length = ? ORDER BY part",
                arguments: [window.start, window.length.milliseconds])
        }
        return try rows.map { try Envelope.open($0[1] as Data, with: key, at: Self.place(window, $0[0])) }
    }

    /// Forgets all of them: groups were turned off.
    public func forgetAll() throws { try pool.write { try $0.execute(sql: "DELETE FROM group_window") } }
}

extension ConsentStore {
    public var groupWindows: GroupWindowStore { GroupWindowStore(accounts: accounts) }
}
