import Foundation
import Seams
import Vitals

/// A store whose rows tell of people: what it keeps is sealed with their keys (design rule 12).
protocol SealingStore {
    var keys: KeyStore { get }
}

extension SealingStore {
    /// Of the machine that the hub was built on.
    var randomness: Randomness { keys.machine.randomness }

    /// A value sealed with the key of one person (or account).
    /// - Throws: ``HubStoreError/unknownPerson(_:)`` when the key was destroyed.
    func seal(
        _ value: some Encodable, of person: PersonID, _ table: Envelope.Place.Table, _ row: (UInt64, UInt64) = (0, 0)
    ) throws -> Data {
        guard let key = try keys.key(of: person) else { throw HubStoreError.unknownPerson(person.description) }
        let plain = Array(try JSONEncoder().encode(value))
        return Data(try Envelope.seal(plain, with: key, at: .init(person: person, table: table, row: row)))
    }

    /// nil when the key was destroyed.
    func open<Value: Decodable>(
        _ type: Value.Type, _ envelope: Data, of person: PersonID, _ table: Envelope.Place.Table, _ row: (UInt64, UInt64) = (0, 0)
    ) throws -> Value? {
        guard let key = try keys.key(of: person) else { return nil }
        let plain = try Envelope.open(envelope, with: key, at: .init(person: person, table: table, row: row))
        return try JSONDecoder().decode(type, from: Data(plain))
    }

    /// For lists and queues: what `read` makes of a row. One that does not open is told and counted, and the others do not fail by it.
    /// - Parameter putAside: what is done with a row that does not open, and what stands in for it; nil for nothing.
    func unlessDamaged<Value>(
        _ kind: UnreadableRow.Kind, _ row: some CustomStringConvertible, _ read: () throws -> Value?,
        damaged putAside: () throws -> Value? = { nil }
    ) throws -> Value? {
        do { return try read() } catch let error where HubStoreError.isDamage(error) {
            keys.unreadable.note(UnreadableRow(kind, row))
            return try putAside()
        }
    }
}
