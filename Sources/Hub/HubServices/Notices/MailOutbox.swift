import Alerts
import EmergencyDispatch
import Foundation
public import HubStore
public import Logging
public import Mail
import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Sends the mails of the outbox, and tries again when the machine's mail system takes none.
public struct MailOutbox: Service {
    /// The text of a mail, in the language of its account.
    public struct Letter: Sendable {
        public var subject: String
        public var text: String

        public init(subject: String, text: String) { (self.subject, self.text) = (subject, text) }
    }

    /// Tries of one mail go on for so long; links in it have long expired then.
    static let patience: Milliseconds = 3 * 86_400_000
    /// After how many milliseconds a mail is tried again: the first time, and at most.
    static let pauseFirst: Milliseconds = 30_000
    static let pauseMax: Milliseconds = 3_600_000
    /// Ordinary mails that leave at a time. Invitations have the place beside them.
    static let atOnce = SMTPSubmission.ordinaryAtOnce - 1

    private let store: NoticeStore
    private let carrier: any MailCarrier
    private let sender: MailAddress
    private let write: @Sendable (StoredMail) -> Letter?
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let ways: WayMonitor

    /// - Parameter ways: learns what became of each mail.
    public init(
        store: NoticeStore, carrier: any MailCarrier, sender: MailAddress, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        ways: WayMonitor = WayMonitor(), write: @escaping @Sendable (StoredMail) -> Letter?
    ) {
        (self.store, self.carrier, self.sender, self.write, self.logger, self.now) = (store, carrier, sender, write, logger, now)
        self.ways = ways
    }

    /// Mails about somebody in distress wait behind no others (design rule 9).
    public func run() async throws {
        async let urgent: Void = empty("urgent mails", isUrgent: true, atOnce: carrier.urgentAtOnce)
        await empty("mails", isUrgent: false, atOnce: Self.atOnce)
        await urgent
    }

    private func empty(_ outbox: String, isUrgent: Bool, atOnce: Int) async {
        let urgency = isUrgent ? MailUrgency.alarm : .ordinary, lease = carrier.lease(urgency)
        await Self.empty(outbox, atOnce: atOnce, on: store.machine, logger: logger) { count in
            try store.dueMails(count, isUrgent: isUrgent, lease: lease, now: now())
        } send: { mail in
            try await send(mail, as: urgency)
        }
    }

    /// Sends what is due of an outbox until the hub stops: so many at a time, each by itself, so that one that hangs holds up no other as long
    /// as there is a place. Looks again with each that has left, and after each pause.
    /// - Parameter take: answers at most so many that are due, which come again after their lease.
    static func empty<Item: Sendable>(
        _ outbox: String, atOnce: Int, every pause: Duration = .seconds(1), on machine: Machine, logger: Logger,
        take: @escaping @Sendable (Int) throws -> [Item], send: @escaping @Sendable (Item) async throws -> Void
    ) async {
        let (looks, looker) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let free = Places(count: atOnce)
        await cancelWhenGracefulShutdown { @Sendable in
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        looker.yield()
                        try? await machine.sleep(for: pause)
                    }
                    looker.finish()
                }
                for await _ in looks {
                    let room = free.count.withLock { $0 }
                    guard room > 0 else { continue }
                    do {
                        for item in try take(room) {
                            free.count.withLock { $0 -= 1 }
                            group.addTask {
                                do { try await send(item) } catch {
                                    logger.error("the outbox of \(outbox) cannot be written", metadata: ["error": "\(error)"])
                                }
                                free.count.withLock { $0 += 1 }
                                looker.yield()
                            }
                        }
                    } catch {
                        logger.error("the outbox of \(outbox) cannot be read; it is tried again", metadata: ["error": "\(error)"])
                    }
                }
            }
        }
    }

    private final class Places: Sendable {
        let count: Mutex<Int>
        init(count: Int) { self.count = Mutex(count) }
    }

    /// How long to wait behind so many tries that failed. An alarm's mail has the times of those to contacts, as often as they are tried.
    static func pause(after tries: Int, isAlarm: Bool = false) -> Milliseconds {
        guard isAlarm, tries < DispatchLimits.triesMax else { return min(pauseMax, pauseFirst << Milliseconds(min(tries, 10))) }
        return min(DispatchLimits.retryMax, DispatchLimits.retryFirst << Milliseconds(min(max(tries - 1, 0), 10)))
    }

    private func send(_ mail: StoredMail, as urgency: MailUrgency) async throws {
        guard let letter = write(mail) else {
            logger.error("a mail of an unknown kind was dropped", metadata: ["kind": "\(mail.kind)"])
            return try store.removeMail(mail.row)
        }
        do throws(MailProblem) {
            let host = sender.address.drop { $0 != "@" }.dropFirst()
            let message = try MailMessage(
                from: sender, to: MailAddress(mail.recipient), subject: letter.subject,
                text: letter.text, date: now(), id: "\(mail.row).\(mail.created)@\(host)")
            try await carrier.send(message, as: urgency)
            ways.attempted(.mail, to: mail.recipient, .success("taken by the mail system"))
            try? store.removeMail(mail.row)
        } catch {
            ways.attempted(.mail, to: mail.recipient, .failure(error))
            try failed(mail, urgency, error)
        }
    }

    private func failed(_ mail: StoredMail, _ urgency: MailUrgency, _ problem: MailProblem) throws {
        let time = now()
        // Of an alarm, two are better than none, and three are enough.
        let goesOn = problem.retries && (!problem.mayHaveLeft || urgency == .alarm && mail.tries < DispatchLimits.unansweredMax)
        guard goesOn, time - mail.created < Self.patience else {
            logger.error("a mail was given up: \(problem)", metadata: ["kind": "\(mail.kind)"])
            return try store.failed.giveUp(mail, reason: "\(problem)", now: time)
        }
        logger.warning("a mail is not sent yet: \(problem)", metadata: ["kind": "\(mail.kind)", "tries": "\(mail.tries)"])
        try store.putOffMail(mail.row, until: time + Self.pause(after: mail.tries, isAlarm: mail.isAlarm))
    }
}

extension StoredMail {
    fileprivate var recipient: String { arguments[NoticeStore.deliverTo] ?? account.email }
}

extension MailCarrier {
    /// Of the places of alarms, those for mails to people with an account; the others are for contacts and control rooms.
    var urgentAtOnce: Int { min(max(4, alarmsAtOnce / 8), max(1, alarmsAtOnce / 2)) }

    /// Longer than a mail takes.
    func lease(_ urgency: MailUrgency) -> Milliseconds { limit(urgency) + 60_000 }

    /// The places of mails to contacts and control rooms.
    public var alarmPool: SendPool { SendPool(width: alarmsAtOnce - urgentAtOnce, limit: limit(.alarm) + 15_000) }
}
