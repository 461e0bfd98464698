public import Foundation
import Glibc
public import Seams

/// The folder in which a map import works. A lock holds it, which the kernel gives back however the import ends: what a killed one left is told
/// from what a running one needs.
public final class MapWork: Sendable {
    private static let prefix = "import-"

    public let url: URL
    private let lock: Int32

    /// Makes an empty one, and removes those that killed imports left.
    /// - Parameters:
    ///   - folder: of the maps, in the hub's directory; it is made where it is missing.
    ///   - name: tells it from those of other imports.
    /// - Throws: ``HubStoreError``.
    public init(in folder: String, name: String, machine: Machine = .system) throws {
        Self.removeLeft(in: folder, files: machine.files)
        url = URL(fileURLWithPath: folder, isDirectory: true).appendingPathComponent(Self.prefix + name, isDirectory: true)
        do throws(FileProblem) { try machine.files.makeFolder(url.path) } catch {
            throw HubStoreError.directory(path: url.path, reason: error.reason)
        }
        // A hub that starts at this very moment may have removed it before it was held.
        guard let lock = Self.hold(url.path), machine.files.exists(url.path) else {
            throw HubStoreError.directory(path: url.path, reason: "it was removed meanwhile; try again")
        }
        self.lock = lock
    }

    deinit {
        Self.remove(url.path)
        Self.release(lock)
    }

    /// Removes what killed imports left. The folder of one that works stays.
    /// - Returns: how many were removed.
    @discardableResult
    public static func removeLeft(in folder: String, files: any FileSystem) -> Int {
        let names = (try? files.names(in: folder)) ?? []
        return names.filter { $0.hasPrefix(prefix) }.count { name in
            let path = folder + "/" + name
            guard let lock = hold(path) else { return false }
            defer { release(lock) }
            return remove(path)
        }
    }

    @discardableResult
    private static func remove(_ path: String) -> Bool { (try? FileManager.default.removeItem(atPath: path)) != nil }

    /// - Returns: nil where somebody holds it, and where there is none.
    private static func hold(_ path: String) -> Int32? {
        let file = Glibc.open(path, O_DIRECTORY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            close(file)
            return nil
        }
        return file
    }

    private static func release(_ lock: Int32) {
        // Closing alone is not enough: see ``DirectoryLock``.
        flock(lock, LOCK_UN)
        close(lock)
    }
}
