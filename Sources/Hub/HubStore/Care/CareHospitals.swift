import Accounts
import Database
import Foundation
public import Vitals

/// An organisation that takes alarms (ACC-16), after an operator looked at it.
public struct StoredHospital: Sendable, Hashable {
    public let account: StoredAccount
    /// When an operator admitted it; nil for an organisation that is none.
    public let admitted: Milliseconds?
    public let withdrawn: Milliseconds?

    public var isAdmitted: Bool { admitted != nil && withdrawn == nil }
}

/// An ambulance as its hospital sees it.
public struct StoredAmbulance: Sendable, Hashable {
    public let row: Int64
    public let label: AmbulanceLabel
    public let created: Milliseconds
    /// Members who may go on duty with it.
    public let crews: [StoredAccount]
    /// nil when nobody is on duty.
    public let duty: StoredDuty?
}

/// A crew's duty.
public struct StoredDuty: Sendable, Hashable {
    public let account: AccountID
    /// UTC milliseconds.
    public let since: Milliseconds
    /// The last known one of this duty.
    public let place: CrewPosition?
}

extension HospitalStore {
    /// Ambulances of a hospital, at most.
    public static let ambulancesMax = 1000

    // MARK: The operator

    /// Every organisation that works, with what an operator decided about it, the newest first.
    public func hospitals() throws -> [StoredHospital] {
        try pool.read { db in
            try db.fetchAll(
                sql: """
                    SELECT account.*, hospital.admitted, hospital.withdrawn FROM account LEFT JOIN hospital ON hospital.account = account.id
                    WHERE roles & ? <> 0 AND confirmed IS NOT NULL ORDER BY account.id DESC LIMIT 1000
                    """, arguments: [Set([.organisation]).bits]
            ).compactMap { row in
                try accounts.listed(row).map { StoredHospital(account: $0, admitted: row["admitted"], withdrawn: row["withdrawn"]) }
            }
        }
    }

    /// Whether an operator admitted this organisation as a hospital, and did not take that back.
    public func isHospital(_ account: StoredAccount) throws -> Bool {
        try pool.read { db in
            try db.fetchOne(
                Bool.self, sql: "SELECT 1 FROM hospital WHERE account = ? AND withdrawn IS NULL", arguments: [account.row]) != nil
        }
    }

    /// Admits a hospital; false when it is one already. The caller has checked that an operator does this, about an organisation.
    public func admitHospital(_ account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: """
                    INSERT INTO hospital(account, admitted) VALUES(?, ?)
                    ON CONFLICT(account) DO UPDATE SET admitted = excluded.admitted, withdrawn = NULL WHERE hospital.withdrawn IS NOT NULL
                    """, arguments: [account.row, now])
            return db.changesCount == 1
        }
    }

    /// Takes the admission back: its crews are off duty with this commit. False when it is no hospital.
    public func withdrawHospital(_ account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE hospital SET withdrawn = ? WHERE account = ? AND withdrawn IS NULL", arguments: [now, account.row])
            guard db.changesCount == 1 else { return false }
            try db.execute(
                sql: "DELETE FROM duty WHERE ambulance IN (SELECT id FROM ambulance WHERE hospital = ?)", arguments: [account.row])
            return true
        }
    }

    // MARK: The hospital

    /// Adds an ambulance; nil when the account is no hospital, or has ``ambulancesMax``.
    public func addAmbulance(_ label: AmbulanceLabel, of hospital: StoredAccount, now: Milliseconds) throws -> Int64? {
        try pool.write { db in
            let count = try db.fetchOne(
                Int.self,
                sql: """
                    SELECT (SELECT count(*) FROM ambulance WHERE hospital = ?1 AND removed IS NULL) FROM hospital
                    WHERE account = ?1 AND withdrawn IS NULL
                    """, arguments: [hospital.row])
            guard let count, count < Self.ambulancesMax else { return nil }
            let row = try db.insert(
                sql: "INSERT INTO ambulance(hospital, label, created) VALUES(?, ?, ?) RETURNING id", arguments: [hospital.row, Data(), now])
            let sealed = try seal(label, of: hospital.id.person, .ambulance, (UInt64(row), 0))
            try db.execute(sql: "UPDATE ambulance SET label = ? WHERE id = ?", arguments: [sealed, row])
            return row
        }
    }

    /// A hospital's ambulances, the oldest first, with their crews and who is on duty.
    public func ambulances(of hospital: StoredAccount) throws -> [StoredAmbulance] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: "SELECT id, label, created FROM ambulance WHERE hospital = ? AND removed IS NULL ORDER BY id",
                arguments: [hospital.row])
            return try rows.compactMap { row in
                let id: Int64 = row[0]
                guard let label = try label(row[1], of: hospital.id, id) else { return nil }
                let crews = try db.fetchAll(
                    sql: "SELECT account.* FROM crew JOIN account ON account.id = crew.account WHERE ambulance = ? ORDER BY account.id",
                    arguments: [id]
                ).compactMap(accounts.listed)
                return StoredAmbulance(row: id, label: label, created: row[2], crews: crews, duty: try care.duty(of: id, db))
            }
        }
    }

    /// nil where the hospital's account was deleted. One that does not open is called by its number, and told: its crew can be sent all the same.
    func label(_ sealed: Data, of hospital: AccountID, _ ambulance: Int64) throws -> AmbulanceLabel? {
        try unlessDamaged(.ambulance, ambulance) {
            try open(AmbulanceLabel.self, sealed, of: hospital.person, .ambulance, (UInt64(ambulance), 0))
        } damaged: {
            AmbulanceLabel(name: "#\(ambulance)", plate: "?")
        }
    }

    /// Takes an ambulance out: its crews are off duty and belong nowhere. False for another hospital's.
    public func removeAmbulance(_ ambulance: Int64, of hospital: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE ambulance SET removed = ? WHERE id = ? AND hospital = ? AND removed IS NULL",
                arguments: [now, ambulance, hospital.row])
            guard db.changesCount == 1 else { return false }
            for table in ["duty", "crew", "crew_code"] {
                try db.execute(sql: "DELETE FROM \(table) WHERE ambulance = ?", arguments: [ambulance])
            }
            return true
        }
    }

    /// Takes somebody off a hospital's ambulance; false when they are not on one of its.
    public func removeCrew(_ account: AccountID, of hospital: StoredAccount) throws -> Bool {
        try pool.write { db in
            let row = try db.fetchOne(
                Int64.self,
                sql: """
                    SELECT crew.account FROM crew JOIN account ON account.id = crew.account JOIN ambulance ON ambulance.id = crew.ambulance
                    WHERE account.account = ? AND ambulance.hospital = ?
                    """, arguments: [Data(account.bytes), hospital.row])
            guard let row else { return false }
            try db.execute(sql: "DELETE FROM duty WHERE account = ?", arguments: [row])
            try db.execute(sql: "DELETE FROM crew WHERE account = ?", arguments: [row])
            return true
        }
    }

    /// Keeps a code that binds whoever brings it to an ambulance; false for another hospital's, and for one that is no hospital any more.
    public func addCrewCode(
        _ hash: [UInt8], ambulance: Int64, of hospital: StoredAccount, expires: Milliseconds, now: Milliseconds
    ) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "DELETE FROM crew_code WHERE expires <= ?", arguments: [now])
            try db.execute(
                sql: """
                    INSERT INTO crew_code(hash, ambulance, expires) SELECT ?, ambulance.id, ? FROM ambulance
                    JOIN hospital ON hospital.account = ambulance.hospital
                    WHERE ambulance.id = ? AND hospital.account = ? AND removed IS NULL AND withdrawn IS NULL
                    """, arguments: [Data(hash), expires, ambulance, hospital.row])
            return db.changesCount == 1
        }
    }

    public func isCrewCode(_ hash: [UInt8], now: Milliseconds) throws -> Bool {
        try pool.read {
            try $0.fetchOne(Bool.self, sql: "SELECT 1 FROM crew_code WHERE hash = ? AND expires > ?", arguments: [Data(hash), now]) != nil
        }
    }

    /// Uses a code up: the account is a responder with that ambulance, and with no other. False when the code does not work (any more).
    public func joinCrew(_ hash: [UInt8], _ account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            let ambulance = try db.fetchOne(
                Int64.self, sql: "DELETE FROM crew_code WHERE hash = ? AND expires > ? RETURNING ambulance", arguments: [Data(hash), now])
            guard let ambulance else { return false }
            try db.execute(sql: "DELETE FROM duty WHERE account = ?", arguments: [account.row])
            try db.execute(
                sql: """
                    INSERT INTO crew(account, ambulance) VALUES(?, ?)
                    ON CONFLICT(account) DO UPDATE SET ambulance = excluded.ambulance, tracker = NULL
                    """, arguments: [account.row, ambulance])
            let roles = account.roles.union([.responder])
            try db.execute(sql: "UPDATE account SET roles = ? WHERE id = ?", arguments: [roles.bits, account.row])
            // A session without a factor is no responder's session (ACC-9): the next page asks for one.
            guard !account.roles.contains(.responder) else { return true }
            try db.execute(
                sql: """
                    UPDATE session SET strength = ?1 WHERE account = ?2
                        AND NOT EXISTS (SELECT 1 FROM passkey WHERE account = ?2)
                        AND NOT EXISTS (SELECT 1 FROM one_time WHERE account = ?2 AND confirmed IS NOT NULL)
                    """,
                arguments: [StoredSession.Strength.begun.rawValue, account.row])
            return true
        }
    }
}
