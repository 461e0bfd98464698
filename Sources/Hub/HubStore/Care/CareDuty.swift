import Database
import Foundation
public import Vitals

/// Where a crew on duty was last: one place, no series.
public struct CrewPosition: Sendable, Hashable, Codable {
    /// UTC milliseconds; the reader tells its age.
    public let time: Milliseconds
    /// WGS 84, degrees.
    public let latitude: Double, longitude: Double
    /// Metres; nil when unknown.
    public let accuracy: Double?

    public init(time: Milliseconds, latitude: Double, longitude: Double, accuracy: Double?) {
        (self.time, self.latitude, self.longitude, self.accuracy) = (time, latitude, longitude, accuracy)
    }
}

/// A crew that can be sent, for dispatch.
public struct OnDutyCrew: Sendable, Hashable {
    public let ambulance: Int64
    public let label: AmbulanceLabel
    public let hospital: AccountID
    /// People on duty.
    public let account: AccountID
    /// UTC milliseconds.
    public let since: Milliseconds
    /// nil while its device has told none in this duty.
    public let place: CrewPosition?

    public init(
        ambulance: Int64, label: AmbulanceLabel, hospital: AccountID, account: AccountID, since: Milliseconds, place: CrewPosition?
    ) {
        (self.ambulance, self.label, self.hospital, self.account) = (ambulance, label, hospital, account)
        (self.since, self.place) = (since, place)
    }

    /// Milliseconds since the crew was there; nil without a place.
    public func age(at now: Milliseconds) -> Milliseconds? { place.map { max(0, now - $0.time) } }
}

/// A crew member's own view.
public struct CrewMembership: Sendable, Hashable {
    public let ambulance: Int64
    public let label: AmbulanceLabel
    public let hospital: StoredAccount
    public let isHospitalAdmitted: Bool
    /// Whether a phone's program may send the place.
    public let hasTracker: Bool
    /// Of the ambulance, whoever is on duty.
    public let duty: StoredDuty?
}

extension CareStore {
    /// Every crew that is on duty for an admitted hospital, with its last known place. What dispatch reads.
    public func onDutyCrews() throws -> [OnDutyCrew] {
        try pool.read { db in
            let rows = try db.fetchAll(
                sql: """
                    SELECT ambulance.id, ambulance.label, owner.account, account.account, duty.since, duty.place FROM duty
                    JOIN ambulance ON ambulance.id = duty.ambulance AND removed IS NULL
                    JOIN hospital ON hospital.account = ambulance.hospital AND withdrawn IS NULL
                    JOIN account AS owner ON owner.id = hospital.account JOIN account ON account.id = duty.account ORDER BY ambulance.id
                    """)
            return try rows.compactMap { row in
                let ambulance: Int64 = row[0]
                guard let hospital = AccountID(bytes: row[2] as Data), let account = AccountID(bytes: row[3] as Data),
                    let label = try hospitals.label(row[1], of: hospital, ambulance)
                else { return nil }
                return OnDutyCrew(
                    ambulance: ambulance, label: label, hospital: hospital, account: account, since: row[4],
                    place: try place(row[5], of: account, ambulance))
            }
        }
    }

    /// The ambulance of a responder; nil for who has none.
    public func membership(of account: StoredAccount) throws -> CrewMembership? {
        try pool.read { db in
            let row = try db.fetchOne(
                sql: """
                    SELECT ambulance.id, ambulance.label, ambulance.hospital, hospital.withdrawn IS NULL, crew.tracker IS NOT NULL FROM crew
                    JOIN ambulance ON ambulance.id = crew.ambulance AND removed IS NULL
                    JOIN hospital ON hospital.account = ambulance.hospital WHERE crew.account = ?
                    """, arguments: [account.row])
            guard let row, let hospital = try accounts.stored(row: row[2], db) else { return nil }
            let ambulance: Int64 = row[0]
            guard let label = try hospitals.label(row[1], of: hospital.id, ambulance) else { return nil }
            return CrewMembership(
                ambulance: ambulance, label: label, hospital: hospital, isHospitalAdmitted: row[3], hasTracker: row[4],
                duty: try duty(of: ambulance, db))
        }
    }

    /// A crew goes on duty, in the place of another one of the same ambulance. False when its hospital is not admitted, or it has no ambulance.
    public func beginDuty(_ account: StoredAccount, now: Milliseconds) throws -> Bool {
        try pool.write { db in
            // Already on duty: that, its beginning and its place stay.
            try db.execute(
                sql: """
                    INSERT INTO duty(ambulance, account, since) SELECT ambulance.id, crew.account, ?2 FROM crew
                    JOIN ambulance ON ambulance.id = crew.ambulance AND removed IS NULL
                    JOIN hospital ON hospital.account = ambulance.hospital AND withdrawn IS NULL WHERE crew.account = ?1
                    ON CONFLICT(ambulance) DO UPDATE SET account = excluded.account, since = excluded.since, place = NULL
                        WHERE duty.account <> excluded.account
                    """, arguments: [account.row, now])
            return try db.fetchOne(Bool.self, sql: "SELECT 1 FROM duty WHERE account = ?", arguments: [account.row]) != nil
        }
    }

    /// A crew goes off duty; its place is forgotten.
    public func endDuty(_ account: StoredAccount) throws {
        try pool.write { try $0.execute(sql: "DELETE FROM duty WHERE account = ?", arguments: [account.row]) }
    }

    /// Lets a phone's program send the place of a crew; the secret before is void. False when the account has no ambulance.
    /// - Parameter hash: of its secret; nil lets none.
    public func setTracker(_ hash: [UInt8]?, of account: StoredAccount) throws -> Bool {
        try pool.write { db in
            try db.execute(sql: "UPDATE crew SET tracker = ? WHERE account = ?", arguments: [hash.map { Data($0) }, account.row])
            return db.changesCount == 1
        }
    }

    /// The crew member whose phone's secret this is.
    public func crew(tracker hash: [UInt8]) throws -> StoredAccount? {
        try pool.read { db in
            try db.fetchOne(
                sql: "SELECT account.* FROM crew JOIN account ON account.id = crew.account WHERE tracker = ?", arguments: [Data(hash)]
            ).flatMap(accounts.stored)
        }
    }

    /// Keeps where a crew is, in the place of what was known before; an older place does not take the place of a newer one. False when it is
    /// not on duty: then nothing is kept.
    public func setPlace(_ place: CrewPosition, of account: StoredAccount) throws -> Bool {
        try pool.write { db in
            let row = try db.fetchOne(sql: "SELECT ambulance, place FROM duty WHERE account = ?", arguments: [account.row])
            guard let row else { return false }
            let ambulance: Int64 = row[0]
            if let known = try self.place(row[1], of: account.id, ambulance), known.time >= place.time { return true }
            let sealed = try seal(place, of: account.id.person, .dutyPlace, (UInt64(ambulance), 0))
            try db.execute(sql: "UPDATE duty SET place = ? WHERE account = ?", arguments: [sealed, account.row])
            return true
        }
    }

    /// Which of these accounts are on duty, with an ambulance of a hospital that is admitted. Nothing is unsealed for it.
    public func onDuty(_ accounts: [AccountID]) throws -> Set<AccountID> {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT 1 FROM account JOIN crew ON crew.account = account.id JOIN duty ON duty.account = account.id AND duty.ambulance = crew.ambulance
                    JOIN ambulance ON ambulance.id = crew.ambulance AND removed IS NULL
                    JOIN hospital ON hospital.account = ambulance.hospital AND withdrawn IS NULL WHERE account.account = ?
                    """)
            return try Set(accounts.filter { try statement.fetchOne(Bool.self, arguments: [Data($0.bytes)]) != nil })
        }
    }

    /// Where a crew that is on duty is; nil for one that is not.
    public func ownDuty(of account: StoredAccount) throws -> StoredDuty? {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT ambulance, since, place FROM duty JOIN ambulance ON id = ambulance AND removed IS NULL WHERE account = ?")
            return try statement.fetchOne(arguments: [account.row]).map { row in
                StoredDuty(account: account.id, since: row[1], place: try place(row[2], of: account.id, row[0]))
            }
        }
    }

    func duty(of ambulance: Int64, _ db: Connection) throws -> StoredDuty? {
        let row = try db.fetchOne(
            sql: "SELECT account.account, since, place FROM duty JOIN account ON account.id = duty.account WHERE ambulance = ?",
            arguments: [ambulance])
        guard let row, let account = AccountID(bytes: row[0] as Data) else { return nil }
        return StoredDuty(account: account, since: row[1], place: try place(row[2], of: account, ambulance))
    }

    private func place(_ sealed: Data?, of account: AccountID, _ ambulance: Int64) throws -> CrewPosition? {
        guard let sealed else { return nil }
        // A crew whose place nobody can read is on duty all the same; its device tells the next one.
        return try unlessDamaged(.crewPlace, ambulance) {
            try open(CrewPosition.self, sealed, of: account.person, .dutyPlace, (UInt64(ambulance), 0))
        }
    }
}
