internal import Foundation
internal import Glibc

/// The directory of one agent: `identity.json`, its key, `buffer.sqlite`, and a lock, because two processes that renew one token would
/// look like a box and its copy.
public final class StateDirectory: Sendable {
    public let path: String
    private let lock: CInt

    /// Makes the directory where it is missing, for its owner only, and takes the lock; it is released when the process ends, however.
    public init(_ path: String) throws(AgentProblem) {
        self.path = path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw AgentProblem(
                "The state directory \(path) cannot be made (\(String(cString: strerror(errno))))",
                advice: "Choose another one with --state, or make it writable for this user")
        }
        let lockPath = path + "/lock"
        var file = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        // A card that fails is mostly mounted anew for reading alone: what the box must do for a person's life needs no more of it.
        if file < 0, errno == EROFS { file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        lock = file
        guard lock >= 0 else {
            throw AgentProblem(
                "The state directory \(path) is not writable (\(String(cString: strerror(errno))))",
                advice: "Choose another one with --state, or run as its owner")
        }
        guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            close(lock)
            throw AgentProblem.inUse(path)
        }
    }

    deinit {
        // Closing alone is not enough: a program that another thread starts has the descriptor, too, from its fork until its exec.
        flock(lock, LOCK_UN)
        close(lock)
    }

    /// Writes a file that is there as a whole or not at all, readable for its owner only.
    func write(_ content: [UInt8], to name: String) throws(AgentProblem) {
        let target = path + "/" + name, draft = target + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        var isDone = file >= 0
        if isDone {
            isDone = content.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) } == content.count && fsync(file) == 0
            isDone = close(file) == 0 && isDone && rename(draft, target) == 0
        }
        guard isDone else {
            throw AgentProblem(
                "\(target) cannot be written (\(String(cString: strerror(errno))))", advice: "Free space or check permissions")
        }
        // The name too must survive a power cut.
        let directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 {
            fsync(directory)
            close(directory)
        }
    }

    /// Removes files by their names, as far as possible: what is left is of no use, and does no harm.
    func remove(where isObsolete: (String) -> Bool) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] where isObsolete(name) {
            try? FileManager.default.removeItem(atPath: path + "/" + name)
        }
    }

    /// nil when there is no such file.
    static func read(_ name: String, in directory: String) throws(AgentProblem) -> [UInt8]? {
        let path = directory + "/" + name
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let content = FileManager.default.contents(atPath: path) else {
            throw AgentProblem("\(path) cannot be read", advice: "Run as the owner of \(directory)")
        }
        return Array(content)
    }
}
