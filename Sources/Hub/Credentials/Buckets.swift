internal import Crypto
internal import Vitals

/// How often something may be done: `burst` times at once, then once per `interval`.
struct Rate: Sendable {
    let burst: Int64
    let interval: Milliseconds
}

/// Token buckets of many names in bounded memory. A bucket is one number: the time at which it is full again.
struct Buckets: Sendable {
    /// 128 bits of a hash: names of any length take the same room, and none lies in memory.
    struct Key: Hashable, Sendable {
        private let high: UInt64, low: UInt64

        init(_ parts: String...) {
            // A length before each part keeps "a", "bc" from being "ab", "c".
            let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
            let words = Array(SHA256.hash(data: Array(text.utf8)).prefix(16))
            high = words[0..<8].reduce(0) { $0 << 8 | UInt64($1) }
            low = words[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    let countMax: Int
    private var fullAt: [Key: Milliseconds] = [:]

    init(countMax: Int) { self.countMax = countMax }

    var count: Int { fullAt.count }

    /// The time from which a token can be taken; `utc` or earlier when one is there.
    func ready(_ key: Key, _ rate: Rate, utc: Milliseconds) -> Milliseconds {
        missing(key, rate, utc: utc) - (rate.burst - 1) * rate.interval + utc
    }

    mutating func take(_ key: Key, _ rate: Rate, utc: Milliseconds) {
        let missing = missing(key, rate, utc: utc)
        if fullAt[key] == nil, fullAt.count >= countMax { makeRoom(utc) }
        fullAt[key] = utc + missing + rate.interval
    }

    mutating func giveBack(_ key: Key, _ rate: Rate, utc: Milliseconds) {
        let missing = missing(key, rate, utc: utc) - rate.interval
        fullAt[key] = missing > 0 ? utc + missing : nil
    }

    /// Milliseconds until the bucket is full: never more than an empty one takes, also after the clock was set back.
    private func missing(_ key: Key, _ rate: Rate, utc: Milliseconds) -> Milliseconds {
        guard let full = fullAt[key] else { return 0 }
        return min(max(0, full - utc), rate.burst * rate.interval)
    }

    /// Full buckets say nothing and go first, then the fullest: who floods with new names pushes out their own.
    private mutating func makeRoom(_ utc: Milliseconds) {
        fullAt = fullAt.filter { $0.value > utc }
        guard fullAt.count >= countMax else { return }
        let emptiest = fullAt.sorted { $0.value > $1.value }.prefix(countMax * 3 / 4)
        fullAt = Dictionary(uniqueKeysWithValues: emptiest.map { ($0.key, $0.value) })
    }
}
