public import Seams
public import Vitals

/// A challenge that a browser's authenticator is to answer.
public struct PasskeyChallenge: Sendable, Hashable {
    public enum Purpose: Sendable, Hashable {
        case registration
        case assertion
    }

    /// Five minutes.
    public static let lifetime: Milliseconds = 300_000

    public let purpose: Purpose
    /// 32 random bytes.
    public let bytes: [UInt8]
    /// UTC; from then on it counts no more.
    public let expires: Milliseconds

    /// As it stands in the options that the page hands to the browser.
    public var text: String { Base64.url(bytes) }
}

/// The challenges that wait for an answer, in memory: one per session, each for one use. A restarted hub has none, and people press the
/// button again.
public struct PasskeyChallenges: Sendable {
    /// Beyond it the oldest go. A flood of requests must replace them all within the seconds that a person takes to answer.
    static let countMax = 50_000

    private var open: [String: PasskeyChallenge] = [:]

    public init() {}

    /// The number that wait.
    public var count: Int { open.count }

    /// Makes a challenge for a browser's session; an older one of the session is void.
    /// - Parameter session: what names the browser in its cookie before and after log-in (the token's hash as text): a challenge that
    ///   one browser was given is worth nothing in another.
    public mutating func issue(
        _ purpose: PasskeyChallenge.Purpose, session: String, utc: Milliseconds, using randomness: Randomness = .system
    ) -> PasskeyChallenge {
        if open.count >= Self.countMax { makeRoom(utc) }
        let new = PasskeyChallenge(purpose: purpose, bytes: randomness.bytes(32), expires: utc + PasskeyChallenge.lifetime)
        open[session] = new
        return new
    }

    /// Takes the session's challenge out, which is gone then however the answer turns out.
    public mutating func take(
        _ purpose: PasskeyChallenge.Purpose, session: String, utc: Milliseconds
    ) throws(PasskeyRefusal) -> PasskeyChallenge {
        guard let challenge = open.removeValue(forKey: session) else { throw PasskeyRefusal(.noChallenge) }
        guard challenge.purpose == purpose else { throw PasskeyRefusal(.wrongPurpose) }
        guard utc < challenge.expires else { throw PasskeyRefusal(.challengeExpired) }
        return challenge
    }

    private mutating func makeRoom(_ utc: Milliseconds) {
        open = open.filter { $0.value.expires > utc }
        guard open.count >= Self.countMax else { return }
        let newest = open.sorted { $0.value.expires > $1.value.expires }.prefix(Self.countMax * 3 / 4)
        open = Dictionary(uniqueKeysWithValues: newest.map { ($0.key, $0.value) })
    }
}
