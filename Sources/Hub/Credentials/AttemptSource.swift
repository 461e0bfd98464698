internal import Glibc

/// Where a try comes from, as far as one party can be told from another by its address.
public struct AttemptSource: Sendable, Hashable {
    /// Names the source: an address, or the network that counts as one.
    public let text: String

    /// Behind a proxy that does not say whom it speaks for nobody is told from anybody by an address.
    var isKnown: Bool { !text.isEmpty }

    /// - Parameter address: of the other end, without port. An IPv6 address counts by its first 64 bits, as a home or a server has all of
    ///   them; an IPv4 address within IPv6 counts as IPv4. Any other text counts as it is.
    public init(address: String) {
        var six = in6_addr(), four = in_addr()
        let bare = String(address.prefix { $0 != "%" })
        guard inet_pton(AF_INET, bare, &four) != 1, inet_pton(AF_INET6, bare, &six) == 1 else {
            text = bare
            return
        }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
            text = bytes[12...].map { String($0) }.joined(separator: ".")
        } else {
            text = bytes[..<8].map { String($0, radix: 16) }.joined(separator: ":") + "/64"
        }
    }
}
