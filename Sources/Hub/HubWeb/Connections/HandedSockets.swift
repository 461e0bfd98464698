import Glibc
import Logging
import NIOCore
import Supervision

/// Sockets on which systemd listens for the hub (`trackme-hub.socket`): it keeps them while the hub starts anew, and whoever comes meanwhile waits.
public struct HandedSockets: Sendable {
    struct Address: Sendable, Hashable, CustomStringConvertible {
        let host: String
        let port: Int

        var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
    }

    let descriptors: [Int32]
    let addresses: [Address]

    /// The hub binds a socket of its own.
    public static let none = HandedSockets()

    private init() { (descriptors, addresses) = ([], []) }

    /// - Parameter descriptors: the sockets; none where nobody listens for the hub.
    /// - Throws: `HubConfigurationError` for one that is no TCP socket that listens.
    init(_ descriptors: [Int32]) throws {
        self.descriptors = descriptors
        addresses = try descriptors.map { descriptor in
            guard ServiceManager.isListener(descriptor), let address = Self.address(of: descriptor) else {
                throw HubConfigurationError(
                    "systemd hands the hub a socket that does not listen for TCP: look at ListenStream= in `systemctl cat trackme-hub.socket`."
                )
            }
            return address
        }
    }

    /// The settings with the address of the first socket in the place of ``HubConfiguration/listen``'s.
    func applied(to configuration: HubConfiguration, logger: Logger) -> HubConfiguration {
        guard let first = addresses.first else { return configuration }
        var configuration = configuration
        let set = Address(host: configuration.listen.host, port: configuration.listen.port)
        if !addresses.contains(set) {
            logger.warning(
                "systemd listens for the hub, and not where hub.listen says: to change that, see `systemctl edit trackme-hub.socket`",
                metadata: ["systemd": "\(addresses)", "hub.listen": "\(set)"])
        }
        (configuration.listen.host, configuration.listen.port) = (first.host, first.port)
        return configuration
    }

    private static func address(of descriptor: Int32) -> Address? {
        var storage = sockaddr_storage(), length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let isKnown = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) == 0 }
        }
        guard isKnown else { return nil }
        let address = withUnsafePointer(to: &storage) { pointer -> SocketAddress? in
            switch Int32(pointer.pointee.ss_family) {
            case AF_INET: pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { SocketAddress($0.pointee) }
            case AF_INET6: pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { SocketAddress($0.pointee) }
            default: nil
            }
        }
        guard let host = address?.ipAddress, let port = address?.port else { return nil }
        return Address(host: host, port: port)
    }
}
