public import Vitals

/// Decides when an agent sends what (design rules 2, 4 and 8). A value without clock, disk or network: a driver hands it events with the
/// time at which they happened, runs the effects in their order, and tells how each ended.
///
/// One request is in flight at most. Nothing is sent before a token is stored, because a token that was used and then forgotten would make
/// this box look like its own copy.
public struct Uploader: Sendable {
    /// Bounds and waiting times.
    public struct Limits: Sendable, Hashable {
        /// The first wait after a failure lies between 0 and this; it doubles with each further failure.
        public var backoffFirst: Milliseconds = 500
        public var backoffMax: Milliseconds = 60_000
        /// A longer Retry-After is cut to this.
        public var retryAfterMax: Milliseconds = 3_600_000
        /// The shortest wait after the hub did not accept this box's key: trying again helps only when somebody does something.
        public var refusalWait: Milliseconds = 30_000
        /// Bytes of a batch.
        public var batchBytesMax = SyncRoute.segmentsBytesMax / 4
        /// 413 halves a batch down to this.
        public var batchBytesMin = 16 << 10

        public init() {}
    }

    /// What happened.
    public enum Event: Sendable {
        /// The driver runs.
        case started
        /// Samples came that are not sealed yet.
        case collected
        /// There are unsent segments.
        case sealed
        /// The time of ``Effect/wake(at:)`` came.
        case woken
        case tokenReplied(Reply<TokenAnswer>)
        /// ``Effect/storeToken(_:newStream:)`` ended; false when the disk did not take it.
        case tokenStored(Bool)
        /// ``Effect/send(token:bytesMax:)`` found nothing to send.
        case nothingToSend
        case segmentsReplied(Reply<SyncAnswer>)
        /// ``Effect/apply(_:)`` ended. `progress`: some segment got another state; `more`: there are unsent ones.
        case applied(progress: Bool, more: Bool)
        /// The buffer could not be read or written.
        case bufferFailed(String)
    }

    /// What came back for a request.
    public enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// Another status than 200, in seconds what Retry-After says, and the hub's explanation.
        case refused(status: Int, retryAfter: Int?, error: ErrorAnswer?)
        /// Something answered that does not speak like the hub: a redirection, a login page of a network, garbage.
        case notTheHub(String)
        /// No answer: no name, no route, TLS refused, time limit.
        case unreachable(String)
    }

    /// What to do.
    public enum Effect: Sendable, Hashable {
        /// Ask for a token, naming the present one.
        case obtainToken(predecessor: String?)
        /// Make it durable, and with `newStream` begin new streams in the same transaction; then ``Event/tokenStored(_:)``.
        case storeToken(String, newStream: Bool)
        /// Seal what was collected.
        case seal
        /// Send the next batch.
        case send(token: String, bytesMax: Int)
        /// Hand the answer to the buffer, then ``Event/applied(progress:more:)``.
        case apply(SyncAnswer)
        /// ``Event/woken`` at this time, instead of an earlier order.
        case wake(at: Milliseconds)
    }

    /// For the person at the box.
    public enum Status: Sendable, Hashable {
        /// Nothing was tried yet.
        case starting
        case connected
        /// Not reached; tries again by itself.
        case offline(String)
        /// Will not try again before somebody acts.
        case stopped(String)
    }

    private enum Phase: Sendable, Hashable {
        case idle
        case obtainingToken
        case storingToken(TokenAnswer)
        case sending
        case applying
        case waiting(until: Milliseconds)
        case stopped
    }

    public private(set) var status = Status.starting
    /// As the hub said last; a box that has not been told yet sends as samples arrive.
    public private(set) var cadence = SyncAnswer.Cadence.arrival

    /// Seconds; a hub that says more is asked again after this.
    private static let tokenLifetimeMax = 31_536_000
    /// 2000-01-01 to 2100-01-01: an answer with another time is not a hub's, and must not date anything in the buffer.
    private static let credible: Range<Milliseconds> = 946_684_800_000..<4_102_444_800_000

    private let limits: Limits
    private var phase = Phase.idle
    /// The token to use, or to name as predecessor.
    private var token: String?
    /// Whether the hub took ``token`` once: a fresh one that it refuses is no reason to fetch another at once.
    private var isProven = false
    private var needsToken: Bool
    private var expires = Milliseconds.max
    private var failures = 0
    private var batchBytes: Int
    private var hasCollected = false
    private var hasUnsent = true

    /// - Parameter token: the stored one, if any.
    public init(token: String?, limits: Limits = Limits()) {
        self.token = token
        self.limits = limits
        needsToken = token == nil
        batchBytes = limits.batchBytesMax
    }

    /// Takes an event at `now` (any monotonic clock). Events that the present state does not wait for change nothing.
    public mutating func handle(
        _ event: Event, at now: Milliseconds, random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch (phase, event) {
        case (_, .collected):
            hasCollected = true
            return advance(now)
        case (_, .sealed):
            hasUnsent = true
            return advance(now)
        case (_, .started):
            return advance(now)
        case (.waiting(let until), .woken):
            guard now >= until else { return [.wake(at: until)] }
            phase = .idle
            return advance(now)
        case (.obtainingToken, .tokenReplied(let reply)):
            return take(reply, now, &random)
        case (.storingToken(let answer), .tokenStored(true)):
            token = answer.accessToken
            expires = now + Milliseconds(min(max(answer.expiresIn, 1), Self.tokenLifetimeMax)) * 1000
            (needsToken, isProven) = (false, false)
            phase = .idle
            return advance(now)
        case (.storingToken, .tokenStored(false)), (.storingToken, .bufferFailed):
            return wait(now, "the disk took no new token", &random)
        case (.sending, .nothingToSend):
            phase = .idle
            return advance(now)
        case (.sending, .segmentsReplied(let reply)):
            return take(reply, now, &random)
        case (.applying, .applied(let progress, let more)):
            hasUnsent = hasUnsent || more
            guard progress || !more else { return wait(now, "the hub's answer says nothing about what was sent", &random) }
            (failures, status, phase) = (0, .connected, .idle)
            return advance(now)
        case (.sending, .bufferFailed(let reason)), (.applying, .bufferFailed(let reason)):
            hasUnsent = true
            return wait(now, reason, &random)
        default:
            return []
        }
    }

    /// What an idle uploader does next.
    private mutating func advance(_ now: Milliseconds) -> [Effect] {
        guard phase == .idle else { return [] }
        let sealsNow = hasCollected && cadence == .arrival
        guard hasUnsent || sealsNow else { return [] }
        guard !needsToken, now < expires, let token else {
            phase = .obtainingToken
            return [.obtainToken(predecessor: token)]
        }
        phase = .sending
        hasUnsent = false
        let send = Effect.send(token: token, bytesMax: batchBytes)
        guard sealsNow else { return [send] }
        hasCollected = false
        return [.seal, send]
    }

    private mutating func take(
        _ reply: Reply<TokenAnswer>, _ now: Milliseconds, _ random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch reply {
        case .answer(let answer) where !answer.accessToken.isEmpty && answer.expiresIn > 0:
            phase = .storingToken(answer)
            return [.storeToken(answer.accessToken, newStream: answer.newStream == true)]
        case .answer:
            return wait(now, "the hub's token is empty", &random)
        case .refused(let status, let retryAfter, let error) where status == 400 || status == 401:
            let reason = "the hub does not accept this box (\(Self.text(status, error))): check the box's clock, or enrol it again"
            return wait(now, reason, atLeast: max(limits.refusalWait, seconds(retryAfter)), &random)
        case .refused(let status, let retryAfter, let error):
            return refuse(status, retryAfter, error, now, &random)
        case .notTheHub(let reason), .unreachable(let reason):
            return wait(now, reason, &random)
        }
    }

    private mutating func take(
        _ reply: Reply<SyncAnswer>, _ now: Milliseconds, _ random: inout some RandomNumberGenerator
    ) -> [Effect] {
        if case .answer(let answer) = reply, Self.credible.contains(answer.utc) {
            (phase, isProven, cadence) = (.applying, true, answer.cadence)
            return [.apply(answer)]
        }
        hasUnsent = true
        switch reply {
        case .refused(401, _, let error):
            needsToken = true
            guard isProven else { return wait(now, "the hub refused a new token (\(Self.text(401, error)))", &random) }
            phase = .idle
            return advance(now)
        case .refused(413, _, _) where batchBytes > limits.batchBytesMin:
            batchBytes = max(limits.batchBytesMin, batchBytes / 2)
            phase = .idle
            return advance(now)
        case .refused(let status, let retryAfter, let error):
            return refuse(status, retryAfter, error, now, &random)
        case .notTheHub(let reason), .unreachable(let reason):
            return wait(now, reason, &random)
        case .answer(let answer):
            return wait(now, "the answer's time (\(answer.utc) ms) cannot be that of a hub: a wrong clock there, or no hub", &random)
        }
    }

    private mutating func refuse(
        _ status: Int, _ retryAfter: Int?, _ error: ErrorAnswer?, _ now: Milliseconds, _ random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch status {
        case 403:
            stop("the hub refuses this box (\(Self.text(status, error))). Ask the owner; then start the agent again")
            return []
        case 426:
            stop("the hub speaks another version (\(Self.text(status, error))). Update trackme-agent or the hub, then start it again")
            return []
        default:
            return wait(now, "the hub answered \(Self.text(status, error))", atLeast: seconds(retryAfter), &random)
        }
    }

    private mutating func stop(_ reason: String) {
        (phase, status) = (.stopped, .stopped(reason))
    }

    /// Full jitter: many boxes that lost the same hub come back spread over the whole interval.
    private mutating func wait(
        _ now: Milliseconds, _ reason: String, atLeast least: Milliseconds = 0, _ random: inout some RandomNumberGenerator
    ) -> [Effect] {
        let ceiling = min(limits.backoffMax, limits.backoffFirst << Milliseconds(min(failures, 20)))
        failures += 1
        let until = now + least + Milliseconds.random(in: 0...ceiling, using: &random)
        (phase, status) = (.waiting(until: until), .offline(reason))
        return [.wake(at: until)]
    }

    private func seconds(_ retryAfter: Int?) -> Milliseconds {
        min(limits.retryAfterMax, Milliseconds(max(0, min(retryAfter ?? 0, 1_000_000))) * 1000)
    }

    private static func text(_ status: Int, _ error: ErrorAnswer?) -> String {
        guard let error else { return String(status) }
        return "\(status): \(error.description.isEmpty ? error.error : error.description)"
    }
}
