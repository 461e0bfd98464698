internal import Foundation
internal import GRDB

/// A damaged file is replaced in steps of which each leaves the unsent segments in one place or another, whenever the power fails: what can
/// be read goes to `.new`, the damaged file is renamed to `.damaged-N`, and `.new` takes its name.
extension SampleBuffer {
    private static let copiesMax = 3
    private static let companions = ["-wal", "-shm"]

    /// Begins a new file with what can be read of the damaged one: settings, streams, replays and unsent segments.
    ///
    /// What goes on from here goes to new streams, because nobody knows which sequences of the old ones were used; and a gap record tells
    /// readers that something may be missing. When it throws, the damaged file is where it was, or ``finishSalvage(_:)`` goes on.
    static func salvage(_ path: String, because detail: String) throws -> Opened {
        let count = try fill(from: path, path)
        let aside = try setAside(path)
        try rename(path + ".new", path)
        let notice =
            "The buffer \(path) was damaged (\(detail)). It was set aside as \(aside); \(count) unsent segments were carried over to a new "
            + "one. If this happens again, replace the memory card or disk"
        return Opened(queue: try openQueue(path), notices: [notice])
    }

    /// Goes on where an interrupted salvage ended; nil when there was none.
    static func finishSalvage(_ path: String) throws -> Opened? {
        let new = path + ".new"
        guard !exists(path) else {
            remove(new)
            return nil
        }
        let aside = newestAside(path)
        // Of the damaged file: with a new one beside it SQLite would play it into that.
        for suffix in companions where exists(path + suffix) {
            if let aside, !exists(aside + suffix) { try rename(path + suffix, aside + suffix) } else { remove(path + suffix) }
        }
        var count: Int?
        if try !isComplete(new) {
            guard let aside else { return nil }
            count = try fill(from: aside, path)
        }
        try rename(new, path)
        let carried = count.map { "; \($0) unsent segments were carried over from \(aside ?? "")" } ?? ""
        return Opened(
            queue: try openQueue(path),
            notices: ["The buffer \(path) had been damaged, and replacing it was interrupted. It is finished now\(carried)"])
    }

    /// Makes `.new` with what can be read of `damaged`; answers how many segments that were.
    private static func fill(from damaged: String, _ path: String) throws -> Int {
        let new = path + ".new"
        remove(new)
        // First, because it shows at once whether the disk takes anything.
        let queue = try openQueue(new)
        do {
            let saved = Salvaged(reading: damaged)
            let count = try queue.write { try $0.restore(saved) }
            try finish(queue)
            return count
        } catch {
            try? queue.close()
            remove(new)
            throw error
        }
    }

    /// Brings everything into the one file, so that it can be renamed.
    private static func finish(_ queue: DatabaseQueue) throws {
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try queue.close()
    }

    private static func isComplete(_ new: String) throws -> Bool {
        guard exists(new) else { return false }
        do {
            let queue = try openQueue(new)
            // It is set together with everything that was carried over.
            let isFilled = try queue.read { database in
                try Schema.check(database)
                return try database.setting(.pendingGap) != nil
            }
            try finish(queue)
            return isFilled
        } catch {
            if case .none = Damage(error) { throw error }
            return false
        }
    }

    private static func newestAside(_ path: String) -> String? {
        (1...copiesMax).reversed().map { "\(path).damaged-\($0)" }.first(where: exists)
    }

    private static func setAside(_ path: String) throws -> String {
        let stem = path + ".damaged-"
        var number = 1
        while number <= copiesMax, exists(stem + String(number)) { number += 1 }
        if number > copiesMax {
            remove(stem + "1")
            for old in 2...copiesMax {
                for suffix in [""] + companions where exists(stem + String(old) + suffix) {
                    try rename(stem + String(old) + suffix, stem + String(old - 1) + suffix)
                }
            }
            number = copiesMax
        }
        let aside = stem + String(number)
        for suffix in [""] + companions where exists(path + suffix) { try rename(path + suffix, aside + suffix) }
        return aside
    }

    /// Removes the damaged files that were set aside; answers whether there were any.
    static func removeAside(_ path: String) -> Bool {
        let copies = (1...copiesMax).map { "\(path).damaged-\($0)" }.filter(exists)
        copies.forEach(remove)
        return !copies.isEmpty
    }

    private static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private static func remove(_ path: String) {
        for suffix in [""] + companions { unlink(path + suffix) }
    }

    /// On the disk when it returns.
    private static func rename(_ old: String, _ new: String) throws {
        guard Foundation.rename(old, new) == 0 else {
            throw BufferError.notWritable(path: old, detail: String(cString: strerror(errno)))
        }
        let directory = open((new as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }
}
