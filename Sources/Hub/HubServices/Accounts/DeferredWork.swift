import Accounts
import Credentials
import Foundation
import HubStore
public import Logging
import Seams
public import ServiceLifecycle

/// Work behind an answer that must not show in its timing: a commit more for who has an account would tell that there is one. So one
/// commit is made before the answer, the same for everybody: it keeps this. The rest is done a little later, after a restart too.
enum AfterAnswer: Sendable, Codable {
    /// - Parameter link: the secret of the confirmation link.
    case signedUp(NewAccount, link: String)
    /// - Parameter email: as it was typed.
    case forgotten(email: String)
    /// Three wrong passwords were tried.
    /// - Parameter name: as the log-in takes it.
    case wrongTries(name: String)
}

/// Does what follows answers, one after the other.
///
/// Each waits for 200 to 400 ms in the database. A hub that is stopped does it before it ends; one that is killed does it after its next start.
public struct DeferredWork: Service {
    /// Not beside the answer: that it has to share the processors and the disk would be seen in its time.
    private static let pause: Duration = .milliseconds(200)
    /// Failed work is tried again after this.
    private static let pauseOfFailed: Duration = .seconds(60)
    /// The database is read again after this.
    private static let pauseOfReading: Duration = .seconds(5)
    private static let batch = 64

    private let service: AccountService
    private let logger: Logger

    public init(service: AccountService, logger: Logger) { (self.service, self.logger) = (service, logger) }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            let machine = service.accounts.machine
            var seen: Int64?, failed: Set<Int64> = [], retry = machine.uptime + Self.pauseOfFailed
            while !Task.isCancelled {
                try? await machine.sleep(for: Self.pause)
                if machine.uptime >= retry { (failed, retry) = ([], machine.uptime + Self.pauseOfFailed) }
                do {
                    // From one look to the next everything has waited for a whole pause.
                    let last = try service.accounts.deferredWork.lastAnswer()
                    if let seen { failed.formUnion(try work(upTo: seen, except: failed)) }
                    seen = last
                } catch {
                    logger.critical("what follows answers cannot be read; it is tried again", metadata: ["error": "\(error)"])
                    try? await machine.sleep(for: Self.pauseOfReading)
                }
            }
        }
        _ = try work(upTo: .max)
    }

    /// Does what waits, the oldest first. One that fails holds no other up.
    /// - Returns: the rows of what failed, which stay.
    func work(upTo last: Int64, except: Set<Int64> = []) throws -> Set<Int64> {
        var row: Int64 = 0, failed: Set<Int64> = []
        while true {
            let answers = try service.accounts.deferredWork.answers(after: row, upTo: last, Self.batch)
            guard let end = answers.last else { return failed }
            row = end.row
            for answer in answers where !except.contains(answer.row) && !attempt(answer) { failed.insert(answer.row) }
        }
    }

    private func attempt(_ answer: StoredDeferredWork) -> Bool {
        guard let bytes = answer.bytes else {
            logger.critical(
                """
                what follows a sign-up, wrong log-ins or a forgotten password cannot be read: row \(answer.row) of the table answer is damaged. \
                Somebody waits for a mail in vain; the row is kept. Restore the database from the backup, or delete the row.
                """)
            return false
        }
        do {
            try service.follow(JSONDecoder().decode(AfterAnswer.self, from: Data(bytes)))
            try service.accounts.deferredWork.removeAnswer(answer.row)
            return true
        } catch {
            logger.critical(
                "what follows a sign-up, wrong log-ins or a forgotten password was not stored; it is tried again in a minute",
                metadata: ["error": "\(error)"])
            return false
        }
    }
}

extension AccountService {
    /// Keeps what is to be done behind the answer.
    func afterwards(_ answer: AfterAnswer) throws {
        guard isLater else { return try follow(answer) }
        let encoder = JSONEncoder()
        // The length must not tell either: hashes have slashes.
        encoder.outputFormatting = .withoutEscapingSlashes
        try accounts.deferredWork.addAnswer(Array(encoder.encode(answer)))
    }

    /// Does it. What is done twice, because the hub was killed in between, is another mail of the same kind at most.
    func follow(_ answer: AfterAnswer) throws {
        let time = now()
        switch answer {
        case .signedUp(let new, let link): try signedUp(new, link: link)
        case .forgotten(let typed):
            guard let email = try? EmailAddress(typed), let account = try accounts.account(email: email.canonical) else { return }
            if try remindOfHandOver(account) { return }
            // One mail in five minutes is enough for whoever asks for it, and for whom somebody else asks.
            guard try !accounts.hasLink(.reset, of: account.row, madeAfter: time - 300_000, lifetime: Self.resetLifetime) else { return }
            let token = SecretToken.random(using: accounts.randomness)
            try accounts.addLink(token.hash, .reset, of: account.row, expires: time + Self.resetLifetime)
            try accounts.notices.addMail("account.reset", ["link": url() + "/reset/" + token.text], to: account, now: time)
        case .wrongTries(let name):
            guard let account = try accounts.account(email: name) else { return }
            try accounts.notices.addMail("account.wrongTries", ["link": url() + "/forgotten"], to: account, now: time)
        }
    }

    private func signedUp(_ new: NewAccount, link: String) throws {
        guard let token = SecretToken(link) else { return }
        let time = now()
        switch try accounts.addAccount(new, linkHash: token.hash, linkExpires: time + Self.confirmationLifetime, now: time) {
        case .added(let account):
            try accounts.notices.addMail("account.confirm", ["link": url() + "/confirm/" + token.text], to: account, now: time)
        case .taken(let owner): try tellTaken(owner)
        }
    }

    /// Somebody wants an account with an address or identifier that has one: its owner is told.
    func tellTaken(_ owner: StoredAccount) throws {
        if try remindOfHandOver(owner) { return }
        try accounts.notices.addMail("account.taken", ["link": url() + "/forgotten"], to: owner, now: now())
    }

    /// An account that somebody opened for its person is taken over by its own link and no other way: another one goes to its address.
    /// - Returns: false for every other account.
    func remindOfHandOver(_ account: StoredAccount) throws -> Bool {
        guard let caregiver = try accounts.care.opener(of: account) else { return false }
        let time = now(), lifetime = CareService.handOverLifetime
        guard account.hasMail else { return false }
        guard try !accounts.hasLink(.handOver, of: account.row, madeAfter: time - 300_000, lifetime: lifetime) else { return true }
        let token = SecretToken.random(using: accounts.randomness)
        try accounts.addLink(token.hash, .handOver, of: account.row, expires: time + lifetime)
        try accounts.notices.addMail(
            "care.handOver", ["caregiver": InvitationStore.inviterName(caregiver.name), "link": url() + "/hand-over/" + token.text],
            to: account,
            now: time)
        return true
    }
}
