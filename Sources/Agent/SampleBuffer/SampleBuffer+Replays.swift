internal import Foundation
internal import GRDB
public import Vitals

/// A replay in this buffer.
public struct ReplayID: Sendable, Hashable {
    let key: Int64
}

/// One file of a replay.
public struct ReplayFile: Sendable, Hashable {
    /// SHA-256 of its content.
    public var digest: [UInt8]
    /// Its name, for people.
    public var name: String

    public init(digest: [UInt8], name: String) {
        self.digest = digest
        self.name = name
    }
}

/// The files of a replay, and its pace.
public struct ReplaySpecification: Sendable, Hashable {
    public var person: PersonID
    public var nmea: ReplayFile?
    public var ble: ReplayFile?
    /// Added to the times of the Bluetooth capture.
    public var offset: Milliseconds
    /// The attribute handle of the heart rate, when it was given.
    public var handle: UInt16?

    public init(person: PersonID, nmea: ReplayFile?, ble: ReplayFile?, offset: Milliseconds, handle: UInt16?) {
        self.person = person
        self.nmea = nmea
        self.ble = ble
        self.offset = offset
        self.handle = handle
    }
}

/// The part of a replay's files that was sealed.
public struct ReplayProgress: Sendable, Hashable {
    /// Events of the NMEA log, and the byte behind the last of them.
    public var nmeaEvents: Int64 = 0
    public var nmeaOffset: Int64 = 0
    /// Events of the Bluetooth capture, and the byte behind the last of them.
    public var bleEvents: Int64 = 0
    public var bleOffset: Int64 = 0
    /// The recorded time of the last event.
    public var position: Milliseconds?
    /// Set when everything was sealed: UTC of the box.
    public var finished: Milliseconds?

    public init() {}
}

/// The result of ``SampleBuffer/beginReplay(_:again:utc:)``.
public enum ReplayStart: Sendable, Hashable {
    case fresh(ReplayID)
    case resumed(ReplayID, ReplayProgress)
    /// These files were played to their end. `utc`: when, by the box's clock. `isWaiting`: there are segments that the hub has not.
    case alreadyFinished(ReplayID, utc: Milliseconds, name: String, isWaiting: Bool)
    /// One of the files was played before in another way: with another partner, offset or handle.
    case playedOtherwise(utc: Milliseconds, name: String)
}

extension SampleBuffer {
    /// Finds out whether a replay goes on, and makes it with a stream of its own where it is new.
    /// - Parameter again: begin anew whatever was played before.
    public func beginReplay(
        _ specification: ReplaySpecification, again: Bool, utc: Milliseconds
    ) throws(BufferError) -> ReplayStart {
        try write { database in
            if !again, let known = try database.earlierReplay(of: specification) { return known }
            try database.abandonReplays(of: specification)
            let stream = try database.makeStream(.replay)
            try database.execute(
                sql: """
                    INSERT INTO replay (person, stream, nmeaDigest, nmeaName, bleDigest, bleName, shift, handle, begun)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    specification.person.blob, stream, specification.nmea.map { Data($0.digest) }, specification.nmea?.name,
                    specification.ble.map { Data($0.digest) }, specification.ble?.name, specification.offset,
                    specification.handle, utc,
                ])
            return .fresh(ReplayID(key: database.lastInsertedRowID))
        }
    }
}

extension Database {
    fileprivate func earlierReplay(of specification: ReplaySpecification) throws -> ReplayStart? {
        let row = try Row.fetchOne(
            self,
            sql: """
                SELECT * FROM replay WHERE person = ? AND state <> \(ReplayState.abandoned)
                AND (nmeaDigest = ? OR bleDigest = ?) ORDER BY key DESC LIMIT 1
                """,
            arguments: [
                specification.person.blob, specification.nmea.map { Data($0.digest) },
                specification.ble.map { Data($0.digest) },
            ])
        guard let row else { return nil }
        let isSame =
            try row.bytes("nmeaDigest") == specification.nmea?.digest ?? [] && row.bytes("bleDigest") == specification.ble?.digest ?? []
            && row.decode(Int64.self, forColumn: "shift") == specification.offset
            && row.decode(UInt16?.self, forColumn: "handle") == specification.handle
        let names = try ["nmeaName", "bleName"].compactMap { try row.decode(String?.self, forColumn: $0) }.joined(separator: " and ")
        let id = ReplayID(key: try row.decode(forColumn: "key"))
        if let finished = try row.decode(Int64?.self, forColumn: "finished") {
            let isWaiting = try Bool.fetchOne(self, sql: "SELECT EXISTS (SELECT 1 FROM segment WHERE state = 0)") ?? false
            return .alreadyFinished(id, utc: finished, name: names, isWaiting: isWaiting)
        }
        guard isSame else { return .playedOtherwise(utc: try row.decode(forColumn: "begun"), name: names) }
        var progress = ReplayProgress()
        progress.nmeaEvents = try row.decode(forColumn: "nmeaEvents")
        progress.nmeaOffset = try row.decode(forColumn: "nmeaOffset")
        progress.bleEvents = try row.decode(forColumn: "bleEvents")
        progress.bleOffset = try row.decode(forColumn: "bleOffset")
        progress.position = try row.decode(forColumn: "position")
        return .resumed(id, progress)
    }

    fileprivate func abandonReplays(of specification: ReplaySpecification) throws {
        try execute(
            sql: "UPDATE replay SET state = ? WHERE person = ? AND state = ? AND (nmeaDigest = ? OR bleDigest = ?)",
            arguments: [
                ReplayState.abandoned, specification.person.blob, ReplayState.running,
                specification.nmea.map { Data($0.digest) }, specification.ble.map { Data($0.digest) },
            ])
    }

    func store(_ progress: ReplayProgress, of replay: ReplayID) throws {
        try execute(
            sql: """
                UPDATE replay SET nmeaEvents = ?, nmeaOffset = ?, bleEvents = ?, bleOffset = ?, position = ?, finished = ?, state = ?
                WHERE key = ?
                """,
            arguments: [
                progress.nmeaEvents, progress.nmeaOffset, progress.bleEvents, progress.bleOffset, progress.position,
                progress.finished, progress.finished == nil ? ReplayState.running : ReplayState.finished, replay.key,
            ])
    }
}
