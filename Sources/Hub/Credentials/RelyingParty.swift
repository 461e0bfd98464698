/// The hub as passkeys know it (WebAuthn Level 3, section 5.1.2): by its name. A passkey made under one name works under no other.
///
/// WebAuthn is by hand: one algorithm and no attestation leave nothing that a library would parse, and signatures are swift-crypto's.
public struct RelyingParty: Sendable, Hashable {
    /// The RP ID: the hub's host name in lower case.
    public let id: String
    /// The one origin that answers are taken from: `https://host`, with the port unless it is 443.
    public let origin: String

    /// Why a host cannot have passkeys. Log-in by one-time code works there all the same.
    public struct Impossible: Error, Hashable, Sendable, CustomStringConvertible {
        public let what: String
        public let advice: String

        public var description: String { "\(what). \(advice)." }
    }

    /// - Parameters:
    ///   - host: as it stands in the browser's address line, without port.
    /// - Throws: when browsers refuse passkeys there: an IP address, or no host name.
    public init(host: String, port: Int = 443) throws(Impossible) {
        let host = host.lowercased()
        guard !Self.isAddress(host) else {
            throw Impossible(
                what: "\(host.prefix(64)) is an IP address, and browsers keep passkeys for host names only",
                advice: "Give the hub a name in hub.url, with a certificate for it; until then people use one-time codes")
        }
        guard Self.isName(host) else {
            throw Impossible(
                what: "'\(host.prefix(64))' is no host name that a browser can keep passkeys for",
                advice: "Set hub.url to https:// and a name of letters, digits, hyphens and dots; write other letters as xn--")
        }
        id = host
        origin = "https://\(host)" + (port == 443 ? "" : ":\(port)")
    }

    /// IPv6 has colons. A host whose last part is a number is IPv4 to browsers, or an error (URL Standard, section 3.5).
    private static func isAddress(_ host: String) -> Bool {
        if host.contains(":") || host.hasPrefix("[") { return true }
        guard let last = host.split(separator: ".").last else { return false }
        let isHexadecimal = last.hasPrefix("0x") && last.dropFirst(2).allSatisfy(\.isHexDigit)
        return isHexadecimal || last.utf8.allSatisfy(isDigit)
    }

    private static func isName(_ host: String) -> Bool {
        host.utf8.count <= 253
            && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
                (1...63).contains(part.utf8.count) && !part.hasPrefix("-") && !part.hasSuffix("-")
                    && part.utf8.allSatisfy {
                        isDigit($0) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "-")
                    }
            }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
