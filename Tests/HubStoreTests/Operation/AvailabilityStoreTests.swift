import Testing
import Vitals

@testable import HubStore

@Suite struct AvailabilityStoreTests {
    private static let silence: Milliseconds = 10_000

    private func note(
        _ store: AvailabilityStore, _ now: Milliseconds, _ down: Set<MeasuredService> = [], elapsed: Milliseconds? = 5000
    ) throws { try store.note(down: down, at: now, silence: Self.silence, elapsed: elapsed) }

    private func outages(_ store: AvailabilityStore, _ service: MeasuredService) throws -> [Outage] {
        try store.outages(of: service, since: 0)
    }

    @Test("OPS-7: a silence of the hub is an outage of all services, as long as it lasted, over a restart too", arguments: Engine.allCases)
    func silent(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.availability
        #expect(try store.measured(.data4Help) == nil)
        try note(store, 100_000, elapsed: nil)
        try note(store, 105_000)
        // A restart that nobody notices.
        let again = try fixture.reopened().accounts.availability
        try note(again, 115_000, elapsed: nil)
        #expect(try outages(again, .data4Help).isEmpty)
        try note(again, 125_001, elapsed: nil)
        for service in MeasuredService.allCases {
            #expect(try again.measured(service) == 100_000...125_001)
            #expect(try outages(again, service) == [Outage(service: service, begin: 115_000, end: 125_001, kind: .unplanned)])
        }
    }

    @Test("OPS-7: a service that is away has an outage that grows, and the others have none", arguments: Engine.allCases)
    func down(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.availability
        defer { withExtendedLifetime(fixture) {} }
        try note(store, 0, elapsed: nil)
        for now in stride(from: 5000, through: 20_000, by: 5000) { try note(store, Milliseconds(now), now > 5000 ? [.automatedSOS] : []) }
        try note(store, 25_000)
        try note(store, 30_000, [.automatedSOS])
        #expect(
            try outages(store, .automatedSOS) == [
                Outage(service: .automatedSOS, begin: 5000, end: 20_000, kind: .unplanned),
                Outage(service: .automatedSOS, begin: 25_000, end: 30_000, kind: .unplanned),
            ])
        #expect(try outages(store, .data4Help).isEmpty && outages(store, .track4Run).isEmpty)
    }

    @Test("OPS-7, PERF-4: what lies in maintenance that was announced 48 h ahead is planned, the rest is not", arguments: Engine.allCases)
    func planned(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, store = accounts.availability, hour: Milliseconds = 3_600_000
        defer { withExtendedLifetime(fixture) {} }
        _ = try accounts.maintenance.planMaintenance(begin: 48 * hour, end: 49 * hour, now: 0)
        // Too late to be announced.
        _ = try accounts.maintenance.planMaintenance(begin: 50 * hour, end: 51 * hour, now: 3 * hour)
        let cancelled = try #require(try accounts.maintenance.planMaintenance(begin: 52 * hour, end: 53 * hour, now: 0))
        #expect(try accounts.maintenance.cancelMaintenance(cancelled, now: hour))
        try note(store, 47 * hour, elapsed: nil)
        try note(store, 54 * hour, elapsed: nil)
        #expect(
            try outages(store, .track4Run) == [
                Outage(service: .track4Run, begin: 47 * hour, end: 48 * hour, kind: .unplanned),
                Outage(service: .track4Run, begin: 48 * hour, end: 49 * hour, kind: .planned),
                Outage(service: .track4Run, begin: 49 * hour, end: 54 * hour, kind: .unplanned),
            ])
    }

    @Test("OPS-7: a clock that is set forward makes no outage, one that is set back none either", arguments: Engine.allCases)
    func clock(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.availability
        defer { withExtendedLifetime(fixture) {} }
        try note(store, 1_000_000, elapsed: nil)
        try note(store, 9_000_000)
        #expect(
            try outages(store, .data4Help) == [Outage(service: .data4Help, begin: 1_000_000, end: 9_000_000, kind: .unmeasured)])
        try note(store, 2_000_000)
        #expect(try store.measured(.data4Help) == 1_000_000...9_000_000)
        try note(store, 9_005_000)
        #expect(try outages(store, .data4Help).count == 1 && store.measured(.data4Help) == 1_000_000...9_005_000)
    }

    @Test("OPS-7: what is older than the months that are shown is forgotten", arguments: Engine.allCases)
    func forgotten(engine: Engine) throws {
        let fixture = try HubFixture(engine), store = fixture.accounts.availability
        defer { withExtendedLifetime(fixture) {} }
        try note(store, 0, elapsed: nil)
        try note(store, 100_000, elapsed: nil)
        try note(store, 105_000)
        try note(store, 200_000, elapsed: nil)
        try store.forget(before: 150_000)
        #expect(
            try outages(store, .data4Help) == [Outage(service: .data4Help, begin: 105_000, end: 200_000, kind: .unplanned)],
            "it reaches into what is kept")
        #expect(try store.measured(.data4Help) == 150_000...200_000)
    }
}
