import Testing

@testable import Credentials

/// `#expect` takes no mutating calls.
private final class Limiter {
    private var value: AttemptLimiter

    init(_ value: AttemptLimiter = AttemptLimiter()) { self.value = value }

    var count: (buckets: Int, episodes: Int) { value.count }
    func begin(_ attempt: AttemptLimiter.Attempt, utc: Int64) -> AttemptLimiter.Verdict { value.begin(attempt, utc: utc) }
    func failed(_ attempt: AttemptLimiter.Attempt, utc: Int64) -> [AttemptLimiter.Effect] { value.failed(attempt, utc: utc) }
    func succeeded(_ attempt: AttemptLimiter.Attempt, utc: Int64) { value.succeeded(attempt, utc: utc) }
    func abandoned(_ attempt: AttemptLimiter.Attempt, utc: Int64) { value.abandoned(attempt, utc: utc) }
}

@Suite("Limits of tries")
struct AttemptLimiterTests {
    let start: Int64 = 1_800_000_000_000
    typealias Attempt = AttemptLimiter.Attempt

    static func attempt(_ account: String = "ada@example.org", from address: String = "203.0.113.7", device: String? = nil) -> Attempt {
        Attempt(account: account, source: AttemptSource(address: address), knownDevice: device)
    }

    /// Wrong tries until one must wait; how many, and how long.
    private func fail(_ limiter: Limiter, _ attempt: Attempt, utc: Int64) -> (tries: Int, seconds: Int) {
        for tries in 0..<1000 {
            guard case .wait(let seconds) = limiter.begin(attempt, utc: utc) else {
                _ = limiter.failed(attempt, utc: utc)
                continue
            }
            return (tries, seconds)
        }
        return (1000, 0)
    }

    @Test("ACC-6: a source that guesses is slowed: five at once, then one a minute, and asking does not lengthen the wait")
    func slowed() {
        let limiter = Limiter()
        #expect(fail(limiter, Self.attempt(), utc: start) == (5, 60))
        for _ in 0..<1000 { #expect(limiter.begin(Self.attempt(), utc: start + 30_000) == .wait(seconds: 30)) }
        #expect(limiter.begin(Self.attempt(), utc: start + 60_000) == .go)
        #expect(limiter.begin(Self.attempt(), utc: start + 60_000) == .wait(seconds: 60))
    }

    @Test("ACC-6: a hundred tries at once count as a hundred")
    func atOnce() {
        let limiter = Limiter()
        let verdicts = (0..<100).map { _ in limiter.begin(Self.attempt(), utc: start) }
        #expect(verdicts.filter { $0 == .go }.count == 5)
    }

    @Test("ACC-6: a source that goes through many accounts is slowed over all of them")
    func spraying() {
        let limiter = Limiter()
        let verdicts = (0..<100).map { number in
            let attempt = Self.attempt("person\(number)@example.org")
            let verdict = limiter.begin(attempt, utc: start)
            if verdict == .go { _ = limiter.failed(attempt, utc: start) }
            return verdict
        }
        #expect(verdicts.filter { $0 == .go }.count == 20)
        #expect(limiter.begin(Self.attempt("someone@example.org", from: "198.51.100.1"), utc: start) == .go)
    }

    @Test("ACC-6: guessing from a thousand addresses gets no further, and the owner still gets in on a known device")
    func victim() {
        let limiter = Limiter()
        var went = 0
        // A day of tries, one every 10 s, each from a new address.
        for number in 0..<8640 {
            let attempt = Self.attempt(from: "2001:db8:\(String(number, radix: 16))::1")
            if limiter.begin(attempt, utc: start + Int64(number) * 10_000) == .go {
                went += 1
                _ = limiter.failed(attempt, utc: start + Int64(number) * 10_000)
            }
        }
        #expect((1440...1461).contains(went))
        let now = start + 86_400_000
        let owner = Self.attempt(device: "cookie")
        for _ in 0..<100 {
            #expect(limiter.begin(owner, utc: now) == .go)
            limiter.succeeded(owner, utc: now)
        }
    }

    @Test("ACC-6: also from the attacker's own address the owner gets in on a known device")
    func sameAddress() {
        let limiter = Limiter()
        _ = fail(limiter, Self.attempt(), utc: start)
        #expect(limiter.begin(Self.attempt(device: "cookie"), utc: start) == .go)
        #expect(limiter.begin(Self.attempt(device: "another"), utc: start) == .go)
    }

    @Test("ACC-6: a known device is limited too, by a bucket of its own")
    func stolenDevice() {
        let limiter = Limiter()
        #expect(fail(limiter, Self.attempt(device: "cookie"), utc: start) == (10, 30))
        #expect(limiter.begin(Self.attempt(device: "another"), utc: start) == .go)
    }

    @Test("ACC-6: who gets in, or is turned away by a busy hub, pays nothing")
    func refund() {
        let limiter = Limiter()
        for number in 0..<100 {
            #expect(limiter.begin(Self.attempt(), utc: start) == .go)
            if number.isMultiple(of: 2) {
                limiter.succeeded(Self.attempt(), utc: start)
            } else {
                limiter.abandoned(Self.attempt(), utc: start)
            }
        }
        #expect(limiter.count.buckets == 0)
    }

    @Test("ACC-6: three wrong tries mail the owner, once per episode")
    func mail() {
        let limiter = Limiter()
        func failures(_ count: Int, at utc: Int64) -> Int {
            (0..<count).reduce(0) { mails, _ in mails + limiter.failed(Self.attempt(), utc: utc).count }
        }
        #expect(failures(2, at: start) == 0)
        #expect(failures(1, at: start) == 1)
        #expect(failures(50, at: start + 3_600_000) == 0)
        limiter.abandoned(Self.attempt(), utc: start + 3_600_000)
        #expect(failures(5, at: start + 3_600_000) == 0)
        // The owner got in: what comes then is a new episode.
        limiter.succeeded(Self.attempt(), utc: start + 3_600_000)
        #expect(failures(2, at: start + 3_700_000) == 0)
        #expect(failures(9, at: start + 3_800_000) == 1)
        // A day without a try, likewise.
        #expect(failures(2, at: start + 3_800_000 + 86_400_000) == 0)
        #expect(failures(2, at: start + 3_800_000 + 86_400_000) == 1)
    }

    @Test("ACC-6: wrong tries from many addresses count together for the mail, and per account")
    func mailAcrossSources() {
        let limiter = Limiter()
        #expect(limiter.failed(Self.attempt(from: "192.0.2.1"), utc: start).isEmpty)
        #expect(limiter.failed(Self.attempt(from: "192.0.2.2"), utc: start).isEmpty)
        #expect(limiter.failed(Self.attempt("bo@example.org", from: "192.0.2.3"), utc: start).isEmpty)
        #expect(limiter.failed(Self.attempt(device: "cookie"), utc: start) == [.tellOwner])
    }

    @Test("ACC-6: a flood of names and addresses takes bounded memory and does not wash away who is being limited")
    func bounded() {
        let limiter = Limiter(AttemptLimiter(bucketsMax: 1000, episodesMax: 500))
        let guesser = Self.attempt()
        _ = fail(limiter, guesser, utc: start)
        for number in 0..<5000 {
            let attempt = Self.attempt("p\(number)@example.org", from: "10.\(number >> 8).\(number & 255).1")
            #expect(limiter.begin(attempt, utc: start) == .go)
            _ = limiter.failed(attempt, utc: start)
        }
        #expect(limiter.count.buckets <= 1000)
        #expect(limiter.count.episodes <= 500)
        #expect(limiter.begin(guesser, utc: start) == .wait(seconds: 60))
        #expect(limiter.failed(guesser, utc: start).isEmpty, "its episode is still the old one")
    }

    @Test("ACC-6: a clock that was set back delays nobody by more than an empty bucket")
    func clockBack() {
        let limiter = Limiter()
        _ = fail(limiter, Self.attempt(), utc: start)
        #expect(limiter.begin(Self.attempt(), utc: start - 1_000_000_000) == .wait(seconds: 60))
        #expect(limiter.begin(Self.attempt(), utc: start + 300_000) == .go)
    }

    @Test("ACC-6: a home's IPv6 addresses are one source, IPv4 addresses each one, and names can't be mixed up")
    func sources() {
        func same(_ left: String, _ right: String) -> Bool { AttemptSource(address: left) == AttemptSource(address: right) }
        #expect(same("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff"))
        #expect(!same("2001:db8:1:2::1", "2001:db8:1:3::1"))
        #expect(same("::ffff:192.0.2.1", "192.0.2.1"))
        #expect(!same("192.0.2.1", "192.0.2.2"))
        #expect(same("fe80::1%eth0", "fe80::2"))
        #expect(Buckets.Key("a", "bc") != Buckets.Key("ab", "c"))
    }
}
