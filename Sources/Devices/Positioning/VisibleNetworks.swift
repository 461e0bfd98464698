import CGPS
internal import CLinux
import Glibc
public import Sensing

/// The Wi-Fi networks that this box hears, from the kernel's list of them (nl80211).
///
/// Needs no privilege and starts no scan: it shows what NetworkManager, iwd or wpa_supplicant have heard for their own use.
public struct VisibleNetworks: ~Copyable {
    /// More are left out.
    static let networksMax = 1024
    private static let waitSeconds = 2, datagramBytesMax = 65_536

    private let descriptor: Int32
    private var sequence: UInt32 = 0

    /// Throws when the kernel has no such interface or the service's sandbox does not allow AF_NETLINK.
    public init() throws(SourceProblem) {
        descriptor = socket(AF_NETLINK, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), NETLINK_GENERIC)
        guard descriptor >= 0 else { throw .wireless(errno) }
        var wait = timeval(tv_sec: Self.waitSeconds, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &wait, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// All networks heard lately, of all interfaces, each once; empty when there is no Wi-Fi adapter, or it is off.
    public mutating func read() throws(SourceProblem) -> [VisibleNetwork] {
        guard let family = try ask(WirelessMessages.familyRequest, WirelessMessages.family).first else { return [] }
        var found: [UInt64: VisibleNetwork] = [:]
        for interface in try ask({ WirelessMessages.interfacesRequest(family: family, sequence: $0) }, WirelessMessages.station) {
            let networks = try ask(
                { WirelessMessages.networksRequest(family: family, interface: interface, sequence: $0) }, WirelessMessages.network)
            for network in networks where network.age < found[network.address]?.age ?? .max { found[network.address] = network }
        }
        return Array(found.values)
    }

    /// Sends one question and reads its whole answer. A thing that the kernel does not know has an empty one.
    private mutating func ask<Value>(
        _ request: (UInt32) -> [UInt8], _ read: (Netlink.Message) -> Value?
    ) throws(SourceProblem) -> [Value] {
        sequence &+= 1
        let bytes = request(sequence)
        guard send(descriptor, bytes, bytes.count, 0) == bytes.count else { throw .wireless(errno) }
        var values: [Value] = []
        while true {
            for message in Netlink.messages(in: try receive()) where message.sequence == sequence {
                switch Int32(message.type) {
                case NLMSG_DONE: return values
                case NLMSG_ERROR:
                    let code: Int32 = Netlink.number(in: message.payload) ?? -EBADMSG
                    guard code == 0 || code == -ENOENT || code == -ENODEV else { throw .wireless(-code) }
                    return values
                default:
                    if values.count < Self.networksMax, let value = read(message) { values.append(value) }
                    if Int32(message.flags) & NLM_F_MULTI == 0 { return values }
                }
            }
        }
    }

    private func receive() throws(SourceProblem) -> [UInt8] {
        var received = 0
        var code: Int32 = 0
        let datagram = [UInt8](unsafeUninitializedCapacity: Self.datagramBytesMax) { buffer, count in
            repeat {
                received = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                code = errno
            } while received < 0 && code == EINTR
            count = max(0, received)
        }
        guard received > 0 else { throw .wireless(received == 0 ? EPIPE : code) }
        return datagram
    }
}

extension SourceProblem {
    static func wireless(_ code: Int32) -> SourceProblem {
        SourceProblem(
            what: "The visible Wi-Fi networks cannot be read: \(String(cString: strerror(code)))",
            advice: code == EAFNOSUPPORT || code == EPERM
                ? "Allow AF_NETLINK in RestrictAddressFamilies= of the service, or switch Wi-Fi places off in its configuration"
                : "Positions then come from satellites alone. Look at journalctl -k for the Wi-Fi adapter", retries: true)
    }
}
