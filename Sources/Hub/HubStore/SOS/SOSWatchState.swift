public import Distress
public import Vitals

/// The hub's knowledge of a person's boxes and of itself as a watcher, so that a restart goes on where it was.
public struct SOSWatchState: Sendable, Hashable, Codable {
    public var watch: DistressWatch
    /// By agent: the newest report that was taken.
    public var boxes: [String: Box] = [:]
    public var presses: [Press] = []
    public var pressNumber: UInt64 = 0
    /// The case that was over last, and how.
    public var last: EndedCase?
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
        public var steps: [ClockStep]?
        /// The alarm that it reported last.
        public var alarm: IncidentID?
        /// The person switched position off there.
        public var isPositionOff: Bool?
        /// Which change of the person's settings it holds; nil for a box that does not say.
        public var holds: SettingsOrigin?
        /// When the person pressed there last to have their other boxes watch again, by the box's clock; nil for never in this boot.
        public var broughtBack: Milliseconds?
        /// It asks by itself where there is no sign of life; nil for a box that does not.
        public var asksInactivity: Bool?
        /// The last sign of life that it noticed, by the hub's clock; nil for none.
        public var sign: Milliseconds?
        /// It says nothing of what 0.3.0 did not know (``SyncProtocol/SyncRoute/showsSOS``): it waits as that did; nil for one that does.
        public var isOld: Bool?
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
        /// It ends pauses as well (``SyncProtocol/SOSAnswer/Pressed/bringsBack``).
        public var bringsBack: Bool?
        public init(number: UInt64, button: String, at: Milliseconds) { (self.number, self.button, self.at) = (number, button, at) }
    }

    /// The state of one link of the chain.
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
