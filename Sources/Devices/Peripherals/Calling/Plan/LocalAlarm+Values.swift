public import Vitals

extension LocalAlarm {
    /// Somebody to be told.
    public struct Recipient: Sendable, Hashable {
        public var name: String
        public var number: PhoneNumber
        public var isTexted: Bool
        public var isCalled: Bool
        /// Somebody else has told them of the same incident: they get an update. Not in a drill.
        public var isTold: Bool

        public init(name: String, number: PhoneNumber, isTexted: Bool = true, isCalled: Bool = true, isTold: Bool = false) {
            (self.name, self.number, self.isTexted, self.isCalled, self.isTold) = (name, number, isTexted, isCalled, isTold)
        }
    }

    /// One way to one addressee. Recipients are named by their place in ``Plan/recipients``.
    public enum Channel: Sendable, Hashable {
        case sound
        case hooks
        case text(Int)
        case call(Int)
    }

    /// The settings of the box's owner, and the times. All times in milliseconds.
    public struct Plan: Sendable, Hashable {
        /// Called in this order; texted all at once.
        public var recipients: [Recipient]
        public var hasSound: Bool
        public var hasHooks: Bool
        /// Calls that can go on at the same time: modems that can call. While one line waits for an answer, another one calls the next.
        public var lines = 1
        /// From a failure to the next try; doubles with each failure in a row.
        public var firstRetry: Milliseconds = 5000
        public var longestRetry: Milliseconds = 120_000
        /// From a text that went out to the next one, which is an update; doubles with each.
        public var firstRepeat: Milliseconds = 300_000
        public var longestRepeat: Milliseconds = 1_800_000
        /// However much there is to tell, nobody is texted more often.
        public var shortestRepeat: Milliseconds = 60_000
        /// From the end of one call to the start of the next.
        public var callPause: Milliseconds = 2000
        /// An attempt without a word for so long counts as failed. Longer than the adapters' own limits. The one for texts is for each
        /// recipient, up to five: a modem sends them one after the other.
        public var textLimit: Milliseconds = 150_000
        public var callLimit: Milliseconds = 300_000
        public var hooksLimit: Milliseconds = 90_000

        public init(recipients: [Recipient], hasSound: Bool = true, hasHooks: Bool = true) {
            (self.recipients, self.hasSound, self.hasHooks) = (recipients, hasSound, hasHooks)
        }

        /// Nothing in it could reach anybody who is not beside the box.
        public var reachesNobody: Bool { !hasHooks && !recipients.contains { $0.isTexted || $0.isCalled } }
    }

    public enum Mode: Sendable, Hashable {
        case live
        /// Everything says TEST; each channel ends with its first success, or its third failure.
        case drill
    }

    /// The contents of an attempt.
    public enum Content: Sendable, Hashable {
        case alert
        /// Another message under the same incident: the addressee has one already, or may have.
        case update
        /// Somebody has taken it, or it is over: only to those who were told before.
        case standDown
        /// To who has taken it: is somebody with the person? They answer as they answered before.
        case question
    }

    public struct Attempt: Sendable, Hashable {
        /// Never used twice in one alarm.
        public var id: UInt64
        public var channel: Channel
        public var content: Content
        /// Must be marked as a test in every format.
        public var isTest: Bool
    }

    public enum Event: Sendable, Hashable {
        /// It went out: the network has the text, the call was taken, the hooks ended well, the sound is heard.
        case sent(UInt64)
        /// `mayHaveArrived`: nobody knows.
        case failed(UInt64, mayHaveArrived: Bool)
        /// A recipient has taken it: by a key, by an answer in writing, or (nil) by way of the hub.
        case acknowledged(by: Int?)
        /// Whoever has taken it is asked whether somebody is with the person.
        case ask(Int)
        /// The person, or who is with them, has ended it.
        case stopped
        /// A modem is there again: what failed for want of one is tried at once.
        case returned
        /// There is more to tell, such as a new position: everybody gets an update.
        case changed
        /// Somebody else told these of the same incident.
        case told(Set<PhoneNumber>)
        /// The time of ``LocalAlarm/deadline`` has come.
        case tick
    }

    public enum Ending: Sendable, Hashable {
        case acknowledged(by: Int?)
        case stopped
        /// Each channel with whether it worked.
        case drillOver([Channel: Bool])
    }

    public enum Effect: Sendable, Hashable {
        case start(Attempt)
        /// Ends an attempt that goes on: hang up, silence, end the hooks. Its outcome does not matter any more.
        case cancel(Attempt)
        case ended(Ending)
        /// A recipient's yes to ``Content/question``.
        case answered(Int)
    }
}
