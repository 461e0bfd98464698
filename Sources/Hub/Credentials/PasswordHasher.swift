internal import Foundation
public import Seams
internal import Synchronization

/// Hashes and compares passwords: Argon2id over a pepper, on threads of its own, with a bounded queue.
///
/// One hash takes a core for a tenth of a second or more and 64 MiB. However many people try to log in, only ``threads`` cores and
/// as many times 64 MiB are used, at low priority, and who comes when the queue is full is told so at once.
public final class PasswordHasher: Sendable {
    /// The most bytes of a password in UTF-8.
    public static let passwordBytesMax = 1024
    /// Calls that may wait for a thread, by default.
    public static let waitingMax = 8

    private let pepper: Pepper
    private let cost: PasswordCost
    private let machine: Machine
    let pool: HashingThreads
    /// Milliseconds that the last hash took.
    private let lastTook = Mutex(200)

    /// Half of the cores, one at least.
    public static var defaultThreads: Int { max(1, ProcessInfo.processInfo.activeProcessorCount / 2) }

    /// Starts the threads.
    /// - Parameters:
    ///   - cost: what new hashes cost; old ones keep theirs until their owner logs in (``Verdict``).
    ///   - machine: whose threads hash, and whose random numbers are the salts.
    /// - Throws: when `cost` is out of range, or the system refuses a thread or its lower priority.
    public init(
        pepper: Pepper, cost: PasswordCost = .standard, threads: Int = defaultThreads, waitingMax: Int = PasswordHasher.waitingMax,
        machine: Machine = .system
    ) throws(PasswordProblem) {
        guard cost.isBounded else {
            throw PasswordProblem(
                what: "The cost of password hashing is out of range: \(cost)",
                advice: "Take 8 KiB to 1 GiB, 1 to 64 passes, 1 to 16 lanes")
        }
        (self.pepper, self.cost, self.machine) = (pepper, cost, machine)
        pool = try HashingThreads(count: max(1, threads), waitingMax: max(0, waitingMax), machine: machine)
    }

    /// All threads work and the queue is full: nothing was done.
    public struct Busy: Error, Hashable, Sendable {
        /// Seconds after which trying again has a chance; 1 or more.
        public let retryAfter: Int
    }

    /// The password is longer than ``PasswordHasher/passwordBytesMax``. Says nothing about any account.
    public struct PasswordTooLong: Error, Hashable, Sendable {}

    /// How a comparison came out.
    public enum Verdict: Hashable, Sendable {
        case differs
        /// With `needsRehash` the stored hash is weaker than new ones: make and store a new one now that the password is here.
        case matches(needsRehash: Bool)
    }

    /// The text to store for a new password: `$argon2id$v=19$m=65536,t=3,p=1$SALT$TAG`, with 16 random bytes of salt.
    /// - Throws: ``Busy``, ``PasswordTooLong``, ``PasswordProblem``.
    public func hash(_ password: String) async throws -> String {
        let salt = machine.randomness.bytes(16)
        return EncodedHash(cost: cost, salt: salt, tag: try await tag(of: password, salt: salt, cost: cost, length: 32)).text
    }

    /// Compares a password with what ``hash(_:)`` made.
    /// - Throws: ``Busy``, ``PasswordTooLong``, ``PasswordProblem``, the latter also when `stored` is damaged.
    public func verify(_ password: String, against stored: String) async throws -> Verdict {
        guard let stored = EncodedHash(stored) else {
            throw PasswordProblem(
                what: "A stored password hash cannot be read", advice: "Let this person set a new password by mail, and check the database")
        }
        let tag = try await tag(of: password, salt: stored.salt, cost: stored.cost, length: stored.tag.count)
        guard SecretBytes.same(tag, stored.tag) else { return .differs }
        return .matches(needsRehash: stored.cost.isWeaker(than: cost) || stored.tag.count < 32 || stored.salt.count < 16)
    }

    /// Takes as long as ``verify(_:against:)`` and answers `.differs`: for a name that has no account, so that time does not tell.
    /// - Throws: ``Busy``, ``PasswordTooLong``, ``PasswordProblem``, as the other does.
    public func verifyAgainstNothing(_ password: String) async throws -> Verdict {
        _ = try await tag(of: password, salt: machine.randomness.bytes(16), cost: cost, length: 32)
        return .differs
    }

    private func tag(of password: String, salt: [UInt8], cost: PasswordCost, length: Int) async throws -> [UInt8] {
        guard password.utf8.count <= Self.passwordBytesMax else { throw PasswordTooLong() }
        let secret = pepper.apply(to: password)
        return try await withCheckedThrowingContinuation { continuation in
            let isTaken = pool.add {
                let start = self.machine.uptime
                let result = Result { () throws(PasswordProblem) in
                    try Argon2id.tag(of: secret, salt: salt, cost: cost, length: length)
                }
                let took = (self.machine.uptime - start) / .milliseconds(1)
                self.lastTook.withLock { $0 = max(1, Int(took)) }
                return { continuation.resume(with: result) }
            }
            if !isTaken { continuation.resume(throwing: Busy(retryAfter: retryAfter)) }
        }
    }

    /// The time that the whole queue takes.
    private var retryAfter: Int {
        let took = lastTook.withLock { $0 }
        return max(1, (took * pool.load / pool.count + 999) / 1000)
    }
}
