internal import CArgon2

/// The cost of one password hash (RFC 9106, section 3.1): the server once, who guesses each time.
public struct PasswordCost: Sendable, Hashable {
    /// Memory in KiB, 8 per lane at least.
    public let kibibytes: UInt32
    public let passes: UInt32
    public let lanes: UInt32

    public init(kibibytes: UInt32, passes: UInt32, lanes: UInt32 = 1) {
        (self.kibibytes, self.passes, self.lanes) = (kibibytes, passes, lanes)
    }

    /// 64 MiB, 3 passes, 1 lane: the memory and passes of RFC 9106's second recommendation, on one thread.
    public static let standard = PasswordCost(kibibytes: 65_536, passes: 3)

    /// What is computed at all, so that a damaged row cannot occupy the hub: 8 KiB to 1 GiB, 1 to 64 passes, 1 to 16 lanes.
    var isBounded: Bool {
        (1...16).contains(lanes) && (8 * lanes...1_048_576).contains(kibibytes) && (1...64).contains(passes)
    }

    func isWeaker(than other: PasswordCost) -> Bool { kibibytes < other.kibibytes || passes < other.passes }
}

/// Why a password could not be hashed or compared; for the operator.
public struct PasswordProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let what: String
    public let advice: String

    public var description: String { "\(what). \(advice)." }
}

/// Argon2id, version 19 (RFC 9106), by libargon2, on the thread that calls.
enum Argon2id {
    static let version: UInt32 = 19

    static func tag(of secret: [UInt8], salt: [UInt8], cost: PasswordCost, length: Int) throws(PasswordProblem) -> [UInt8] {
        var tag = [UInt8](repeating: 0, count: length)
        let code = argon2_hash(
            cost.passes, cost.kibibytes, cost.lanes, secret, secret.count, salt, salt.count, &tag, length, nil, 0, Argon2_id, version)
        guard code == ARGON2_OK.rawValue else {
            throw PasswordProblem(
                what: "A password could not be hashed: \(String(cString: argon2_error_message(code)))",
                advice: "One hash takes \(cost.kibibytes / 1024) MiB: give the hub more memory (MemoryMax=), or look what uses it")
        }
        return tag
    }
}
