/// Why a subscription was not taken or a message not made.
public enum PushProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The browser's subscription cannot be used; the field, and what is wrong with it.
    case badSubscription(field: String, why: String)
    /// The message is longer than ``PushRequest/payloadBytesMax``.
    case payloadTooLarge(bytes: Int)
    /// A topic has 1 to 32 characters of base64url (RFC 8030, section 5.4).
    case badTopic(String)
    /// Who is to be told of trouble must be `mailto:` or `https:` (RFC 8292, section 2.1).
    case badContact(String)
    /// The stored key for signing is none.
    case badKey

    public var description: String {
        switch self {
        case .badSubscription(let field, let why): "This browser's subscription cannot be used: \(field) \(why)."
        case .payloadTooLarge(let bytes):
            "A push message has \(bytes) bytes, of \(PushRequest.payloadBytesMax) at most. Send a shorter one that leads to the page."
        case .badTopic(let topic): "'\(topic.prefix(64))' is no topic: 1 to 32 letters, digits, hyphens and underscores."
        case .badContact(let contact):
            "'\(contact.prefix(64))' is no contact for push services: set a mailto: or https: address of the operator."
        case .badKey: "The key that signs push messages is damaged. Restore it, or make a new one: then all browsers subscribe anew."
        }
    }
}
