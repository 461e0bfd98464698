import Glibc

/// A file of any size, read and written piece by piece. Closed with its last reference.
final class LargeFile {
    let path: String
    let descriptor: Int32

    enum Use {
        case reading
        /// Made, or emptied when it is there; for its owner alone.
        case writing
    }

    init(_ path: String, for use: Use) throws {
        self.path = path
        let flags = use == .reading ? O_RDONLY : O_RDWR | O_CREAT | O_TRUNC
        descriptor = open(path, flags | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.problem(path, use == .reading ? "opened" : "made") }
    }

    deinit { close(descriptor) }

    func read(at offset: Int, count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count), done = 0
        while done < count {
            let got = bytes.withUnsafeMutableBytes { room in
                pread(descriptor, room.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
            }
            if got < 0, errno == EINTR { continue }
            guard got >= 0 else { throw Self.problem(path, "read") }
            guard got > 0 else { break }
            done += got
        }
        return Array(bytes.prefix(done))
    }

    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) throws {
        var rest = bytes, place = offset
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, off_t(place)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.problem(path, "written") }
            rest = rest.dropFirst(count)
            place += count
        }
    }

    /// Gives the file its length; what was not written is zero.
    func resize(_ size: Int) throws {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw Self.problem(path, "written") }
    }

    private static func problem(_ path: String, _ act: String) -> BackupProblem {
        BackupProblem(
            "\(path) cannot be \(act): \(String(cString: strerror(errno))). Check room and permissions, and run the command again.")
    }
}
