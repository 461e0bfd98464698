import Glibc
public import Seams
import Synchronization

/// Files in memory, on a disk that can be full, refuse, be killed at any step, and lose with its power what was not synced.
public final class MemoryFiles: FileSystem {
    private struct File {
        var bytes: [UInt8]
        /// What is left of it without power.
        var synced: [UInt8]
        var modified: Int64
    }

    private struct State {
        var files: [UInt64: File] = [:]
        /// Numbers of files by their paths, as programs see them, and as they are on the disk.
        var names: [String: UInt64] = [:]
        var syncedNames: [String: UInt64] = [:]
        var folders: Set<String> = []
        var count: UInt64 = 0
        var steps = 0
        var stepsMax = Int.max
        var room = Int.max
        var refusal: (@Sendable (FileProblem.Act, _ path: String) -> Int32?)?

        /// The number of the file with this path, which is made where it is missing.
        mutating func file(_ path: String) -> UInt64 {
            if let number = names[path] { return number }
            count += 1
            names[path] = count
            files[count] = File(bytes: [], synced: [], modified: 0)
            return count
        }
    }

    private let state = Mutex(State())

    public init() {}

    // MARK: What a test does with the disk

    /// Steps that changed anything, or were to.
    public var steps: Int { state.withLock { $0.steps } }

    /// The process dies in the step after so many more: a write is torn there, and nothing happens any more until ``cutPower()``.
    public func kill(after steps: Int) { state.withLock { $0.stepsMax = $0.steps + steps } }

    /// Only what was synced is there after it.
    public func cutPower() {
        state.withLock { state in
            state.stepsMax = Int.max
            state.names = state.syncedNames
            state.files = state.files.mapValues { file in
                var file = file
                file.bytes = file.synced
                return file
            }
        }
    }

    /// The bytes that all files together may have.
    public func limit(to room: Int) { state.withLock { $0.room = room } }

    /// - Parameter refusal: the number of the error with which a step fails; nil where it does not.
    public func refuse(_ refusal: (@Sendable (FileProblem.Act, _ path: String) -> Int32?)?) { state.withLock { $0.refusal = refusal } }

    // MARK: FileSystem

    public func read(_ path: String) throws(FileProblem) -> [UInt8]? {
        let (code, bytes) = state.withLock { state in
            (state.refusal?(.read, path), state.names[path].flatMap { state.files[$0]?.bytes })
        }
        if let code { throw FileProblem(.read, path, code: code) }
        return bytes
    }

    public func facts(_ path: String) -> FileFacts? {
        state.withLock { state in
            if state.folders.contains(path) { return FileFacts(size: 0, modified: 0, number: 0, isFolder: true) }
            guard let number = state.names[path], let file = state.files[number] else { return nil }
            return FileFacts(size: file.bytes.count, modified: file.modified, number: number)
        }
    }

    public func names(in folder: String) throws(FileProblem) -> [String] {
        state.withLock { state in state.names.keys.filter { Self.folder(of: $0) == folder }.map { String($0.dropFirst(folder.count + 1)) } }
    }

    public func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(FileProblem) {
        try step(.written, path) { state, isTorn in
            let number = state.file(path)
            let written = isTorn ? Array(bytes.prefix(bytes.count / 2)) : bytes
            let others = state.files.reduce(0) { $0 + ($1.key == number ? 0 : $1.value.bytes.count) }
            guard others + written.count <= state.room else {
                state.files[number]?.bytes = Array(written.prefix(max(0, state.room - others)))
                return ENOSPC
            }
            state.files[number] = File(bytes: written, synced: written, modified: Int64(state.steps))
            return nil
        }
    }

    public func append(_ bytes: [UInt8], to path: String, keeping whole: ([UInt8]) -> Int) throws(FileProblem) {
        let kept = whole(try read(path) ?? [])
        try step(.written, path) { state, isTorn in
            let number = state.file(path), before = Array((state.files[number]?.bytes ?? []).prefix(kept))
            let others = state.files.reduce(0) { $0 + ($1.key == number ? 0 : $1.value.bytes.count) }
            guard others + before.count + bytes.count <= state.room else {
                state.files[number]?.bytes = before
                return ENOSPC
            }
            let written = before + (isTorn ? Array(bytes.prefix(bytes.count / 2)) : bytes)
            state.files[number] = File(bytes: written, synced: written, modified: Int64(state.steps))
            if !isTorn { state.syncedNames[path] = number }
            return nil
        }
    }

    public func rename(_ path: String, to new: String) throws(FileProblem) {
        try step(.renamed, path) { state, isTorn in
            guard !isTorn else { return nil }
            guard let number = state.names.removeValue(forKey: path) else { return ENOENT }
            state.names[new] = number
            return nil
        }
    }

    public func link(_ path: String, to new: String) throws(FileProblem) -> Bool {
        guard facts(new) == nil else { return false }
        try step(.made, new) { state, isTorn in
            guard !isTorn else { return nil }
            guard let number = state.names[path] else { return ENOENT }
            state.names[new] = number
            return nil
        }
        return true
    }

    public func remove(_ path: String) throws(FileProblem) {
        try step(.removed, path) { state, isTorn in
            if !isTorn { state.names[path] = nil }
            return nil
        }
    }

    public func sync(_ path: String) throws(FileProblem) {
        try step(.synced, path) { state, isTorn in
            guard let number = state.names[path], let bytes = state.files[number]?.bytes else { return ENOENT }
            if !isTorn {
                state.files[number]?.synced = bytes
                state.syncedNames[path] = number
            }
            return nil
        }
    }

    public func syncNames(in folder: String) throws(FileProblem) {
        try step(.synced, folder) { state, isTorn in
            guard !isTorn else { return nil }
            for path in Set(state.names.keys).union(state.syncedNames.keys) where Self.folder(of: path) == folder {
                state.syncedNames[path] = state.names[path]
            }
            return nil
        }
    }

    public func makeFolder(_ path: String) throws(FileProblem) {
        try step(.made, path) { state, isTorn in
            if !isTorn { state.folders.insert(path) }
            return nil
        }
    }

    /// - Parameter body: the step, which is the last one of a process that dies where `isTorn`; returns the number of its error.
    private func step(
        _ act: FileProblem.Act, _ path: String, _ body: (inout State, _ isTorn: Bool) -> Int32?
    ) throws(FileProblem) {
        let code: Int32? = state.withLock { state in
            state.steps += 1
            if let code = state.refusal?(act, path) { return code }
            guard state.steps <= state.stepsMax else {
                if state.steps == state.stepsMax + 1 { _ = body(&state, true) }
                return EIO
            }
            return body(&state, false)
        }
        if let code { throw FileProblem(act, path, code: code) }
    }

    private static func folder(of path: String) -> Substring { path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
}
