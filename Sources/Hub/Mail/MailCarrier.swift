import Foundation

/// Whether a mail may wait for others.
public enum MailUrgency: Sendable, Hashable, CaseIterable {
    /// About somebody in distress.
    case alarm
    /// Everything else.
    case ordinary
}

/// The carrier of the hub's mails: a mail server, or the machine's mail program. Alarms have places of their own, so that they never wait for
/// ordinary mails.
public protocol MailCarrier: Sendable {
    /// So many mails about somebody in distress leave at a time; what is more waits.
    var alarmsAtOnce: Int { get }
    /// The longest that one mail takes from when it has its place, in milliseconds.
    func limit(_ urgency: MailUrgency) -> Int64
    /// Returns when the mail was taken over. Cancelling the task holds nothing back that may have left.
    func send(_ message: MailMessage, as urgency: MailUrgency) async throws(MailProblem)
}

extension MailCarrier {
    /// Ordinary mails that leave at a time.
    public static var ordinaryAtOnce: Int { 4 }

    public func send(_ message: MailMessage) async throws(MailProblem) { try await send(message, as: .ordinary) }
}

/// So many at a time, the others in the order in which they came.
actor MailPlaces {
    private let atOnce: Int
    private static let waitingMaximum = 200
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ atOnce: Int) { self.atOnce = atOnce }

    /// - Throws: ``MailProblem/busy(waiting:)`` where very many wait already.
    func enter() async throws(MailProblem) {
        if running < atOnce {
            running += 1
            return
        }
        guard waiting.count < Self.waitingMaximum else { throw .busy(waiting: waiting.count) }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// The next one takes the place over, so that nobody can come between.
    func leave() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }
}

/// Runs what waits for others on a thread of its own: Swift's shared threads are few.
func onThread<Value: Sendable>(_ name: String, _ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        let thread = Thread {
            // A line that the other side closed shall not end the hub: the signal waits, and goes with the thread.
            var signals = sigset_t()
            sigemptyset(&signals)
            sigaddset(&signals, SIGPIPE)
            pthread_sigmask(SIG_BLOCK, &signals, nil)
            continuation.resume(returning: body())
        }
        thread.name = name
        thread.start()
    }
}
