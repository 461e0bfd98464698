import Glibc

/// The small files that a program keeps beside its databases: keys, settings, certificates, what was open when it ended. `build…` hands it to whoever
/// keeps any, so that a test brings a disk that is full, refuses, or loses what was not synced.
///
/// Paths are those of the system. What is read or written here is read and written whole.
public protocol FileSystem: Sendable {
    /// - Returns: nil where there is no such file.
    func read(_ path: String) throws(FileProblem) -> [UInt8]?
    /// nil where there is nothing of this name.
    func facts(_ path: String) -> FileFacts?
    /// The names of what lies in a folder, in no order.
    func names(in folder: String) throws(FileProblem) -> [String]

    /// Makes a file or empties it, and writes it through to the disk; a kill leaves any part of it. See ``replace(_:with:draft:mode:)``.
    /// - Parameter mode: of a file that is made.
    func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(FileProblem)
    /// Adds bytes to the end of a file, through to the disk, and makes the file where there is none. Nobody else adds to it meanwhile, of whatever
    /// process. A failure leaves the file as it was; a kill may leave a part of the bytes.
    /// - Parameter whole: of so many of the bytes that are there the file is kept: what lies behind was left by a kill.
    func append(_ bytes: [UInt8], to path: String, keeping whole: ([UInt8]) -> Int) throws(FileProblem)
    /// Gives a file another name, in the place of whatever has it.
    func rename(_ path: String, to new: String) throws(FileProblem)
    /// Gives a file a second name.
    /// - Returns: false where something has it.
    func link(_ path: String, to new: String) throws(FileProblem) -> Bool
    /// Does nothing where there is no such file.
    func remove(_ path: String) throws(FileProblem)
    /// Writes a file through to the disk that somebody else wrote, with its name.
    func sync(_ path: String) throws(FileProblem)
    /// Writes the names of a folder through to the disk: a new one, and that an old one is gone.
    func syncNames(in folder: String) throws(FileProblem)
    /// Makes a folder for its owner alone, and those above it, where they are missing.
    func makeFolder(_ path: String) throws(FileProblem)
    /// The room of the disk on which a file or folder lies; nil where that is not known.
    func room(at path: String) -> DiskRoom?
}

/// The room of a disk, in bytes.
public struct DiskRoom: Sendable, Hashable {
    /// What this program may still take.
    public var free: Int64
    public var size: Int64

    public init(free: Int64, size: Int64) { (self.free, self.size) = (free, size) }
}

/// The system's attributes of a file.
public struct FileFacts: Sendable, Hashable {
    /// In bytes.
    public var size: Int
    /// When it was written, in nanoseconds since 1970.
    public var modified: Int64
    /// Tells it from a file that had its name before.
    public var number: UInt64
    public var isFolder: Bool

    public init(size: Int, modified: Int64, number: UInt64, isFolder: Bool = false) {
        (self.size, self.modified, self.number, self.isFolder) = (size, modified, number, isFolder)
    }
}

/// Why a file cannot be used.
public struct FileProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The operation that was tried.
    public enum Act: String, Sendable, Hashable, CaseIterable {
        case read, written, renamed, removed, synced, listed, made
    }

    public var path: String
    public var act: Act
    /// The number of the error (`errno`).
    public var code: Int32

    public init(_ act: Act, _ path: String, code: Int32) { (self.act, self.path, self.code) = (act, path, code) }

    /// In the system's words.
    public var reason: String { String(cString: strerror(code)) }

    public var description: String { "\(path) cannot be \(act.rawValue) (\(reason))" }
}

extension FileSystem {
    public func room(at path: String) -> DiskRoom? { nil }

    public func exists(_ path: String) -> Bool { facts(path) != nil }

    /// Writes a file as a whole, which is on the disk, with its name, when this returns: after a kill or a power cut at any point it is the old one or
    /// the new one. The file is its owner's alone unless `mode` says otherwise.
    /// - Parameter draft: the path at which it is written first; another one where several processes may write the same file.
    public func replace(
        _ path: String, with bytes: [UInt8], draft: String? = nil, mode: UInt32 = 0o600
    ) throws(FileProblem) {
        let draft = draft ?? path + ".new"
        do throws(FileProblem) {
            try write(bytes, to: draft, mode: mode)
            try rename(draft, to: path)
        } catch {
            try? remove(draft)
            throw FileProblem(.written, path, code: error.code)
        }
        try syncNames(in: Self.folder(of: path))
    }

    /// The same where there is no such file yet: of several who try at once one makes it.
    /// - Returns: whether this call made it.
    @discardableResult
    public func make(_ path: String, with bytes: [UInt8], draft: String) throws(FileProblem) -> Bool {
        guard !exists(path) else { return false }
        let isMade: Bool
        do throws(FileProblem) {
            try write(bytes, to: draft, mode: 0o600)
            isMade = try link(draft, to: path)
        } catch {
            try? remove(draft)
            throw FileProblem(.made, path, code: error.code)
        }
        try? remove(draft)
        try syncNames(in: Self.folder(of: path))
        return isMade
    }

    /// Gives a file another name, which is on the disk when this returns.
    public func move(_ path: String, to new: String) throws(FileProblem) {
        try rename(path, to: new)
        try syncNames(in: Self.folder(of: new))
    }

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
}
