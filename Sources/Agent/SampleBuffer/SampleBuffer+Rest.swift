internal import Foundation
internal import GRDB
internal import Seams
internal import Synchronization

/// A damaged file that was replaced before it was read to its end.
struct Rest {
    var number: Int
    /// Of the buffer that took its place.
    var buffer: String

    var path: String { "\(buffer).rest-\(number)" }

    init(number: Int, path buffer: String) { (self.number, self.buffer) = (number, buffer) }
}

extension SampleBuffer {
    /// One turn of ``carryOn(for:at:)``: short, because samples wait meanwhile.
    public static let turn = Duration.milliseconds(100)
    static let turnSegmentsMax = 512

    /// The numbers of damaged files that were not read to their ends, the oldest first.
    static func rests(of path: String, _ files: any FileSystem) throws -> [Int] {
        let stem = (path as NSString).lastPathComponent + ".rest-", names: [String]
        do { names = try files.names(in: (path as NSString).deletingLastPathComponent) } catch {
            // Not "none": one would be overwritten.
            throw DatabaseError(resultCode: .SQLITE_CANTOPEN, message: "\(error)")
        }
        return names.filter { $0.hasPrefix(stem) }.compactMap { Int($0.dropFirst(stem.count)) }.sorted()
    }

    /// Whether there may be something for ``carryOn(for:at:)``.
    public var owesRest: Bool { hasRest.withLock { $0 } }

    /// Reads a damaged file on of which a salvage had no time to read everything, the newest first, for so long, and stores what it finds
    /// together with how far it is. A turn that does not come to its end is done again, and finds the same names: nothing is there twice,
    /// and what the hub has it knows. To be called until ``owesRest`` is false, by one task.
    /// - Returns: how many segments were added to those that wait.
    @discardableResult
    public func carryOn(for time: Duration = SampleBuffer.turn, at now: BufferTime) throws(BufferError) -> Int {
        let number: Int?
        do { number = try Self.rests(of: path, machine.files).last } catch { throw BufferError(error, path: path) }
        guard let rest = number.map({ Rest(number: $0, path: path) }) else {
            hasRest.withLock { $0 = false }
            return 0
        }
        let before = try read { try $0.progress(of: rest.number) }
        let saved = Salvaged(reading: rest.path, from: before, for: time, on: machine, atMost: Self.turnSegmentsMax)
        if let passing = saved.passing, saved.progress == before, saved.segments.isEmpty { throw BufferError(passing, path: rest.path) }
        let had = deferred.withLock { $0 }
        var count = 0
        try add(at: now, givesUpOldest: false) { database in
            count = try database.restoreSegments(of: saved)
            try database.set(saved.progress, of: rest.number)
            try database.makeRoom(bytesMax: limits.bytesMax, at: now, had: had)
        }
        guard saved.progress == .done else { return count }
        do {
            let copy = try Self.setAside(rest.path, of: path, machine.files)
            notify("All that could be read of the damaged \(rest.path) was carried over. It is kept as \(copy), as space allows")
        } catch {
            throw BufferError(error, path: path, writing: true)
        }
        hasRest.withLock { $0 = rest.number > 1 }
        return count
    }
}

extension Database {
    /// From its newest segment on where nothing is stored of it.
    fileprivate func progress(of rest: Int) throws -> SalvageProgress {
        guard let words = try setting(.rest)?.split(separator: ":", maxSplits: 1), words.count == 2, words[0] == String(rest) else {
            return .start
        }
        return SalvageProgress(text: String(words[1])) ?? .start
    }

    func set(_ progress: SalvageProgress, of rest: Int) throws { try set(.rest, progress.text.map { "\(rest):\($0)" }) }
}
