public import Distress
public import Vitals

/// What a person chose about AutomatedSOS, and what the hub found out about them for it.
public struct SOSChoice: Sendable, Hashable, Codable {
    /// Counts up with each change of anybody's: given by the store.
    public internal(set) var version = 0
    /// Turned on (SOS-1). It holds only together with a consent that runs.
    public var isOn = false
    /// "Are you OK?" is asked first (SOS-5).
    public var asksFirst = true
    /// SOS-4 to the letter; nil where nobody has chosen, and it is not.
    public var strict: Bool?
    public var overrides = LimitOverrides()
    public var personal: PersonalLimits?
    /// Whom to call, in this order (SOS-20).
    public var contacts: [SOSContact] = []

    public static let contactsMax = 8

    public init() {}
}

/// Somebody who is called when the person is in distress. They need no account.
public struct SOSContact: Sendable, Hashable, Codable {
    public var name: String
    /// E.164; nil where only a mail goes.
    public var phone: String?
    public var email: String?
    /// BCP 47.
    public var language: String
    public var isTexted: Bool
    /// By the person's box, which has a voice.
    public var isCalled: Bool

    public init(name: String, phone: String?, email: String?, language: String, isTexted: Bool = true, isCalled: Bool = true) {
        (self.name, self.phone, self.email, self.language) = (name, phone, email, language)
        (self.isTexted, self.isCalled) = (isTexted, isCalled)
    }
}

/// The record that the emergency chain may be told who somebody is, how they are and where, from ten minutes before an episode until it is over.
/// It is no consent of the register: revoking those never touches it.
public struct SOSConsent: Sendable, Hashable {
    /// Who gave it: the person, or a minor's parent.
    public let giver: AccountID
    /// The version of the text that was shown.
    public let document: String
    /// UTC milliseconds.
    public let given: Milliseconds

    public init(giver: AccountID, document: String, given: Milliseconds) {
        (self.giver, self.document, self.given) = (giver, document, given)
    }
}

/// A change of the settings, for the person to see (SOS-2).
public struct SOSChange: Sendable, Hashable, Codable {
    public let time: Milliseconds
    public let by: AccountID
    /// What was changed, as `key: old → new` for values, and names for the rest.
    public let what: [String]

    public init(time: Milliseconds, by: AccountID, what: [String]) { (self.time, self.by, self.what) = (time, by, what) }
}
