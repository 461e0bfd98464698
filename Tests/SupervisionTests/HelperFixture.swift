import Foundation
import Processes
import Synchronization
import Testing

/// A helper in this process, as it runs in a service of its own, until this goes.
final class HelperFixture: Sendable {
    let path: String
    private let folder: String, listener: Int32
    private let stop: (read: Int32, write: Int32)
    private let ended = DispatchSemaphore(value: 0)
    private let names = Mutex<[String]>([])

    /// What it was asked for and did not start.
    var refused: [String] { names.withLock { $0 } }

    init(allowed: Set<String>) throws {
        folder = NSTemporaryDirectory() + "trackme-helper-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        path = folder + "/s"
        let listener = socket(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        try #require(bytes.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(listener, 16) == 0)
        stop = try #require(Programs.pipe())
        let thread = Thread { [stop, ended, weak self] in
            var helper = ProgramHelper(listener: listener, allowed: allowed) { name in self?.note(name) }
            helper.run(until: stop.read)
            ended.signal()
        }
        thread.start()
    }

    deinit {
        end()
        for descriptor in [listener, stop.read] { close(descriptor) }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private let isOver = Mutex(false)

    /// Ends the helper, as systemd would, and what it has started.
    func end() {
        let wasOver = isOver.withLock { over in
            defer { over = true }
            return over
        }
        guard !wasOver else { return }
        close(stop.write)
        ended.wait()
    }

    private func note(_ name: String) { names.withLock { $0.append(name) } }

    var programs: Programs { .helper(at: path) }
}

/// All that comes out of a pipe until nobody can write into it any more.
func whole(of descriptor: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 4096), all: [UInt8] = []
    while true {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&polled, 1, -1)
        let count = read(descriptor, &bytes, bytes.count)
        if count < 0, errno == EAGAIN || errno == EINTR { continue }
        guard count > 0 else { return String(decoding: all, as: UTF8.self) }
        all += bytes[..<count]
    }
}
