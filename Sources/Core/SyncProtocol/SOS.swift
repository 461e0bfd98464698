public import Distress
public import Vitals

extension SyncRoute {
    /// POST: ``SOSReport`` to ``SOSAnswer``, JSON. Bearer token; one that has expired, but is not revoked, is taken here (design rule 7).
    public static let sos = "/sync/v1/sos"
    /// GET: ``SOSSettings``, JSON. Bearer token.
    public static let sosSettings = "/sync/v1/sos/settings"
    /// The largest body of ``sos``, in bytes.
    public static let sosBytesMax = 256 << 10
}

/// A box's report of AutomatedSOS for one person: at once when something changes, every ``SOSAnswer/repeatAfter`` while a case is open, and
/// at least every 30 seconds otherwise, so that the hub knows that somebody watches here.
public struct SOSReport: Codable, Sendable, Hashable {
    public var person: PersonID
    /// The boot in whose milliseconds all times stand.
    public var boot: BootID
    /// Counts up within the boot: the hub leaves out a report that is older than one that it has.
    public var revision: UInt64
    /// The box's clock as it sent this.
    public var sentAt: Milliseconds
    public var provenance: Provenance
    /// Asked for as an exercise, by the person or by plan (SOS-19): Test everywhere, and nobody comes.
    public var isDrill: Bool
    /// Why this box does not watch, as far as it sees; empty while it does.
    public var unprotected: [Absence]
    /// The detector of this box is broken or switched off: the hub shall watch instead.
    public var detectorDown: Bool
    /// Troubles that do not take the protection away and should be looked at, by name: `noPosition`, `noOwnMeans`, `settingsLost`,
    /// `contactWithoutNumber`, `stoodStill`, `mayFallAsleep`, `wasAsleep`. A hub leaves out what it does not know; nil from a box that does not say, or not yet.
    public var weaknesses: [String]?
    /// "Are you OK?", while it is asked.
    public var question: Question?
    /// Not answered in time, for the caregiver and not for the emergency chain; until the next one.
    public var warning: Warning?
    /// The case that is open here, or was over last.
    public var alarm: Alarm?
    /// How ``alarm`` ended; nil while it is open.
    public var outcome: Outcome?
    /// The owner of the alarm, as this box knows.
    public var owner: Owner?
    /// The calls that this box made by its own means for ``alarm``.
    public var calls: [LocalCall]
    /// The person switched position off here; nil where they did not, and of a box that does not say.
    public var isPositionOff: Bool?
    /// Other people of this box who may be meant by ``alarm``: somebody asked for help at a button that belongs to nobody (SOS-16). nil for
    /// nobody, and of a box that does not say.
    public var others: [PersonID]?
    /// The last position that this box knows, where nobody knows how old it is (``LastPosition/isAgeUnknown``), beside an ``alarm`` that has none.
    /// A hub of 0.3.0 would take it for that of its time. nil for none, and of a box that does not say.
    public var lastPlace: LastPosition?
    /// The ways by which the box could reach somebody now: `text`, `call` (its modem), `hook` (a program of its owner that a test has proven). A hub leaves
    /// out what it does not know; nil from a box that does not say.
    public var means: [String]?
    /// Which change of the person's settings this box holds; nil for none, and of a box that does not say.
    public var holds: SettingsOrigin?
    /// Those settings, for a hub that asked for them (``SOSAnswer/wantsSettings``).
    public var settings: SOSSettings.Person?
    /// The question that was answered here last: the hub may ask the same (``SOSAnswer/flagged``). nil for none, and of a box that does not say.
    public var answered: IncidentID?
    /// When the person pressed here to have their other boxes watch again (``SOSAnswer/elsewhere``), until the hub has heard of it. nil for never,
    /// and of a box that does not say.
    public var broughtBack: Milliseconds?
    /// Signs of life that this box noticed, where it asks by ``DistressSettings/inactivity``; nil where it does not, and of a box that cannot.
    public var activity: Activity?

    public init(
        person: PersonID, boot: BootID, revision: UInt64, sentAt: Milliseconds, provenance: Provenance, isDrill: Bool = false,
        unprotected: [Absence] = [], detectorDown: Bool = false, question: Question? = nil, warning: Warning? = nil, alarm: Alarm? = nil,
        outcome: Outcome? = nil, owner: Owner? = nil, calls: [LocalCall] = [], weaknesses: [String]? = nil
    ) {
        (self.person, self.boot, self.revision, self.sentAt, self.provenance) = (person, boot, revision, sentAt, provenance)
        (self.isDrill, self.unprotected, self.detectorDown) = (isDrill, unprotected, detectorDown)
        (self.question, self.warning, self.alarm) = (question, warning, alarm)
        (self.outcome, self.owner, self.calls, self.weaknesses) = (outcome, owner, calls, weaknesses)
    }

    /// By the box's clock.
    public struct Activity: Codable, Sendable, Hashable {
        /// The last sign of life; nil for none yet.
        public var sign: Milliseconds?
        /// When something was heard last that would have shown movement; nil for never.
        public var seen: Milliseconds?
        public init(sign: Milliseconds?, seen: Milliseconds?) { (self.sign, self.seen) = (sign, seen) }
    }

    /// One try of a box to reach somebody by its own means (SOS-9).
    public struct LocalCall: Codable, Sendable, Hashable {
        public enum Channel: String, WireWord {
            case text, call, sound, hook
            /// One of a newer box.
            case unknown

            public var nearestIn030: Channel {
                switch self {
                case .text, .call, .sound, .hook: self
                case .unknown: .hook
                }
            }
        }
        public enum State: String, WireWord {
            case started, sent, acknowledged, failed

            /// Tried, and nothing more is known.
            public static let unknown = State.started
            public var nearestIn030: State {
                switch self {
                case .started, .sent, .acknowledged, .failed: self
                }
            }
        }
        public var channel: Channel
        /// Number or name as the settings have it; empty for a sound.
        public var recipient: String
        public var state: State
        public var at: Milliseconds
        /// The error, in English.
        public var problem: String?
        /// The same as a name for which pages have words in their reader's language (`SourceProblem.Kind`); nil where ``problem`` alone says it.
        public var why: String?
        /// With ``State/sent``: the network said that it arrived.
        public var isDelivered: Bool?

        public init(
            channel: Channel, recipient: String, state: State, at: Milliseconds, problem: String? = nil, why: String? = nil,
            isDelivered: Bool? = nil
        ) {
            (self.channel, self.recipient, self.state, self.at, self.problem) = (channel, recipient, state, at, problem)
            (self.why, self.isDelivered) = (why, isDelivered)
        }
    }
}

/// The hub's answer, after its commit where there was something to keep.
public struct SOSAnswer: Codable, Sendable, Hashable {
    /// The hub's clock, UTC milliseconds.
    public var utc: Milliseconds
    /// The report is on the hub's disk. With ``addresseeReached`` it is what lets a box leave its own channels alone.
    public var isDurable: Bool
    /// Somebody who can help has it on a screen or acknowledged it; not merely a mail that left.
    public var addresseeReached: Bool
    /// Nobody who can help was reached about the open case, and whoever was told had the time to answer, or there is nobody to tell: the person's
    /// box calls as well. false where somebody was reached; nil where that is too early to say, for no case, and of a hub that does not say.
    public var reachedNobody: Bool?
    /// Under which the hub keeps the case: another one than the box's where the hub saw it first.
    public var incident: IncidentID?
    public var owner: Owner?
    /// Whether the hub sees to it that the contact who has it is asked if somebody is with the person. false: it has no way to them that works,
    /// their box asks, and the hub gives the case on. nil where no contact has it, and of a hub that does not say.
    public var asksOwner: Bool?
    /// As people call the owner.
    public var ownerName: String?
    /// The case that is open at the hub, its times on the hub's clock, for a box that reported none: its person sees it there, and can end it.
    public var open: Alarm?
    /// Where whoever comes is, and when they are expected (SOS-13).
    public var coming: Coming?
    /// How the case ended on the hub.
    public var outcome: Outcome?
    /// The person's word on a page of the hub since this box was answered last; the box takes it as its own button.
    public var pressed: [Pressed]
    /// No contact, caregiver or control room could be told of an alarm by the hub; false where there is somebody, nil where a hub does not say.
    public var reachesNobody: Bool?
    /// Of which warnings the hub can tell somebody who is to hear of them, by a way that works, as ``Trigger`` has them: a control room hears of none,
    /// and whom the box alone reaches is the box's to tell: what contacts are to hear of is left out for a box that can text, where the hub writes to
    /// one of them in no way that works. A box does nothing for a word that it does not know. nil of a hub that does not say.
    public var warned: [String]?
    /// Numbers, as ``SOSSettings`` have them, to which a text about the case has left, by the hub or by another box: what a box says to those is
    /// an update. nil: none, or a hub that does not say.
    public var told: [String]?
    /// A planned test that the box is to do as well, by its own means; nil for none.
    public var drill: Drill?
    /// An event that others reported to the hub, about which it asks now: the box asks as well. nil: nothing, or a hub that does not say.
    public var flagged: [Flagged]?
    /// Nobody watches the person, and another of their boxes says why, which lasts until somebody ends it: `waitingForReactivation`, `paused`,
    /// `switchedOff`, as ``Absence`` has them. A box does nothing for a word that it does not know. nil for nothing of the kind, and of a hub
    /// that does not say.
    public var elsewhere: String?
    /// How long ago the hub itself noticed the last sign of life of the person, by a page or a phone, milliseconds. nil for none, and from a hub
    /// that does not say.
    public var aliveAgo: Milliseconds?
    /// The irregular heartbeat of which the person was told in the last day; nil: none, or a hub that does not say.
    public var rhythm: Rhythm?
    /// Milliseconds until the next report while a case is open.
    public var repeatAfter: Milliseconds
    /// Of ``SOSSettings``; a box that has another one fetches them.
    public var settingsVersion: Int
    /// The hub does not know the change that the box holds, as it was restored from a backup. true: the box hands its settings back with its next
    /// report. false: the hub has them, and nobody has decided yet. nil where it knows the change, and from a hub that does not say.
    public var wantsSettings: Bool?

    public init(
        utc: Milliseconds, isDurable: Bool, addresseeReached: Bool, incident: IncidentID? = nil, owner: Owner? = nil,
        ownerName: String? = nil, coming: Coming? = nil, outcome: Outcome? = nil, pressed: [Pressed] = [], repeatAfter: Milliseconds = 2000,
        settingsVersion: Int
    ) {
        (self.utc, self.isDurable, self.addresseeReached, self.incident) = (utc, isDurable, addresseeReached, incident)
        (self.owner, self.ownerName, self.coming, self.outcome) = (owner, ownerName, coming, outcome)
        (self.pressed, self.repeatAfter, self.settingsVersion) = (pressed, repeatAfter, settingsVersion)
    }

    /// A fall or a seizure that a phone or another system noticed.
    public struct Flagged: Codable, Sendable, Hashable {
        /// `fall` or `seizure`. A box does nothing for a word that it does not know.
        public var flag: String
        /// Under which the hub counts it: the question of the box has the same name.
        public var key: SampleKey

        public init(flag: String, key: SampleKey) { (self.flag, self.key) = (flag, key) }
    }

    public struct Rhythm: Codable, Sendable, Hashable {
        /// How long ago the ten minutes were over when the hub answered, in milliseconds.
        public var ago: Milliseconds
        public init(ago: Milliseconds) { self.ago = ago }
    }

    public struct Drill: Codable, Sendable, Hashable {
        /// A box does each number once.
        public var number: UInt64
        public init(number: UInt64) { self.number = number }
    }

    public struct Coming: Codable, Sendable, Hashable {
        /// 1e-7 degrees.
        public var latitude: Int32, longitude: Int32
        /// How old the position is, in milliseconds.
        public var age: Milliseconds
        /// Until the arrival; nil when it cannot be told.
        public var arrivalIn: Milliseconds?

        public init(latitude: Int32, longitude: Int32, age: Milliseconds, arrivalIn: Milliseconds? = nil) {
            (self.latitude, self.longitude, self.age, self.arrivalIn) = (latitude, longitude, age, arrivalIn)
        }
    }

    public struct Pressed: Codable, Sendable, Hashable {
        public enum Button: String, WireWord {
            case ok, help, falseAlarm, reactivate
            /// One of a newer hub: a box does nothing for it, and says so in its log.
            case unknown

            /// The event for the person's detector; nil for a button of another version.
            public var code: StateEvent.Code? {
                switch self {
                case .ok: .ok
                case .help: .help
                case .falseAlarm: .falseAlarm
                case .reactivate: .reactivated
                case .unknown: nil
                }
            }

            public var nearestIn030: Button {
                switch self {
                case .ok, .help, .falseAlarm, .reactivate: self
                // Not sent: a hub knows its own buttons.
                case .unknown: .help
                }
            }
        }
        public var button: Button
        /// Counts up for the person: a box takes each number once.
        public var number: UInt64
        /// How long ago it was pressed when the hub answered.
        public var ago: Milliseconds
        /// With ``Button/reactivate``: it was pressed at another box of the person, which said that this one keeps them from being watched. It
        /// ends a pause as well, and takes the heart rate in. nil for a button that was pressed otherwise, and of a hub that does not say.
        public var bringsBack: Bool?

        /// Under which box and hub both count it, so that an alarm that it raises has one id: the stream is the person's identifier, the
        /// sequence its number.
        public static func key(of person: PersonID, number: UInt64) -> SampleKey {
            SampleKey(stream: StreamID(high: person.high, low: person.low), sequence: number, kind: .event, index: 0)
        }

        public init(button: Button, number: UInt64, ago: Milliseconds) { (self.button, self.number, self.ago) = (button, number, ago) }
    }
}

/// The settings with which a box watches and calls without the hub. It keeps the last one, readable by itself alone.
public struct SOSSettings: Codable, Sendable, Hashable {
    /// Counts up with each change; 0 for none yet.
    public var version: Int
    public var people: [Person]
    /// For which detector they are made: 2 caps baselines by itself. nil for that of 0.3.0, to which the hub gives the cap as overrides. A box that
    /// was upgraded fetches its settings anew.
    public var detector: Int?
    /// Never sent. A box keeps here what its hub has of people about whom they disagree (``HeldSettings``).
    public var hubs: [Person]?

    public init(version: Int, people: [Person], detector: Int? = nil) {
        (self.version, self.people, self.detector) = (version, people, detector)
    }

    public struct Person: Codable, Sendable, Hashable {
        public var person: PersonID
        public var distress: DistressSettings
        public var name: String
        /// Gregorian year; nil when unknown.
        public var birthYear: Int?
        /// BCP 47: `en`, `it`.
        public var language: String
        /// E.164.
        public var phone: String?
        /// Where the person lives, in one line, for a box whose position is not known.
        public var address: String?
        /// The contacts that the box calls, in this order (SOS-20); also where AutomatedSOS is off, for a person who asks for help.
        public var contacts: [Contact]
        /// When a person whom nobody watches is told so again; nil from a hub that does not say.
        public var reminders: ReminderPlan?
        /// The person turned AutomatedSOS off, and is told so again; nil where it is on, was never on, or a hub does not say.
        public var wasTurnedOff: Bool?
        /// When the person turned it off at the hub, UTC milliseconds; nil where it is on or never was, and from a hub that does not say.
        public var offSince: Milliseconds?
        /// Texts to contacts tell what was measured, because the person chose so; nil where they do not.
        public var tellsValues: Bool?
        /// Which change these are; nil from a hub that does not say.
        public var origin: SettingsOrigin?
        /// Whether the hub knows what the box told that it holds; nil before it told, and from a hub that does not say.
        public var compared: Compared?
        /// The hub's own settings, while it and a box disagree and these are the settings of both; nil otherwise.
        public var atHub: AtHub?

        public init(
            person: PersonID, distress: DistressSettings, name: String, birthYear: Int? = nil, language: String, phone: String? = nil,
            address: String? = nil, contacts: [Contact] = []
        ) {
            (self.person, self.distress, self.name, self.birthYear) = (person, distress, name, birthYear)
            (self.language, self.phone, self.address, self.contacts) = (language, phone, address, contacts)
        }
    }

    public struct Compared: Codable, Sendable, Hashable {
        public var with: SettingsOrigin
        /// It is part of the hub's history: what the hub sends follows from it.
        public var isKnown: Bool
        public init(with: SettingsOrigin, isKnown: Bool) { (self.with, self.isKnown) = (with, isKnown) }
    }

    public struct AtHub: Codable, Sendable, Hashable {
        public var isOn: Bool
        /// Names of the contacts, in their order.
        public var contacts: [String]
        public init(isOn: Bool, contacts: [String]) { (self.isOn, self.contacts) = (isOn, contacts) }
    }

    public struct Contact: Codable, Sendable, Hashable {
        public var name: String
        /// E.164.
        public var phone: String
        public var language: String
        public var isTexted: Bool
        public var isCalled: Bool

        public init(name: String, phone: String, language: String, isTexted: Bool = true, isCalled: Bool = true) {
            (self.name, self.phone, self.language, self.isTexted, self.isCalled) = (name, phone, language, isTexted, isCalled)
        }
    }
}
