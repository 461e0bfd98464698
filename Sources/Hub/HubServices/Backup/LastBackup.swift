import Foundation
import HubStore
public import Seams
public import Vitals

/// The note of the newest backup, in the hub's directory: for whoever watches the hub.
public struct LastBackup: Codable, Sendable, Hashable {
    /// Its name.
    public static let file = "backup-last.json"

    /// When it was whole, UTC milliseconds.
    public let finished: Milliseconds

    public init(finished: Milliseconds) { self.finished = finished }

    /// - Parameter path: of the note.
    /// - Returns: nil for a file that is no note of a backup.
    /// - Throws: ``Missing`` where there is none.
    public static func read(_ path: String, _ files: any FileSystem) throws -> LastBackup? {
        guard let bytes = try? files.read(path) else { throw Missing() }
        return try? JSONDecoder().decode(LastBackup.self, from: Data(bytes))
    }

    /// No backup was ever made.
    public struct Missing: Error {}

    func write(in directory: HubDirectory, _ files: any FileSystem) throws {
        try files.replace(directory.path(Self.file), with: Array(JSONEncoder().encode(self)))
    }
}
