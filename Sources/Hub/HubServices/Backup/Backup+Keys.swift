import Foundation
import HubStore
import Seams
import Vitals

extension Backup {
    /// What the newest keys in the place are, as the hub remembers it.
    private struct KeysMemory: Codable {
        var place: String
        var recipients: [String]
        var mark: String
    }

    /// Puts the keys of people into the place, if somebody was deleted since that was done last, and removes the older ones there: they would bring
    /// back who was deleted. For a timer of a few minutes.
    /// - Returns: whether it was done.
    public func keysIfDeleted() throws -> Bool {
        let path = directory.path(Self.keysFile)
        // Before the first backup there is nothing that could bring anybody back.
        guard let bytes = try machine.files.read(path) else { return false }
        let memory = try? JSONDecoder().decode(KeysMemory.self, from: Data(bytes)), mark = try BackupKeys(directory).mark()
        if let memory, memory.mark == mark, memory.place == settings.place.description, memory.recipients == settings.recipients {
            return false
        }
        try putKeys()
        return true
    }

    private static let lockTries = 6000, lockPause = Duration.milliseconds(100)

    /// One copy at a time, so that a later one never goes before an earlier one.
    private func lockKeys() throws -> DirectoryLock {
        for _ in 0..<Self.lockTries {
            if let lock = try directory.lockForKeys() { return lock }
            machine.block(for: Self.lockPause)
        }
        throw BackupProblem(
            "Another copy of the keys has been going to \(settings.place) for ten minutes: look whether that place can be reached.")
    }

    /// The keys may be newer than the moment of a backup, and never older: who was deleted since is deleted in it, too.
    func putKeys() throws {
        let lock = try lockKeys()
        defer { withExtendedLifetime(lock) {} }
        // Of before the copy: who is deleted between the two has it made again.
        let mark = try BackupKeys(directory).mark(), copy = try HubSnapshot.keys(directory, machine: machine)
        let there = try objects.names().compactMap(BackupStamp.ofKeys)
        var time = machine.utc
        while there.contains(BackupStamp.text(time)) { time += 1000 }
        let own = BackupStamp.text(time)
        try objects.put(BackupStamp.keysName(own), to: settings.recipients) { write in try copy.withUnsafeBytes { try write($0) } }
        // All others go: also newer ones, of a clock that was set back.
        for stamp in there where stamp != own { try objects.remove(BackupStamp.keysName(stamp)) }
        let memory = KeysMemory(place: settings.place.description, recipients: settings.recipients, mark: mark)
        do { try machine.files.replace(directory.path(Self.keysFile), with: Array(JSONEncoder().encode(memory))) } catch let problem
            as FileProblem
        {
            throw BackupProblem("\(problem): give the hub's user the right to write there, and run the command again.")
        }
    }
}
