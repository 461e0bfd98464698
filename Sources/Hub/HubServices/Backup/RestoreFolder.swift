import Foundation
package import HubStore
package import Seams
import Vitals

/// The folder in a hub's directory in which a restore is put together. Once it is complete its files go up into the directory, also after a kill.
struct RestoreFolder {
    private let directory: HubDirectory, machine: Machine
    private static let name = "restoring", mark = "complete.json"

    init(_ directory: HubDirectory, _ machine: Machine) { (self.directory, self.machine) = (directory, machine) }

    private var path: String { directory.path(Self.name) }

    /// An empty one, in the place of what an interrupted restore left.
    func make() throws -> HubDirectory {
        discard()
        return try HubDirectory(URL(fileURLWithPath: path, isDirectory: true), machine: machine)
    }

    func discard() { Self.remove(path, machine) }

    /// From now on it is the hub's data.
    func complete(_ report: Restore.Report) throws {
        try machine.files.syncNames(in: path)
        try machine.files.replace("\(path)/\(Self.mark)", with: Array(JSONEncoder().encode(report)))
    }

    /// Moves the files of a complete one up.
    /// - Returns: nil where there is none.
    func finish() throws -> Restore.Report? {
        let mark = "\(path)/\(Self.mark)"
        guard let bytes = try machine.files.read(mark) else { return nil }
        let report = try JSONDecoder().decode(Restore.Report.self, from: Data(bytes))
        for name in try machine.files.names(in: path) where name != Self.mark && !Self.stays(name) {
            try machine.files.move("\(path)/\(name)", to: directory.path(name))
        }
        discard()
        return report
    }

    /// Locks and logs of databases that are closed.
    private static func stays(_ name: String) -> Bool {
        ["lock", "backup.lock", "backup-keys.lock"].contains(name) || name.hasSuffix("-wal") || name.hasSuffix("-shm")
    }

    /// Throws where a restore was interrupted while its files went up: a hub must not start on a part of them.
    static func check(_ directory: HubDirectory, _ machine: Machine) throws {
        let folder = RestoreFolder(directory, machine)
        guard machine.files.exists("\(folder.path)/\(mark)") else { return }
        throw BackupProblem(
            "A restore into \(directory.url.path) was interrupted. Run `trackme-hub restore` again with the same arguments: it finishes within seconds."
        )
    }

    /// Removes a folder that has only files.
    static func remove(_ path: String, _ machine: Machine) {
        for name in (try? machine.files.names(in: path)) ?? [] { try? machine.files.remove("\(path)/\(name)") }
        rmdir(path)
    }
}

extension HubDirectory {
    /// See ``RestoreFolder/check(_:_:)``.
    package func checkRestored(_ machine: Machine) throws { try RestoreFolder.check(self, machine) }
}
