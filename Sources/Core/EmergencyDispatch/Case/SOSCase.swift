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
    /// The crew on the way.
    public var crew: SOSCrew?
    /// When somebody who can help acknowledged it last; nil for nobody, and once it was given back.
    public var reachedAt: Milliseconds?
    /// The calls that the person's box made by its own means, the oldest first.
    public var boxTries: [SOSBoxTry]?
    /// Numbers that it texted or called: what the hub says to those is an update. nil for none.
    public var boxTold: [String]?
    /// Secrets of the pages by which contacts answer, in the order of the contacts.
    public var links: [String] = []
    /// When crews are looked for again.
    public var searchAt: Milliseconds?
    /// Crews were looked for at least once; nil where they were not.
    public var isSearched: Bool?
    /// The contacts as they were when it began: their places are those of ``links``, whatever the person changes meanwhile.
    public var contacts: [SOSContact]?
    /// Whether others are called: the consent to calls as it was when it began, or the person's own call for help. It holds until the case is
    /// over.
    public var isConsented: Bool?
    /// On what ground they are called; nil for nobody but caregivers, and in a case of release 0.3.0.
    public var ground: Ground?
    /// Other people who may be meant: help was asked for at a button of several people. nil for nobody.
    public var others: [PersonID]?
    /// Which of ``people`` said at the hub that they are OK: it is about the rest.
    public var saidOK: [PersonID]?
    /// The hub could call by telephone when it began; nil where it could not.
    public var hasVoice: Bool?
    /// Secrets of the pages by which control rooms answer, by the rooms' names.
    public var roomLinks: [String: String]?
    /// Where the person was as control rooms were told last.
    public var toldPosition: LastPosition?
    /// Whether the hub's stored positions of the person have been looked at.
    public var isPlaceLookedFor: Bool?
    /// Nobody is called before this: a case that an old database knows, and of which a box may know more.
    public var heldUntil: Milliseconds?
    /// When whoever has it is asked whether somebody is with the person; nil while nobody has it, and while ``answerOwnerBy`` stands.
    public var askAt: Milliseconds?
    /// Until when whoever has it is to answer that question; nil while it is not asked.
    public var answerOwnerBy: Milliseconds?
    /// When it was said first that somebody is with the person.
    public var someoneThere: Milliseconds?
    /// Former owners who gave no answer, as long as a box still names them.
    public var goneOwner: Owner?
    /// Alarms of boxes that came when it was over, and counted as this case.
    public var joined: [Joined]?
    /// By how much the hub's clock was set forward since it began, milliseconds; nil for not at all.
    public var stepped: Milliseconds?
    /// Of a test: boxes that are to try their own means as well, by agent, and whether each has reached everybody. nil for no box.
    public var boxesTested: [String: Bool]?
    /// Of a test: a heart rate was being received when it began; nil where that was not kept.
    public var wasHeartHeard: Bool?
    /// Of a test: relatives to whom it went, and to whom no way worked when that was looked at last, within a day of it. nil for none.
    public var unreached: [AccountID]?

    /// Why others than caregivers may be told who it is, how they are and where.
    public enum Ground: String, Sendable, Hashable, Codable {
        /// The consent to calls, given before (``SOSConsent``).
        case consent
        /// The person asked for help: that is the consent for this one call (SOS-16).
        case help
    }

    /// The person asked for help.
    public var isHelp: Bool { alarm.abnormalities.contains { $0.trigger == .help } }
    /// Everybody who may come was looked for, and there is nobody, or no call has left: what failed and is tried again reaches nobody meanwhile.
    public var hasNobody: Bool {
        isOpen && rounds > 0 && owner == nil && !calls.mayReachSomebody && offers.isEmpty && boxTries?.mayReachSomebody != true
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

    public mutating func join(_ what: Joined) {
        guard joined?.contains(where: { $0.id == what.id }) != true else { return }
        joined = ((joined ?? []) + [what]).suffix(DispatchLimits.joinedMax)
    }

    public init(_ alarm: Alarm, isTest: Bool, opened: Milliseconds) {
        (id, person, self.alarm, self.isTest, self.opened) = (alarm.id, alarm.person, alarm, isTest, opened)
    }

    public var isOpen: Bool { ended == nil }

    /// Whether somebody who can help has it: its owner, a crew with the offer on a screen, or whoever acknowledged it a moment ago. Who only
    /// saw it keeps no box from calling for longer than that.
    public func isReached(at time: Milliseconds) -> Bool {
        owner != nil || reachedAt.map { time - $0 < DispatchLimits.reachedFor } ?? false
            || offers.contains { $0.state == .open && $0.seen != nil && $0.answerBy > time }
    }

    /// When something is to be done next; nil for nothing.
    public var due: Milliseconds? {
        let calls = calls.compactMap { $0.state == .waiting ? $0.due : nil }
        let offers = isOpen ? offers.compactMap(\.due) : []
        return (calls + offers + (isOpen ? [searchAt].compactMap(\.self) : [])).min()
    }

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

extension Alarm {
    package func goes(by id: IncidentID) -> Bool { self.id == id || aliases.contains(id) }
}
