import Distress
import HubStore
import Testing
import Vitals

@testable import HubServices

/// Whom AutomatedSOS told, in the ledger of the person concerned.
@Suite(.timeLimit(.minutes(2)))
struct SOSToldLedgerTests {
    private func told(_ town: SOSTown, _ id: IncidentID) throws -> [String] {
        try town.hub.accounts.ledger.ledger(of: town.person.id.person).entries.filter { $0.what == .told(id) }.map(\.name).sorted()
    }

    @Test("DATA-12, CONS-7: contacts and crews who were told of an emergency stand in the ledger, once each, over a restart; nobody before")
    func once() async throws {
        let town = try await SOSTown(), crews = try town.crews(2), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 }
        try await town.sent()
        #expect(try told(town, alarm.id).isEmpty, "the alarm's path writes nothing into the ledger")
        await town.sos.writeTold()
        #expect(try told(town, alarm.id) == ["Bruno"], "neither the next contact nor a crew that is only offered it")
        try await town.until { !town.sos.crews.openOffers(to: crews[0].id).isEmpty }
        #expect(try await town.sos.crews.accept(alarm.id, by: crews[0]) == .yours)
        try await town.sent()
        for _ in 0..<3 { await town.sos.writeTold() }
        let both = try told(town, alarm.id)
        #expect(both == ["Ada Made-Up", "Bruno"])
        let again = try town.restarted()
        await again.sos.writeTold()
        #expect(try told(again, alarm.id) == ["Ada Made-Up", "Bruno"])
        let line = try #require(try again.hub.accounts.ledger.ledger(of: town.person.id.person).entries.last { $0.what == .told(alarm.id) })
        #expect(line.kinds == [.heartRate, .position] && line.consent == nil)
    }
}
