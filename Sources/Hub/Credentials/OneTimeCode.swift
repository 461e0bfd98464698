internal import Crypto
public import Vitals

/// One-time codes by time (RFC 6238): HMAC-SHA-1, six digits, 30 seconds, the only ones that every authenticator program knows.
public enum OneTimeCode {
    static let digits = 6
    /// Milliseconds of one step.
    static let period: Milliseconds = 30_000
    /// Steps before and after the present one that count too: for clocks that differ and for slow typing (section 5.2).
    static let window: Int64 = 1

    /// How a typed code came out.
    public enum Outcome: Hashable, Sendable {
        case wrong
        /// Right, but this one or a later one was taken before: the person waits for the next (section 5.2).
        case used
        /// Right. Store `step` in the same transaction that lets the person in, and hand it over as `lastStep` next time.
        case accepted(step: Int64)
    }

    /// Judges what a person typed; blanks don't count.
    /// - Parameters:
    ///   - lastStep: the step of the last accepted code; nil when there was none.
    ///   - utc: now.
    public static func check(_ typed: String, secret: OneTimeSecret, lastStep: Int64?, utc: Milliseconds) -> Outcome {
        let typed = Array(typed.utf8.filter { $0 != UInt8(ascii: " ") })
        guard typed.count == digits, typed.allSatisfy({ (48...57).contains($0) }) else { return .wrong }
        let now = step(at: utc)
        // All are computed, whichever is right.
        let right = (now - window...now + window).filter {
            SecretBytes.same(Array(code(secret.bytes, step: $0, digits: digits).utf8), typed)
        }
        guard let last = right.last else { return .wrong }
        guard let lastStep else { return .accepted(step: last) }
        return right.last { $0 > lastStep }.map { .accepted(step: $0) } ?? .used
    }

    /// The number of the step that `utc` is in.
    public static func step(at utc: Milliseconds) -> Int64 { max(0, utc) / period }

    /// The code of one step, for a person's own program or a test.
    public static func code(secret: OneTimeSecret, step: Int64) -> String { code(secret.bytes, step: step, digits: digits) }

    /// HOTP (RFC 4226, section 5.3) of the step's number. `digits` 1 to 9.
    static func code(_ key: [UInt8], step: Int64, digits: Int) -> String {
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: counter, using: SymmetricKey(data: key)))
        let offset = Int(mac[19] & 15)
        let number = mac[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } & 0x7FFF_FFFF
        let text = String(number % (0..<digits).reduce(1) { power, _ in power * 10 })
        return String(repeating: "0", count: digits - text.count) + text
    }
}
