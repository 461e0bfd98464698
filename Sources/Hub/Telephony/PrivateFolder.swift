import Glibc

/// A folder that only this user may enter, in memory where there is such a place: it holds the trunk's password and what is said of people.
/// It goes with its owner.
final class PrivateFolder: Sendable {
    let path: String
    /// Locked as long as this process lives.
    private let lock: Int32

    /// - Throws: the reason, in the system's words.
    init() throws(TrunkProblem) {
        for place in Self.places {
            guard let made = Self.make(in: place) else { continue }
            (path, lock) = made
            return
        }
        throw TrunkProblem(description: "the hub can write no temporary file for its telephone lines: make room in /dev/shm or /tmp")
    }

    private static func make(in place: String) -> (path: String, lock: Int32)? {
        var template = Array("\(place)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        let lock = open("\(path)/\(lockFile)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 { return (path, lock) }
        if lock >= 0 { close(lock) }
        remove(path)
        return nil
    }

    deinit {
        Self.remove(path)
        close(lock)
    }

    /// For this user alone.
    func write(_ bytes: [UInt8], to name: String) -> Bool {
        let descriptor = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    func remove(_ name: String) { unlink("\(path)/\(name)") }

    // MARK: What a hub that was killed left behind

    private static let prefix = "trackme-voice-", lockFile = "lock"
    static let processFile = "process"
    /// One that is younger may be about to be locked, seconds.
    private static let youngMax = 60

    /// Ends the lines of hubs that are gone, and removes their folders: their baresip would go on holding the registration.
    static func cleanUp() {
        for place in places {
            for name in names(in: place) where name.hasPrefix(prefix) { clean("\(place)/\(name)") }
        }
    }

    private static func clean(_ folder: String) {
        var info = stat()
        guard lstat(folder, &info) == 0, info.st_uid == getuid(), info.st_mode & S_IFMT == S_IFDIR,
            time(nil) - info.st_mtim.tv_sec > youngMax
        else { return }
        let lock = open("\(folder)/\(lockFile)", O_RDWR | O_CLOEXEC)
        defer { if lock >= 0 { close(lock) } }
        guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else { return }
        endProcess(of: folder)
        remove(folder)
    }

    /// Where such folders may be.
    private static var places: [String] {
        func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
        let service = variable("RUNTIME_DIRECTORY")?.split(separator: ":").first.map(String.init)
        return [service, "/dev/shm", variable("TMPDIR"), "/tmp"].compactMap(\.self)
    }

    private static func endProcess(of folder: String) {
        guard let text = read("\(folder)/\(processFile)"), let id = pid_t(text), id > 1,
            // Its number may be somebody else's by now.
            let command = read("/proc/\(id)/cmdline"), command.contains(folder)
        else { return }
        kill(-id, SIGKILL)
    }

    private static func read(_ file: String) -> String? {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private static func names(in folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    private static func remove(_ folder: String) {
        for name in names(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }
}
