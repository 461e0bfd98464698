internal import Foundation
internal import GRDB
internal import Seams
public import Vitals

/// So many segments go in one transaction: the log does not grow beyond what it is made for.
private let erasedAtOnce = 1024

extension SampleBuffer {
    /// Removes all that is stored of some people, sent or not: rows are overwritten with zeros, the log is emptied, and copies of damaged files
    /// go, because nobody knows what is in them. Their sequences are not declared as lost: the hub takes nothing of these people.
    ///
    /// A memory card may keep old blocks behind the file's back: what is encrypted with a destroyed key alone is gone from there, too.
    public func erase(_ people: Set<PersonID>) throws(BufferError) {
        guard !people.isEmpty else { return }
        for person in people {
            var after: Int64 = 0
            while let last = try eraseSegments(of: person, after: after) { after = last }
            try write { try $0.execute(sql: "DELETE FROM replay WHERE person = ?", arguments: [person.blob]) }
        }
        if Self.removeAside(path, machine.files) {
            notify("Copies of damaged files beside \(path) were removed: they held people who left")
        }
        try emptyLog()
    }

    /// - Returns: the key of the last one; nil when there are none behind `after`.
    private func eraseSegments(of person: PersonID, after: Int64) throws(BufferError) -> Int64? {
        try write { database in
            try database.execute(sql: "PRAGMA secure_delete = ON")
            let keys = try Int64.fetchAll(
                database, sql: "SELECT key FROM segment WHERE key > ? AND person = ? ORDER BY key LIMIT \(erasedAtOnce)",
                arguments: [after, person.blob])
            for key in keys { try database.execute(sql: "DELETE FROM segment WHERE key = ?", arguments: [key]) }
            return keys.last
        }
    }
}
