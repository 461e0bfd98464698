import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What is over is forgotten by a clock that something else confirms.
struct RetentionClockTests {
    @Test("DATA-11, CONS-7: a clock that jumped years ahead makes the hub forget nothing; one that went on by the day does")
    func jumped() async throws {
        let own = try OwnDataFixture(), hub = own.hub
        let maintenance = Maintenance(
            accounts: hub.accounts, merger: hub.series.merger, rollups: hub.series.rollups, authenticator: hub.authenticator,
            deletion: own.deletion,
            quota: Quota(accounts: hub.accounts, space: hub.series.space, audit: own.audit), audit: own.audit, logger: own.logger,
            now: { hub.clock.now })
        func append() throws {
            try own.audit.append(.exported, by: nil, on: nil, now: hub.clock.now)
            _ = try own.audit.checkpoint(now: hub.clock.now)
        }
        try append()
        hub.clock.advance(1)
        try append()
        hub.clock.advance(Retention.lifetime + Maintenance.silenceMax)
        try await maintenance.forgetUsedUp()
        #expect(try own.audit.verify().forgotten == 0)
        try append()
        hub.clock.advance(Maintenance.silenceMax)
        try await maintenance.forgetUsedUp()
        #expect(try own.audit.verify().forgotten == 2)
    }
}
