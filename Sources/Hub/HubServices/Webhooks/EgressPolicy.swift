import Foundation

/// An IPv4 or IPv6 address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 or 16, in the order of the network.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Parameter bytes: 4 or 16 in the order of the network; nil for any other number.
    public init?(networkOrder bytes: some Collection<UInt8>) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads dotted decimals with four parts, or IPv6 without a zone; nil for other spellings of an address and for names.
    public init?(_ text: some StringProtocol) {
        var four = in_addr(), six = in6_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            bytes = withUnsafeBytes(of: &four) { Array($0) }
        } else if inet_pton(AF_INET6, String(text), &six) == 1 {
            bytes = withUnsafeBytes(of: &six) { Array($0) }
        } else {
            return nil
        }
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The IPv4 address that stands in an IPv6 address behind a prefix of 96 bits.
    private func four(behind prefix: IPNetwork) -> IPAddress? {
        bytes.count == 16 && prefix.contains(self) ? IPAddress(bytes: Array(bytes[12...])) : nil
    }

    private static let mapped = IPNetwork(bytes: [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 0, 0, 0, 0], length: 96)
    private static let nat64 = IPNetwork(bytes: [0, 0x64, 0xFF, 0x9B] + [UInt8](repeating: 0, count: 12), length: 96)

    /// Where a packet to this address ends up: an IPv4 address within IPv6 (RFC 4291, 2.5.5.2; RFC 6052, 2.1) is taken out.
    public var effective: IPAddress { four(behind: Self.mapped) ?? four(behind: Self.nat64) ?? self }
}

/// All addresses that begin with the same bits.
public struct IPNetwork: Sendable, Hashable {
    private let bytes: [UInt8]
    private let length: Int

    init(bytes: [UInt8], length: Int) { (self.bytes, self.length) = (bytes, length) }

    /// Reads `10.0.0.0/8`, `fd00::/8`, or a single address; nil for anything else.
    public init?(_ text: some StringProtocol) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = parts.first.flatMap({ IPAddress($0) }) else { return nil }
        let whole = address.bytes.count * 8
        guard let length = parts.count == 2 ? Int(parts[1]) : whole, (0...whole).contains(length) else { return nil }
        self.init(bytes: address.bytes, length: length)
    }

    public func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == bytes.count else { return false }
        return (0..<length).allSatisfy { bit in
            let difference: UInt8 = address.bytes[bit / 8] ^ bytes[bit / 8]
            return difference & (0x80 >> UInt8(bit % 8)) == 0
        }
    }
}

/// Which addresses lie outside of the hub's own network: the hub posts to addresses that strangers give, and must not become their hand in
/// the operator's network (server-side request forgery).
public struct EgressPolicy: Sendable {
    /// Addresses that the operator allows all the same.
    private let allowed: [IPNetwork]

    public init(allowed: [IPNetwork] = []) { self.allowed = allowed }

    /// IANA's registry of special-purpose IPv4 addresses (RFC 6890 and later), multicast and what is reserved.
    private static let inside4 = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24", "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/3",
    ].compactMap { IPNetwork($0) }

    /// Global unicast (RFC 4291, 2.4) without what IANA's registry takes out of it: Teredo and its neighbours, documentation, and 6to4, which
    /// leads to any IPv4 address.
    private static let global6 = IPNetwork(bytes: [0x20] + [UInt8](repeating: 0, count: 15), length: 3)
    private static let inside6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"].compactMap { IPNetwork($0) }

    /// Whether the hub may connect to an address.
    public func isOutside(_ address: IPAddress) -> Bool {
        let address = address.effective
        if allowed.contains(where: { $0.contains(address) }) { return true }
        if address.bytes.count == 4 { return !Self.inside4.contains { $0.contains(address) } }
        return Self.global6.contains(address) && !Self.inside6.contains { $0.contains(address) }
    }
}
