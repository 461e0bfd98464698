import Database
import Foundation
public import Privacy
public import Vitals

/// A consent as the store keeps it.
///
/// It is sealed with the key of the asker's account: it is the asker's proof that somebody said yes, and reading it costs the same
/// whether or not there is a person behind it. What the person has of it is in the ledger, under the person's key.
public struct StoredConsent: Sendable, Hashable {
    public internal(set) var consent: Consent
    /// The text with which the asker named the person, for the asker's own lists; empty for a consent that was given unasked.
    public let label: String
    /// It has left for the asker, and whom it reaches is still to be found out.
    var unreached = false
    /// The deliveries of a "once", in order; UTC milliseconds.
    var delivered: [ClosedRange<Milliseconds>] = []
    /// Changes with each change of the consent.
    var version: Int64 = 0
}

private struct SealedConsent: Codable {
    var consent: Consent
    var label: String
    /// Pairs of first and last; older hubs wrote none.
    var delivered: [[Milliseconds]]?
}

extension ConsentStore {
    static let consentColumns = "consent, envelope, unreached, version, asker"

    func consent(_ id: ConsentID, _ db: Connection) throws -> StoredConsent? {
        let statement = try db.cachedStatement(sql: "SELECT \(Self.consentColumns) FROM consent WHERE consent = ?")
        return try statement.fetchOne(arguments: [Data(id.bytes)]).flatMap(storedConsent)
    }

    /// nil when the asker's key was destroyed with the asker's account.
    func storedConsent(_ row: Row) throws -> StoredConsent? {
        guard let id = ConsentID(bytes: row[0] as Data), let asker = Reader(key: row[4] as Data)?.account,
            let key = try keys.key(of: asker.person)
        else { return nil }
        let plain = try Envelope.open(row[1] as Data, with: key, at: Self.place(id, of: asker))
        let sealed = try JSONDecoder().decode(SealedConsent.self, from: Data(plain))
        let delivered = (sealed.delivered ?? []).compactMap { $0.count == 2 && $0[0] <= $0[1] ? $0[0]...$0[1] : nil }
        return StoredConsent(
            consent: sealed.consent, label: sealed.label, unreached: row[2], delivered: delivered, version: row[3])
    }

    /// For lists: nil also for one that does not open, which is told. It grants nothing, and the others do not fail by it.
    func listedConsent(_ row: Row) throws -> StoredConsent? { try listedConsent(row) { nil } }

    /// The same; `damaged` is done with one that does not open, and gives what stands in for it.
    func listedConsent(_ row: Row, damaged: () throws -> StoredConsent?) throws -> StoredConsent? {
        let id = ConsentID(bytes: row[0] as Data)?.description ?? "?"
        return try unlessDamaged(.consent, id, { try storedConsent(row) }, damaged: damaged)
    }

    /// The same for who asks about many, one by one. Only for reading transactions, as ``cachedConsent(_:_:)``.
    func listedConsent(_ id: ConsentID, _ db: Connection) throws -> Consent? {
        try unlessDamaged(.consent, id) { try cachedConsent(id, db) }
    }

    /// The same in a transaction that writes.
    func unlessDamaged(_ id: ConsentID, _ db: Connection) throws -> Consent? {
        try unlessDamaged(.consent, id) { try consent(id, db)?.consent }
    }

    func save(_ stored: StoredConsent, _ db: Connection) throws {
        let consent = stored.consent, asker = consent.request.scope.asker
        guard let key = try keys.key(of: asker.account.person) else {
            throw HubStoreError.unknownPerson(asker.account.description)
        }
        let delivered = stored.delivered.isEmpty ? nil : stored.delivered.map { [$0.lowerBound, $0.upperBound] }
        let plain = try JSONEncoder().encode(SealedConsent(consent: consent, label: stored.label, delivered: delivered))
        let envelope = try Envelope.seal(Array(plain), with: key, at: Self.place(consent.id, of: asker.account))
        try db.cachedStatement(
            sql: """
                INSERT INTO consent(consent, asker, whom, person, state, created, unreached, version, envelope)
                VALUES(?, ?, ?, ?, ?, ?, ?, 1, ?)
                ON CONFLICT(consent) DO UPDATE SET person = excluded.person, state = excluded.state, unreached = excluded.unreached,
                    version = consent.version + 1, envelope = excluded.envelope
                """
        ).execute(arguments: [
            Data(consent.id.bytes), asker.key, consent.request.whom.key, consent.person.map { Data($0.bytes) }, consent.state.number,
            consent.request.created, stored.unreached, Data(envelope),
        ])
    }

    private static func place(_ id: ConsentID, of asker: AccountID) -> Envelope.Place {
        .init(person: asker.person, table: .consent, row: (id.high, id.low))
    }
}

extension Reader {
    /// The account that reads.
    public var account: AccountID {
        switch self {
        case .organisation(let organisation): organisation.account
        case .organiser(let account), .caregiver(let account), .named(let account): account
        }
    }

    var isOrganiser: Bool {
        if case .organiser = self { true } else { false }
    }

    var isCaregiver: Bool {
        if case .caregiver = self { true } else { false }
    }

    private var number: UInt8 {
        switch self {
        case .organisation: 1
        case .organiser: 2
        case .caregiver: 3
        case .named: 4
        }
    }

    /// As the database has it: what it is, and the account.
    var key: Data { Data([number] + account.bytes) }

    init?(key: Data) {
        guard let account = AccountID(bytes: key.dropFirst()) else { return nil }
        switch key.first {
        case 1: self = .organisation(OrganisationID(account))
        case 2: self = .organiser(account)
        case 3: self = .caregiver(account)
        case 4: self = .named(account)
        default: return nil
        }
    }

    /// The place of what is kept about this reader with a person.
    var place: (UInt64, UInt64) { (account.high ^ UInt64(number) << 56, account.low) }
}

extension ConsentRequest.Addressee {
    var key: Data {
        switch self {
        case .person(let person): Data([0] + person.bytes)
        case .address(let hash): Data([1] + hash)
        }
    }
}

extension Consent.State {
    fileprivate var number: Int {
        switch self {
        case .awaitingOperator: 0
        case .pending: 1
        case .accepted: 2
        case .over: 3
        }
    }
}
