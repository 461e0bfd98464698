internal import Foundation
internal import GRDB
internal import Seams

/// A damaged file is replaced in steps of which each leaves the unsent segments in one place or another, whenever the power fails: what can
/// be read in a second goes to `.new`, the damaged file is renamed to `.rest-N`, and `.new` takes its name. When nothing more can be read of
/// it, at once or after some turns of ``carryOn(for:at:)``, it becomes `.damaged-N`, a copy that is kept as space allows.
extension SampleBuffer {
    private static let copiesMax = 3
    private static let companions = ["-wal", "-shm"]

    /// Begins a new file with what can be read of the damaged one: settings, streams, replays and unsent segments.
    ///
    /// What goes on from here goes to new streams, because nobody knows which sequences of the old ones were used; and a gap record tells
    /// readers that something may be missing. When it throws, the damaged file is where it was, or ``finishSalvage(_:for:)`` goes on.
    static func salvage(_ path: String, because detail: String, for time: Duration, on machine: Machine) throws -> OpenedBuffer {
        let files = machine.files, rest = Rest(number: (try rests(of: path, files).last ?? 0) + 1, path: path)
        let filled = try fill(from: path, as: rest, path, for: time, on: machine)
        try move(path, to: rest.path, files)
        try rename(path + ".new", path, files)
        let notice =
            "The buffer \(path) was damaged (\(detail)). It was set aside as \(keep(rest, filled, files)); \(filled.told). If this happens again, "
            + "replace the memory card or disk"
        return OpenedBuffer(queue: try openQueue(path, on: machine), notices: [notice])
    }

    /// Goes on where an interrupted salvage ended; nil when there was none.
    static func finishSalvage(_ path: String, for time: Duration, on machine: Machine) throws -> OpenedBuffer? {
        let new = path + ".new", files = machine.files
        guard !files.exists(path) else {
            remove(new, files)
            return nil
        }
        let rest = Rest(number: try rests(of: path, files).last ?? 1, path: path)
        // Older versions called it otherwise from the start.
        let aside = files.exists(rest.path) ? rest.path : newestAside(path, files)
        // Of the damaged file: with a new one beside it SQLite would play it into that.
        for suffix in companions where files.exists(path + suffix) {
            if let aside, !files.exists(aside + suffix) {
                try rename(path + suffix, aside + suffix, files)
            } else {
                remove(path + suffix, files)
            }
        }
        var carried = ""
        if try !isComplete(new, on: machine) {
            guard let aside else { return nil }
            if aside != rest.path { try move(aside, to: rest.path, files) }
            let filled = try fill(from: rest.path, as: rest, path, for: time, on: machine)
            try rename(new, path, files)
            carried = ": from \(keep(rest, filled, files)) \(filled.told)"
        } else {
            try rename(new, path, files)
        }
        return OpenedBuffer(
            queue: try openQueue(path, on: machine),
            notices: ["The buffer \(path) had been damaged, and replacing it was interrupted. It is finished now\(carried)"])
    }

    private struct Filled {
        var count: Int
        var isWhole: Bool

        var told: String {
            "\(count) unsent segments were carried over to a new one"
                + (isWhole ? "" : ", and those follow while the agent runs that there was no time to read")
        }
    }

    /// Makes `.new` with what can be read of `damaged` in so long.
    private static func fill(
        from damaged: String, as rest: Rest, _ path: String, for time: Duration, on machine: Machine
    ) throws -> Filled {
        let new = path + ".new", files = machine.files
        remove(new, files)
        // First, because it shows at once whether the disk takes anything.
        let queue = try openQueue(new, on: machine)
        do {
            let saved = Salvaged(reading: damaged, for: time, on: machine)
            let count = try queue.write { database in
                let count = try database.restore(saved)
                try database.set(saved.progress, of: rest.number)
                return count
            }
            try finish(queue)
            return Filled(count: count, isWhole: saved.progress == .done)
        } catch {
            try? queue.close()
            remove(new, files)
            throw error
        }
    }

    /// Makes a file of which nothing more can be read one of the copies, or leaves that to ``carryOn(for:at:)``; answers what it is called.
    private static func keep(_ rest: Rest, _ filled: Filled, _ files: any FileSystem) -> String {
        guard filled.isWhole, let copy = try? setAside(rest.path, of: rest.buffer, files) else { return rest.path }
        return copy
    }

    /// Brings everything into the one file, so that it can be renamed.
    private static func finish(_ queue: DatabaseQueue) throws {
        _ = try queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try queue.close()
    }

    private static func isComplete(_ new: String, on machine: Machine) throws -> Bool {
        guard machine.files.exists(new) else { return false }
        do {
            let queue = try openQueue(new, on: machine)
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

    private static func newestAside(_ path: String, _ files: any FileSystem) -> String? {
        (1...copiesMax).reversed().map { "\(path).damaged-\($0)" }.first { files.exists($0) }
    }

    /// Makes a damaged file the newest of the copies; answers what it is called.
    static func setAside(_ file: String, of path: String, _ files: any FileSystem) throws -> String {
        let stem = path + ".damaged-"
        var number = 1
        while number <= copiesMax, files.exists(stem + String(number)) { number += 1 }
        if number > copiesMax {
            remove(stem + "1", files)
            for old in 2...copiesMax { try move(stem + String(old), to: stem + String(old - 1), files) }
            number = copiesMax
        }
        try move(file, to: stem + String(number), files)
        return stem + String(number)
    }

    /// With its log. One that lies beside the new name belongs to no file any more.
    private static func move(_ old: String, to new: String, _ files: any FileSystem) throws {
        for suffix in companions { try? files.remove(new + suffix) }
        for suffix in [""] + companions where files.exists(old + suffix) { try rename(old + suffix, new + suffix, files) }
    }

    /// Removes the damaged files that were set aside; answers whether there were any.
    static func removeAside(_ path: String, _ files: any FileSystem) -> Bool {
        let copies = (1...copiesMax).map { "\(path).damaged-\($0)" }.filter { files.exists($0) }
        for copy in copies { remove(copy, files) }
        return !copies.isEmpty
    }

    private static func remove(_ path: String, _ files: any FileSystem) {
        for suffix in [""] + companions { try? files.remove(path + suffix) }
    }

    /// On the disk when it returns.
    private static func rename(_ old: String, _ new: String, _ files: any FileSystem) throws {
        do throws(FileProblem) { try files.move(old, to: new) } catch {
            throw BufferError.notWritable(path: old, detail: error.reason)
        }
    }
}
