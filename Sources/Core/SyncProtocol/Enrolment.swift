public import Vitals

/// A box's request to become an agent of the hub.
public struct EnrolmentRequest: Codable, Sendable, Hashable {
    /// The 8 characters that the hub printed; upper case, spaces and dashes are removed before comparing.
    public var code: String
    /// The agent's P-256 public key, uncompressed point (SEC 1, 2.3.3), 65 bytes in hexadecimal. The private key never leaves the box.
    public var publicKey: String
    /// The owner's name for the box; 1 to 64 characters.
    public var name: String

    public init(code: String, publicKey: String, name: String) {
        self.code = code
        self.publicKey = publicKey
        self.name = name
    }
}

/// The hub's answer to an ``EnrolmentRequest``.
public struct EnrolmentAnswer: Codable, Sendable, Hashable {
    public var agent: AgentID
    public var hub: HubIncarnation
    /// The persons for whom this agent may send.
    public var persons: [BoundPerson]
    /// Of earlier boxes of the one person; nil for none. Release 0.3.0 leaves it unread.
    public var kept: KeptSettingsList?

    public init(agent: AgentID, hub: HubIncarnation, persons: [BoundPerson], kept: KeptSettingsList? = nil) {
        self.agent = agent
        self.hub = hub
        self.persons = persons
        self.kept = kept
    }
}

/// A person bound to an agent, with the name under which the box shows it.
public struct BoundPerson: Codable, Sendable, Hashable {
    public var person: PersonID
    public var name: String

    public init(person: PersonID, name: String) {
        self.person = person
        self.name = name
    }
}

/// The hub's answer to a token request (RFC 6749, 5.1).
public struct TokenAnswer: Codable, Sendable, Hashable {
    /// Opaque, 128 random bits.
    public var accessToken: String
    /// Always `Bearer`.
    public var tokenType: String
    /// Seconds.
    public var expiresIn: Int
    /// The identity was used from two places: write new segments to a new stream.
    public var newStream: Bool?
    /// SHA-256 of the DER of the hub's next CA, 64 hexadecimal digits: a box pins it beside the present one. nil while none is announced.
    public var nextAuthority: String?

    public init(accessToken: String, expiresIn: Int, newStream: Bool? = nil) {
        self.accessToken = accessToken
        self.tokenType = "Bearer"
        self.expiresIn = expiresIn
        self.newStream = newStream
    }

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case newStream = "new_stream"
        case nextAuthority = "next_authority"
    }
}

/// Every refusal of a hub, as JSON: what was wrong and what to do. Follows RFC 6749, 5.2 at the token endpoint.
public struct ErrorAnswer: Codable, Sendable, Hashable, Error {
    /// A short code, for programs.
    public var error: String
    /// For people.
    public var description: String

    public init(error: String, description: String) {
        self.error = error
        self.description = description
    }

    enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}

/// Words that two people can compare aloud: a proquint (five letters for 16 bits) for each two bytes.
public enum KeyWords {
    private static let consonants = Array("bdfghjklmnprstvz")
    private static let vowels = Array("aiou")

    /// Words for the first `2 * count` bytes of a digest.
    public static func words(of digest: some Sequence<UInt8>, count: Int = 4) -> String {
        let bytes = Array(digest.prefix(2 * count))
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            let value = Int(bytes[index]) << 8 | Int(bytes[index + 1])
            return String([
                consonants[value >> 12 & 15], vowels[value >> 10 & 3], consonants[value >> 6 & 15], vowels[value >> 4 & 3],
                consonants[value & 15],
            ])
        }.joined(separator: "-")
    }
}
