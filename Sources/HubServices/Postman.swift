import Alerts
import Foundation
public import HubStore
public import Logging
public import Mail
public import ServiceLifecycle
public import Vitals

/// Sends the mails of the outbox, and tries again when the machine's mail system takes none.
public struct Postman: Service {
    /// What a mail says, in the language of its account.
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
    private static let lease: Milliseconds = 300_000

    private let accounts: AccountStore
    private let sendmail: Sendmail
    private let sender: MailAddress
    private let write: @Sendable (StoredMail) -> Letter?
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let ways: WayMonitor

    /// - Parameter ways: learns what became of each mail.
    public init(
        accounts: AccountStore, sendmail: Sendmail, sender: MailAddress, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        ways: WayMonitor = WayMonitor(), write: @escaping @Sendable (StoredMail) -> Letter?
    ) {
        (self.accounts, self.sendmail, self.sender, self.write, self.logger, self.now) = (accounts, sendmail, sender, write, logger, now)
        self.ways = ways
    }

    /// Mails about somebody in distress wait behind no others (design rule 9).
    public func run() async throws {
        async let urgent: Void = Self.empty("urgent mails", logger: logger) { try await sendDue(isUrgent: true) }
        await Self.empty("mails", logger: logger) { try await sendDue(isUrgent: false) }
        await urgent
    }

    /// Sends what is due of an outbox until the hub stops, and looks again after each pause.
    /// - Parameter sendDue: answers how much was tried; nothing was due when that is none.
    static func empty(
        _ outbox: String, every pause: Duration = .seconds(1), logger: Logger, _ sendDue: @escaping @Sendable () async throws -> Int
    ) async {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do {
                    while try await sendDue() > 0, !Task.isCancelled {}
                } catch {
                    logger.error("the outbox of \(outbox) cannot be read; it is tried again", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// How long to wait behind so many tries that failed.
    static func pause(after tries: Int) -> Milliseconds { min(pauseMax, pauseFirst << Milliseconds(min(tries, 10))) }

    /// Sends what is due: urgent mails side by side, others one after the other. Returns how many were tried.
    func sendDue(isUrgent: Bool? = nil) async throws -> Int {
        let mails = try accounts.dueMails(16, isUrgent: isUrgent, lease: Self.lease, now: now())
        if isUrgent == true {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for mail in mails { group.addTask { try await send(mail) } }
                try await group.waitForAll()
            }
        } else {
            for mail in mails { try await send(mail) }
        }
        return mails.count
    }

    private func send(_ mail: StoredMail) async throws {
        guard let letter = write(mail) else {
            logger.error("a mail of an unknown kind was dropped", metadata: ["kind": "\(mail.kind)"])
            return try accounts.removeMail(mail.row)
        }
        do throws(MailProblem) {
            let host = sender.address.drop { $0 != "@" }.dropFirst()
            let message = try MailMessage(
                from: sender, to: MailAddress(mail.recipient), subject: letter.subject,
                text: letter.text, date: now(),
                id: "\(mail.row).\(mail.created).\(AccountID.random())@\(host)")
            try await sendmail.send(message)
            ways.attempted(.mail, to: mail.recipient, .success("taken by the mail program"))
            try? accounts.removeMail(mail.row)
        } catch {
            ways.attempted(.mail, to: mail.recipient, .failure(error))
            try failed(mail, error)
        }
    }

    private func failed(_ mail: StoredMail, _ problem: MailProblem) throws {
        let time = now()
        guard problem.retries, time - mail.created < Self.patience else {
            logger.error("a mail was given up: \(problem)", metadata: ["kind": "\(mail.kind)"])
            return try accounts.removeMail(mail.row)
        }
        logger.warning("a mail is not sent yet: \(problem)", metadata: ["kind": "\(mail.kind)", "tries": "\(mail.tries)"])
        try accounts.putOffMail(mail.row, until: time + Self.pause(after: mail.tries))
    }
}

extension StoredMail {
    fileprivate var recipient: String { arguments[AccountStore.deliverTo] ?? account.email }
}
