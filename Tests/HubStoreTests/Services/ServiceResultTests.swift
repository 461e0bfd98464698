import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct ServiceResultTests {
    private let service = ServiceID(high: 5, low: 5)

    private func consent(_ asking: AskingFixture, term: ConsentTerm = .untilRevoked, now: Milliseconds = 0) throws -> ConsentID {
        try asking.give(asking.scope([.heartRate], "Results \(term)", term: term, service: service), now: now)
    }

    @Test("CONS-8: a result is taken from the service that was added, while it works", arguments: Engine.allCases)
    func taken(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, result = ServiceResult(text: "Fine")
        let id = try consent(asking), direct = try asking.give(asking.scope([.position]))
        #expect(try services.addResult(result, to: id, by: asking.reader, now: 1) == .stored(number: 1))
        #expect(try services.addResult(result, to: id, by: .caregiver(asking.clinic.id), now: 1) == .unknown)
        #expect(try services.addResult(result, to: direct, by: asking.reader, now: 1) == .unknown, "of no service")
        #expect(try services.addResult(result, to: .random(), by: asking.reader, now: 1) == .unknown)
        let stored = try #require(try services.results(of: asking.person, from: service).first)
        #expect(stored.result == result && stored.received == 1 && stored.consent == id)
        _ = try asking.consents.answerConsent(id, .revoke, by: asking.ada.id, now: 2)
        #expect(try services.addResult(result, to: id, by: asking.reader, now: 3) == .over)
        #expect(try services.results(of: asking.person).count == 1, "what was sent stays with the person")
        #expect(try services.results(of: asking.boss.id.person).isEmpty)
    }

    @Test("CONS-8: what was asked for once may answer for a week behind its delivery", arguments: Engine.allCases)
    func once(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, result = ServiceResult(text: "Fine")
        let id = try consent(asking, term: .once)
        _ = try asking.consents.deliveredConsent(id, now: 10)
        let last = 10 + ServiceStore.resultWait
        #expect(try services.addResult(result, to: id, by: asking.reader, now: last) == .stored(number: 1))
        #expect(try services.addResult(result, to: id, by: asking.reader, now: last + 1) == .over)
    }

    @Test("CONS-8: a hundred results a day; the newest stay, by number and by bytes", arguments: Engine.allCases)
    func limits(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, id = try consent(asking)
        for number in 1...ServiceStore.resultsDailyMax {
            #expect(try services.addResult(ServiceResult(text: "\(number)"), to: id, by: asking.reader, now: 1) == .stored(number: number))
        }
        #expect(try services.addResult(ServiceResult(text: "x"), to: id, by: asking.reader, now: day) == .tooMany)
        for part in 1...2 as ClosedRange<Milliseconds> {
            for _ in 0..<60 { _ = try services.addResult(ServiceResult(text: "y"), to: id, by: asking.reader, now: 1 + part * day) }
        }
        let kept = try services.results(of: asking.person, from: service)
        #expect(kept.count == ServiceStore.resultsKeptMax && kept.first?.number == 220 && kept.last?.number == 21)
        #expect(try services.results(of: asking.person, from: service, count: 3).map(\.number) == [220, 219, 218])
        let points = (0..<1000).map { ServiceResult.Point(time: Milliseconds($0), value: Double($0) / 3) }
        let large = ServiceResult(series: .init(name: "S", unit: "u", points: points))
        for part in 4...43 as ClosedRange<Milliseconds> { _ = try services.addResult(large, to: id, by: asking.reader, now: part * day) }
        let bytes = try asking.accounts.pool.read { try $0.fetchOne(Int.self, sql: "SELECT sum(length(envelope)) FROM service_result") }
        #expect(try #require(bytes) <= ServiceStore.resultsBytesMax && services.results(of: asking.person).last?.result.number == 260)
    }

    @Test("CONS-8: a damaged result is told, and hides no other", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let asking = try AskingFixture(engine), services = asking.accounts.services, id = try consent(asking)
        for text in ["a", "b", "c"] { _ = try services.addResult(ServiceResult(text: text), to: id, by: asking.reader, now: 1) }
        try asking.fixture.damage("service_result", where: "number = 2")
        #expect(try services.results(of: asking.person, from: service).map(\.result.text) == ["c", "a"])
        #expect(try services.results(of: asking.person).map(\.result.result.text) == ["a", "c"])
        #expect(asking.fixture.keys.unreadable.rows == [UnreadableRow(.serviceResult, "\(id) 2")])
        try asking.accounts.deletePerson(asking.person, now: 2)
        #expect(
            try services.results(of: asking.person).isEmpty
                && services.addResult(ServiceResult(text: "d"), to: id, by: asking.reader, now: 3) == .unknown)
    }

    @Test("CONS-8: a result that shows nothing, or what nobody can plot, is refused with the reason")
    func faults() {
        func fault(_ result: ServiceResult) -> ServiceResult.Fault? {
            do throws(ServiceResult.Fault) { try result.check() } catch { return error }
            return nil
        }
        func series(_ points: [(Milliseconds, Double)]) -> ServiceResult {
            ServiceResult(series: .init(name: "S", unit: "bpm", points: points.map { .init(time: $0.0, value: $0.1) }))
        }
        func value(_ name: String, _ value: Double = 1, _ unit: String = "") -> ServiceResult {
            ServiceResult(values: [.init(name: name, value: value, unit: unit)])
        }
        #expect(fault(ServiceResult(text: "Fine")) == nil && fault(value("Mean")) == nil && fault(series([(1, 1), (2, 2)])) == nil)
        #expect(fault(ServiceResult()) == .empty && fault(ServiceResult(text: " \n")) == .empty)
        #expect(fault(ServiceResult(text: String(repeating: "x", count: 4001))) == .textTooLong)
        #expect(fault(value(" ")) == .name && fault(value(String(repeating: "n", count: 61))) == .name)
        #expect(fault(value("Mean", 1, String(repeating: "u", count: 21))) == .unit)
        #expect(fault(value("Mean", .infinity)) == .notFinite && fault(series([(1, .nan), (2, 1)])) == .notFinite)
        #expect(fault(ServiceResult(values: Array(repeating: .init(name: "M", value: 1, unit: ""), count: 51))) == .tooManyValues)
        #expect(fault(series([(1, 1)])) == .points && fault(series((0...1000).map { (Milliseconds($0), 1) })) == .points)
        #expect(fault(series([(2, 1), (2, 1)])) == .times && fault(series([(-1, 1), (2, 1)])) == .times)
    }
}
