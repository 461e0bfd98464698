public import Vitals

/// Whether one way out works, by what was seen of it. Times are milliseconds of one clock.
///
/// - A probe counts as failed with its second failure in a row: a line may be away for a moment.
/// - An attempt fails for its recipient at once, and for everybody with the second recipient in a row (with the first where the way has only one):
///   one mistyped address is no broken mail program. Any success ends that.
/// - What an attempt showed, no probe takes back but one that is an attempt itself, and what a probe showed, only that probe.
public struct WayHealth: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        /// Nothing was seen yet.
        case untried
        case working
        case failing
    }

    /// Failures of a probe in a row before it counts.
    public static let missesMax = 2
    /// A message that nobody has tried to send for so long, while nothing leaves, shows that the way is stuck.
    public static let waitingMax: Milliseconds = 45_000
    /// Recipients whose failures are remembered, at most.
    static let recipientsMax = 1000

    private struct Probe: Hashable, Sendable {
        var misses = 0
        var failure: WaySign?
    }

    public private(set) var state = State.untried
    /// When ``state`` began; nil while nothing was seen.
    public private(set) var since: Milliseconds?
    public private(set) var lastSuccess: WaySign?
    public private(set) var lastFailure: WaySign?
    private let recipientsToFail: Int
    private var probes: [String: Probe] = [:]
    /// People whose messages failed since the last success, and the newest failure.
    private var failedInARow: Set<String> = []
    private var attemptFailure: WaySign?
    private var failedFor: [String: WaySign] = [:]
    private var lastLeft: Milliseconds = .min / 2
    private var stuck: WaySign?

    /// - Parameter hasOneRecipient: everything that leaves goes to one place, as to a control room.
    public init(hasOneRecipient: Bool = false) { recipientsToFail = hasOneRecipient ? 1 : 2 }

    /// Why it is failing; nil while it is not.
    public var failure: WaySign? {
        stuck ?? attemptFailure ?? probes.sorted { $0.key < $1.key }.lazy.compactMap(\.value.failure).first
    }

    public var isFailing: Bool { state == .failing }

    /// Whether the way does not reach a recipient: it is failing, or the last message to that one did not leave.
    public func isFailing(for recipient: String) -> Bool { isFailing || failedFor[recipient] != nil }

    /// Whether a probe failed, be it only once: it is to look again soon.
    public func isMissing(probe: String) -> Bool { (probes[probe]?.misses ?? 0) > 0 }

    // MARK: What was seen

    /// A probe looked.
    /// - Parameters:
    ///   - probe: which one; each counts by itself.
    ///   - isAttempt: it sent a real message to the operator's own address, so it proves what an attempt proves.
    public mutating func probed(_ probe: String, _ result: Result<String, WayFailure>, isAttempt: Bool = false, at time: Milliseconds) {
        switch result {
        case .success(let what):
            probes[probe] = Probe()
            lastSuccess = WaySign(at: time, source: isAttempt ? .attempt : .probe, what: what)
            if isAttempt { left(at: time) }
        case .failure(let problem):
            let sign = WaySign(at: time, source: isAttempt ? .attempt : .probe, what: problem.what)
            lastFailure = sign
            var known = probes[probe] ?? Probe()
            known.misses += 1
            if known.misses >= Self.missesMax { known.failure = sign }
            probes[probe] = known
        }
        settle(at: time)
    }

    /// A real message left, or did not.
    /// - Parameter recipient: tells recipients apart; it is kept in memory and shown nowhere.
    public mutating func attempted(to recipient: String, _ result: Result<String, WayFailure>, at time: Milliseconds) {
        switch result {
        case .success(let what):
            lastSuccess = WaySign(at: time, source: .attempt, what: what)
            failedFor[recipient] = nil
            left(at: time)
        case .failure(let problem):
            let sign = WaySign(at: time, source: .attempt, what: problem.what)
            if failedFor[recipient] != nil || failedFor.count < Self.recipientsMax { failedFor[recipient] = sign }
            // Where there is one recipient, what is wrong with that one is wrong with the way.
            guard problem.isOfWay || recipientsToFail == 1 else { break }
            lastFailure = sign
            if failedInARow.count < recipientsToFail { failedInARow.insert(recipient) }
            if failedInARow.count >= recipientsToFail { attemptFailure = sign }
        }
        settle(at: time)
    }

    /// The queue of the way was looked at.
    /// - Parameter oldest: when the oldest message was written that nobody has tried to send yet; nil where none waits.
    public mutating func waiting(since oldest: Milliseconds?, at time: Milliseconds) {
        if let oldest, time - oldest >= Self.waitingMax, time - lastLeft >= Self.waitingMax {
            let sign = WaySign(at: time, source: .waiting, what: "a message has waited for \((time - oldest) / 1000) s, and nothing leaves")
            (stuck, lastFailure) = (sign, sign)
        } else {
            stuck = nil
        }
        settle(at: time)
    }

    private mutating func left(at time: Milliseconds) {
        (failedInARow, attemptFailure, stuck, lastLeft) = ([], nil, nil, time)
    }

    private mutating func settle(at time: Milliseconds) {
        let new: State = failure != nil ? .failing : lastSuccess != nil ? .working : state == .failing ? .untried : state
        guard new != state else { return }
        (state, since) = (new, time)
    }
}

/// Why a message did not leave, or a probe found nobody.
public struct WayFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In English, for the operator; it names no recipient.
    public let what: String
    /// False where the fault lies with this one message or recipient.
    public let isOfWay: Bool

    public init(_ what: String, isOfWay: Bool = true) { (self.what, self.isOfWay) = (what, isOfWay) }

    public var description: String { what }
}
