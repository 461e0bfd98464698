import Crypto
import Database
public import Foundation
import Seams
import Synchronization
public import Vitals

/// The log of acts on people's data and on the hub, with their actors: a chain of rows of which each holds the hash of the one before, with checkpoints that
/// the hub signs. It names accounts by their identifiers only, so a row about a deleted person tells of nobody any more.
public final class AuditLog: Sendable {
    let pool: DatabasePool
    let key: Curve25519.Signing.PrivateKey
    let file: AuditCheckpointFile
    private let last = Mutex<(row: Int64, time: Milliseconds)>((0, 0))

    /// The name of the signing key's file in the hub's directory.
    public static let keyFile = "audit.key"
    /// The name under which systemd hands the signing key to the service (`LoadCredential=`).
    public static let keyCredential = "trackme-audit-key"
    static let checkpointsFile = "audit-checkpoints.jsonl"
    /// A checkpoint after so many rows,
    static let checkpointRows: Int64 = 200
    /// or so long after the last one, in milliseconds.
    static let checkpointAge: Milliseconds = 3_600_000

    /// The kind of an act. The names never change.
    public struct Action: RawRepresentable, Sendable, Hashable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let personDeleted = Action(rawValue: "person.deleted")
        public static let rowsErased = Action(rawValue: "person.rows-erased")
        public static let partRequested = Action(rawValue: "part.deletion-requested")
        public static let partDeleted = Action(rawValue: "part.deleted")
        /// Somebody at a shell played a person's series through the detector.
        public static let replayed = Action(rawValue: "data.replayed")
        public static let exported = Action(rawValue: "data.exported")
        /// An ECG was uploaded: by the person, or by a parent.
        public static let ecgUploaded = Action(rawValue: "ecg.uploaded")
        /// The one that was uploaded is there already: nothing was stored.
        public static let ecgKnown = Action(rawValue: "ecg.known")
        /// There is no room for the one that was uploaded, or its time is taken: nothing was stored.
        public static let ecgRefused = Action(rawValue: "ecg.refused")
        /// Files are imported: by the person, or by a parent.
        public static let imported = Action(rawValue: "data.imported")
        /// An import was taken back.
        public static let importUndone = Action(rawValue: "import.undone")
        /// Somebody at a shell made a link to a person's live page; the person allowed it; somebody ended it.
        public static let linkMade = Action(rawValue: "link.made")
        public static let linkAllowed = Action(rawValue: "link.allowed")
        public static let linkEnded = Action(rawValue: "link.ended")
        public static let overwritten = Action(rawValue: "data.overwritten")
        public static let maintenancePlanned = Action(rawValue: "maintenance.planned")
        public static let maintenanceCancelled = Action(rawValue: "maintenance.cancelled")
        public static let hospitalAdmitted = Action(rawValue: "hospital.admitted")
        public static let hospitalWithdrawn = Action(rawValue: "hospital.withdrawn")
        public static let organisationSuspended = Action(rawValue: "organisation.suspended")
        public static let organisationRestored = Action(rawValue: "organisation.restored")
        public static let approvalsTakenBack = Action(rawValue: "organisation.approvals-taken-back")
        /// An operator looked at the name that an organisation wants.
        public static let nameAccepted = Action(rawValue: "organisation.name-accepted")
        public static let nameRefused = Action(rawValue: "organisation.name-refused")
        /// An organisation invited a user, changed the rights of one, or took one out; somebody became one.
        public static let userInvited = Action(rawValue: "organisation.user-invited")
        public static let userJoined = Action(rawValue: "organisation.user-joined")
        public static let userChanged = Action(rawValue: "organisation.user-changed")
        public static let userRemoved = Action(rawValue: "organisation.user-removed")
        public static let runPublished = Action(rawValue: "run.published")
        public static let runCancelled = Action(rawValue: "run.cancelled")
        /// The person said so by one tap at the box that is named as subject.
        public static let acceptedAtBox = Action(rawValue: "consent.accepted-at-box")
        public static let refusedAtBox = Action(rawValue: "consent.refused-at-box")
        /// An operator replaces a lost e-mail address after a wait; its owner or an operator stopped that; it was replaced.
        public static let addressAsked = Action(rawValue: "account.address-asked")
        public static let addressKept = Action(rawValue: "account.address-kept")
        public static let addressReplaced = Action(rawValue: "account.address-replaced")
        /// Somebody begins to pay; what became of a payment; what was paid for was extended, shortened, or switched off.
        public static let paymentOpened = Action(rawValue: "payment.opened")
        public static let paymentChanged = Action(rawValue: "payment.changed")
        public static let entitlementChanged = Action(rawValue: "entitlement.changed")
        public static let sessionsEnded = Action(rawValue: "account.sessions-ended")
        public static let masterKeyChanged = Action(rawValue: "keys.master-changed")
        public static let keysReconciled = Action(rawValue: "keys.reconciled")
        /// The hub was restored from a backup.
        public static let restored = Action(rawValue: "hub.restored")
    }

    /// Opens the log. The key comes from the systemd credential where there is one, else from the file, which is made with the first start.
    public init(
        _ directory: HubDirectory, accounts: AccountStore, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        pool = accounts.pool
        let machine = accounts.machine
        file = AuditCheckpointFile(path: directory.path(Self.checkpointsFile), files: machine.files)
        let credential = environment["CREDENTIALS_DIRECTORY"].map { $0 + "/" + Self.keyCredential }
        if let credential, machine.files.exists(credential) {
            key = try Self.readKey(credential, machine)
        } else {
            key = try Self.readOrMakeKey(directory.path(Self.keyFile), machine)
        }
        let newest = try file.read().compactMap { $0 }.last { !$0.isCut }
        last.withLock { $0 = (newest?.row ?? 0, newest?.time ?? 0) }
    }

    private static func readKey(_ path: String, _ machine: Machine) throws -> Curve25519.Signing.PrivateKey {
        guard let bytes = KeyFile.read(path, machine), let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes) else {
            throw HubStoreError.audit(path: path, reason: "it does not hold a key of 64 hexadecimal digits")
        }
        return key
    }

    private static func readOrMakeKey(_ path: String, _ machine: Machine) throws -> Curve25519.Signing.PrivateKey {
        do { try KeyFile.makeIfMissing(path, machine.randomness.bytes(32), machine) } catch {
            throw HubStoreError.audit(path: path, reason: error.reason)
        }
        return try readKey(path, machine)
    }

    /// Records that an account did something, on whom. Comes back when it is durable.
    /// - Parameters:
    ///   - actor: nil for the hub itself, or its operator at a shell.
    ///   - subject: whom or what it was done to.
    public func append(_ action: Action, by actor: AccountID?, on subject: AccountID?, now: Milliseconds) throws {
        let number = try pool.write { try insert(action, by: actor, on: subject, now: now, $0) }
        if number - last.withLock({ $0.row }) >= Self.checkpointRows { try checkpoint(now: now) }
    }

    /// The same within a transaction of the accounts' database; a checkpoint covers it with the next look.
    func insert(_ action: Action, by actor: AccountID?, on subject: AccountID?, now: Milliseconds, _ db: Connection) throws -> Int64 {
        let newest = try db.fetchOne(sql: "SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1")
        let row = AuditRow(
            number: (newest?[0] as Int64? ?? 0) + 1, time: now, actor: actor?.bytes, action: action.rawValue, subject: subject?.bytes,
            previous: (newest?[1] as Data?).map { Array($0) } ?? AuditRow.beginning)
        try db.execute(
            sql: "INSERT INTO audit(id, time, actor, action, subject, previous, hash) VALUES(?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                row.number, now, row.actor.map { Data($0) }, row.action, row.subject.map { Data($0) }, Data(row.previous), Data(row.hash),
            ])
        return row.number
    }

    /// Signs what the log holds, when there is something new and a checkpoint is due. Called every minute or so.
    /// - Returns: the checkpoint that was made: worth a line in the journal, where nobody on this machine can take it back.
    @discardableResult
    public func checkpointIfDue(now: Milliseconds) throws -> AuditCheckpoint? {
        guard now - last.withLock({ $0.time }) >= Self.checkpointAge else { return nil }
        return try checkpoint(now: now)
    }

    /// Signs what the log holds, now; nil when nothing is new.
    @discardableResult
    public func checkpoint(now: Milliseconds) throws -> AuditCheckpoint? {
        let newest = try pool.read { db in
            try db.fetchOne(sql: "SELECT id, hash FROM audit ORDER BY id DESC LIMIT 1").map { ($0[0] as Int64, Array($0[1] as Data)) }
        }
        return try last.withLock { last in
            guard let (row, hash) = newest, row > last.row else { return nil }
            let checkpoint = try AuditCheckpoint.signed(row: row, hash: hash, time: now, by: key)
            try file.append(checkpoint)
            last = (row, now)
            return checkpoint
        }
    }

    // MARK: Verifying

    /// The result of looking through the whole log.
    public struct Verification: Sendable, Hashable {
        /// The last of the rows that follow from each other.
        public var rows: Int64 = 0
        /// The number of the first ones that were forgotten when they were old enough; the hub signed where it cut.
        public var forgotten: Int64 = 0
        /// The newest valid checkpoint that the log agrees with.
        public var checkpoint: AuditCheckpoint?
        /// The first thing that is wrong; nil when nothing is.
        public var problem: String?

        /// Rows that no checkpoint covers yet: whoever may write the database could have changed these unseen.
        public var uncovered: Int64 { rows - min(rows, checkpoint?.row ?? 0) }
    }

    /// Goes through all rows and checkpoints.
    public func verify() throws -> Verification {
        let checkpoints = try file.read()
        if let bad = checkpoints.firstIndex(where: { $0?.isValid(key.publicKey) != true }) {
            return Verification(problem: "line \(bad + 1) of \(file.path) is no checkpoint that this hub's key signed")
        }
        let cuts = checkpoints.compactMap { $0 }.filter(\.isCut)
        // Two processes may have written.
        var waiting = checkpoints.compactMap { $0 }.filter { !$0.isCut }.sorted { $0.row < $1.row }[...]
        var found = try pool.read { db in
            var result = Verification()
            var previous = AuditRow.beginning
            let first = try db.fetchOne(Int64.self, sql: "SELECT min(id) FROM audit") ?? 1
            if let cut = cuts.first(where: { $0.row == first - 1 }), let hash = Hexadecimal.bytes(cut.hash) {
                (result.rows, result.forgotten, previous) = (cut.row, cut.row, hash)
                waiting = waiting.drop { $0.row <= cut.row }
            }
            let rows = try db.fetchCursor(sql: "SELECT id, time, actor, action, subject, previous, hash FROM audit ORDER BY id")
            while let stored = try rows.next() {
                let row = AuditRow(stored), expected = result.rows + 1
                guard row.number == expected else {
                    result.problem = "row \(expected) is missing: row \(row.number) follows row \(expected - 1)"
                    return result
                }
                guard row.previous == previous else {
                    result.problem = "row \(row.number) does not follow from row \(row.number - 1): one of them was changed or moved"
                    return result
                }
                guard row.isWhole else {
                    result.problem = "row \(row.number) was changed"
                    return result
                }
                while let next = waiting.first, next.row <= row.number {
                    guard next.row == row.number, next.hash == Hexadecimal.string(row.hash) else {
                        result.problem =
                            "row \(next.row) is not the one that the checkpoint at \(next.time) signed: the log was written anew"
                        return result
                    }
                    result.checkpoint = next
                    waiting.removeFirst()
                }
                (result.rows, previous) = (row.number, row.hash)
            }
            return result
        }
        if found.problem == nil, let missing = waiting.first {
            found.problem =
                "rows \(found.rows + 1) to \(missing.row) are missing at the end, which a checkpoint covers: the log was cut, or comes from a backup"
        }
        return found
    }
}

extension AuditRow {
    fileprivate init(_ row: Row) {
        self.init(
            number: row[0], time: row[1], actor: (row[2] as Data?).map { Array($0) }, action: row[3],
            subject: (row[4] as Data?).map { Array($0) }, previous: Array(row[5] as Data), hash: Array(row[6] as Data))
    }
}
