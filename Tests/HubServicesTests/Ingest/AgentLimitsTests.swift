import Foundation
import HubStore
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What one agent may ask and begin.
struct AgentLimitsTests {
    private func gaps(_ sequence: UInt64, stream: StreamID, _ fixture: ServicesFixture, count: Int) -> [UInt8] {
        let gaps = (0..<count).map { index in
            GapRecord(
                time: fixture.clock.now, sequences: 1_000_000 + UInt64(index) * 2...1_000_000 + UInt64(index) * 2, reason: .bufferFull)
        }
        return Segment(
            stream: stream, sequence: sequence, person: fixture.person, provenance: .live, clock: .wall, samples: SampleSet(gaps: gaps)
        ).encoded()
    }

    @Test("DATA-8: streams and boots of an agent are bounded: what is too much waits, is kept by the box, and others are not held up")
    func streams() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol(), other = try await fixture.enrol()
        let first = StreamID.random()
        _ = try await fixture.send([fixture.segment(1, stream: first)], token: box.token)
        var begun = 1
        await #expect(throws: AgentLimits.TooFast.self) {
            while begun < 20_480 {
                _ = try await fixture.send((0..<64).map { _ in fixture.segment(1, stream: .random()) }, token: box.token)
                begun += 64
            }
        }
        #expect((AgentLimits.begunBurst...AgentLimits.begunBurst + 64).contains(begun))
        // What the box has goes on, and so does everybody else.
        _ = try await fixture.send([fixture.segment(2, stream: first)], token: box.token)
        _ = try await fixture.send([fixture.segment(1, stream: .random())], token: other.token)
        let seconds = await #expect(throws: AgentLimits.TooFast.self) {
            _ = try await fixture.send([fixture.segment(1, stream: .random())], token: box.token)
        }?.seconds
        let wait = try #require(seconds)
        #expect((1...3600).contains(wait))
        fixture.clock.advance(Milliseconds(wait + 1) * 1000)
        let token = try await fixture.token(box.id, box.key, predecessor: box.token).accessToken
        _ = try await fixture.send([fixture.segment(1, stream: .random())], token: token)
    }

    @Test("DATA-8: a box that was offline for a year of restarts gets all of it through, in time")
    func offline() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol()
        let all = (0..<2000).map { _ in fixture.segment(1, stream: .random()) }
        let answer = try await fixture.send(all, token: box.token)
        #expect(answer.streams.count == 2000)
    }

    @Test("DATA-8: gap records of an agent are bounded")
    func gapRecords() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol(), stream = StreamID.random()
        var sent: UInt64 = 0
        await #expect(throws: AgentLimits.TooFast.self) {
            while sent < 40 {
                sent += 1
                _ = try await fixture.send([gaps(sent, stream: stream, fixture, count: 1024)], token: box.token)
            }
        }
        #expect(sent < 20)
    }

    @Test("DATA-8: holes in a stream are bounded, and what fills one is always taken")
    func holes() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol(), stream = StreamID.random()
        let all = (0..<UInt64(Committer.rangesMax)).map { fixture.segment($0 * 2, stream: stream, time: fixture.clock.now) }
        for start in stride(from: 0, to: all.count, by: 512) {
            let answer = try await fixture.send(Array(all[start..<start + 512]), token: box.token)
            #expect(answer.streams.allSatisfy { $0.refused?.isEmpty ?? true })
        }
        let beyond = try await fixture.send([fixture.segment(1_000_000, stream: stream, time: fixture.clock.now)], token: box.token)
        #expect(beyond.streams.first?.refused?.map(\.reason) == [.range])
        let filling = try await fixture.send([fixture.segment(1, stream: stream, time: fixture.clock.now)], token: box.token)
        #expect(filling.streams.first.map { $0.refused?.isEmpty ?? true } == true)
    }

    @Test("PERF-6: requests of an agent are bounded, with room for what was not sent for weeks")
    func requests() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol()
        let stream = StreamID.random()
        for _ in 0..<AgentLimits.requestsBurst / 2 { _ = try fixture.ingest.session(bearer: box.token) }
        _ = try await fixture.send([fixture.segment(1, stream: stream)], token: box.token)
        #expect(throws: AgentLimits.TooFast.self) {
            for _ in 0..<AgentLimits.requestsBurst { _ = try fixture.ingest.session(bearer: box.token) }
        }
        fixture.clock.advance(1000)
        for _ in 0..<50 { _ = try fixture.ingest.session(bearer: box.token) }
    }

    @Test("PERF-6: tokens, and what a box asks beside segments, are bounded; an alarm is not")
    func asks() async throws {
        let fixture = try ServicesFixture(), box = try await fixture.enrol(), clock = fixture.clock
        func ask() throws { _ = try fixture.authenticator.counted(bearer: box.token, now: clock.now) }
        for _ in 0..<Authenticator.asksBurst { try ask() }
        #expect(throws: AgentLimits.TooFast(seconds: 1)) { try ask() }
        _ = try fixture.authenticator.session(bearer: box.token, now: clock.now, takesExpired: true)
        clock.advance(1000)
        try ask()
        try ask()
        var token = box.token, made = 0
        await #expect(throws: AgentLimits.TooFast.self) {
            while made <= Authenticator.tokensBurst {
                token = try await fixture.token(box.id, box.key, predecessor: token).accessToken
                made += 1
            }
        }
        // The first came with the enrolment.
        #expect((Authenticator.tokensBurst - 1...Authenticator.tokensBurst).contains(made))
        clock.advance(5000)
        _ = try await fixture.token(box.id, box.key, predecessor: token)
    }

    @Test("DATA-8, PERF-6: what an agent may ask and begin is for each person that it collects for: a gateway sends for a hundred")
    func gateway() async throws {
        let fixture = try ServicesFixture(), people = try (0..<100).map { _ in try fixture.accounts.addPerson(name: "Made up", now: 0).id }
        let gateway = try await fixture.enrol(people), box = try await fixture.enrol()
        for _ in 0..<64 {
            _ = try await fixture.send(
                (0..<64).map { _ in fixture.segment(1, stream: .random(), person: people[0]) }, token: gateway.token)
        }
        func asked(_ token: String) -> Int {
            (0..<4 * AgentLimits.requestsBurst).prefix { _ in (try? fixture.ingest.session(bearer: token)) != nil }.count
        }
        #expect(asked(gateway.token) == 4 * AgentLimits.requestsBurst)
        #expect(asked(box.token) == AgentLimits.requestsBurst)
    }
}
