public import Distress
public import Vitals

/// One case of distress: what is known, who was told, who comes. Times are UTC milliseconds.
public struct SOSCase: Sendable, Hashable, Codable {
    public let id: IncidentID
    public let person: PersonID
    public var alarm: Alarm
    /// Nobody is called: an exercise, a recording, or a stream that is not live (design rule 11).
    public let isTest: Bool
    public let opened: Milliseconds
    public var ended: Milliseconds?
    public var outcome: Outcome?
    public var owner: Owner?
    public var ownerName: String?
    /// Rounds of calls so far.
    public var rounds = 0
    public var calls: [SOSCall] = []
    public var offers: [SOSOffer] = []
    /// Who is on the way.
    public var crew: SOSCrew?
    /// When somebody who can help acknowledged it last; nil for nobody, and once it was given back.
    public var reachedAt: Milliseconds?
    /// What the person's box did by its own means, the oldest first.
    public var boxTries: [SOSBoxTry]?
    /// Numbers that it texted or called: what the hub says to those is an update. nil for none.
    public var boxTold: [String]?
    /// Secrets of the pages by which contacts answer, in the order of the contacts.
    public var links: [String] = []
    /// When crews are looked for again.
    public var searchAt: Milliseconds?
    /// The contacts as they were when it began: their places are those of ``links``, whatever the person changes meanwhile.
    public var contacts: [SOSContact]?
    /// Whether others are called: the consent to calls as it was when it began, or the person's own call for help. It holds until the case is
    /// over.
    public var isConsented: Bool?
    /// On what ground they are called; nil for nobody but caregivers, and in a case of release 0.3.0.
    public var ground: Ground?
    /// Whoever else may be meant: help was asked for at a button of several people. nil for nobody.
    public var others: [PersonID]?
    /// Which of ``people`` said at the hub that they are OK: it is about the rest.
    public var saidOK: [PersonID]?
    /// The hub could call by telephone when it began; nil where it could not.
    public var hasVoice: Bool?
    /// Secrets of the pages by which control rooms answer, by the rooms' names.
    public var roomLinks: [String: String]?
    /// Where the person was as control rooms were told last.
    public var toldPosition: LastPosition?
    /// What the hub keeps of where the person was has been looked at.
    public var isPlaceLookedFor: Bool?
    /// Nobody is called before this: a case that an old database knows, and of which a box may know more.
    public var heldUntil: Milliseconds?
    /// When whoever has it is asked whether somebody is with the person; nil while nobody has it, and while ``answerOwnerBy`` stands.
    public var askAt: Milliseconds?
    /// Until when whoever has it is to answer that question; nil while it is not asked.
    public var answerOwnerBy: Milliseconds?
    /// When it was said first that somebody is with the person.
    public var someoneThere: Milliseconds?
    /// Who had it and gave no answer, as long as a box still names them.
    public var goneOwner: Owner?
    /// Alarms of boxes that came when it was over, and counted as this case.
    public var joined: [Joined]?
    /// By how much the hub's clock was set forward since it began, milliseconds; nil for not at all.
    public var stepped: Milliseconds?
    /// Of a test: boxes that are to try their own means as well, by agent, and whether each has reached everybody. nil for no box.
    public var boxesTested: [String: Bool]?
    /// Of a test: a heart rate was being received when it began; nil where that was not kept.
    public var wasHeartHeard: Bool?

    /// Why others than caregivers may be told who it is, how they are and where.
    public enum Ground: String, Sendable, Hashable, Codable {
        /// The consent to calls, given before (``SOSConsent``).
        case consent
        /// The person asked for help: that is the consent for this one call (SOS-16).
        case help
    }

    /// The person asked for help.
    public var isHelp: Bool { alarm.abnormalities.contains { $0.trigger == .help } }
    /// Everybody who may come was looked for, and there is nobody, or every call failed for good.
    public var hasNobody: Bool {
        isOpen && rounds > 0 && owner == nil && calls.allSatisfy { $0.state == .failed } && offers.isEmpty
            && boxTries?.contains { $0.channel != "sound" } != true
    }
    /// The person, and whoever else may be meant.
    public var people: [PersonID] { [person] + (others ?? []) }
    /// Those of them who have not said that they are OK.
    public var meant: [PersonID] { people.filter { saidOK?.contains($0) != true } }

    /// An alarm for which nobody was called, as its case was over already.
    public struct Joined: Sendable, Hashable, Codable {
        public let id: IncidentID
        public let raisedAt: Milliseconds
        /// When it came.
        public let at: Milliseconds
        public init(id: IncidentID, raisedAt: Milliseconds, at: Milliseconds) { (self.id, self.raisedAt, self.at) = (id, raisedAt, at) }
    }

    public static let joinedMax = 32

    public mutating func join(_ what: Joined) {
        guard joined?.contains(where: { $0.id == what.id }) != true else { return }
        joined = ((joined ?? []) + [what]).suffix(Self.joinedMax)
    }

    public init(_ alarm: Alarm, isTest: Bool, opened: Milliseconds) {
        (id, person, self.alarm, self.isTest, self.opened) = (alarm.id, alarm.person, alarm, isTest, opened)
    }

    public var isOpen: Bool { ended == nil }

    /// A word that nobody followed up holds for so long.
    public static let reachedFor: Milliseconds = 60_000

    /// Whether somebody who can help has it: its owner, a crew with the offer on a screen, or whoever acknowledged it a moment ago. Who only
    /// saw it keeps no box from calling for longer than that.
    public func isReached(at time: Milliseconds) -> Bool {
        owner != nil || reachedAt.map { time - $0 < Self.reachedFor } ?? false
            || offers.contains { $0.state == .open && $0.seen != nil && $0.answerBy > time }
    }

    /// When something is to be done next; nil for nothing.
    public var due: Milliseconds? {
        let calls = calls.compactMap { $0.state == .waiting ? $0.due : nil }
        let offers = isOpen ? offers.compactMap(\.due) : []
        return (calls + offers + (isOpen ? [searchAt].compactMap(\.self) : [])).min()
    }

    public static let callsMax = 400, offersMax = 60

    /// When something was done about it last.
    public var touched: Milliseconds {
        ([opened, crew?.since].compactMap(\.self) + calls.map { $0.sentAt ?? min($0.due, opened) } + offers.map(\.made)).max() ?? opened
    }

    /// Takes what the detector knows, and keeps a better position.
    public mutating func take(_ alarm: Alarm, at now: Milliseconds) {
        let known = self.alarm.position
        self.alarm = alarm
        if let known, alarm.position.map({ !$0.isBetter(than: known, at: now) }) ?? true { self.alarm.position = known }
    }
}

/// One message to one recipient by one channel, with what became of it.
public struct SOSCall: Sendable, Hashable, Codable {
    public enum Recipient: Sendable, Hashable, Codable {
        /// Its place in the list of contacts as it was when the case began.
        case contact(Int, SOSContact)
        /// A caregiver, a parent, or the person, by the notices of the site.
        case account(AccountID)
        /// A control room, by its name in the configuration.
        case room(String)
    }
    public enum Channel: String, Sendable, Hashable, Codable {
        case text, mail, notice, room
        /// A telephone call of the hub's. Boxes hear of it by nothing but the numbers that were told.
        case voice
    }
    public enum Message: String, Sendable, Hashable, Codable {
        case alert, update, taken, released, personAnswered, falseAlarm, over, warning
        /// To a contact who was told without a position: it is known now.
        case position
        /// To whoever has it: is somebody with the person?
        case whoIsThere
    }
    public enum State: String, Sendable, Hashable, Codable {
        case waiting, sent
        /// Somebody answered it.
        case acknowledged
        case failed
        /// It was not needed any more.
        case dropped
    }

    public let number: Int
    public let recipient: Recipient
    public let channel: Channel
    public var message: Message
    public var due: Milliseconds
    /// Until then somebody works at it; it comes again after that.
    public var lease: Milliseconds = 0
    public var tries = 0
    public var state = State.waiting
    public var sentAt: Milliseconds?
    /// The time that its last try told as that of the message, UTC: later ones name it by that (CAP 1.2, `references`).
    public var said: Milliseconds?
    /// What the receiver's side said.
    public var proof: String?

    public init(number: Int, recipient: Recipient, channel: Channel, message: Message, due: Milliseconds) {
        (self.number, self.recipient, self.channel, self.message, self.due) = (number, recipient, channel, message, due)
    }
}

/// One try of a person's box to reach somebody, as the box told it (`SOSReport.LocalCall`).
public struct SOSBoxTry: Sendable, Hashable, Codable {
    public var channel: String, recipient: String, state: String
    public var isDelivered: Bool?
    /// A name for which pages have words, and the same in English.
    public var why: String?, problem: String?

    public init(channel: String, recipient: String, state: String, isDelivered: Bool?, why: String?, problem: String?) {
        (self.channel, self.recipient, self.state) = (channel, recipient, state)
        (self.isDelivered, self.why, self.problem) = (isDelivered, why, problem)
    }
}

/// A case as it is offered to one crew.
public struct SOSOffer: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable { case open, accepted, rejected, expired, released }
    public let account: AccountID
    public let ambulance: Int64
    public let made: Milliseconds
    public var answerBy: Milliseconds
    /// When it was on a screen.
    public var seen: Milliseconds?
    /// When the crew is notified of it, unless it was on a screen by then; nil once it was notified.
    public var tellAt: Milliseconds?
    public var state = State.open
    /// Metres as the crow flies, when it was made.
    public let distance: Int
    /// ``distance`` is that to where the person lives, as no position was known. nil: no.
    public let isToHome: Bool?

    public init(
        account: AccountID, ambulance: Int64, made: Milliseconds, answerBy: Milliseconds, tellAt: Milliseconds?, distance: Int,
        isToHome: Bool = false
    ) {
        (self.account, self.ambulance, self.made, self.answerBy, self.distance) = (account, ambulance, made, answerBy, distance)
        self.tellAt = tellAt
        self.isToHome = isToHome ? true : nil
    }

    /// When something is to be done about it next.
    var due: Milliseconds? { state == .open ? min(answerBy, seen == nil ? tellAt ?? answerBy : answerBy) : nil }
}

/// The crew that took a case.
public struct SOSCrew: Sendable, Hashable, Codable {
    public enum Status: String, Sendable, Hashable, Codable, CaseIterable { case onTheWay, there, done }
    public let account: AccountID
    public let ambulance: Int64
    public let label: AmbulanceLabel
    public var status = Status.onTheWay
    public var since: Milliseconds

    public init(account: AccountID, ambulance: Int64, label: AmbulanceLabel, since: Milliseconds) {
        (self.account, self.ambulance, self.label, self.since) = (account, ambulance, label, since)
    }
}

/// What the hub knows of a person's boxes and of itself as a watcher, so that a restart goes on where it was.
public struct SOSWatchState: Sendable, Hashable, Codable {
    public var watch: DistressWatch
    /// By agent: the newest report that was taken.
    public var boxes: [String: Box] = [:]
    public var presses: [Press] = []
    public var pressNumber: UInt64 = 0
    /// The case that was over last, and how.
    public var last: Last?
    /// The journal row up to which the hub has looked.
    public var journal: Int64 = 0
    /// A planned test that the person's boxes are to do as well.
    public var boxDrill: BoxDrill?
    /// Notices that have not left yet.
    public var owed: [OwedNotice]?
    /// Warnings that caregivers were told of, the newest last.
    public var toldWarnings: [IncidentID]?
    /// What is known of the links of the chain (SOS-18): of whoever watches,
    public var link: Link?
    /// of whom an alarm would reach, and of where the person is, as their boxes know it.
    public var addressees: Link?, place: Link?
    /// When the person last reactivated monitoring; nil for never.
    public var reactivated: Milliseconds?
    /// Of a time in which nobody watches, by the person's own act or since a case is over; nil while somebody does.
    public var reminder: Reminder?
    /// Senders without a detector of their own, by stream: when they sent, and how often they do.
    public var senders: [String: SOSRhythm]?
    /// Since when a planned test is overdue, as was told; nil where none is.
    public var overdueDrill: Milliseconds?
    /// Signs of life of a person who wants to be asked without one; nil for everybody else.
    public var inactivity: InactivityWatch?
    /// Of a person who wants to be told of an irregular heartbeat; nil for everybody else.
    public var rhythm: HeartRhythm.Standing?
    /// Changes that a box holds and this hub has lost, of which people were told, the newest last.
    public var toldDisputes: [SettingsOrigin]?

    public init(watch: DistressWatch) { self.watch = watch }

    public struct Box: Sendable, Hashable, Codable {
        public var boot: BootID
        public var revision: UInt64
        /// Boots that are over: what they sent comes too late.
        public var earlier: [BootID] = []
        /// By the hub's clock.
        public var received: Milliseconds
        public var unprotected: [Absence]
        public var isDetectorDown: Bool
        /// What it says of itself, as far as pages have words for it; nil for a box that does not say.
        public var weaknesses: [String]?
        public var question: Question?
        /// `text`, `call`, `hook`: what it could reach somebody by now; nil for a box that does not say.
        public var means: [String]?
        /// When it last had such means; nil for never.
        public var hadMeans: Milliseconds?
        /// The hub's clock less the box's: the smallest that was seen, since what is late on its way only adds to it.
        public var offset: Milliseconds?
        /// Steps of the hub's clock: by so much ``offset`` grew while the box ran on. At most ``earlierMax``, the newest last.
        public var steps: [Step]?
        /// The alarm that it reported last.
        public var alarm: IncidentID?
        /// The person switched position off there.
        public var isPositionOff: Bool?
        /// Which change of the person's settings it holds; nil for a box that does not say.
        public var holds: SettingsOrigin?
        /// It asks by itself where there is no sign of life; nil for a box that does not.
        public var asksInactivity: Bool?
        /// The last sign of life that it noticed, by the hub's clock; nil for none.
        public var sign: Milliseconds?
        public static let earlierMax = 8

        public init(boot: BootID, revision: UInt64, received: Milliseconds, unprotected: [Absence], isDetectorDown: Bool) {
            (self.boot, self.revision, self.received) = (boot, revision, received)
            (self.unprotected, self.isDetectorDown) = (unprotected, isDetectorDown)
        }
    }

    public struct BoxDrill: Sendable, Hashable, Codable {
        public var number: UInt64
        /// UTC milliseconds.
        public var at: Milliseconds
        /// Agents that have begun it.
        public var done: [String] = []
        public init(number: UInt64, at: Milliseconds) { (self.number, self.at) = (number, at) }
    }

    /// A button that was pressed on a page.
    public struct Press: Sendable, Hashable, Codable {
        public var number: UInt64
        /// `ok`, `help`, `falseAlarm`, `reactivate`.
        public var button: String
        public var at: Milliseconds
        public init(number: UInt64, button: String, at: Milliseconds) { (self.number, self.button, self.at) = (number, button, at) }
    }

    public struct Last: Sendable, Hashable, Codable {
        public var id: IncidentID
        public var outcome: Outcome
        public var at: Milliseconds
        /// Its other names, under which another box may know it.
        public var aliases: [IncidentID]?
        /// When it began; nil as long as it is not known.
        public var opened: Milliseconds?
        public init(id: IncidentID, outcome: Outcome, at: Milliseconds, opened: Milliseconds? = nil, aliases: [IncidentID] = []) {
            (self.id, self.outcome, self.at, self.opened, self.aliases) = (id, outcome, at, opened, aliases)
        }

        /// One side knows an episode for so long before the other, milliseconds: the longest wait of the detector, and a reconnection.
        public static let ahead: Milliseconds = 600_000

        /// Whether an alarm was raised while this case ran: two names of one episode. A hub whose clock was set back ends a case before it began.
        /// - Parameter steps: of the hub's clock, as the box knows them that reports the alarm.
        public func covers(_ alarm: Alarm, steps: [Box.Step]) -> Bool {
            let begun = opened ?? at, stepped = steps.reduce(0) { $1.at > at ? $0 + $1.by : $0 }
            return (begun - Self.ahead...max(begun, at)).contains(alarm.raisedAt - stepped)
        }

        /// Whether an alarm is about it.
        public func isAbout(_ alarm: Alarm) -> Bool { isCalled(alarm.id) || alarm.aliases.contains(where: isCalled) }

        public func isCalled(_ name: IncidentID) -> Bool { name == id || aliases?.contains(name) == true }
    }

    /// What is known of one link of the chain.
    public struct Link: Sendable, Hashable, Codable {
        /// It was whole once: what never was cannot break.
        public var wasWhole = false
        public var brokenSince: Milliseconds?
        /// Since when it is broken by something worse than a sensor: a box that stands still, or is silent.
        public var worseSince: Milliseconds?
        public var wholeSince: Milliseconds?
        /// The hub's own detector had a heart to listen to.
        public var sawHeart = false
        /// A box watched once; nil for never.
        public var boxWatched: Bool?
        /// When people were told that it is broken; nil while it is whole.
        public var told: Milliseconds?
        /// What they were told then; nil where an older hub told them.
        public var toldReason: String?

        public init() {}
    }
}
