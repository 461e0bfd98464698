/// Milliseconds of a clock that only goes forward.
typealias Moment = Int64

/// The client's side of one request that is no INVITE (RFC 3261, 17.1.2), and the wait for an answer that comes as a message of its own.
///
/// Timer K, which waits for repeated responses, is left out: each transaction has a socket of its own, and what comes after it was closed
/// disturbs nobody.
struct SIPTransaction: Sendable {
    enum Event: Sendable {
        case started
        case received(SIPIncoming)
        case timer
        /// The connection is gone, or could not carry the request.
        case lost(String)
    }

    enum Effect: Sendable, Equatable {
        /// Sends the request, the first time or again.
        case send
        /// Answers a request of the other side with that status.
        case reply(to: SIPIncoming, status: Int, reason: String)
        /// Asks for ``Event/timer`` at that moment; replaces what was asked for before.
        case wake(Moment)
        case finish(Ending)
    }

    enum Ending: Sendable, Equatable {
        /// The final response, and the message that followed, where one was waited for.
        case answered(SIPIncoming, message: SIPIncoming?)
        /// Nothing final came. `provisional`: the other side has it and says that it works on it.
        case silence(sent: Int, provisional: Int?)
        case lost(String, sent: Int)
    }

    /// RFC 3261, 17.1.1.1: the round trip that is expected, and the longest time between two sendings, in milliseconds.
    static let t1: Moment = 500, t2: Moment = 4000
    /// How long an answer in a message of its own is waited for.
    static let answerWait: Moment = 8000

    private enum State: Sendable, Equatable {
        case idle
        case trying
        case proceeding(status: Int)
        case waiting(SIPIncoming)
        case ended
    }

    private var state = State.idle
    private let branch: String, method: String
    private let isReliable: Bool
    private let expectsAnswer: Bool
    /// How long a final response is waited for (timer F).
    private let patience: Moment
    private var interval = t1
    private var resendAt: Moment?
    private var endAt: Moment = 0
    private var sent = 0
    /// An answer that overtook the final response.
    private var answer: SIPIncoming?

    /// - Parameter patience: in milliseconds; RFC 3261 has 64 times T1.
    init(branch: String, method: String = "MESSAGE", isReliable: Bool, expectsAnswer: Bool, patience: Moment = 64 * t1) {
        (self.branch, self.method, self.isReliable) = (branch, method, isReliable)
        (self.expectsAnswer, self.patience) = (expectsAnswer, patience)
    }

    mutating func handle(_ event: Event, now: Moment) -> [Effect] {
        switch event {
        case .started: start(now)
        case .received(let message): received(message, now)
        case .timer: timer(now)
        case .lost(let reason): lost(reason)
        }
    }

    private mutating func start(_ now: Moment) -> [Effect] {
        guard state == .idle else { return [] }
        state = .trying
        sent = 1
        endAt = now + patience
        if !isReliable { resendAt = now + interval }
        return [.send, wake]
    }

    private mutating func received(_ message: SIPIncoming, _ now: Moment) -> [Effect] {
        switch message.start {
        case .request(let method): request(message, method)
        case .response(let status, _):
            message.branch == branch && message.method == method ? response(message, status, now) : []
        }
    }

    private mutating func response(_ message: SIPIncoming, _ status: Int, _ now: Moment) -> [Effect] {
        guard state == .trying || isProceeding else { return [] }
        if status < 200 {
            state = .proceeding(status: status)
            // From here on every T2 (17.1.2.2), and on a lost provisional response no faster than that.
            interval = Self.t2
            return []
        }
        if expectsAnswer, status < 300, message.body.isEmpty {
            if let answer { return finish(.answered(message, message: answer)) }
            state = .waiting(message)
            (resendAt, endAt) = (nil, now + Self.answerWait)
            return [wake]
        }
        return finish(.answered(message, message: nil))
    }

    private mutating func request(_ message: SIPIncoming, _ method: String) -> [Effect] {
        guard method == "MESSAGE" else { return method == "ACK" ? [] : [.reply(to: message, status: 405, reason: "Method Not Allowed")] }
        let reply = Effect.reply(to: message, status: 200, reason: "OK")
        if case .waiting(let response) = state { return [reply] + finish(.answered(response, message: message)) }
        if answer == nil { answer = message }
        return [reply]
    }

    private mutating func timer(_ now: Moment) -> [Effect] {
        if state == .idle || state == .ended { return [] }
        if now >= endAt {
            switch state {
            case .waiting(let response): return finish(.answered(response, message: nil))
            case .proceeding(let status): return finish(.silence(sent: sent, provisional: status))
            case .idle, .trying, .ended: return finish(.silence(sent: sent, provisional: nil))
            }
        }
        guard let due = resendAt, now >= due else { return [wake] }
        sent += 1
        interval = isProceeding ? Self.t2 : min(interval * 2, Self.t2)
        resendAt = now + interval
        return [.send, wake]
    }

    private mutating func lost(_ reason: String) -> [Effect] {
        switch state {
        case .ended: []
        // The alarm was accepted; that the answer to it is missing is told by its absence.
        case .waiting(let response): finish(.answered(response, message: nil))
        case .idle, .trying, .proceeding: finish(.lost(reason, sent: sent))
        }
    }

    private mutating func finish(_ ending: Ending) -> [Effect] {
        state = .ended
        return [.finish(ending)]
    }

    private var isProceeding: Bool {
        if case .proceeding = state { true } else { false }
    }

    private var wake: Effect { .wake(min(resendAt ?? endAt, endAt)) }
}
