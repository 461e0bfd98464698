import Glibc
import Testing

/// A datagram socket as systemd has one for its services' words.
final class NotifySocket {
    /// In the abstract namespace, so that no file is left.
    let name: String
    private let descriptor: Int32

    init() throws {
        name = "@trackme-test-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        try #require(descriptor >= 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = [0] + Array(name.utf8.dropFirst())
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
    }

    deinit { close(descriptor) }

    /// The next message that has arrived; nil when none has.
    func next() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return count >= 0 ? String(decoding: bytes.prefix(count), as: UTF8.self) : nil
    }
}
