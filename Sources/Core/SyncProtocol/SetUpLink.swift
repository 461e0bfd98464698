internal import Vitals

/// The link from the hub's page Boxes to a box's set-up page. What the box needs stands behind the `#`: browsers send that to no server.
public struct SetUpLink: Sendable, Hashable {
    /// Under which a box announces itself in its network while it can be set up.
    public static let host = "trackme.local"
    /// Where its set-up page is.
    public static let port = 7358

    /// Bytes of a fingerprint.
    private static let fingerprintBytes = 32

    /// The 8 characters that the hub made.
    public var code: String
    /// SHA-256 of the DER of the hub's CA certificate; nil where the system's trust decides about the hub.
    public var fingerprint: [UInt8]?
    /// `https://HOST[:PORT]`.
    public var hub: String

    public init(code: String, fingerprint: [UInt8]?, hub: String) {
        (self.code, self.fingerprint, self.hub) = (code, fingerprint, hub)
    }

    /// The part behind the `#`: code, fingerprint in base64url, and the hub without `https://`, with dots between.
    public var fragment: String {
        let scheme = "https://"
        return "\(code).\(fingerprint.map(Base64URL.text) ?? "").\(hub.hasPrefix(scheme) ? String(hub.dropFirst(scheme.count)) : hub)"
    }

    /// For a box at ``host``.
    public var address: String { "http://\(Self.host):\(Self.port)/#\(fragment)" }

    /// Reads a ``fragment``; nil for anything else. Whether the hub's address is one is looked at by whoever uses it.
    public init?(fragment: String) {
        let parts = fragment.split(separator: ".", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
        guard fragment.utf8.count <= 512, parts.count == 3, !parts[0].isEmpty, !parts[2].isEmpty else { return nil }
        code = parts[0]
        hub = parts[2].contains("://") ? parts[2] : "https://\(parts[2])"
        guard !parts[1].isEmpty else { return }
        guard let bytes = Base64URL.bytes(parts[1]), bytes.count == Self.fingerprintBytes else { return nil }
        fingerprint = bytes
    }
}
