import HubStore
import Segments
import Synchronization
public import Vitals

/// Limits of one agent's requests and streams. Beside samples, which count for its people's space, streams, boots, gap and clock records stay for ever: a
/// box begins a handful in a day. All of it is for each person that an agent collects for: a gateway sends for many.
public final class AgentLimits: Sendable {
    /// An agent is too fast: it keeps what it has and comes again.
    public struct TooFast: Error, Sendable, Hashable {
        /// Until then.
        public let seconds: Int
    }

    private struct State {
        var begun: Allowance
        var records: Allowance
        /// Streams with their clocks that were seen, by agent; hashes.
        var known: Set<Int> = []
    }

    /// Requests with segments: as many at once as a box brings after months without a network, and 50 a second.
    private let requests = DeviceRate(burst: requestsBurst, interval: 20)
    static let requestsBurst = 10_000
    /// Streams and boots: 512 at once and one a minute, as of a box that starts again and again.
    static let begunBurst = 512
    /// Gap and clock records: one a second beyond these.
    static let recordsBurst = 16_384
    /// Pairs of stream and clock in memory, at most.
    static let knownMax = 1_000_000

    private let state = Mutex(
        State(
            begun: Allowance(burst: begunBurst, interval: 60_000), records: Allowance(burst: recordsBurst, interval: 1000)))

    public init() {}

    /// Counts a request before its body is read.
    public func request(of session: Authenticator.Session, now: Milliseconds) throws(TooFast) {
        if let seconds = requests.take(session.agent.row, people: session.agent.people.count, now: now) { throw TooFast(seconds: seconds) }
    }

    /// Counts what a batch begins.
    func take(_ batch: PreparedBatch, now: Milliseconds) throws(TooFast) {
        let agent = batch.agent.row, people = batch.agent.people.count
        var records = 0, pairs: [Int] = []
        for segment in batch.segments.lazy.map(\.segment) {
            records += segment.samples.gaps.count + segment.samples.clocks.count
            var hasher = Hasher()
            hasher.combine(agent)
            hasher.combine(segment.header.stream)
            hasher.combine(segment.header.clock)
            let pair = hasher.finalize()
            if pair != pairs.last { pairs.append(pair) }
        }
        let wait = state.withLock { state -> Int? in
            let begun = Set(pairs.filter { !state.known.contains($0) })
            if let seconds = state.begun.take(begun.count, of: agent, people: people, now: now)
                ?? state.records.take(records, of: agent, people: people, now: now)
            {
                return seconds
            }
            if state.known.count > Self.knownMax { state.known = [] }
            state.known.formUnion(begun)
            return nil
        }
        if let wait { throw TooFast(seconds: wait) }
    }
}

/// So much at once, then one by one. Whoever has anything left may take more than that once, and waits the longer: a batch that was offline for
/// months gets through.
private struct Allowance: Sendable {
    let burst: Milliseconds
    let interval: Milliseconds
    /// Microseconds.
    private var fullAt: [Int64: Int64] = [:]

    init(burst: Int, interval: Milliseconds) { (self.burst, self.interval) = (Milliseconds(burst), interval) }

    /// - Returns: seconds to wait; nil where it may be taken.
    mutating func take(_ count: Int, of agent: Int64, people: Int, now: Milliseconds) -> Int? {
        guard count > 0 else { return nil }
        let now = now * 1000, whole = burst * interval * 1000
        if fullAt.count >= DeviceRate.devicesMax { fullAt = fullAt.filter { $0.value > now } }
        let missing = max(0, (fullAt[agent] ?? now) - now)
        guard missing < whole else { return Int(clamping: min(3600, (missing - whole) / 1_000_000 + 1)) }
        fullAt[agent] = now + missing + Int64(count) * DeviceRate.cost(interval, people: people)
        return nil
    }
}
