public import Vitals

/// One question of an organisation about a group, and what it gets for it.
public struct GroupRequestID: Identifier128 {
    public let high: UInt64, low: UInt64
    public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
}

/// An organisation's request about a group: question, purpose, term and state (GRP-5, CONS-9, CONS-11). Reading one from its stored form
/// checks nothing again.
public struct GroupRequest: Sendable, Hashable, Codable {
    public enum Term: Sendable, Hashable, Codable {
        /// The windows that are closed already; where there is none, the first one that closes.
        case once
        /// Each window that closes during so many milliseconds, too.
        case lasting(Milliseconds)

        func isWithin(_ other: Term) -> Bool {
            switch (self, other) {
            case (.once, _): true
            case (.lasting(let mine), .lasting(let others)): mine <= others
            case (.lasting, .once): false
            }
        }
    }

    public enum State: Sendable, Hashable, Codable {
        case awaitingOperator
        /// `until`: nil for one answer.
        case active(since: Milliseconds, until: Milliseconds?)
        case over(Ending, at: Milliseconds)
    }

    public enum Ending: String, Sendable, Hashable, Codable, CaseIterable {
        case refusedByOperator
        /// The organisation took it back or ended it.
        case ended
        /// A single delivery was made.
        case fulfilled
        /// Its time is over.
        case ranOut
        /// The budget of answers in this year is used up (GRP-4).
        case budgetSpent
    }

    /// An event of the request.
    public enum Event: Sendable, Hashable {
        case approved, refused, ended
        /// At least one window was delivered.
        case delivered
        case budgetSpent
    }

    /// A problem of a request beside its question.
    public enum Problem: Error, Sendable, Hashable {
        case purposeMissing
        /// It is longer than ``GroupRequest/purposeCharactersMax``.
        case purposeTooLong
        /// It is not 1 millisecond to ``GroupRequest/lastingMax``.
        case termOutOfRange
        /// It is not 0 to ``GroupRequest/pastMax`` windows, or 0 for one answer.
        case pastOutOfRange
    }

    public static let purposeCharactersMax = 1000
    /// Five years.
    public static let lastingMax: Milliseconds = 5 * 366 * 86_400_000
    /// Closed windows that are delivered at once, at most: a year of weeks.
    public static let pastMax = 53
    /// How long after its end a subscription waits at most for a window that should have closed before, milliseconds: rollups, a million people, or a
    /// hub that was down make a window late.
    public static let grace: Milliseconds = 86_400_000

    public let ask: GroupAsk
    /// The organisation's purpose, in its words.
    public let purpose: String
    public let term: Term
    /// Number of already closed windows that are delivered, too.
    public let past: Int
    /// Whether the organisation gets a mail with a link for each delivery.
    public let mails: Bool
    /// UTC milliseconds.
    public let created: Milliseconds
    public private(set) var state = State.awaitingOperator

    public init(ask: GroupAsk, purpose: String, term: Term, past: Int, mails: Bool, created: Milliseconds) throws(Problem) {
        guard !purpose.allSatisfy(\.isWhitespace) else { throw .purposeMissing }
        guard purpose.count <= Self.purposeCharactersMax else { throw .purposeTooLong }
        if case .lasting(let time) = term, !(1...Self.lastingMax).contains(time) { throw .termOutOfRange }
        guard (term == .once ? 1...Self.pastMax : 0...Self.pastMax).contains(past) else { throw .pastOutOfRange }
        (self.ask, self.purpose, self.term, self.past) = (ask, purpose, term, past)
        (self.mails, self.created) = (mails, created)
    }

    /// - Returns: false, and nothing happens, where the event does not fit the state.
    public mutating func handle(_ event: Event, at now: Milliseconds) -> Bool {
        pass(now)
        switch (event, state) {
        case (.approved, .awaitingOperator):
            if case .lasting(let time) = term {
                state = .active(since: now, until: now + time)
            } else {
                state = .active(since: now, until: nil)
            }
        case (.refused, .awaitingOperator): state = .over(.refusedByOperator, at: now)
        case (.ended, .active(_, let until?)) where now >= until: return false
        case (.ended, .awaitingOperator), (.ended, .active): state = .over(.ended, at: now)
        case (.budgetSpent, .active): state = .over(.budgetSpent, at: now)
        case (.delivered, .active): if term == .once { state = .over(.fulfilled, at: now) }
        case (.approved, _), (.refused, _), (.ended, .over), (.budgetSpent, _), (.delivered, _): return false
        }
        return true
    }

    /// The event that is due by time.
    /// - Parameter isComplete: every window that it wants is closed. Without them it ends ``grace`` after its time.
    /// - Returns: whether it has just ended.
    @discardableResult
    public mutating func pass(_ now: Milliseconds, isComplete: Bool = false) -> Bool {
        guard case .active(_, let until?) = state, now >= until + (isComplete ? 0 : Self.grace) else { return false }
        state = .over(.ranOut, at: until)
        return true
    }

    /// The state at a time: it is over when its time is, though its last window may still be on its way.
    public func state(at now: Milliseconds) -> State {
        guard case .active(_, let until?) = state, now >= until else { return state }
        return .over(.ranOut, at: until)
    }

    /// Whether a window belongs to it: one that is to close while it runs, or one of those before (GRP-5).
    /// - Parameter delay: from a window's end to its closing, milliseconds. It may close late: that makes no difference.
    public func wants(_ window: GroupWindow, closingDelay delay: Milliseconds) -> Bool {
        let closes = window.closes(after: delay), back = Milliseconds(past) * window.length.milliseconds
        guard case .active(let since, let until) = state else { return false }
        return closes > since - back && until.map { closes <= $0 } ?? true
    }

    /// Whether an operator who approved another request of the same organisation approved this one, too (CONS-11): the same purpose, the same kinds
    /// and as long, or less; ranges of health values are looked at by themselves. Ages, sex and places are the organisation's choice.
    public func isCovered(by other: GroupRequest) -> Bool {
        func words(_ text: String) -> [String] { text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init) }
        return Set(ask.kinds).isSubset(of: other.ask.kinds) && Set(ask.ranges.map(\.kind)).isSubset(of: other.ask.ranges.map(\.kind))
            && words(purpose) == words(other.purpose) && term.isWithin(other.term)
    }
}
