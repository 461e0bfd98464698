public import Distress
public import Vitals

/// A person's choices about AutomatedSOS, and the hub's findings about them for it.
public struct SOSChoice: Sendable, Hashable, Codable {
    /// Counts up with each change of anybody's: given by the store.
    public internal(set) var version = 0
    /// Turned on (SOS-1). It holds only together with a consent that runs.
    public var isOn = false
    /// "Are you OK?" is asked first (SOS-5).
    public var asksFirst = true
    /// SOS-4 to the letter; nil where nobody has chosen, and it is not.
    public var strict: Bool?
    /// Consents of organisations that may choose ``strict``, too; nil for none.
    public var strictSetters: [ConsentID]?
    public var overrides = LimitOverrides()
    public var personal: PersonalLimits?
    /// The contacts to call, in this order (SOS-20); also where it is off, when the person asks for help.
    public var contacts: [SOSContact] = []
    /// How often the profile was changed: each change gives a new ``version``, by which boxes learn of it.
    public var profileChanges: Int?
    /// When the person turned it off, milliseconds of UTC; nil where it is on, or never was.
    public var offSince: Milliseconds?
    /// When a person whom nobody watches is told so again; nil: as usual.
    public var reminders: ReminderPlan?
    /// For how long nobody watches until relatives are told, milliseconds; nil: ``relativesAfterUsual``.
    public var relativesAfter: Milliseconds?
    /// Four hours.
    public static let relativesAfterUsual: Milliseconds = 14_400_000
    /// When the person is asked where there is no sign of life; nil: nobody chose that.
    public var inactivity: InactivityPlan?
    /// Relatives in the order in which they are told; whoever is not in it comes last.
    public var caregiverOrder: [AccountID]?
    /// The person wants to be told of an irregular heartbeat (SOS-24); nil: not.
    public var tellsRhythm: Bool?
    /// Mails to contacts tell the vital signs that led to the alarm; nil: they do not.
    public var mailsValues: Bool?
    /// A relative's preparation to which the person has not agreed. Nothing of it holds.
    public var prepared: SOSPrepared?
    /// Where the person lives, as a point of the map; nil where nobody has set it.
    public var home: HomePin?

    /// The life of the hub in which ``version`` was made (``SOSStore/life``); nil for one of release 0.3.0.
    public internal(set) var life: HubIncarnation?
    /// When somebody changed something last, UTC milliseconds, and who; nil for nobody yet, and where that was not kept.
    public internal(set) var changedAt: Milliseconds?
    public internal(set) var changedBy: AccountID?
    /// What boxes have instead: this hub was restored from a backup, and nobody has decided yet. nil for nothing.
    public internal(set) var copies: [SOSCopy]?
    /// Changes of other lives of the hub that count as known, since somebody decided about them.
    public internal(set) var accepted: [SettingsOrigin]?

    public static let contactsMax = 8

    public init() {}
}

/// Where somebody lives, as they or somebody who looks after them set it on a map. It is for crews alone, and only where no position is known.
public struct HomePin: Sendable, Hashable, Codable {
    /// 1e-7 degrees, WGS 84.
    public let latitude: Int32, longitude: Int32
    /// The address of the profile as it was then: after a move the pin leads nobody any more.
    public let address: String
    public let by: AccountID
    /// UTC milliseconds.
    public let at: Milliseconds

    public init(latitude: Int32, longitude: Int32, address: String, by: AccountID, at: Milliseconds) {
        (self.latitude, self.longitude, self.address, self.by, self.at) = (latitude, longitude, address, by, at)
    }
}

/// A relative's preparation for the person's yes.
public struct SOSPrepared: Sendable, Hashable, Codable {
    /// The last account that prepared something.
    public var by: AccountID
    /// UTC milliseconds.
    public var at: Milliseconds
    public var contacts: [SOSContact] = []
    /// AutomatedSOS is to be turned on.
    public var turnsOn = false

    public init(by: AccountID, at: Milliseconds) { (self.by, self.at) = (by, at) }
}

/// The record that the emergency chain may be told who somebody is, how they are and where, from ten minutes before an episode until it is over.
/// It is no consent of the register: revoking those never touches it.
public struct SOSConsent: Sendable, Hashable {
    /// The account that gave it: the person's, or a minor's parent's.
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
    /// The changes, as `key: old → new` for values, and names for the rest.
    public let what: [String]

    public init(time: Milliseconds, by: AccountID, what: [String]) { (self.time, self.by, self.what) = (time, by, what) }
}
