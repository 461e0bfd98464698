import Foundation
import SyncProtocol
import Testing
import Vitals

struct SyncAnswerTests {
    @Test("EDGE-6: an answer written by hand is the JSON that a decoder reads")
    func json() throws {
        let answer = SyncAnswer(
            hub: HubIncarnation(high: 1, low: 2), utc: 1_800_000_000_123, cadence: .arrival,
            streams: [
                .init(stream: StreamID(high: 3, low: 4), received: SequenceSet([1...5, 8...8])),
                .init(
                    stream: StreamID(high: 5, low: 6), received: [[0, UInt64.max]], complete: false,
                    refused: [.init(sequence: 9, reason: .range, detail: "\"quoted\" \\ and \n control, naïve")], forked: [10, 11]),
            ], questions: 2)
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: Data(answer.json())) == answer)
        let none = SyncAnswer(hub: HubIncarnation(high: 1, low: 2), utc: 0, cadence: .interval, streams: [])
        #expect(try JSONDecoder().decode(SyncAnswer.self, from: Data(none.json())) == none)
    }

    @Test("CONS-2: an agent from before answers told of questions reads an answer that does")
    func olderAgent() throws {
        struct Older: Decodable {
            let hub: HubIncarnation
            let utc: Milliseconds
            let cadence: SyncAnswer.Cadence
            let streams: [SyncAnswer.StreamState]
        }
        let answer = SyncAnswer(hub: HubIncarnation(high: 1, low: 2), utc: 5, cadence: .interval, streams: [], questions: 3)
        #expect(try JSONDecoder().decode(Older.self, from: Data(answer.json())).utc == 5)
    }

    @Test("More ranges than an answer carries are cut off and said to be")
    func cutOff() {
        var set = SequenceSet()
        for sequence in stride(from: 0, to: 4000, by: 2) as StrideTo<UInt64> { set.insert(sequence) }
        let state = SyncAnswer.StreamState(stream: StreamID(high: 0, low: 1), received: set)
        #expect(!state.complete && state.received.count == SyncAnswer.StreamState.rangesMax)
        #expect(SyncAnswer.StreamState(stream: StreamID(high: 0, low: 1), received: [[2, 1]]).receivedSet == nil)
    }
}

struct StreamReceiverTests {
    @Test("EDGE-6: the same segment twice is a duplicate, another one under its sequence a fork")
    func decides() {
        var receiver = StreamReceiver()
        var stored: [UInt64: UInt64] = [:]
        func decide(_ sequence: UInt64, _ fingerprint: UInt64) -> StreamReceiver.Decision {
            let decision = receiver.decide(sequence: sequence, fingerprint: fingerprint) { stored[$0] }
            if decision == .accept { stored[sequence] = fingerprint }
            return decision
        }
        #expect(decide(2, 20) == .accept)
        #expect(decide(1, 10) == .accept)
        #expect(decide(2, 20) == .duplicate)
        #expect(decide(2, 21) == .fork)
        receiver.forget(5...9)
        #expect(decide(7, 70) == .duplicate, "declared lost, and its fingerprint is nowhere")
        #expect(receiver.received.ranges == [1...2, 5...9])
    }
}

struct TokenChainsTests {
    private func token(_ number: UInt8) -> [UInt8] { [number] }

    @Test("EDGE-14: a lost answer does not look like a copied card")
    func lostAnswer() {
        var chains = TokenChains()
        #expect(chains.renew(predecessor: nil, token: token(1)) == .continued)
        // Its answer was lost: asked again, still without a token.
        #expect(chains.renew(predecessor: nil, token: token(2)) == .continued)
        #expect(chains.use(token(2)) == .advanced)
        #expect(chains.use(token(1)) == .dead)
        #expect(chains.renew(predecessor: token(2), token: token(3)) == .continued)
        // Lost again; the old token is still good, and asks again.
        #expect(chains.use(token(2)) == .valid)
        #expect(chains.renew(predecessor: token(2), token: token(4)) == .continued)
        #expect(chains.use(token(4)) == .advanced && chains.use(token(2)) == .dead && chains.use(token(3)) == .dead)
        #expect(chains.chains.count == 1)
    }

    @Test("EDGE-14: a copied card is seen at its first token request, and both go on apart")
    func copiedCard() {
        var chains = TokenChains()
        _ = chains.renew(predecessor: nil, token: token(1))
        chains.use(token(1))
        // The card is copied here. The first box moves on …
        _ = chains.renew(predecessor: token(1), token: token(2))
        chains.use(token(2))
        // … and the copy comes with the old token.
        #expect(chains.use(token(1)) == .dead)
        #expect(chains.renew(predecessor: token(1), token: token(3)) == .copied)
        #expect(chains.use(token(3)) == .advanced)
        #expect(chains.use(token(2)) == .valid, "the first box is not thrown out")
        #expect(chains.renew(predecessor: token(2), token: token(4)) == .continued)
        #expect(chains.renew(predecessor: token(3), token: token(5)) == .continued)
    }

    @Test("EDGE-14: two successors of one token are a copy as soon as both are used")
    func twoSuccessors() {
        var chains = TokenChains([.init(current: [1])])
        _ = chains.renew(predecessor: token(1), token: token(2))
        _ = chains.renew(predecessor: token(1), token: token(3))
        #expect(chains.use(token(2)) == .advanced)
        #expect(chains.use(token(3)) == .dead)
        #expect(chains.renew(predecessor: token(3), token: token(4)) == .copied)
    }

    @Test("Candidates and chains stay bounded")
    func bounded() {
        var chains = TokenChains([.init(current: [0])])
        for number in 1...100 as ClosedRange<UInt8> { _ = chains.renew(predecessor: token(0), token: token(number)) }
        #expect(chains.chains[0].candidates.count == TokenChains.candidatesMax)
        for number in 101...200 as ClosedRange<UInt8> { _ = chains.renew(predecessor: [255, number], token: token(number)) }
        #expect(chains.chains.count == TokenChains.chainsMax)
    }
}
