internal import CoreFoundation
internal import Glibc

/// The socket's place in the file system: nobody finds it before its mode is right, and no living agent loses its own.
struct ControlServerFile: Sendable {
    /// The owner's and the group's: whoever is in the group may act on the box.
    static let mode: mode_t = 0o660

    let path: String

    /// Where the socket is made; it is moved to ``path`` when its mode is set.
    var draft: String { path + ".new" }

    /// The mark that tells one file from the next at the same path.
    struct Mark: Equatable {
        var device: dev_t
        var inode: ino_t
    }

    func problem(_ why: String) -> AgentProblem {
        AgentProblem(
            "The control socket \(path) cannot be opened: \(why)",
            advice: "Let its directory exist and belong to the agent's user (RuntimeDirectory= in the service's unit)")
    }

    /// Throws when what lies at the path must stay: another agent's socket, or no socket at all.
    func check() throws(AgentProblem) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw problem(String(cString: strerror(errno)))
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw AgentProblem("\(path) is not a socket", advice: "Move it away, or name another path for the control socket")
        }
        let error = connectionError()
        if error == ECONNREFUSED || error == ENOENT { return }
        if error == 0 || error == EAGAIN {
            throw AgentProblem("Another agent answers at \(path)", advice: "Stop it first: `systemctl stop trackme-agent`")
        }
        throw problem(String(cString: strerror(error)))
    }

    /// 0 when somebody listens at the path.
    private func connectionError() -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        let handle = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard handle >= 0 else { return errno }
        defer { close(handle) }
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(handle, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        return result == 0 ? 0 : errno
    }

    /// Makes the draft the socket, with its mode.
    func publish() throws(AgentProblem) -> Mark {
        guard chmod(draft, Self.mode) == 0, rename(draft, path) == 0, let mark = mark() else {
            let reason = String(cString: strerror(errno))
            unlink(draft)
            throw problem(reason)
        }
        return mark
    }

    /// Takes the socket away, unless another agent's lies there by now.
    func remove(_ mark: Mark) {
        if self.mark() == mark { unlink(path) }
    }

    private func mark() -> Mark? {
        var status = stat()
        return lstat(path, &status) == 0 ? Mark(device: status.st_dev, inode: status.st_ino) : nil
    }
}
