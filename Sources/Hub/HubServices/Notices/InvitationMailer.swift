import Foundation
public import HubStore
public import Logging
public import Mail
public import ServiceLifecycle
public import Vitals

/// Sends the invitations to people without an account, and tries again when the machine's mail system takes none.
public struct InvitationMailer: Service {
    /// Later than this an invitation is no use: what it is about has expired.
    static let patience = OfferStore.offerLifetime

    private let store: InvitationStore
    private let carrier: any MailCarrier
    private let sender: MailAddress
    private let write: @Sendable (StoredLetter) -> MailOutbox.Letter?
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds

    public init(
        store: InvitationStore, carrier: any MailCarrier, sender: MailAddress, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        write: @escaping @Sendable (StoredLetter) -> MailOutbox.Letter?
    ) {
        (self.store, self.carrier, self.sender, self.write, self.logger, self.now) = (store, carrier, sender, write, logger, now)
    }

    public func run() async throws {
        let lease = carrier.lease(.ordinary)
        await MailOutbox.empty("invitations", atOnce: 1, on: store.machine, logger: logger) { count in
            try store.dueLetters(count, lease: lease, now: now())
        } send: { letter in
            try await send(letter)
        }
    }

    private func send(_ letter: StoredLetter) async throws {
        guard let words = write(letter) else {
            logger.error("an invitation of an unknown kind was dropped", metadata: ["kind": "\(letter.kind)"])
            return try store.removeLetter(letter.row)
        }
        do throws(MailProblem) {
            let host = sender.address.drop { $0 != "@" }.dropFirst()
            let message = try MailMessage(
                from: sender, to: MailAddress(letter.address), subject: words.subject, text: words.text, date: now(),
                id: "i\(letter.row).\(letter.created)@\(host)")
            try await carrier.send(message)
            try? store.removeLetter(letter.row)
        } catch {
            try failed(letter, error)
        }
    }

    private func failed(_ letter: StoredLetter, _ problem: MailProblem) throws {
        let time = now()
        guard problem.retries, !problem.mayHaveLeft, time - letter.created < Self.patience else {
            logger.error("an invitation was given up: \(problem)", metadata: ["kind": "\(letter.kind)"])
            return try store.removeLetter(letter.row)
        }
        logger.warning("an invitation is not sent yet: \(problem)", metadata: ["tries": "\(letter.tries)"])
        try store.putOffLetter(letter.row, until: time + MailOutbox.pause(after: letter.tries))
    }
}
