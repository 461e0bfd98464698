public import Distress
public import SyncProtocol
public import Vitals

extension BoxStatus {
    /// AutomatedSOS for one person. All times in the box's boot clock.
    public struct SOS: Codable, Sendable, Hashable {
        /// The person turned it on. Asking for help works also while it is off.
        public var isOn: Bool
        public var isProtected: Bool
        /// Why not, the gravest first; empty while protected.
        public var reasons: [Unprotected]
        /// The one of ``reasons`` or ``elsewhere`` that lasts until somebody ends it: monitoring waits, is paused, or was switched off. nil for none, and
        /// for a person who never turned AutomatedSOS on.
        public var standing: Unprotected?
        /// The same at another box of the person, while nobody watches them; nil for nothing of the kind.
        public var elsewhere: Unprotected?
        /// Troubles that do not take the protection away, and should be looked at.
        public var weaknesses: [Weakness]
        /// One more: the box cannot be heard; ``BoxStatus/voice`` says why. nil while it can.
        public var isSilent: Bool?
        /// "Are you OK?", while it is asked.
        public var question: Question?
        /// The case that is open, or was over last and waits for "reactivate".
        public var alarm: Case?
        /// The contacts whom the box itself would text and call, in this order.
        public var contacts: [String]
        /// A modem that could text or call now; nil: none.
        public var modem: String?
        /// Why there is none, or what it lacks.
        public var modemProblem: String?
        /// The number of programs of the owner that would run.
        public var hooks: Int
        public var hookProblems: [String]
        /// Milliseconds until the first of those that count as somebody wants a new test; nil: none of them counts.
        public var hooksProvenFor: Milliseconds?
        /// When the hub last answered to AutomatedSOS.
        public var hubAnswered: Milliseconds?
        public var settingsVersion: Int
        /// The settings that are kept here and those of a hub that was restored from a backup, while nobody has decided; nil while they agree.
        public var dispute: Dispute?
        /// The limits that hold, in words for a technician.
        public var limits: String?
        /// The last decisions with their reasons, the newest last.
        public var decisions: [String]
        public var drill: Drill?
        /// When ten minutes of an irregular heartbeat were over of which the hub told the person in the last day; nil for none.
        public var rhythmAt: Milliseconds?
    }

    /// Settings of which box and hub have different ones. Both hold: all contacts are called.
    public struct Dispute: Codable, Sendable, Hashable {
        public var here: Side
        public var hub: Side

        public struct Side: Codable, Sendable, Hashable {
            public var isOn: Bool
            /// Their names, in their order.
            public var contacts: [String]
            /// The account that changed it last; nil where that is not known.
            public var by: String?
            /// When, UTC milliseconds; nil where that is not known.
            public var time: Milliseconds?
        }
    }

    /// The obstacle that keeps a person from being protected (SOS-18). The words stand in the language files under `sos.not.`.
    public enum Unprotected: String, Codable, Sendable, Hashable, CaseIterable {
        case switchedOff, paused, charging, notWorn, away, frozen, noSignal, contradictory, waitingForReactivation, ageNotCovered, unknown
        /// AutomatedSOS is off; and no strap was chosen on this box.
        case off, noSensor
        /// The box's own watching does not keep up.
        case detectorDown
        /// The hub does not answer or has nobody to tell, and the box has nobody to call by its own means.
        case nobodyToCall

        init(_ absence: Absence) {
            self =
                switch absence {
                case .switchedOff: .switchedOff
                case .paused: .paused
                case .charging: .charging
                case .notWorn: .notWorn
                case .away: .away
                case .frozen: .frozen
                case .noSignal: .noSignal
                case .contradictory: .contradictory
                case .waitingForReactivation: .waitingForReactivation
                case .ageNotCovered: .ageNotCovered
                case .unknown: .unknown
                }
        }
    }

    /// Under `sos.weak.` in the language files.
    public enum Weakness: String, Codable, Sendable, Hashable, CaseIterable {
        /// The hub does not answer: the box would call by itself.
        case noHub
        /// The box could call nobody by itself, should the hub be away.
        case noOwnMeans
        /// The hub answers and could tell nobody: the box would call by itself.
        case hubReachesNobody
        /// Nobody would know where to go.
        case noPosition
        /// The settings could not be read: the usual limits hold.
        case settingsLost
        /// Somebody among the contacts has no telephone number that the box could dial.
        case contactWithoutNumber
        /// A program of the owner counts as nobody: no test of it went through in the last 30 days.
        case hooksUntested
        /// The modem is there, and the last texts or calls did not leave.
        case modemFails
        /// A short while ago the box did not watch.
        case stoodStill
        /// Nothing keeps the machine awake: nobody is watched while it sleeps.
        case mayFallAsleep
        /// A short while ago the machine slept, and nobody was watched.
        case wasAsleep
    }

    public struct Case: Codable, Sendable, Hashable {
        public enum Phase: String, Codable, Sendable, Hashable, CaseIterable {
            /// The hub has a moment to say that it reached somebody.
            case raised
            /// The box calls by its own means.
            case calling
            /// It began at the hub, which calls.
            case atHub
            /// The hub has reached somebody.
            case handedOver
            case taken
            /// Over; no new alarm until the person reactivates.
            case over
            /// Over before anybody had taken it: the person is watched on, and what was answered is silent for a while.
            case answered
        }

        public var id: IncidentID
        public var phase: Phase
        public var trigger: Trigger
        public var raisedAt: Milliseconds
        /// How people call who has it.
        public var owner: String?
        public var coming: SOSAnswer.Coming?
        public var comingAt: Milliseconds?
        public var outcome: Outcome?
        public var calls: [SOSReport.LocalCall]
        /// Neither the hub nor the box can reach anybody now: whoever reads this has to phone.
        public var reachesNobody: Bool
        /// With ``reachesNobody``: because nobody is set up to be called.
        public var isNobodySetUp: Bool?
        /// Names of others who may be meant: help was asked for at a button that belongs to nobody.
        public var others: [String]?
        /// With ``Phase/answered``: until then what was answered is not asked about again, unless it is clearly worse.
        public var silentUntil: Milliseconds?
    }

    /// A test of the alarm's whole way, which calls everybody with "test" in front (SOS-19).
    public struct Drill: Codable, Sendable, Hashable {
        public var startedAt: Milliseconds
        public var isOver: Bool
        /// The outcome of its report to the hub; nil while that has not answered.
        public var hub: HubOutcome?
        /// Why the hub did not get it, in English.
        public var hubProblem: String?
        public var calls: [SOSReport.LocalCall]

        /// Under `sos.drill.hub.` in the language files.
        public enum HubOutcome: String, Codable, Sendable, Hashable, CaseIterable {
            case stored
            /// It has it, and not on its disk.
            case notStored
            case failed
        }
    }
}
