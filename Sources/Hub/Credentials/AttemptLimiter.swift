public import Vitals

/// Slows down who guesses passwords or codes, without locking out whom they are guessed for.
///
/// A source that fails is slowed, on one account and on all together. Tries on one account from unknown devices share a bucket too, which
/// many sources cannot get around. A device on which this account logged in before (it shows a cookie that the caller has checked) has a
/// bucket of its own, apart from all of those: whatever others do, the owner gets in there. On a new device, while somebody guesses, the
/// ways are a passkey (not limited here) and the mail for a new password, whose link makes the device known.
///
/// Each try is charged when it begins, so that a hundred at once count as a hundred, and costs nothing when it succeeds.
public struct AttemptLimiter: Sendable {
    /// One source on one account.
    static let pairRate = Rate(burst: 5, interval: 60_000)
    /// One source on all accounts; others may stand behind the same address.
    static let sourceRate = Rate(burst: 20, interval: 15_000)
    /// All unknown devices on one account: 1440 guesses a day.
    static let accountRate = Rate(burst: 20, interval: 60_000)
    static let deviceRate = Rate(burst: 10, interval: 30_000)
    /// Wrong tries after which the owner gets a mail (ACC-6).
    public static let triesUntilMail = 3
    /// An episode is over when the account was left alone for a day, or its owner got in.
    static let quiet: Milliseconds = 86_400_000

    private struct Episode: Sendable {
        var failures: Int
        var last: Milliseconds
    }

    private var buckets: Buckets
    private var episodes: [Buckets.Key: Episode] = [:]
    private let episodesMax: Int

    /// About 10 MB at most.
    public init() { self.init(bucketsMax: 100_000, episodesMax: 50_000) }

    init(bucketsMax: Int, episodesMax: Int) {
        buckets = Buckets(countMax: bucketsMax)
        self.episodesMax = episodesMax
    }

    /// One try to log in.
    public struct Attempt: Sendable, Hashable {
        let account: String
        let source: AttemptSource
        let knownDevice: String?

        /// - Parameters:
        ///   - account: what was typed as e-mail, in lower case, whether or not it has an account: both must behave alike.
        ///   - knownDevice: what names a device on which this very account logged in before; nil for any other.
        public init(account: String, source: AttemptSource, knownDevice: String? = nil) {
            (self.account, self.source, self.knownDevice) = (account, source, knownDevice)
        }
    }

    public enum Verdict: Sendable, Hashable {
        /// Try, and tell the outcome: ``failed(_:utc:)``, ``succeeded(_:utc:)`` or ``abandoned(_:utc:)``.
        case go
        /// Nothing is tried: 429 with Retry-After. The wait does not grow by asking.
        case wait(seconds: Int)
    }

    /// The action after a failure.
    public enum Effect: Sendable, Hashable {
        /// Three tries were wrong: a mail to the owner, where the account exists. Once per episode.
        case tellOwner
    }

    /// Before the password is looked at.
    public mutating func begin(_ attempt: Attempt, utc: Milliseconds) -> Verdict {
        let charged = Self.charged(attempt)
        let ready = charged.map { buckets.ready($0.key, $0.rate, utc: utc) }.max() ?? utc
        guard ready <= utc else { return .wait(seconds: Int((ready - utc + 999) / 1000)) }
        for charge in charged { buckets.take(charge.key, charge.rate, utc: utc) }
        return .go
    }

    /// The password or code was wrong.
    public mutating func failed(_ attempt: Attempt, utc: Milliseconds) -> [Effect] {
        let key = Self.episode(attempt)
        if episodes[key] == nil, episodes.count >= episodesMax { forgetEpisodes(utc) }
        var episode = episodes[key] ?? Episode(failures: 0, last: utc)
        if utc - episode.last >= Self.quiet { episode.failures = 0 }
        episode.failures += 1
        episode.last = utc
        episodes[key] = episode
        return episode.failures == Self.triesUntilMail ? [.tellOwner] : []
    }

    /// The person is in, with all that the log-in asks for: not after the first of two factors.
    public mutating func succeeded(_ attempt: Attempt, utc: Milliseconds) {
        abandoned(attempt, utc: utc)
        episodes[Self.episode(attempt)] = nil
    }

    /// Nothing was tried after all (the hub is busy, the browser left).
    public mutating func abandoned(_ attempt: Attempt, utc: Milliseconds) {
        for charge in Self.charged(attempt) { buckets.giveBack(charge.key, charge.rate, utc: utc) }
    }

    /// Names in memory, of buckets and of episodes.
    var count: (buckets: Int, episodes: Int) { (buckets.count, episodes.count) }

    private static func charged(_ attempt: Attempt) -> [(key: Buckets.Key, rate: Rate)] {
        if let device = attempt.knownDevice { return [(Buckets.Key("device", attempt.account, device), deviceRate)] }
        guard attempt.source.isKnown else { return [(Buckets.Key("account", attempt.account), accountRate)] }
        return [
            (Buckets.Key("pair", attempt.account, attempt.source.text), pairRate),
            (Buckets.Key("source", attempt.source.text), sourceRate),
            (Buckets.Key("account", attempt.account), accountRate),
        ]
    }

    private static func episode(_ attempt: Attempt) -> Buckets.Key { Buckets.Key("episode", attempt.account) }

    /// Those that are over go, then those with the fewest failures, the oldest first: a flood of names pushes out its own.
    private mutating func forgetEpisodes(_ utc: Milliseconds) {
        episodes = episodes.filter { utc - $0.value.last < Self.quiet }
        guard episodes.count >= episodesMax else { return }
        let kept = episodes.sorted { ($0.value.failures, $0.value.last) > ($1.value.failures, $1.value.last) }.prefix(episodesMax * 3 / 4)
        episodes = Dictionary(uniqueKeysWithValues: kept.map { ($0.key, $0.value) })
    }
}
