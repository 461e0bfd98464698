import Database
public import Distress
import Foundation
public import Privacy
import Synchronization
public import Vitals

/// One line of a person's ledger (DATA-12): what became of a consent, or that somebody read.
public struct LedgerEntry: Sendable, Hashable, Codable {
    public enum Content: Sendable, Hashable, Codable {
        /// With the account that decided, where one did.
        case consent(ConsentEntry.Content, by: AccountID?)
        /// Somebody read during the hour that begins at ``LedgerEntry/at`` or later: one line for each consent and hour.
        case read
        /// The same by a one-time link.
        case readByLink
        /// The same by a minor's parent.
        case readByGuardian(AccountID)
        /// The same by a friend, of a workout that goes on.
        case readByFriend(AccountID)
        /// The same by an operator, of an emergency, each time; ``LedgerEntry/purpose`` is the reason that they gave.
        case readByOperator(AccountID)
        /// Whether the person counts in statistics about groups from now on, and who said so: the person or a minor's parent.
        case counted(Bool, by: AccountID)
        /// What became of a one-time link to the live page.
        case link(Link)
        /// A parent let another one decide for the minor, too.
        case parentAdded(AccountID)
        /// A parent decides no more.
        case parentLeft(AccountID)
        /// Somebody was told of an emergency of the person.
        case told(IncidentID)

        public enum Link: String, Sendable, Hashable, Codable {
            case made, allowed, ended
        }
    }

    public let what: Content
    /// UTC milliseconds: of a read, the first within its hour.
    public let at: Milliseconds
    public let consent: ConsentID?
    public let reader: Reader?
    /// The reader's name at that time.
    public let name: String
    public let service: ServiceID?
    @StoredKinds public private(set) var kinds: Set<DataKind>
    public let purpose: String
    /// The box at which the person decided; nil for the hub's pages.
    public internal(set) var box: AgentID?
    /// Who of an organisation read; nil for its own account, for its programs, and for everybody else.
    public internal(set) var user: ReadingUser?

    /// The reader's name, with that of the organisation's user behind it.
    public var readerName: String { user.map { "\(name) (\($0.name))" } ?? name }
}

/// A part of a ledger, the newest first.
public struct LedgerPage: Sendable, Hashable {
    public let entries: [LedgerEntry]
    /// Where the next page begins; nil at the end.
    public let next: Int64?
    /// So many more belong here and do not open.
    public let unreadable: Int

    public init(entries: [LedgerEntry], next: Int64?, unreadable: Int) {
        (self.entries, self.next, self.unreadable) = (entries, next, unreadable)
    }
}

extension LedgerStore {
    /// Entries of one page, at most.
    public static let ledgerPageMax = 200

    /// The ledger that the person reads.
    /// - Parameters:
    ///   - consent: only what belongs to this one: what a follower read (CONS-7).
    ///   - before: ``LedgerPage/next`` of the page before.
    public func ledger(
        of person: PersonID, consent: ConsentID? = nil, before: Int64? = nil, count: Int = ledgerPageMax
    ) throws -> LedgerPage {
        let count = min(max(count, 1), Self.ledgerPageMax)
        let rows = try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT id, time, envelope FROM ledger WHERE person = ? AND id < ?\(consent == nil ? "" : " AND consent = ?")
                    ORDER BY id DESC LIMIT ?
                    """,
                arguments: Arguments([Data(person.bytes), before ?? .max] as [any ColumnValue])
                    + Arguments((consent.map { [Data($0.bytes)] } ?? []) as [Data]) + [count + 1])
        }
        var unreadable = 0
        let entries = try rows.prefix(count).compactMap { row in
            try unlessDamaged(.ledgerLine, row[0] as Int64) {
                try open(LedgerEntry.self, row[2] as Data, of: person, .ledger, (UInt64(bitPattern: row[1] as Int64), 0))
            } damaged: {
                unreadable += 1
                return nil
            }
        }
        return LedgerPage(entries: entries, next: rows.count > count ? rows[count - 1][0] : nil, unreadable: unreadable)
    }

    /// Writes down what became of a consent, in the transaction in which it did.
    func record(_ entry: ConsentEntry, _ consent: Consent, of person: PersonID, name: String, at box: AgentID?, _ db: Connection) throws {
        let scope = consent.request.scope
        let line = LedgerEntry(
            what: .consent(entry.what, by: entry.by), at: entry.at, consent: consent.id, reader: scope.asker, name: name,
            service: scope.service, kinds: scope.kinds, purpose: scope.purpose, box: box)
        try insert(line, of: person, ground: nil, db)
    }

    /// Writes down what somebody decided about a person beside consents, in the transaction in which they did.
    /// - Parameter account: nil for whoever runs the hub.
    func record(
        _ what: LedgerEntry.Content, of person: PersonID, by account: AccountID?, at now: Milliseconds, _ db: Connection
    ) throws {
        let name = try account.map { try accounts.listedName(of: $0, db) } ?? ""
        let line = LedgerEntry(what: what, at: now, consent: nil, reader: nil, name: name, service: nil, kinds: [], purpose: "")
        try insert(line, of: person, ground: nil, db)
    }

    /// - Parameters:
    ///   - ground: of what stands there once for each ground and hour; nil for what stands there each time.
    ///   - hour: a time within that hour; nil: the line's own.
    func insert(_ line: LedgerEntry, of person: PersonID, ground: Data?, hour: Milliseconds? = nil, _ db: Connection) throws {
        // Somebody who was deleted has no ledger any more.
        guard try keys.key(of: person) != nil else { return }
        let envelope = try seal(line, of: person, .ledger, (UInt64(bitPattern: line.at), 0))
        try db.execute(
            sql: "INSERT INTO ledger(person, consent, time, ground, hour, envelope) VALUES(?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [
                Data(person.bytes), line.consent.map { Data($0.bytes) }, line.at, ground, ground.map { _ in (hour ?? line.at) / Self.hour },
                envelope,
            ])
    }

    private static let hour: Milliseconds = 3_600_000

    /// Writes down that somebody reads by this grant, before anything is read: once for each ground and hour, so that a stream does not
    /// write for each sample. Each user of an organisation has lines of their own.
    /// - Parameter user: who reads for the organisation; what is read later than the request is answered has to say it.
    public func recordRead(_ grant: Grant, by user: ReadingUser? = ReadingUser.current, now: Milliseconds) throws {
        guard let read = unrecorded(grant, by: user, now: now) else { return }
        try pool.write { try recordRead(grant, by: user, now: now, $0) }
        accounts.recordedReads.keep(read)
    }

    /// The entry of a read; nil where that was done, and where reads by such a ground are not recorded.
    private func unrecorded(_ grant: Grant, by user: ReadingUser?, now: Milliseconds) -> RecordedReads.Read? {
        guard grant.isRecorded, let ground = grant.ground.key else { return nil }
        let read = RecordedReads.Read(
            person: grant.person, ground: ground + Data(user?.account.bytes ?? []), hour: now / Self.hour)
        return accounts.recordedReads.contains(read) ? nil : read
    }

    func recordRead(_ grant: Grant, by user: ReadingUser? = nil, now: Milliseconds, _ db: Connection) throws {
        guard let ground = unrecorded(grant, by: user, now: now)?.ground else { return }
        let consent = try grant.ground.consent.flatMap { try consents.consent($0, db)?.consent }
        let scope = consent?.request.scope
        let what: LedgerEntry.Content =
            switch grant.ground {
            case .guardian(let account): .readByGuardian(account)
            case .friend(let account): .readByFriend(account)
            case .link: .readByLink
            case .caregiver, .consent, .named, .delivered, .run, .runPublic, .own, .system, .sos, .sosLastPosition: .read
            }
        let reader = scope?.asker.account ?? grant.ground.reader
        let line = LedgerEntry(
            what: what, at: now, consent: consent?.id, reader: scope?.asker,
            name: try scope.map { try consents.askers.name(of: $0, db) } ?? reader.flatMap { try accounts.account($0, db)?.name } ?? "",
            service: scope?.service, kinds: grant.kinds,
            purpose: scope?.purpose ?? "", user: user)
        try insert(line, of: grant.person, ground: ground, db)
    }
}

/// What stands in the ledger already, so that it is not looked up for each sample.
final class RecordedReads: Sendable {
    struct Read: Hashable {
        var person: PersonID
        var ground: Data
        var hour: Int64
    }

    private let known = Mutex<Set<Read>>([])
    private static let countMax = 50_000

    func contains(_ read: Read) -> Bool { known.withLock { $0.contains(read) } }

    func keep(_ read: Read) {
        known.withLock { known in
            if known.count >= Self.countMax { known.removeAll() }
            known.insert(read)
        }
    }
}

extension Grant.Ground {
    /// As the database has it; nil where reads are not recorded.
    var key: Data? {
        switch self {
        case .own, .system, .sos, .sosLastPosition: nil
        case .guardian(let account): Data([1] + account.bytes)
        case .caregiver(let id), .consent(let id), .named(let id), .delivered(let id), .run(let id): Data([2] + id.bytes)
        case .runPublic(let id): Data([4] + id.bytes)
        case .link(let hash): Data([3] + hash)
        case .friend(let account): Data([5] + account.bytes)
        }
    }

    /// The consent that is read by, if it is one.
    public var consent: ConsentID? {
        switch self {
        case .caregiver(let id), .consent(let id), .named(let id), .delivered(let id), .run(let id), .runPublic(let id): id
        case .own, .guardian, .friend, .link, .system, .sos, .sosLastPosition: nil
        }
    }

    /// Who reads, where that is no consent's asker.
    fileprivate var reader: AccountID? {
        switch self {
        case .guardian(let account), .friend(let account): account
        default: nil
        }
    }
}
