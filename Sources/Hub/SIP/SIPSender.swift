public import NIOCore
public import NIOPosix
internal import Synchronization

/// Sends alarms by SIP MESSAGE. Every message has a connection of its own, so that a control room that does not answer holds up nobody
/// else.
///
/// It follows no DNS records for services (RFC 3263): host, port and transport are set. It sends once and waits at most 45 s at each place that it is sent on to; repeating
/// until somebody takes the alarm is its caller's.
public final class SIPSender: Sendable {
    /// Messages under way at once, in all and to one target. What is more is turned away at once, and told.
    public static let atOnceMax = 256, atOncePerTargetMax = 32
    static let connectSeconds: Int64 = 5
    /// How long an answer is waited for, in milliseconds, as RFC 3261 says.
    public static let patienceUsual: Int64 = 32_000
    /// Redirections and challenges that one message follows.
    static let stepsMax = 4

    private let group: any EventLoopGroup
    private let patience: Moment
    private let underWay = Mutex<[String: Int]>([:])

    /// - Parameter patience: how long an answer is waited for, in milliseconds.
    public init(
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton, patienceMilliseconds: Int64 = SIPSender.patienceUsual
    ) {
        (self.group, patience) = (group, max(patienceMilliseconds, 1000))
    }

    /// Sends `message` and says what became of it. Cancelling the task closes the connection; the outcome is then
    /// ``SIPOutcome/noAnswer(what:advice:)``.
    public func send(_ message: SIPMessage, to target: SIPTarget) async -> SIPOutcome {
        guard enter(target.authority) else {
            return .noAnswer(
                what: "\(target.authority): not sent, too many messages wait for an answer",
                advice: "it is tried again when those have ended")
        }
        defer { leave(target.authority) }
        return await SIPDelivery(message: message, patience: patience, loop: group.next()).run(to: target)
    }

    /// Asks by OPTIONS whether anybody answers at `target`; nobody is told anything.
    /// - Parameters:
    ///   - from: the sender's SIP URI.
    ///   - patience: how long an answer is waited for, in milliseconds.
    /// - Returns: the status of the answer, or why there is none. Also a refusal shows that somebody is there; 408, 480 and 5xx but for 501 and 505
    ///   (which are about OPTIONS itself) say that it does not work there.
    public func options(to target: SIPTarget, from: String, patienceMilliseconds patience: Int64 = 5000) async -> Result<Int, SIPSilence> {
        let message = SIPMessage.options(to: target, from: from)
        let request = SIPRequest(
            message: message, target: target, uri: message.requestURI, identity: SIPIdentity(random: SIPDelivery.random))
        switch await SIPAttempt(request: request, patience: patience, loop: group.next()).run().ending {
        case .lost(let reason, _): return .failure(SIPSilence(what: "\(target.authority): \(reason). \(SIPProblem.advice(reason))"))
        case .silence: return .failure(SIPSilence(what: "\(target.authority): no answer to OPTIONS", isOpen: true))
        case .answered(let response, _):
            guard case .response(let status, let reason) = response.start else {
                return .failure(SIPSilence(what: "\(target.authority): no answer to OPTIONS", isOpen: true))
            }
            let isDown = status == 408 || status == 480 || (500...599).contains(status) && status != 501 && status != 505
            return isDown
                ? .failure(SIPSilence(what: "\(target.authority) answered \(status) (\(reason.headerSafe.prefix(100)))")) : .success(status)
        }
    }

    private func enter(_ key: String) -> Bool {
        underWay.withLock { underWay in
            guard underWay.values.reduce(0, +) < Self.atOnceMax, underWay[key, default: 0] < Self.atOncePerTargetMax else { return false }
            underWay[key, default: 0] += 1
            return true
        }
    }

    private func leave(_ key: String) {
        underWay.withLock { underWay in
            let left = (underWay[key] ?? 1) - 1
            underWay[key] = left > 0 ? left : nil
        }
    }
}
