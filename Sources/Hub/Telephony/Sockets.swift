import Glibc

/// The few sockets that a line needs.
enum Sockets {
    private static let loopback = UInt32(0x7F00_0001).bigEndian

    private static func address(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = loopback
        return address
    }

    private static func withPointer<Value>(_ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Value) -> Value {
        withUnsafeMutablePointer(to: &address) { pointer in pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body) }
    }

    /// A TCP port of the loopback that is free now; nil when the process has no descriptor left.
    static func freePort() -> UInt16? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var address = address(port: 0), length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withPointer(&address) { bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0 }
        return isBound ? UInt16(bigEndian: address.sin_port) : nil
    }

    /// Connects to a port of the loopback, which answers at once or not at all.
    /// - Returns: a descriptor that does not block; nil while nobody listens.
    static func connect(port: UInt16) -> Int32? {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = address(port: port)
        guard withPointer(&address, { Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }) == 0 else {
            close(descriptor)
            return nil
        }
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        return descriptor
    }

    /// The address of this machine from which a host is reached: the only one on which SIP has to be spoken.
    /// - Returns: nil where that cannot be known now.
    static func localAddress(towards host: String, port: String?) -> String? {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, port ?? "5060", &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // Nothing is sent: a datagram socket only looks up its way.
        guard Glibc.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return nil }
        var storage = sockaddr_storage(), length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let isNamed = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                getsockname(descriptor, address, &length) == 0
                    && getnameinfo(address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            }
        }
        guard isNamed else { return nil }
        let name = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A zone of a link-local address is nothing that SIP can write.
        return name.contains("%") ? nil : name
    }
}
