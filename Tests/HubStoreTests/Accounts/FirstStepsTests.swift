import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct FirstStepsTests {
    @Test("ACC-10, ACC-14: first steps stay hidden until they are wanted again, and go with the account", arguments: Engine.allCases)
    func hidden(engine: Engine) throws {
        let fixture = try HubFixture(engine), accounts = fixture.accounts, steps = accounts.firstSteps
        let ada = try fixture.account("Ada"), bob = try fixture.account("Bob")
        #expect(try !steps.isHidden(for: ada))
        for time: Milliseconds in [1, 2] { try steps.hide(from: ada, now: time) }
        #expect(try steps.isHidden(for: ada) && !steps.isHidden(for: bob))
        try steps.show(to: ada)
        #expect(try !steps.isHidden(for: ada))
        for account in [ada, bob] { try steps.hide(from: account, now: 4) }
        #expect(try fixture.count("hidden_steps") == 2)
        try accounts.deletePerson(ada.id.person, now: 5)
        try accounts.eraseRows(of: ada.id.person)
        #expect(try fixture.count("hidden_steps") == 1 && steps.isHidden(for: bob))
    }
}
