import Database
public import Distress
import Foundation
public import Vitals

/// Somebody who was told of a person's emergency: who it is, how they are and where.
public struct ToldOfEmergency: Sendable, Hashable {
    public let incident: IncidentID
    public let person: PersonID
    /// Tells this recipient from all others of the case.
    public let recipient: String
    /// As people call them; empty for an account, which has a name of its own.
    public let name: String
    public let account: AccountID?
    /// When the case began, and when they were told; UTC milliseconds.
    public let opened: Milliseconds
    public let at: Milliseconds

    public init(
        _ incident: IncidentID, of person: PersonID, recipient: String, name: String = "", account: AccountID? = nil, opened: Milliseconds,
        at: Milliseconds
    ) {
        (self.incident, self.person, self.recipient, self.name) = (incident, person, recipient, name)
        (self.account, self.opened, self.at) = (account, opened, at)
    }

    /// As the ledger has it: once for each case and recipient.
    var ground: Data { Data([6] + incident.bytes) + Secret.hash(recipient).prefix(8) }
}

extension LedgerStore {
    /// Writes down who was told of emergencies (DATA-12): each once, however often this is called. It never comes before anybody is told.
    public func recordTold(_ told: [ToldOfEmergency]) throws {
        try pool.write { db in
            for one in told {
                let name = try one.account.map { try accounts.listedName(of: $0, db) } ?? one.name
                let line = LedgerEntry(
                    what: .told(one.incident), at: one.at, consent: nil, reader: nil, name: name, service: nil,
                    kinds: [.heartRate, .position], purpose: "")
                try insert(line, of: one.person, ground: one.ground, hour: one.opened, db)
            }
        }
    }
}
