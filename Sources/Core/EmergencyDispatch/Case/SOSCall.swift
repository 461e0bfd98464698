public import Vitals

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
    /// The receiver's answer.
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

extension [SOSBoxTry] {
    /// Whether one of the ways did not fail when it was tried last. A sound is no way to anybody.
    var mayReachSomebody: Bool {
        var ways: [[String]: String] = [:]
        for item in self where item.channel != "sound" { ways[[item.channel, item.recipient]] = item.state }
        return ways.values.contains { $0 != SOSCall.State.failed.rawValue }
    }
}
