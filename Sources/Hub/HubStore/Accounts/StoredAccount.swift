public import Accounts
public import Vitals

/// An account as the store keeps it.
public struct StoredAccount: Sendable, Hashable {
    public let row: Int64
    public let id: AccountID
    public let roles: Set<Role>
    /// The form's fields by name (see ``Accounts/Field``), the password not among them.
    public let details: [String: String]
    /// PHC string.
    public let password: String
    /// `en` or `it`: of its mails and pages.
    public let language: String
    /// UTC milliseconds.
    public let created: Milliseconds
    /// When the link in the mail was followed; nothing works before.
    public let confirmed: Milliseconds?

    public subscript(_ field: Field) -> String { details[field.rawValue] ?? "" }

    public var email: String { self[.email] }

    /// Where ``waitingName`` stands in ``details``.
    public static let waitingNameKey = "waitingName"
    /// Another name that an organisation wants, and that an operator has to look at first; nil for none.
    public var waitingName: String? { details[Self.waitingNameKey] }

    /// A person for whom a relative opened the account may have a user name in the place of an address.
    public var hasMail: Bool { email.contains("@") }

    /// As others see it.
    public var name: String {
        let organisation = self[.organisationName]
        return organisation.isEmpty ? [self[.firstName], self[.lastName]].filter { !$0.isEmpty }.joined(separator: " ") : organisation
    }
}

/// An account that is to be made.
public struct NewAccount: Sendable, Codable {
    public var roles: Set<Role>
    public var details: [String: String]
    /// ``Accounts/EmailAddress/canonical``.
    public var canonicalEmail: String
    /// The canonical tax identifier or VAT number, of which there is one account only; nil where there is none.
    public var canonicalIdentifier: String?
    /// PHC string.
    public var password: String
    public var language: String
    /// Versions by document.
    public var accepted: [Field: String]

    public init(
        roles: Set<Role>, details: [String: String], canonicalEmail: String, canonicalIdentifier: String?, password: String,
        language: String, accepted: [Field: String]
    ) {
        (self.roles, self.details, self.canonicalEmail, self.canonicalIdentifier) = (roles, details, canonicalEmail, canonicalIdentifier)
        (self.password, self.language, self.accepted) = (password, language, accepted)
    }
}

/// The use of a link in a mail.
public enum MailLinkPurpose: Int64, Sendable, Hashable {
    case confirmation = 1
    case reset = 2
    /// The hand-over of an account that a relative opened.
    case handOver = 43
    /// A log-in as somebody made up.
    case demonstration = 44
}

/// A log-in on one browser.
public struct StoredSession: Sendable, Hashable {
    /// How its holder proved who they are.
    public enum Strength: Int64, Sendable, Hashable, Comparable {
        /// By the password alone, where a second factor is required or set up: good for giving that, and for nothing else.
        case begun = 0
        /// By what the account needs.
        case full = 1

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    public let hash: [UInt8]
    public let account: StoredAccount
    public let strength: Strength
    public let created: Milliseconds
    public let seen: Milliseconds
    /// When it ends however busy it is.
    public let expires: Milliseconds
    /// When its holder last proved who they are: what is dangerous asks again after a while (step-up).
    public let proved: Milliseconds
    /// The browser, for the owner's list; nil in the session of a request, for which its name is not opened.
    public let device: String?
    /// For which organisation its account acts; nil for nobody.
    public var membership: Membership?
    /// Who is logged in, where the session acts for an organisation (``acting()``).
    var actor: StoredAccount?
}

extension Set<Role> {
    var bits: Int64 { reduce(0) { $0 | 1 << Int64(Role.allCases.firstIndex(of: $1) ?? 0) } }

    init(bits: Int64) { self = Set(Role.allCases.enumerated().filter { bits >> Int64($0.offset) & 1 == 1 }.map(\.element)) }
}
