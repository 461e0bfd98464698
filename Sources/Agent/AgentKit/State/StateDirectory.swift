internal import Foundation
internal import Glibc
public import Seams

/// The directory of one agent: `identity.json`, its key, `buffer.sqlite`, and a lock, because two processes that renew one token would
/// look like a box and its copy.
public final class StateDirectory: Sendable {
    public let path: String
    let machine: Machine
    private let lock: CInt

    /// Makes the directory where it is missing, for its owner only, and takes the lock; it is released when the process ends, however.
    /// - Parameter machine: whose files, queues and sleep those take who keep something here.
    public init(_ path: String, machine: Machine = .system) throws(AgentProblem) {
        (self.path, self.machine) = (path, machine)
        do throws(FileProblem) { try machine.files.makeFolder(path) } catch {
            throw AgentProblem(
                "The state directory \(path) cannot be made (\(error.reason))",
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
        do throws(FileProblem) { try machine.files.replace(path + "/" + name, with: content) } catch {
            throw AgentProblem("\(path)/\(name) cannot be written (\(error.reason))", advice: "Free space or check permissions")
        }
    }

    /// Removes files by their names, as far as possible: what is left is of no use, and does no harm.
    func remove(where isObsolete: (String) -> Bool) {
        for name in (try? machine.files.names(in: path)) ?? [] where isObsolete(name) { try? machine.files.remove(path + "/" + name) }
    }

    /// nil when there is no such file.
    /// Writes a file of JSON anew with a change. One that is not there stays so, and one that cannot be decoded goes as a whole.
    func edit<Content: Codable>(_ name: String, _ change: (inout Content) -> Void) throws {
        guard let text = try read(name) else { return }
        guard var content = try? JSONDecoder().decode(Content.self, from: Data(text)) else { return remove { $0 == name } }
        change(&content)
        try write(Array(JSONEncoder().encode(content)), to: name)
    }

    func read(_ name: String) throws(AgentProblem) -> [UInt8]? { try Self.read(name, in: path, machine: machine) }

    /// nil when there is no such file.
    static func read(_ name: String, in directory: String, machine: Machine = .system) throws(AgentProblem) -> [UInt8]? {
        do throws(FileProblem) { return try machine.files.read(directory + "/" + name) } catch {
            throw AgentProblem("\(directory)/\(name) cannot be read", advice: "Run as the owner of \(directory)")
        }
    }
}
