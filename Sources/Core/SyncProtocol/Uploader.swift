public import Vitals

/// Decides when an agent sends what (design rules 2, 4 and 8). A value without clock, disk or network: a driver hands it events with the
/// time at which they happened, runs the effects in their order, and tells how each ended.
///
/// One request is in flight at most. Nothing is sent before a token is stored, because a token that was used and then forgotten would make
/// this box look like its own copy. SOS records alone go out with a token that the disk does not take: a box that is taken for a copy after
/// its next start loses nothing, and an SOS record that waits for a disk may be lost.
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
        /// Between two tries after the hub said no for good: a revoked box that was bound again, or a hub that was updated, finds together
        /// with nobody near.
        public var stoppedWait: Milliseconds = 600_000
        /// Bytes of a batch. What it takes of memory is about 20 times as much, with the answer and what becomes of both.
        public var batchBytesMax = SyncRoute.segmentsBytesMax / 32
        /// 413, and a slow line, halve a batch down to this.
        public var batchBytesMin = 16 << 10
        /// A request that took longer made current samples wait: the next one is half as long. One that took a third of it lets them grow.
        public var requestAim: Milliseconds = 1000

        public init() {}
    }

    /// The event.
    public enum Event: Sendable {
        /// The driver runs.
        case started
        /// Samples came that are not sealed yet.
        case collected
        /// There are unsent segments.
        case sealed
        /// An SOS record is among them, or somebody asked to send now: no wait holds that up.
        case urgent
        /// The time of ``Effect/wake(at:)`` came.
        case woken
        case tokenReplied(Reply<TokenAnswer>)
        /// ``Effect/storeToken(_:newStream:)`` ended; false when the disk did not take it.
        case tokenStored(Bool)
        /// ``Effect/send(token:bytesMax:)`` or ``Effect/sendSOS(token:)`` found nothing to send.
        case nothingToSend
        case segmentsReplied(Reply<SyncAnswer>)
        /// ``Effect/apply(_:)`` ended. `progress`: some segment got another state; `more`: there are unsent ones.
        case applied(progress: Bool, more: Bool)
        /// The buffer could not be read or written.
        case bufferFailed(String)
    }

    /// The outcome of a request.
    public enum Reply<Answer: Sendable>: Sendable {
        case answer(Answer)
        /// Another status than 200, in seconds what Retry-After says, and the hub's explanation.
        case refused(status: Int, retryAfter: Int?, error: ErrorAnswer?)
        /// Something answered that does not speak like the hub: a redirection, a login page of a network, garbage.
        case notTheHub(String)
        /// No answer: no name, no route, TLS refused, time limit.
        case unreachable(String)
    }

    /// The action to take.
    public enum Effect: Sendable, Hashable {
        /// Ask for a token, naming the present one.
        case obtainToken(predecessor: String?)
        /// Make it durable, and with `newStream` begin new streams in the same transaction; then ``Event/tokenStored(_:)``.
        case storeToken(String, newStream: Bool)
        /// Seal what was collected.
        case seal
        /// Send the next batch.
        case send(token: String, bytesMax: Int)
        /// Send SOS records that wait, with a token that the disk did not take.
        case sendSOS(token: String)
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
        /// Somebody has to act. Tries again every ten minutes nevertheless, and at ``Event/urgent``.
        case stopped(String)

        /// Why the hub does not take our data; nil when it does.
        public var reason: String? {
            switch self {
            case .starting, .connected: nil
            case .offline(let reason), .stopped(let reason): reason
            }
        }
    }

    private enum Phase: Sendable, Hashable {
        case idle
        case obtainingToken
        case storingToken(TokenAnswer)
        case sending
        case sendingSOS(TokenAnswer)
        case applying
        case waiting(until: Milliseconds)
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
    /// ``token``, where SOS records were sent with it before the disk took it.
    private var unstored: TokenAnswer?
    private var failures = 0
    private var batchBytes: Int
    /// The largest batch that the hub takes.
    private var batchBytesMax: Int
    private var sent: Milliseconds = 0
    private var hasCollected = false
    private var hasUnsent = true

    /// - Parameter token: the stored one, if any.
    public init(token: String?, limits: Limits = Limits()) {
        self.token = token
        self.limits = limits
        needsToken = token == nil
        batchBytes = limits.batchBytesMax
        batchBytesMax = limits.batchBytesMax
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
        case (_, .urgent):
            hasUnsent = true
            if case .waiting = phase { phase = .idle }
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
            use(answer, now)
            (unstored, phase) = (nil, .idle)
            return advance(now)
        case (.storingToken(let answer), .tokenStored(false)), (.storingToken(let answer), .bufferFailed):
            (phase, sent) = (.sendingSOS(answer), now)
            return [.sendSOS(token: answer.accessToken)]
        case (.sendingSOS, .nothingToSend), (.sendingSOS, .bufferFailed):
            return wait(now, "the disk took no new token", &random)
        case (.sendingSOS(let answer), .segmentsReplied(let reply)):
            // The hub may have seen the token, with any outcome.
            use(answer, now)
            unstored = answer
            return take(reply, now, &random)
        case (.sending, .nothingToSend):
            phase = .idle
            return advance(now)
        case (.sending, .segmentsReplied(let reply)):
            if case .answer = reply { adapt(to: now - sent) }
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

    private mutating func use(_ answer: TokenAnswer, _ now: Milliseconds) {
        guard needsToken || token != answer.accessToken else { return }
        token = answer.accessToken
        expires = now + Milliseconds(min(max(answer.expiresIn, 1), Self.tokenLifetimeMax)) * 1000
        (needsToken, isProven) = (false, false)
    }

    /// The next action of an idle uploader.
    private mutating func advance(_ now: Milliseconds) -> [Effect] {
        guard phase == .idle else { return [] }
        let sealsNow = hasCollected && cadence == .arrival
        guard hasUnsent || sealsNow else { return [] }
        guard !needsToken, now < expires, let token else {
            phase = .obtainingToken
            return [.obtainToken(predecessor: token)]
        }
        if let unstored { return store(unstored) }
        phase = .sending
        sent = now
        hasUnsent = false
        let send = Effect.send(token: token, bytesMax: batchBytes)
        guard sealsNow else { return [send] }
        hasCollected = false
        return [.seal, send]
    }

    private mutating func store(_ answer: TokenAnswer) -> [Effect] {
        phase = .storingToken(answer)
        return [.storeToken(answer.accessToken, newStream: answer.newStream == true)]
    }

    private mutating func take(
        _ reply: Reply<TokenAnswer>, _ now: Milliseconds, _ random: inout some RandomNumberGenerator
    ) -> [Effect] {
        switch reply {
        case .answer(var answer) where !answer.accessToken.isEmpty && answer.expiresIn > 0:
            // An order that came with a token that was never stored still stands.
            if unstored?.newStream == true { answer.newStream = true }
            return store(answer)
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
            batchBytesMax = batchBytes
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
            return stop("the hub refuses this box (\(Self.text(status, error))). Ask the owner of the hub", now, &random)
        case 426:
            return stop("the hub speaks another version (\(Self.text(status, error))). Update trackme-agent or the hub", now, &random)
        default:
            return wait(now, "the hub answered \(Self.text(status, error))", atLeast: seconds(retryAfter), &random)
        }
    }

    private mutating func stop(_ reason: String, _ now: Milliseconds, _ random: inout some RandomNumberGenerator) -> [Effect] {
        let effects = wait(now, reason, atLeast: limits.stoppedWait, &random)
        status = .stopped(reason)
        return effects
    }

    /// History must not hold up what comes now (design rule 8), whatever the line is like.
    private mutating func adapt(to duration: Milliseconds) {
        if duration > limits.requestAim {
            batchBytes = max(min(batchBytes, limits.batchBytesMin), batchBytes / 2)
        } else if duration < limits.requestAim / 3 {
            batchBytes = min(batchBytesMax, batchBytes * 2)
        }
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
