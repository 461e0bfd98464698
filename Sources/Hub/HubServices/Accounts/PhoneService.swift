import Accounts
import Crypto
import Foundation
public import HubStore
public import Logging
public import Mail
public import Vitals

/// Whether somebody's telephone number is theirs (ACC-1, ACC-3): a code by text message, through a program that the operator names. Without
/// one no number is ever called verified.
public struct PhoneService: Sendable {
    private let service: AccountService
    private let program: MessageProgram?
    private let logger: Logger
    private let failures: FailedTexts

    /// A code works for ten minutes, once.
    public static let codeLifetime: Milliseconds = 10 * 60_000

    /// - Parameters:
    ///   - program: nil where the hub can send no text messages.
    ///   - failures: hears of those that did not leave.
    public init(service: AccountService, program: MessageProgram?, failures: FailedTexts = FailedTexts(), logger: Logger) {
        (self.service, self.program, self.failures, self.logger) = (service, program, failures, logger)
    }

    public var canSend: Bool { program != nil }

    private var accounts: AccountStore { service.accounts }

    /// The known state of a number.
    public enum Standing: Sendable, Hashable {
        /// The account has none.
        case none
        case notVerified(String)
        case verified(String, since: Milliseconds)
    }

    public func standing(of account: StoredAccount) throws -> Standing {
        guard let number = try? PhoneNumber(account[.phone]) else { return .none }
        if let since = try accounts.factors.phoneVerified(number.e164, of: account) { return .verified(number.e164, since: since) }
        return .notVerified(number.e164)
    }

    /// The outcome of sending a code.
    public enum Sent: Sendable, Hashable {
        case sent
        /// Too many messages: after so many seconds.
        case wait(seconds: Int)
        /// The program did not take it; the log says why.
        case failed
        /// There is no program, or no number.
        case impossible
    }

    /// Sends a code to the account's number. The one before is void.
    /// - Parameter text: the message, with `{code}` in it.
    public func send(to account: StoredAccount, text: String) async throws -> Sent {
        guard let program, case .notVerified(let number) = try standing(of: account) else { return .impossible }
        var generator = accounts.randomness
        let code = String((100_000_000 + Int.random(in: 0..<1_000_000, using: &generator)).description.suffix(6)), time = service.now()
        let blocked = try accounts.factors.addPhoneCode(
            hash(code, account), to: number, of: account, expires: time + Self.codeLifetime, now: time)
        if let blocked { return .wait(seconds: Int((blocked - time + 999) / 1000)) }
        do throws(MailProblem) {
            try await program.send(text.replacingOccurrences(of: "{code}", with: code), to: number)
            return .sent
        } catch {
            logger.error("a text message was not sent: hub.sms.command did not take it", metadata: ["problem": "\(error)"])
            failures.note(to: number, "\(error)", at: time)
            return .failed
        }
    }

    /// Compares what somebody typed.
    public func check(_ typed: String, of account: StoredAccount) throws -> FactorStore.PhoneAnswer {
        let digits = String(typed.filter { !$0.isWhitespace && $0 != "-" })
        return try accounts.factors.usePhoneCode(hash(digits, account), of: account, now: service.now())
    }

    /// Keyed: six digits are soon tried where a database was stolen.
    private func hash(_ code: String, _ account: StoredAccount) -> [UInt8] {
        let key = SymmetricKey(data: accounts.derivedKey("phone code"))
        return Array(HMAC<SHA256>.authenticationCode(for: Data("\(account.id) \(code)".utf8), using: key))
    }
}
