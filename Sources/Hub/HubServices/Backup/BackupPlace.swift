import Glibc
import Processes
import Seams

/// Where backups lie: objects by their names, encrypted before they leave the hub.
public enum BackupPlace: Sendable, Hashable, CustomStringConvertible {
    /// A folder, as of a disk or a share that is mounted.
    case folder(String)
    /// What rclone reaches: `REMOTE:PATH` in its words, as of S3.
    case rclone(String)
    /// A program, called as `PROGRAM list`, `PROGRAM put NAME` (from standard input), `PROGRAM get NAME` (to standard output), `PROGRAM delete NAME`.
    case command(String)

    /// - Parameter text: `/FOLDER`, `rclone:REMOTE:PATH` or `command:/PROGRAM`.
    public init(_ text: String) throws(BackupProblem) {
        if text.hasPrefix("/") {
            self = .folder(text)
        } else if text.hasPrefix("rclone:"), text.dropFirst(7).contains(":") {
            self = .rclone(String(text.dropFirst(7)))
        } else if text.hasPrefix("command:/") {
            self = .command(String(text.dropFirst(8)))
        } else {
            throw BackupProblem(
                "\(text) is no place for backups: write /FOLDER, rclone:REMOTE:PATH or command:/PROGRAM (hub.backup.to, or --from).")
        }
    }

    public var description: String {
        switch self {
        case .folder(let path): path
        case .rclone(let path): "rclone:\(path)"
        case .command(let path): "command:\(path)"
        }
    }
}

/// The objects in a place, written by `age` to recipients and read by it with an identity.
struct BackupObjects: Sendable {
    let place: BackupPlace, machine: Machine

    /// rclone's status where a folder is not there yet.
    private static let noFolder: Int32 = 3
    /// Beside a name while it is written.
    private static let draft = ".part"

    /// The names of all objects; of a folder that is not there yet none.
    func names() throws -> [String] {
        switch place {
        case .folder(let path):
            guard machine.files.exists(path) else { return [] }
            do throws(FileProblem) { return try machine.files.names(in: path).sorted() } catch {
                throw BackupProblem("\(error): give the hub's user the right to read it.")
            }
        case .rclone(let path):
            do { return try lines(["rclone", "lsf", "--files-only", path]) } catch let failed as ProgramChain.Failed {
                if failed.ending == .exited(Self.noFolder) { return [] }
                throw BackupProblem(failed, doing: "listing \(place)")
            }
        case .command(let program):
            do { return try lines([program, "list"]) } catch let failed as ProgramChain.Failed {
                throw BackupProblem(failed, doing: "listing \(place)")
            }
        }
    }

    private func lines(_ command: [String]) throws -> [String] {
        var bytes: [UInt8] = []
        try ProgramChain([command], programs: machine.programs).read { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).map(String.init).sorted()
    }

    /// Writes an object, which has its name once it is whole.
    /// - Parameters:
    ///   - recipients: who can read it, as `age` names them.
    ///   - body: hands on the bytes.
    func put(_ name: String, to recipients: [String], _ body: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let age = ["age"] + recipients.flatMap { ["-r", $0] }
        do {
            switch place {
            case .folder(let path):
                try makeFolder(path)
                let draft = "\(path)/\(name)\(Self.draft)", file = try LargeFile(draft, for: .writing)
                do {
                    try ProgramChain([age], programs: machine.programs).feed(output: file.descriptor, body)
                    try machine.files.sync(draft)
                    try machine.files.move(draft, to: "\(path)/\(name)")
                } catch {
                    try? machine.files.remove(draft)
                    throw error
                }
            case .rclone(let path):
                try ProgramChain([age, ["rclone", "rcat", "\(path)/\(name)"]], programs: machine.programs).feed(body)
            case .command(let program):
                try ProgramChain([age, [program, "put", name]], programs: machine.programs).feed(body)
            }
        } catch let failed as ProgramChain.Failed {
            throw BackupProblem(failed, doing: "writing \(name) to \(place)")
        } catch let problem as FileProblem {
            throw BackupProblem("\(problem): is the disk of hub.backup.to mounted, has it room, and may the hub's user write there?")
        }
    }

    private func makeFolder(_ path: String) throws {
        // A disk that is not mounted must not become a folder of the disk that it is to outlive: the folder itself may be new, not the one above.
        guard !machine.files.exists(path) else { return }
        let above = path.split(separator: "/").dropLast().map { "/\($0)" }.joined()
        guard machine.files.exists(above.isEmpty ? "/" : above) else {
            throw BackupProblem("\(above) is not there: mount the disk of hub.backup.to, or make the folder.")
        }
        try machine.files.makeFolder(path)
    }

    /// Reads an object, decrypted.
    /// - Parameter identity: a file with the private key.
    func get(_ name: String, with identity: String, _ heard: (ArraySlice<UInt8>) throws -> Void) throws {
        let age = ["age", "-d", "-i", identity]
        do {
            switch place {
            case .folder(let path):
                let file = try LargeFile("\(path)/\(name)", for: .reading)
                try ProgramChain([age], programs: machine.programs).read(input: file.descriptor, heard)
            case .rclone(let path):
                try ProgramChain([["rclone", "cat", "\(path)/\(name)"], age], programs: machine.programs).read(heard)
            case .command(let program):
                try ProgramChain([[program, "get", name], age], programs: machine.programs).read(heard)
            }
        } catch let failed as ProgramChain.Failed {
            throw BackupProblem(failed, doing: "reading \(name) of \(place)")
        }
    }

    /// Removes an object.
    func remove(_ name: String) throws {
        do {
            switch place {
            case .folder(let path): try machine.files.remove("\(path)/\(name)")
            case .rclone(let path): _ = try lines(["rclone", "deletefile", "\(path)/\(name)"])
            case .command(let program): _ = try lines([program, "delete", name])
            }
        } catch let failed as ProgramChain.Failed {
            throw BackupProblem(failed, doing: "deleting \(name) of \(place)")
        } catch let problem as FileProblem {
            throw BackupProblem("\(problem): give the hub's user the right to delete there, or set hub.backup.keep to 0.")
        }
    }
}
