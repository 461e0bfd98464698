import Accounts
import Database
import Foundation
public import Groups
import Privacy
import Seams
public import Vitals

extension Migration {
    /// The requests of organisations about groups. `state`: 0 waits for an operator, 1 runs, 2 is over; what is asked, and what was delivered, is sealed
    /// with the organisation's key.
    static let groupRequests = Migration(
        name: "25 requests about groups",
        sql: """
            CREATE TABLE group_request(id INTEGER PRIMARY KEY, request BLOB NOT NULL UNIQUE,
                account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE, state INTEGER NOT NULL, created INTEGER NOT NULL,
                envelope BLOB NOT NULL);
            CREATE INDEX group_request_account ON group_request(account, id);
            CREATE INDEX group_request_created ON group_request(created);
            CREATE INDEX group_request_waiting ON group_request(id) WHERE state = 0;
            CREATE TABLE group_delivery(request INTEGER NOT NULL REFERENCES group_request ON DELETE CASCADE, start INTEGER NOT NULL,
                length INTEGER NOT NULL, envelope BLOB NOT NULL, PRIMARY KEY(request, start, length)) WITHOUT ROWID;
            CREATE TABLE group_approval(id INTEGER PRIMARY KEY, account INTEGER NOT NULL REFERENCES account ON DELETE CASCADE,
                request BLOB NOT NULL, envelope BLOB NOT NULL);
            CREATE INDEX group_approval_account ON group_approval(account);
            """)
}

extension GroupRequestStore {
    /// When an operator let requests about groups leave; for leaves of before, when the request was made.
    static let approvalAge = Migration(
        name: "29 the age of approvals of groups",
        sql: """
            ALTER TABLE group_approval ADD COLUMN made INTEGER NOT NULL DEFAULT 0;
            UPDATE group_approval SET made =
                coalesce((SELECT created FROM group_request WHERE group_request.request = group_approval.request), 0);
            """)
}

/// Why something about a request was not done.
public enum GroupRequestProblem: Error, Sendable, Hashable {
    /// There is no such request of this account.
    case notYours
    /// The same waits or runs already.
    case alreadyAsked(GroupRequestID)
    /// An organisation has ``GroupRequestStore/openMax`` that wait or run.
    case tooManyOpen
    /// It is over.
    case over
}

/// A request about a group as the store keeps it.
public struct StoredGroupRequest: Sendable, Hashable {
    public let id: GroupRequestID
    public let organisation: OrganisationID
    public var request: GroupRequest
    let row: Int64
    let account: Int64

    /// Where it stands at a time, UTC milliseconds.
    public func state(at now: Milliseconds) -> GroupRequest.State { request.state(at: now) }
}

/// A request about a group that an operator has to look at (CONS-11).
public struct WaitingGroupRequest: Sendable, Hashable {
    public let stored: StoredGroupRequest
    /// The organisation with its proof and purpose; nil where it does not open.
    public let asker: StoredAccount?
}

/// A public entry of a request about groups: asker, purpose and subject.
public struct AskedGroup: Sendable, Hashable {
    /// Of the organisation; empty where it does not open.
    public let name: String
    public let request: GroupRequest
}

/// Requests about groups, as far back as was looked.
public struct AskedGroupList: Sendable, Hashable {
    /// The newest first.
    public let items: [AskedGroup]
    /// When the oldest request that was looked at was made, UTC milliseconds, where older ones were left out; nil where all were looked at.
    public let lookedBackTo: Milliseconds?
}

/// Requests of organisations about groups, the operators' leave, and what was delivered (CONS-9, CONS-11, GRP-5).
public struct GroupRequestStore: SubjectStore {
    let accounts: AccountStore

    /// Requests of one organisation that wait or run, at most.
    public static let openMax = 100
    /// Requests of one page of a list, at most.
    public static let pageMax = 100

    // MARK: Asking

    /// Takes a request in. It runs at once where an operator's leave covers it (CONS-11), and waits for one otherwise.
    /// - Throws: ``GroupRequestProblem``; nothing is stored then.
    public func ask(_ request: GroupRequest, by account: StoredAccount, now: Milliseconds) throws -> StoredGroupRequest {
        let id = randomness.id(GroupRequestID.self)
        return try pool.write { db in
            guard let row = try OrganisationStore.organisation(account.id, db) else { throw GroupRequestProblem.notYours }
            let open = try rows("group_request.account = ? AND state < 2", [row], db).filter { !$0.isOver(at: now) }
            if let same = open.first(where: { $0.request.isSame(as: request) }) { throw GroupRequestProblem.alreadyAsked(same.id) }
            guard open.count < Self.openMax else { throw GroupRequestProblem.tooManyOpen }
            var request = request
            let isCovered = try approvals(of: account.id, row, now: now, db).contains { request.isCovered(by: $0) }
            if isCovered { _ = request.handle(.approved, at: now) }
            let organisation = OrganisationID(account.id)
            let number = try db.insert(
                sql: "INSERT INTO group_request(request, account, state, created, envelope) VALUES(?, ?, ?, ?, ?) RETURNING id",
                arguments: [Data(id.bytes), row, request.state.number, now, try sealed(request, id, organisation)])
            let stored = StoredGroupRequest(id: id, organisation: organisation, request: request, row: number, account: row)
            if isCovered {
                try timers.setTimer(.groupRequest, id.bytes, due: now, db)
            } else {
                let arguments = stored.arguments(asker: account)
                for account in try accounts.operators(db) { try notices.addNotice(.groupCheck, arguments, to: account, now: now, db) }
            }
            return stored
        }
    }

    /// The organisation takes it back, or wants no more windows (GRP-5).
    public func end(_ id: GroupRequestID, by organisation: OrganisationID, now: Milliseconds) throws -> StoredGroupRequest {
        try pool.write { db in
            guard var stored = try request(id, db), stored.organisation == organisation else { throw GroupRequestProblem.notYours }
            guard stored.request.handle(.ended, at: now) else { throw GroupRequestProblem.over }
            try save(stored, db)
            try ended(stored, now: now, db)
            return stored
        }
    }

    // MARK: The operator

    /// Lets a request leave, and all others of its kind, now and later. The caller has checked that it is an operator.
    /// - Parameter seen: the ``StoredAccount/checkMark`` of the organisation that the operator looked at; nil for whatever it is now.
    /// - Throws: ``AskerChanged``.
    public func approve(_ id: GroupRequestID, seen: String? = nil, now: Milliseconds) throws {
        try pool.write { db in
            guard let stored = try request(id, db), let asker = try accounts.account(stored.organisation.account, db) else { return }
            if let seen, asker.checkMark != seen { throw AskerChanged() }
            guard case .awaitingOperator = stored.request.state else { return }
            let envelope = try seal(stored.request, of: asker.id.person, .groupApproval, (id.high, id.low))
            try db.execute(
                sql: "INSERT INTO group_approval(account, request, envelope, made) VALUES(?, ?, ?, ?)",
                arguments: [stored.account, Data(id.bytes), envelope, now])
            for var other in try rows("group_request.account = ? AND state < 1", [stored.account], db)
            where other.id == id || other.request.isCovered(by: stored.request) {
                guard other.request.handle(.approved, at: now) else { continue }
                try save(other, db)
                try timers.setTimer(.groupRequest, other.id.bytes, due: now, db)
                try tell(other, "groupApproved", now: now, db)
            }
        }
    }

    public func refuse(_ id: GroupRequestID, now: Milliseconds) throws {
        try pool.write { db in
            guard var stored = try request(id, db), stored.request.handle(.refused, at: now) else { return }
            try save(stored, db)
            try tell(stored, "groupRefused", now: now, db)
        }
    }

    /// Those that hold (``OrganisationStore/approvalLifetime``): none of who is suspended.
    private func approvals(of account: AccountID, _ row: Int64, now: Milliseconds, _ db: Connection) throws -> [GroupRequest] {
        guard try !accounts.organisations.isSuspended(.organisation(OrganisationID(account)), db) else { return [] }
        return try db.fetchAll(
            sql: "SELECT request, envelope FROM group_approval WHERE account = ? AND made > ?",
            arguments: [row, now - OrganisationStore.approvalLifetime]
        ).compactMap { row in
            guard let id = GroupRequestID(bytes: row[0] as Data) else { return nil }
            // Without it an operator looks once more.
            return try unlessDamaged(.approval, id) {
                try open(GroupRequest.self, row[1] as Data, of: account.person, .groupApproval, (id.high, id.low))
            }
        }
    }

    /// Takes an operator's leave back: the next request of each kind is looked at again.
    /// - Returns: whether there was any.
    func forgetApprovals(of account: Int64, _ db: Connection) throws -> Bool {
        try db.execute(sql: "DELETE FROM group_approval WHERE account = ?", arguments: [account])
        return db.changesCount > 0
    }

    // MARK: Lists

    /// An organisation's requests, the newest first.
    /// - Parameter before: `next` of the page before.
    public func requests(of organisation: OrganisationID, before: Int64? = nil) throws -> ConsentPage<StoredGroupRequest> {
        try pool.read { db in
            let found = try db.fetchAll(
                sql: """
                    SELECT \(Self.requestColumns) FROM group_request JOIN account ON account.id = group_request.account
                    WHERE account.account = ? AND group_request.id < ? ORDER BY group_request.id DESC LIMIT ?
                    """, arguments: [Data(organisation.account.bytes), before ?? .max, Self.pageMax + 1])
            let items = try found.prefix(Self.pageMax).compactMap(listed)
            return ConsentPage(
                items: items, next: found.count > Self.pageMax ? found[Self.pageMax - 1][0] : nil,
                unreadable: min(found.count, Self.pageMax) - items.count)
        }
    }

    /// One request of an organisation's own; nil for another's.
    public func request(_ id: GroupRequestID, of organisation: OrganisationID) throws -> StoredGroupRequest? {
        try pool.read { try request(id, $0) }.flatMap { $0.organisation == organisation ? $0 : nil }
    }

    public func request(_ id: GroupRequestID) throws -> StoredGroupRequest? { try pool.read { try request(id, $0) } }

    /// The number that wait for an operator, those that do not open among them.
    public func countAwaitingOperator() throws -> Int {
        try pool.read { try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM group_request WHERE state = 0") ?? 0 }
    }

    /// Entries that wait for an operator, the oldest first.
    public func awaitingOperator() throws -> [WaitingGroupRequest] {
        try pool.read { db in
            try rows("state = 0", [], db).prefix(Self.pageMax).map { stored in
                WaitingGroupRequest(
                    stored: stored,
                    asker: try unlessDamaged(.account, stored.organisation) { try accounts.account(stored.organisation.account, db) })
            }
        }
    }

    /// Requests of organisations about groups since a time that an operator let leave: everybody may see it.
    /// - Parameter count: so many requests are looked at, the newest; those that were refused among them.
    public func asked(since time: Milliseconds, count: Int = pageMax) throws -> AskedGroupList {
        try pool.read { db in
            let found = try db.fetchAll(
                sql: """
                    SELECT \(Self.requestColumns), group_request.created AS made
                    FROM group_request JOIN account ON account.id = group_request.account
                    WHERE group_request.created >= ? AND state > 0 ORDER BY group_request.created DESC LIMIT ?
                    """, arguments: [time, count + 1])
            let items = try found.prefix(count).compactMap(listed).filter { !$0.request.isRefused }.map {
                AskedGroup(name: try accounts.listedName(of: $0.organisation.account, db), request: $0.request)
            }
            return AskedGroupList(items: items, lookedBackTo: found.count > count ? found[..<count].last.map { $0["made"] } : nil)
        }
    }

    // MARK: Rows

    static let requestColumns = "group_request.id, request, account.account AS owner, envelope, group_request.account AS holder"

    func rows(_ condition: String, _ arguments: Arguments, _ db: Connection) throws -> [StoredGroupRequest] {
        try db.fetchAll(
            sql: """
                SELECT \(Self.requestColumns) FROM group_request JOIN account ON account.id = group_request.account
                WHERE \(condition) ORDER BY group_request.id
                """, arguments: arguments
        ).compactMap(listed)
    }

    func request(_ id: GroupRequestID, _ db: Connection) throws -> StoredGroupRequest? {
        try rows("request = ?", [Data(id.bytes)], db).first
    }

    private func listed(_ row: Row) throws -> StoredGroupRequest? {
        guard let id = GroupRequestID(bytes: row["request"] as Data), let account = AccountID(bytes: row["owner"] as Data) else {
            return nil
        }
        return try unlessDamaged(.groupRequest, id) {
            try open(GroupRequest.self, row["envelope"] as Data, of: account.person, .groupRequest, (id.high, id.low)).map {
                StoredGroupRequest(id: id, organisation: OrganisationID(account), request: $0, row: row["id"], account: row["holder"])
            }
        }
    }

    private func sealed(_ request: GroupRequest, _ id: GroupRequestID, _ organisation: OrganisationID) throws -> Data {
        try seal(request, of: organisation.account.person, .groupRequest, (id.high, id.low))
    }

    func save(_ stored: StoredGroupRequest, _ db: Connection) throws {
        try db.execute(
            sql: "UPDATE group_request SET state = ?, envelope = ? WHERE id = ?",
            arguments: [stored.request.state.number, try sealed(stored.request, stored.id, stored.organisation), stored.row])
    }

    /// Tells the organisation, by the ways that it chose.
    func tell(_ stored: StoredGroupRequest, _ state: String, now: Milliseconds, _ db: Connection) throws {
        guard let asker = try accounts.account(stored.organisation.account, db) else { return }
        var arguments = stored.arguments(asker: asker)
        arguments["state"] = state
        try notices.addNotice(.groupAnswered, arguments, to: asker, now: now, db)
    }
}

extension StoredGroupRequest {
    fileprivate func isOver(at now: Milliseconds) -> Bool {
        if case .over = state(at: now) { true } else { false }
    }

    /// The contents of notices and mails: `request`, `asker` (name), `purpose` and `kinds` (`heartRate,sleep`).
    func arguments(asker: StoredAccount) -> [String: String] {
        [
            "request": id.description, "asker": asker.name, "purpose": request.purpose,
            "kinds": request.ask.kinds.map { "\($0)" }.joined(separator: ","),
        ]
    }
}

extension GroupRequest {
    fileprivate var isRefused: Bool {
        if case .over(.refusedByOperator, _) = state { true } else { false }
    }

    fileprivate func isSame(as other: GroupRequest) -> Bool {
        ask == other.ask && purpose == other.purpose && term == other.term && past == other.past
    }
}

extension GroupRequest.State {
    var number: Int64 {
        switch self {
        case .awaitingOperator: 0
        case .active: 1
        case .over: 2
        }
    }
}

extension ConsentStore {
    public var groupRequests: GroupRequestStore { GroupRequestStore(accounts: accounts) }
}
