import Glibc

/// The machine's own files.
struct SystemFiles: FileSystem {
    func read(_ path: String) throws(FileProblem) -> [UInt8]? {
        guard access(path, F_OK) == 0 else { return nil }
        let file = try open(path, O_RDONLY, for: .read)
        defer { close(file) }
        return try content(of: file, path)
    }

    func facts(_ path: String) -> FileFacts? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return FileFacts(
            size: Int(status.st_size), modified: Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec),
            number: UInt64(status.st_ino), isFolder: status.st_mode & S_IFMT == S_IFDIR)
    }

    func room(at path: String) -> DiskRoom? {
        var room = statvfs()
        guard statvfs(path, &room) == 0 else { return nil }
        func bytes(_ blocks: some BinaryInteger) -> Int64 {
            let (bytes, isTooMuch) = Int64(clamping: blocks).multipliedReportingOverflow(by: Int64(clamping: room.f_frsize))
            return isTooMuch ? .max : bytes
        }
        return DiskRoom(free: bytes(room.f_bavail), size: bytes(room.f_blocks))
    }

    func names(in folder: String) throws(FileProblem) -> [String] {
        guard let entries = opendir(folder) else { throw FileProblem(.listed, folder, code: errno) }
        defer { closedir(entries) }
        var names: [String] = []
        while let entry = readdir(entries) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws(FileProblem) {
        let file = try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode, for: .written)
        var code = put(bytes, file)
        if code == 0, fsync(file) != 0 { code = errno }
        if close(file) != 0, code == 0 { code = errno }
        guard code == 0 else { throw FileProblem(.written, path, code: code) }
    }

    func append(_ bytes: [UInt8], to path: String, keeping whole: ([UInt8]) -> Int) throws(FileProblem) {
        let isNew = !exists(path), file = try open(path, O_RDWR | O_CREAT | O_APPEND, for: .written)
        // The descriptor that held the lock is closed with it.
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { throw FileProblem(.written, path, code: errno) }
        let kept = off_t(whole(try content(of: file, path)))
        guard ftruncate(file, kept) == 0 else { throw FileProblem(.written, path, code: errno) }
        var code = put(bytes, file)
        if code == 0, fsync(file) != 0 { code = errno }
        guard code == 0 else {
            _ = ftruncate(file, kept)
            throw FileProblem(.written, path, code: code)
        }
        if isNew { try syncNames(in: Self.folder(of: path)) }
    }

    func rename(_ path: String, to new: String) throws(FileProblem) {
        guard Glibc.rename(path, new) == 0 else { throw FileProblem(.renamed, path, code: errno) }
    }

    func link(_ path: String, to new: String) throws(FileProblem) -> Bool {
        if Glibc.link(path, new) == 0 { return true }
        guard errno == EEXIST else { throw FileProblem(.made, new, code: errno) }
        return false
    }

    func remove(_ path: String) throws(FileProblem) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileProblem(.removed, path, code: errno) }
    }

    func sync(_ path: String) throws(FileProblem) {
        let file = try open(path, O_RDONLY, for: .synced)
        defer { close(file) }
        guard fsync(file) == 0 else { throw FileProblem(.synced, path, code: errno) }
        try syncNames(in: Self.folder(of: path))
    }

    func syncNames(in folder: String) throws(FileProblem) {
        let names = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // One that may be written and not read has no names to sync; so has a file system that keeps none on a disk.
        guard names >= 0 else { return }
        defer { close(names) }
        guard fsync(names) == 0 || errno == EINVAL || errno == ENOTSUP else { throw FileProblem(.synced, folder, code: errno) }
    }

    func makeFolder(_ path: String) throws(FileProblem) {
        var made = path.hasPrefix("/") ? "" : "."
        for part in path.split(separator: "/") {
            made += "/\(part)"
            guard facts(made)?.isFolder != true else { continue }
            guard mkdir(made, 0o700) == 0 || errno == EEXIST && facts(made)?.isFolder == true else {
                throw FileProblem(.made, path, code: errno)
            }
        }
    }

    private func open(_ path: String, _ flags: Int32, mode: UInt32 = 0o600, for act: FileProblem.Act) throws(FileProblem) -> Int32 {
        let file = Glibc.open(path, flags | O_CLOEXEC, mode_t(mode))
        guard file >= 0 else { throw FileProblem(act, path, code: errno) }
        return file
    }

    private func content(of file: Int32, _ path: String) throws(FileProblem) -> [UInt8] {
        var content: [UInt8] = [], piece = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw FileProblem(.read, path, code: errno) }
            guard count > 0 else { return content }
            content += piece.prefix(count)
        }
    }

    /// - Returns: the number of the error; 0 for none.
    private func put(_ bytes: [UInt8], _ file: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count < 0 ? errno : EIO }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}
