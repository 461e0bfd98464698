internal import Crypto
internal import Foundation
public import Vitals

/// One message on its way to a push service (RFC 8030, section 5): POST `body` with `headers` to `url`.
public struct PushRequest: Sendable, CustomStringConvertible, CustomReflectable {
    /// Bytes of a message before encryption.
    public static let payloadBytesMax = MessageEncryption.plaintextMax
    /// Seconds: four weeks, more than any service keeps.
    public static let lifetimeMax = 2_419_200

    public let url: String
    public let headers: [(name: String, value: String)]
    public let body: [UInt8]

    /// What may wake a phone (section 5.3).
    public enum Urgency: String, Sendable, CaseIterable {
        case veryLow = "very-low"
        case low
        case normal
        case high
    }

    /// Encrypts and signs a message.
    /// - Parameters:
    ///   - payload: at most ``payloadBytesMax`` bytes; the service worker gets them as they are.
    ///   - lifetime: seconds that the service keeps the message for a phone that is off; 0 to ``lifetimeMax``, others are cut to it.
    ///   - topic: a message that waits under the same topic is replaced.
    ///   - contact: `mailto:` or `https:` of the operator.
    /// - Throws: ``PushProblem``.
    public init(
        _ payload: [UInt8], to subscription: PushSubscription, key: ServerKey, contact: String, lifetime: Int, urgency: Urgency = .normal,
        topic: String? = nil, utc: Milliseconds
    ) throws {
        if let topic, !Self.isTopic(topic) { throw PushProblem.badTopic(topic) }
        url = subscription.endpoint
        body = try MessageEncryption.body(payload, for: subscription, key: P256.KeyAgreement.PrivateKey(), salt: Self.salt())
        headers =
            [
                ("Authorization", try key.authorization(for: subscription.origin, contact: contact, utc: utc)),
                ("Content-Encoding", "aes128gcm"),
                ("Content-Type", "application/octet-stream"),
                ("TTL", String(min(max(0, lifetime), Self.lifetimeMax))),
                ("Urgency", urgency.rawValue),
            ] + (topic.map { [("Topic", $0)] } ?? [])
    }

    /// Without the address and the signature, fit for a log.
    public var description: String { "PushRequest(\(body.count) bytes)" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    private static func salt() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func isTopic(_ topic: String) -> Bool {
        (1...32).contains(topic.utf8.count)
            && topic.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 45 || $0 == 95
            }
    }
}
