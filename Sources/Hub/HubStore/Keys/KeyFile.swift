import Foundation
import Seams
import Vitals

/// A file that holds one key as hexadecimal digits, for its owner only.
enum KeyFile {
    /// The bytes in a file; nil when it cannot be read, empty when it holds no hexadecimal digits.
    static func read(_ path: String) -> [UInt8]? {
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        return Hexadecimal.bytes(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? []
    }

    /// Writes a key where there is no file yet. Two processes may start at once: whoever names its file first decides, so the caller reads it
    /// after this. The key has its name only once it is on the disk: a power cut leaves a whole key or none.
    /// - Throws: ``Failure`` with what the system says.
    static func makeIfMissing(_ path: String, _ key: some Sequence<UInt8>, _ randomness: Randomness) throws(Failure) {
        guard access(path, F_OK) != 0 else { return }
        let draft = "\(path).\(UInt32(truncatingIfNeeded: randomness.next())).new"
        defer { unlink(draft) }
        try write(Hexadecimal.string(key) + "\n", to: draft)
        guard link(draft, path) == 0 || errno == EEXIST else { throw Failure(reason: String(cString: strerror(errno))) }
        syncDirectory(of: path)
    }

    /// Writes a key in the place of whatever is there.
    /// - Throws: ``Failure`` with what the system says.
    static func replace(_ path: String, _ key: some Sequence<UInt8>, _ randomness: Randomness) throws(Failure) {
        let draft = "\(path).\(UInt32(truncatingIfNeeded: randomness.next())).new"
        defer { unlink(draft) }
        try write(Hexadecimal.string(key) + "\n", to: draft)
        guard rename(draft, path) == 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        syncDirectory(of: path)
    }

    /// Writes a key through to the disk that somebody else put there, with its name.
    /// - Throws: ``Failure`` with what the system says.
    static func sync(_ path: String) throws(Failure) {
        let file = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw Failure(reason: "it could not be written: \(String(cString: strerror(errno)))") }
        syncDirectory(of: path)
    }

    /// A name is on the disk once its directory is.
    static func syncDirectory(of path: String) {
        let directory = Glibc.open((path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        fsync(directory)
        close(directory)
    }

    private static func write(_ text: String, to path: String) throws(Failure) {
        let file = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(reason: String(cString: strerror(errno))) }
        defer { close(file) }
        let written = text.utf8.withContiguousStorageIfAvailable { Glibc.write(file, $0.baseAddress, $0.count) } ?? -1
        guard written == text.utf8.count, fsync(file) == 0 else {
            throw Failure(reason: "it could not be written: \(String(cString: strerror(errno)))")
        }
    }

    struct Failure: Error { let reason: String }
}
