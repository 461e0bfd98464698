import Crypto
import Foundation
import Vitals

/// The sealed form of a person's data on the disk (design rule 12): AES-256-GCM with a random 96-bit nonce. The place where it
/// belongs is authenticated with it, so that nothing can be moved to another person, table or row.
enum Envelope {
    /// Bytes that sealing adds: key number, nonce, tag.
    static let overhead = 4 + 12 + 16

    /// The place of an envelope: person, table, and what identifies the row.
    struct Place {
        var person: PersonID
        var table: Table
        var row: (UInt64, UInt64)

        enum Table: UInt8 {
            case name = 1
            case segment = 2
            case block = 3
            case account = 4
            case mail = 5
            case consent = 10
            case standing = 11
            case policy = 12
            case approval = 13
            case service = 14
            case ledger = 15
            case device = 20
            case boxSettings = 24
            case webhook = 21
            case delivery = 22
            case oneTimeSecret = 16
            case passkeyName = 17
            case notice = 46
            case pushDevice = 47
            case serviceResult = 40
            case offer = 41
            case serviceWaiting = 42
            case invitation = 43
            case ambulance = 44
            case dutyPlace = 45
            case answer = 50
            case sosChoice = 60
            case sosCase = 61
            case sosWatch = 62
            case sosChange = 63
            case sosDrill = 64
            case run = 70
            case runCourse = 71
            case runDocument = 72
            case enrolment = 73
            case runInvitation = 74
            case runMessage = 75
            case runTelling = 76
            case runResult = 77
            case nearby = 78
            case workout = 79
            case workoutRecord = 80
            case workoutScan = 81
            case dayRecord = 82
            case ecgHead = 96
            case ecg = 97
            case rollup = 98
            case blockSequences = 100
            case arrivalPlace = 101
            case fileImport = 99
            case groupChoice = 110
            case names = 25
            case addressChange = 26
            case userInvitation = 27
            case supportQuestion = 28
            case payment = 29
            case groupWindow = 111
            case groupYear = 112
            case groupRequest = 120
            case groupDelivery = 121
            case groupApproval = 122
            case logInHelp = 130
            case failedMail = 131
            case runCheck = 132
        }

        var bytes: [UInt8] {
            var bytes = person.bytes
            bytes.append(table.rawValue)
            bytes.appendLittleEndian(row.0)
            bytes.appendLittleEndian(row.1)
            return bytes
        }
    }

    static func seal(_ plain: UnsafeRawBufferPointer, with key: PersonKey, at place: Place, into out: inout [UInt8]) throws {
        let box = try AES.GCM.seal(plain, using: key.key, authenticating: place.bytes)
        out.appendLittleEndian(key.number)
        box.nonce.withUnsafeBytes { out.append(contentsOf: $0) }
        out.append(contentsOf: box.ciphertext)
        out.append(contentsOf: box.tag)
    }

    static func seal(_ plain: [UInt8], with key: PersonKey, at place: Place) throws -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(plain.count + overhead)
        try plain.withUnsafeBytes { try seal($0, with: key, at: place, into: &out) }
        return out
    }

    static func open(_ envelope: some Collection<UInt8>, with key: PersonKey, at place: Place) throws -> [UInt8] {
        let bytes = Array(envelope)
        guard bytes.count >= overhead else { throw HubStoreError.wrongKey(what: "An envelope of \(bytes.count) bytes") }
        let end = bytes.count - 16
        do {
            let box = try AES.GCM.SealedBox(
                nonce: AES.GCM.Nonce(data: bytes[4..<16]), ciphertext: bytes[16..<end], tag: bytes[end...])
            return Array(try AES.GCM.open(box, using: key.key, authenticating: place.bytes))
        } catch {
            throw HubStoreError.wrongKey(what: "Data in table \(place.table)")
        }
    }
}

/// The key under which one person's data is sealed.
struct PersonKey: Sendable {
    /// Which of the person's keys, from 1.
    let number: UInt32
    let key: SymmetricKey
}

extension [UInt8] {
    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}

extension UnsafeRawBufferPointer {
    /// Reads an integer and moves `offset` behind it; nil at the end.
    func readLittleEndian<Value: FixedWidthInteger>(_ type: Value.Type = Value.self, at offset: inout Int) -> Value? {
        guard offset + MemoryLayout<Value>.size <= count else { return nil }
        defer { offset += MemoryLayout<Value>.size }
        return Value(littleEndian: loadUnaligned(fromByteOffset: offset, as: Value.self))
    }
}
