public import Vitals

/// One message about one emergency, as it is told to others: every format says the same, because all of them are made of this value.
///
/// All times are UTC milliseconds of the sender's clock. If that clock was wrong (``isClockTrusted`` is false) they are wrong together,
/// so that ages are right all the same.
public struct SOSRecord: Hashable, Sendable {
    /// Whether somebody is to act on it (CAP 1.2, 3.2.1 `status`).
    public enum Status: String, Sendable, Hashable, CaseIterable {
        case actual
        /// People practise with it, and know.
        case exercise
        /// A test of the way from end to end, or a recording played again: nobody is to be sent.
        case test
    }

    /// The type of the message (CAP 1.2, 3.2.1 `msgType`).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The first about this incident.
        case alert
        /// Later ones: the newest replaces what was said before.
        case update
        /// The alarm is withdrawn, or over: see ``SOSRecord/ending``.
        case cancel
    }

    /// Why an alarm is withdrawn.
    public enum Ending: String, Sendable, Hashable, CaseIterable {
        case falseAlarm = "false-alarm"
        case over
        case testOver = "test-over"
    }

    /// The person's answer to "are you OK?".
    public enum Question: String, Sendable, Hashable, CaseIterable {
        case notAsked = "not-asked"
        case unanswered
        /// The person asked for help.
        case help
    }

    /// Sender or recipient.
    public struct Party: Hashable, Sendable {
        /// As people call it: a control room, a contact, a hub. At most 100 characters.
        public let name: String
        /// Unique for ever: a mail address, a SIP URI without its parameters, a phone number. At most 200 characters.
        public let address: String

        public init(name: String, address: String) {
            self.name = name.cleaned(max: 100)
            self.address = address.cleaned(max: 200)
        }
    }

    /// An earlier message about the same incident (CAP 1.2, 3.2.1 `references`).
    public struct Reference: Hashable, Sendable {
        public let sender: Party
        public let number: Int
        public let sentAt: SOSTime

        public init(sender: Party, number: Int, sentAt: SOSTime) { (self.sender, self.number, self.sentAt) = (sender, number, sentAt) }
    }

    /// The incident, the same for every message about it whoever sends it: 1 to 64 of `A-Z a-z 0-9 - .`, others become `-`.
    public let incident: String
    /// The same emergency under other names, as another sender saw it first; at most ``aliasesMax``.
    public let aliases: [String]
    /// Counts the messages of one sender about one incident, from 1.
    public let number: Int
    public var kind: Kind
    public var status: Status
    /// Only with ``Kind/cancel``.
    public var ending: Ending?
    public var sentAt: SOSTime
    /// False for a box whose clock was never set.
    public var isClockTrusted: Bool
    /// The readings reached the sender long after they were measured.
    public var isBackDated: Bool
    public var sender: Party
    public var recipient: Party
    /// At most ``referencesMax``, the newest last.
    public let references: [Reference]
    public var person: SOSPerson
    public var place: SOSPlace
    public var cause: SOSCause
    public var question: Question
    /// When the first reading was measured that led to it; nil for an alarm without a reading.
    public var firstReadingAt: Milliseconds?
    public var raisedAt: Milliseconds
    /// The readings that led to it, oldest first; at most ``readingsMax``.
    public let readings: [SOSReading]
    /// The last minutes before, oldest first; of more than ``historyMax`` an even choice with its first and last.
    public let history: [SOSReading]
    /// Somebody has taken it, under this name (at most 40 characters; empty where none is known): with an update, and nobody else is called.
    public let takenBy: String?
    /// A page for who takes the alarm: how to accept it, the way to the person. At most 200 characters.
    public let web: String?
    /// The position of ``place`` may be older than its time says: nobody knows since when it holds.
    public var isPlaceAgeUnknown = false
    /// The owner is asked whether somebody is with the person by now (SOS-20).
    public var asksWhoIsThere = false

    public static let readingsMax = 10
    public static let historyMax = 300
    public static let referencesMax = 10, aliasesMax = 8
    /// From this on a message says how late it is, in milliseconds.
    public static let lateFrom: Milliseconds = 60_000
    /// From this on a reading is told as one of the past, with its age, in milliseconds: three readings and the 5 s of the question are now.
    public static let pastFrom: Milliseconds = 15_000

    public init(
        incident: String, aliases: [String] = [], number: Int = 1, kind: Kind = .alert, status: Status, ending: Ending? = nil,
        sentAt: SOSTime,
        isClockTrusted: Bool = true, isBackDated: Bool = false, sender: Party, recipient: Party, references: [Reference] = [],
        person: SOSPerson, place: SOSPlace, cause: SOSCause, question: Question, firstReadingAt: Milliseconds? = nil,
        raisedAt: Milliseconds, readings: [SOSReading] = [], history: [SOSReading] = [], takenBy: String? = nil, web: String? = nil
    ) {
        self.incident = incident.asIdentifier(max: 64)
        self.aliases = aliases.prefix(Self.aliasesMax).map { $0.asIdentifier(max: 64) }
        self.number = max(number, 1)
        (self.kind, self.status, self.ending) = (kind, status, kind == .cancel ? ending : nil)
        (self.sentAt, self.isClockTrusted, self.isBackDated) = (sentAt, isClockTrusted, isBackDated)
        (self.sender, self.recipient) = (sender, recipient)
        self.references = Array(references.suffix(Self.referencesMax))
        (self.person, self.place, self.cause, self.question) = (person, place, cause, question)
        (self.firstReadingAt, self.raisedAt) = (firstReadingAt, raisedAt)
        self.readings = Array(readings.suffix(Self.readingsMax))
        self.history = history.thinned(to: Self.historyMax)
        self.takenBy = kind == .update ? takenBy?.cleaned(max: 40) : nil
        self.web = web?.cleaned(max: 200)
    }

    /// Whether the recipient is to say that they will help: somebody is needed, and nobody has it.
    public var wantsAnswer: Bool { kind != .cancel && takenBy == nil }

    /// Whether nobody is to be sent.
    public var isDrill: Bool { status != .actual }

    /// How long after it was raised it is sent, where that is worth saying: milliseconds. Of an update it says how long help has been called.
    public var lateBy: Milliseconds? {
        let delay = sentAt.utc - raisedAt
        return kind != .cancel && delay >= Self.lateFrom ? delay : nil
    }

    /// How old ``lastReading`` is, where it says more of the past than of now: milliseconds.
    public var lastReadingAge: Milliseconds? {
        guard let age = lastReading.map({ sentAt.utc - $0.time }), age >= Self.pastFrom else { return nil }
        return age
    }

    /// The newest reading of what the cause is about: a temperature for one of temperature, a heart rate otherwise.
    public var lastReading: SOSReading? {
        func fits(_ reading: SOSReading) -> Bool { (reading.heartRate == nil) == cause.isTemperature }
        return readings.last(where: fits) ?? history.last(where: fits)
    }
}
