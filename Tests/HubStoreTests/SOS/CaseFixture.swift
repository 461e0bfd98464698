import Distress
import Privacy
import TestSupport
import Vitals

@testable import HubStore

/// The store of cases over one engine, with a person.
struct CaseFixture {
    let fixture: HubFixture
    let store: SOSStore
    let ada: StoredAccount

    var person: PersonID { ada.id.person }

    init(_ engine: Engine) throws {
        fixture = try HubFixture(engine)
        (store, ada) = (try fixture.sos(), try fixture.account("Ada"))
    }

    func incident(
        _ number: UInt64, of person: PersonID? = nil, opened: Milliseconds = 10, ended: Milliseconds? = nil, isTest: Bool = false,
        aliases: [IncidentID] = []
    ) -> SOSCase {
        let alarm = Alarm(
            id: IncidentID(high: 7, low: number), person: person ?? self.person, provenance: .live, raisedAt: opened, abnormalities: [],
            aliases: aliases)
        var item = SOSCase(alarm, isTest: isTest, opened: opened)
        item.ended = ended
        return item
    }

    func state(of person: PersonID? = nil) -> SOSWatchState {
        SOSWatchState(
            watch: DistressWatch(
                person: person ?? self.person, provenance: .live, side: .hub, settings: DistressSettings(age: 40), at: 0))
    }

    func save(_ item: SOSCase) throws { try store.save([.init(person: item.person, incident: item)]) }

    func damage(_ table: String, where condition: String = "1 = 1") throws { try fixture.damage(table, where: condition, in: store.pool) }
}
