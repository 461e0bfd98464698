import SyncProtocol
import TestSupport
import Testing
import Vitals

/// The uploader against the receiver and the token chains over a network that loses, repeats and reorders, with restarts of the box.
struct UploaderRandomTests {
    /// The hub's side: what it stores, and what it accepts as a token.
    struct Hub {
        var chains = TokenChains()
        var receiver = StreamReceiver()
        var stored: [UInt64: UInt64] = [:]
        var samples: [UInt64: Int] = [:]
        var copies = 0
        var nextToken: UInt8 = 0

        mutating func token(_ predecessor: String?) -> TokenAnswer {
            nextToken &+= 1
            let token = "token \(nextToken)"
            if chains.renew(predecessor: predecessor.map { Array($0.utf8) }, token: Array(token.utf8)) == .copied { copies += 1 }
            return TokenAnswer(accessToken: token, expiresIn: 30)
        }

        mutating func receive(_ segments: [UInt64: UInt64], token: String) -> SyncAnswer? {
            guard chains.use(Array(token.utf8)) != .dead else { return nil }
            var forked: [UInt64] = []
            for (sequence, content) in segments.sorted(by: { $0.key < $1.key }) {
                switch receiver.decide(sequence: sequence, fingerprint: content, stored: { stored[$0] }) {
                case .accept:
                    stored[sequence] = content
                    samples[content, default: 0] += 1
                case .duplicate: break
                case .fork: forked.append(sequence)
                }
            }
            let state = SyncAnswer.StreamState(stream: StreamID(high: 1, low: 1), received: receiver.received, forked: forked)
            return SyncAnswer(
                hub: HubIncarnation(high: 1, low: 1), utc: 1_800_000_000_000,
                cadence: stored.count.isMultiple(of: 2) ? .arrival : .interval,
                streams: [state])
        }
    }

    /// The box's side without a database: what is durable survives a restart, the rest does not.
    struct Box {
        var unsealed: [UInt64] = []
        var segments: [UInt64: UInt64] = [:]
        var acknowledged: Set<UInt64> = []
        var next: UInt64 = 0
        var token: String?

        mutating func seal() {
            for content in unsealed {
                segments[next] = content
                next += 1
            }
            unsealed = []
        }
        var unsent: [UInt64: UInt64] { segments.filter { !acknowledged.contains($0.key) } }
    }

    @Test(
        "EDGE-6: with lost, repeated and late requests and answers and restarts, every sample is stored exactly once",
        arguments: 0..<40 as Range<UInt64>)
    func exactlyOnce(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed), hub = Hub(), box = Box(), now: Milliseconds = 0
        var uploader = Uploader(token: nil), events: [Uploader.Event] = [.started], alarm: Milliseconds?
        var inFlight: [UInt64: UInt64] = [:], late: [(segments: [UInt64: UInt64], token: String)] = []
        let total: UInt64 = 200
        var made: UInt64 = 0, steps = 0

        func roll(_ sides: Int) -> Bool { Int.random(in: 0..<sides, using: &random) == 0 }

        while made < total || !box.unsealed.isEmpty || !box.unsent.isEmpty {
            steps += 1
            try #require(steps < 100_000, "seed \(seed): it does not end")
            now += Milliseconds.random(in: 1...2000, using: &random)
            if made < total, roll(3) {
                box.unsealed.append(made)
                made += 1
                events.append(.collected)
            }
            if roll(10), !box.unsealed.isEmpty {
                box.seal()
                events.append(.sealed)
            }
            if roll(50) {
                // Killed: what is not durable is forgotten, and measured again by the replay.
                uploader = Uploader(token: box.token)
                events = [.started]
                alarm = nil
            }
            if roll(8), let copy = late.randomElement(using: &random) { _ = hub.receive(copy.segments, token: copy.token) }
            if let time = alarm, now >= time {
                alarm = nil
                events.append(.woken)
            }
            guard !events.isEmpty else { continue }
            for effect in uploader.handle(events.removeFirst(), at: now, random: &random) {
                switch effect {
                case .wake(let time): alarm = time
                case .seal: box.seal()
                case .obtainToken(let predecessor):
                    guard !roll(6) else {
                        events.append(.tokenReplied(.unreachable("lost request")))
                        continue
                    }
                    let answer = hub.token(predecessor)
                    events.append(.tokenReplied(roll(6) ? .unreachable("lost answer") : .answer(answer)))
                case .storeToken(let token, _):
                    guard !roll(10) else {
                        events.append(.tokenStored(false))
                        continue
                    }
                    box.token = token
                    events.append(.tokenStored(true))
                case .sendSOS: events.append(.nothingToSend)
                case .send(let token, _):
                    inFlight = Dictionary(uniqueKeysWithValues: box.unsent.shuffled(using: &random).prefix(5).map { ($0.key, $0.value) })
                    guard !inFlight.isEmpty else {
                        events.append(.nothingToSend)
                        continue
                    }
                    late.append((inFlight, token))
                    if roll(4) {
                        events.append(.segmentsReplied(.unreachable("lost request")))
                        continue
                    }
                    guard let answer = hub.receive(inFlight, token: token) else {
                        events.append(.segmentsReplied(.refused(status: 401, retryAfter: nil, error: nil)))
                        continue
                    }
                    events.append(.segmentsReplied(roll(4) ? .unreachable("lost answer") : .answer(answer)))
                case .apply(let answer):
                    let state = answer.streams[0], received = try #require(state.receivedSet)
                    #expect(state.forked == nil, "seed \(seed)")
                    let taken = inFlight.keys.filter(received.contains)
                    box.acknowledged.formUnion(taken)
                    events.append(.applied(progress: !taken.isEmpty, more: !box.unsent.isEmpty))
                }
            }
        }
        for copy in late { _ = hub.receive(copy.segments, token: copy.token) }
        #expect(hub.samples.count == Int(total) && hub.samples.values.allSatisfy { $0 == 1 }, "seed \(seed)")
        #expect(hub.copies == 0, "seed \(seed): a lost reply looked like a copied card")
    }
}
