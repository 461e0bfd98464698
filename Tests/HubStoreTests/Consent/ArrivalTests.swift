import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct ArrivalTests {
    private struct Reading {
        let asking: AskingFixture
        let store: StoreFixture
        let grant: Grant

        init(_ engine: Engine) throws {
            asking = try AskingFixture(engine)
            store = try StoreFixture(asking.fixture.directory, hub: asking.fixture.hub, person: asking.person)
            let id = try asking.give(asking.scope([.heartRate]))
            grant = try #require(try asking.consents.grant(by: id, to: asking.reader, now: 1))
        }

        /// When the fixture's segments are received.
        static let received = noon + day

        func append(_ number: UInt64) throws {
            let start = noon + Milliseconds(number) * 60_000
            try store.append(
                SampleSet(heartRates: heartRates(from: start, count: 3), positions: positions(from: start, count: 3)), sequence: number)
        }

        func arrivals(
            after cursor: SubscriptionCursor? = nil, since: Milliseconds = noon, most: Int = 200, now: Milliseconds = received
        ) throws -> Arrivals? {
            try store.series.arrivals.read(grant, after: cursor, since: since, segmentsMax: most, now: now)
        }
    }

    private func items(_ arrivals: Arrivals?) throws -> (items: [Arrival], upTo: SubscriptionCursor?) {
        guard case .items(let items, let upTo)? = arrivals else { throw HubFixture.Taken() }
        return (items, upTo)
    }

    @Test("CONS-14: what arrived comes in order, of the granted kinds, from the place of the reader on", arguments: Engine.allCases)
    func order(engine: Engine) throws {
        let reading = try Reading(engine)
        #expect(try items(reading.arrivals()) == ([], nil))
        for number in 0..<3 as Range<UInt64> { try reading.append(number) }
        let first = try items(reading.arrivals(most: 2))
        #expect(
            first.items.map { $0.samples.heartRates.count } == [3, 3]
                && first.items.allSatisfy { $0.samples.positions.isEmpty && $0.provenance == .live })
        #expect(first.items.map(\.received) == [Reading.received, Reading.received] && first.upTo == first.items.last?.cursor)
        let second = try items(reading.arrivals(after: first.upTo))
        #expect(
            try second.items.map { $0.samples.heartRates[0].time } == [noon + 120_000]
                && items(reading.arrivals(after: second.upTo)) == ([], nil))
        let nobody = Grant.maintenance(of: .random())
        #expect(try items(reading.store.series.arrivals.read(nobody, after: nil, since: 0, now: 0)) == ([], nil))
    }

    @Test("CONS-4: what was received before the access began is no part of it", arguments: Engine.allCases)
    func since(engine: Engine) throws {
        let reading = try Reading(engine)
        try reading.append(0)
        let later = try items(reading.arrivals(since: Reading.received + 1))
        #expect(later.items.isEmpty && later.upTo != nil, "the place moves on all the same")
        #expect(try items(reading.arrivals(since: Reading.received)).items.count == 1)
    }

    @Test("CONS-14: what was merged meanwhile comes as it would have, once; then it goes on behind that", arguments: Engine.allCases)
    func merged(engine: Engine) throws {
        let reading = try Reading(engine)
        try reading.append(0)
        let seen = try items(reading.arrivals())
        try reading.append(1)
        try reading.store.series.merger.merge(now: Reading.received)
        let late = try items(reading.arrivals(after: seen.upTo))
        #expect(late.items.map { $0.samples.heartRates.map(\.time) } == [[0, 1, 2].map { noon + 60_000 + $0 * 1000 }])
        #expect(late.items.allSatisfy { $0.samples.positions.isEmpty && $0.received == Reading.received })
        #expect(try items(reading.arrivals(after: late.upTo)) == ([], nil))
        try reading.append(2)
        #expect(try items(reading.arrivals(after: late.upTo)).items.count == 1)
    }

    @Test("CONS-14: a place of another database, or an old one, begins anew", arguments: Engine.allCases)
    func foreign(engine: Engine) throws {
        let reading = try Reading(engine)
        try reading.append(0)
        let hub = reading.asking.accounts.incarnation
        let cursors = [
            SubscriptionCursor.order(ArrivalCursor(journal: 99, received: noon), hub: hub),
            .order(ArrivalCursor(journal: 0, received: Reading.received - ArrivalReader.lifetime - 1), hub: hub),
            .order(ArrivalCursor(journal: 0, received: Reading.received), hub: .random()),
            .order(ArrivalCursor(journal: 0, received: .min), hub: hub), .unreadable,
        ]
        for cursor in cursors {
            guard case .startOver(let from, _)? = try reading.arrivals(after: cursor) else {
                Issue.record("nobody knows what came since")
                return
            }
            #expect(from == 0)
        }
    }

    @Test("CONS-6: nothing arrives by a consent that was revoked, or of a person who was deleted", arguments: Engine.allCases)
    func ended(engine: Engine) throws {
        let reading = try Reading(engine), asking = reading.asking
        try reading.append(0)
        let id = try #require(reading.grant.ground.consent)
        #expect(try reading.arrivals() != nil)
        _ = try asking.consents.answerConsent(id, .revoke, by: asking.ada.id, now: 5)
        #expect(try reading.arrivals() == nil)
        let other = try Reading(engine)
        try other.append(0)
        try other.store.accounts.deletePerson(other.asking.person, now: 5)
        #expect(try other.arrivals() == nil)
    }
}
