import SyncProtocol
import TestSupport
import Testing
import Vitals

/// Each transition of the uploader: what it does next, and what it does not do.
struct UploaderTests {
    /// An uploader with a seeded generator and a clock that moves only when told.
    struct Driven {
        var uploader: Uploader
        var random = SeededGenerator(seed: 1)
        var now: Milliseconds = 1_000_000

        init(token: String? = "stored", limits: Uploader.Limits = Uploader.Limits()) {
            uploader = Uploader(token: token, limits: limits)
        }

        mutating func handle(_ event: Uploader.Event) -> [Uploader.Effect] {
            uploader.handle(event, at: now, random: &random)
        }

        /// To the point where a batch is under way.
        mutating func sending() { _ = handle(.started) }

        /// Fires the timer that `effects` order and says how long that was.
        mutating func wake(_ effects: [Uploader.Effect]) throws -> (wait: Milliseconds, effects: [Uploader.Effect]) {
            guard case .wake(let time) = try #require(effects.first) else { throw Unexpected(effects: effects) }
            let wait = time - now
            now = time
            return (wait, handle(.woken))
        }
    }

    struct Unexpected: Error { var effects: [Uploader.Effect] }

    static let full = Uploader.Limits().batchBytesMax

    static func answer(_ cadence: SyncAnswer.Cadence = .interval, utc: Milliseconds = 1_800_000_000_000) -> SyncAnswer {
        SyncAnswer(hub: HubIncarnation(high: 1, low: 1), utc: utc, cadence: cadence, streams: [])
    }

    static func refusal<Answer>(_ status: Int, retryAfter: Int? = nil) -> Uploader.Reply<Answer> {
        .refused(status: status, retryAfter: retryAfter, error: ErrorAnswer(error: "code", description: "why"))
    }

    @Test("EDGE-6: a lifetime of any size in a token's answer is taken without an overflow", arguments: [1, 31_536_001, Int.max])
    func lifetimes(seconds: Int) {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        _ = driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "new", expiresIn: seconds))))
        #expect(driven.handle(.tokenStored(true)) == [.send(token: "new", bytesMax: Self.full)])
        _ = driven.handle(.nothingToSend)
        driven.now += Milliseconds(min(seconds, 31_536_000)) * 1000
        #expect(driven.handle(.sealed) == [.obtainToken(predecessor: "new")])
    }

    @Test(
        "EDGE-6: an answer whose time no hub can have never gets to the buffer",
        arguments: [Milliseconds.min, 0, 946_684_799_999, 4_102_444_800_000, .max])
    func incredibleTimes(utc: Milliseconds) throws {
        var driven = Driven()
        driven.sending()
        let effects = driven.handle(.segmentsReplied(.answer(Self.answer(utc: utc))))
        guard case .offline(let reason) = driven.uploader.status else { throw Unexpected(effects: effects) }
        #expect(reason.contains("time"))
        #expect(try driven.wake(effects).effects == [.send(token: "stored", bytesMax: Self.full)])
    }

    @Test("EDGE-6: without a token one is obtained, stored, and only then used")
    func token() {
        var driven = Driven(token: nil)
        #expect(driven.handle(.started) == [.obtainToken(predecessor: nil)])
        #expect(driven.handle(.sealed).isEmpty, "nothing is sent meanwhile")
        let token = TokenAnswer(accessToken: "new", expiresIn: 60)
        #expect(driven.handle(.tokenReplied(.answer(token))) == [.storeToken("new", newStream: false)])
        #expect(driven.handle(.sealed).isEmpty, "not before it is durable")
        #expect(driven.handle(.tokenStored(true)) == [.send(token: "new", bytesMax: Self.full)])
    }

    @Test("EDGE-6: an order for a new stream is stored with the token")
    func newStream() {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        let token = TokenAnswer(accessToken: "new", expiresIn: 60, newStream: true)
        #expect(driven.handle(.tokenReplied(.answer(token))) == [.storeToken("new", newStream: true)])
    }

    @Test func tokenThatTheDiskDoesNotTakeIsNotUsed() throws {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        _ = driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "new", expiresIn: 60))))
        #expect(driven.handle(.tokenStored(false)) == [.sendSOS(token: "new")])
        let next = try driven.wake(driven.handle(.nothingToSend))
        #expect(next.effects == [.obtainToken(predecessor: nil)])
    }

    @Test("EDGE-5, EDGE-6: SOS records go out with a token that a full disk does not take, and nothing else before it does")
    func sosWithoutDisk() throws {
        var driven = Driven()
        driven.sending()
        _ = driven.handle(.segmentsReplied(Self.refusal(401)))
        var effects = driven.handle(.urgent)
        for round in 0..<3 {
            #expect(effects == (round == 0 ? [.obtainToken(predecessor: "stored")] : [.obtainToken(predecessor: "new \(round - 1)")]))
            let token = "new \(round)", answer = TokenAnswer(accessToken: token, expiresIn: 60, newStream: round == 0)
            #expect(driven.handle(.tokenReplied(.answer(answer))) == [.storeToken(token, newStream: true)], "an order is not forgotten")
            #expect(driven.handle(.bufferFailed("full")) == [.sendSOS(token: token)])
            _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
            // What else waits needs the token on the disk.
            #expect(driven.handle(.applied(progress: true, more: true)) == [.storeToken(token, newStream: true)])
            #expect(driven.handle(.tokenStored(false)) == [.sendSOS(token: token)])
            _ = driven.handle(.nothingToSend)
            driven.now += 1
            #expect(driven.handle(.urgent) == [.storeToken(token, newStream: true)])
            #expect(driven.handle(.tokenStored(false)) == [.sendSOS(token: token)])
            let lost = driven.handle(.segmentsReplied(.unreachable("no network")))
            guard round < 2 else {
                _ = try driven.wake(lost)
                #expect(driven.handle(.tokenStored(true)) == [.send(token: token, bytesMax: Self.full)])
                return
            }
            driven.now += 60_000
            effects = driven.handle(.woken)
        }
    }

    @Test func emptyTokenIsNoToken() throws {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        let effects = driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "", expiresIn: 60))))
        #expect(try driven.wake(effects).effects == [.obtainToken(predecessor: nil)])
    }

    @Test func expiredTokenIsReplacedBeforeSending() {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        _ = driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "new", expiresIn: 60))))
        _ = driven.handle(.tokenStored(true))
        _ = driven.handle(.nothingToSend)
        driven.now += 60_000
        #expect(driven.handle(.sealed) == [.obtainToken(predecessor: "new")])
    }

    @Test("EDGE-6: 401 renews the token and names the present one as predecessor")
    func unauthorized() {
        var driven = Driven()
        driven.sending()
        _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
        #expect(driven.handle(.applied(progress: true, more: true)) == [.send(token: "stored", bytesMax: Self.full)])
        #expect(driven.handle(.segmentsReplied(Self.refusal(401))) == [.obtainToken(predecessor: "stored")])
    }

    @Test func tokenThatNeverWorkedIsNotReplacedInALoop() throws {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        _ = driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "new", expiresIn: 60))))
        _ = driven.handle(.tokenStored(true))
        let effects = driven.handle(.segmentsReplied(Self.refusal(401)))
        #expect(try driven.wake(effects).effects == [.obtainToken(predecessor: "new")])
    }

    @Test("EDGE-6: one request is in flight; what comes meanwhile goes into the next one")
    func oneInFlight() {
        var driven = Driven()
        #expect(driven.handle(.started) == [.send(token: "stored", bytesMax: Self.full)])
        for event in [Uploader.Event.sealed, .collected, .woken, .started] { #expect(driven.handle(event).isEmpty) }
        #expect(driven.handle(.segmentsReplied(.answer(Self.answer(.arrival)))) == [.apply(Self.answer(.arrival))])
        #expect(driven.handle(.sealed).isEmpty)
        #expect(driven.handle(.applied(progress: true, more: false)) == [.seal, .send(token: "stored", bytesMax: Self.full)])
    }

    @Test("EDGE-6: on arrival samples are sealed and sent at once, by interval they wait to be sealed")
    func cadence() {
        var driven = Driven()
        driven.sending()
        _ = driven.handle(.segmentsReplied(.answer(Self.answer(.interval))))
        #expect(driven.handle(.applied(progress: true, more: false)).isEmpty)
        #expect(driven.handle(.collected).isEmpty)
        #expect(driven.handle(.sealed) == [.send(token: "stored", bytesMax: Self.full)])
        _ = driven.handle(.segmentsReplied(.answer(Self.answer(.arrival))))
        #expect(driven.handle(.applied(progress: true, more: false)) == [.seal, .send(token: "stored", bytesMax: Self.full)])
        #expect(driven.handle(.nothingToSend).isEmpty)
        #expect(driven.handle(.collected) == [.seal, .send(token: "stored", bytesMax: Self.full)])
    }

    @Test("EDGE-6: waits grow from 0.5 s to 60 s with full jitter, and begin anew after a success")
    func backoff() throws {
        var driven = Driven()
        driven.sending()
        var longest: Milliseconds = 0
        for failure in 0..<40 {
            let next = try driven.wake(driven.handle(.segmentsReplied(.unreachable("no route"))))
            let ceiling: Milliseconds = min(60_000, 500 << Milliseconds(min(failure, 20)))
            #expect((0...ceiling).contains(next.wait))
            longest = max(longest, next.wait)
            #expect(next.effects == [.send(token: "stored", bytesMax: Self.full)])
        }
        #expect(longest > 30_000, "it does grow")
        _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
        _ = driven.handle(.applied(progress: true, more: true))
        #expect(try driven.wake(driven.handle(.segmentsReplied(.unreachable("no route")))).wait <= 500)
    }

    @Test func wokenTooEarlyWaitsOn() {
        var driven = Driven(limits: .init())
        driven.sending()
        let effects = driven.handle(.segmentsReplied(Self.refusal(503, retryAfter: 10)))
        #expect(driven.handle(.woken) == effects)
        #expect(driven.handle(.sealed).isEmpty, "new samples do not cut the wait short")
    }

    @Test(
        "EDGE-6: Retry-After is honoured, up to an hour",
        arguments: [(429, 120, 120_000), (503, 5, 5000), (500, 1_000_000_000, 3_600_000)] as [(Int, Int, Milliseconds)])
    func retryAfter(status: Int, seconds: Int, least: Milliseconds) throws {
        var driven = Driven()
        driven.sending()
        let next = try driven.wake(driven.handle(.segmentsReplied(Self.refusal(status, retryAfter: seconds))))
        #expect(next.wait >= least && next.wait <= least + 500)
    }

    @Test("EDGE-6: 413 halves the batch, down to a bound, and then waits")
    func tooLarge() throws {
        var driven = Driven()
        driven.sending()
        var bytes = Self.full
        while bytes > 16 << 10 {
            bytes = max(16 << 10, bytes / 2)
            #expect(driven.handle(.segmentsReplied(Self.refusal(413))) == [.send(token: "stored", bytesMax: bytes)])
        }
        #expect(try driven.wake(driven.handle(.segmentsReplied(Self.refusal(413)))).effects == [.send(token: "stored", bytesMax: bytes)])
    }

    @Test("EDGE-6: a login page or garbage counts as offline, and nothing of it reaches the buffer")
    func captivePortal() throws {
        var driven = Driven()
        driven.sending()
        let effects = driven.handle(.segmentsReplied(.notTheHub("a login page")))
        #expect(driven.uploader.status == .offline("a login page"))
        #expect(try driven.wake(effects).effects == [.send(token: "stored", bytesMax: Self.full)])
    }

    @Test("EDGE-6: 403 and 426 tell what to do, and are asked again every ten minutes", arguments: [403, 426])
    func stopped(status: Int) throws {
        var driven = Driven()
        driven.sending()
        var effects = driven.handle(.segmentsReplied(Self.refusal(status)))
        for _ in 0..<3 {
            guard case .stopped(let advice) = driven.uploader.status else { throw Unexpected(effects: effects) }
            #expect(advice.contains("why") && driven.uploader.status.reason == advice)
            for event in [Uploader.Event.sealed, .collected, .started] { #expect(driven.handle(event).isEmpty) }
            let next = try driven.wake(effects)
            #expect((600_000...660_000).contains(next.wait))
            #expect(next.effects.last == .send(token: "stored", bytesMax: Self.full))
            guard case .stopped = driven.uploader.status else { throw Unexpected(effects: effects) }
            effects = driven.handle(.segmentsReplied(Self.refusal(status)))
        }
        _ = try driven.wake(effects)
        _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
        _ = driven.handle(.applied(progress: true, more: false))
        #expect(driven.uploader.status == .connected)
    }

    @Test(
        "EDGE-6: an SOS record, and a person who asks, wait for no back-off, no Retry-After and no refusal",
        arguments: [
            .unreachable("no route"), refusal(503, retryAfter: 3600), refusal(403), .notTheHub("a login page"),
        ] as [Uploader.Reply<SyncAnswer>])
    func urgent(reply: Uploader.Reply<SyncAnswer>) {
        var driven = Driven()
        driven.sending()
        #expect(driven.handle(.urgent).isEmpty, "one request is in flight")
        #expect(driven.handle(.segmentsReplied(reply)).count == 1)
        #expect(driven.handle(.urgent) == [.send(token: "stored", bytesMax: Self.full)])
        #expect(driven.handle(.woken).isEmpty, "the alarm of the wait that is over")
    }

    @Test("EDGE-6: on a slow line batches get shorter, so that current samples do not wait for history; on a fast one they grow again")
    func slowLine() {
        var driven = Driven()
        driven.sending()
        func next(after milliseconds: Milliseconds) -> Int {
            driven.now += milliseconds
            _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
            guard case .send(_, let bytes)? = driven.handle(.applied(progress: true, more: true)).last else { return 0 }
            return bytes
        }
        #expect(next(after: 4000) == Self.full / 2)
        #expect(next(after: 2000) == Self.full / 4)
        #expect(next(after: 800) == Self.full / 4)
        #expect(next(after: 100) == Self.full / 2)
        for _ in 0..<20 { _ = next(after: 5000) }
        #expect(next(after: 5000) == 16 << 10)
        for _ in 0..<20 { _ = next(after: 10) }
        #expect(next(after: 10) == Self.full)
        // A hub that took no more than half of it stays at that.
        _ = driven.handle(.segmentsReplied(Self.refusal(413)))
        #expect(next(after: 10) == Self.full / 2)
    }

    @Test func tokenEndpointThatRefusesTheKeyIsAskedSlowly() throws {
        var driven = Driven(token: nil)
        _ = driven.handle(.started)
        let next = try driven.wake(driven.handle(.tokenReplied(Self.refusal(401))))
        #expect(next.wait >= 30_000)
        #expect(next.effects == [.obtainToken(predecessor: nil)])
    }

    @Test func answerWithoutProgressDoesNotLoop() throws {
        var driven = Driven()
        driven.sending()
        _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
        let effects = driven.handle(.applied(progress: false, more: true))
        #expect(try driven.wake(effects).effects == [.send(token: "stored", bytesMax: Self.full)])
    }

    @Test("EDGE-5: a full disk is waited for, whatever it was needed for")
    func bufferFailed() throws {
        var driven = Driven()
        driven.sending()
        #expect(try driven.wake(driven.handle(.bufferFailed("full"))).effects == [.send(token: "stored", bytesMax: Self.full)])
        _ = driven.handle(.segmentsReplied(.answer(Self.answer())))
        #expect(try driven.wake(driven.handle(.bufferFailed("full"))).effects == [.send(token: "stored", bytesMax: Self.full)])
    }

    @Test func repliesThatNobodyWaitsForChangeNothing() {
        var driven = Driven()
        _ = driven.handle(.started)
        _ = driven.handle(.nothingToSend)
        #expect(driven.handle(.segmentsReplied(.answer(Self.answer()))).isEmpty)
        #expect(driven.handle(.tokenReplied(.answer(TokenAnswer(accessToken: "x", expiresIn: 1)))).isEmpty)
        #expect(driven.handle(.tokenStored(true)).isEmpty)
        #expect(driven.handle(.applied(progress: true, more: true)).isEmpty)
    }
}
