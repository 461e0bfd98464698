import Accounts
import Database
import Foundation
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore

extension PublishedService.Description {
    static func made(_ name: String = "Sleep", kinds: Set<DataKind> = [.heartRate]) -> Self {
        let words = PublishedService.Words(about: "About \(name)", purpose: "Purpose of \(name)")
        return Self(name: name, english: words, italian: words, kinds: kinds, actions: [.once])
    }
}

@Suite struct ServiceTests {
    private func published(_ fixture: HubFixture, _ description: PublishedService.Description = .made(), by: OrganisationID) throws
        -> ServiceID
    {
        try #require(try fixture.accounts.services.publishService(description, by: by, now: 1))
    }

    @Test("CONS-8: what a description lacks is said field by field")
    func lacks() {
        #expect(PublishedService.Description.made().lacks.isEmpty)
        let empty = PublishedService.Words(about: " \n", purpose: String(repeating: "p", count: 301))
        let bad = PublishedService.Description(name: "", english: empty, italian: empty, kinds: [], actions: [])
        #expect(bad.lacks == [.name, .aboutEnglish, .purposeEnglish, .aboutItalian, .purposeItalian, .kinds, .actions])
        var long = PublishedService.Description.made()
        (long.name, long.italian.about) = (String(repeating: "n", count: 61), String(repeating: "a", count: 2001))
        #expect(long.lacks == [.name, .aboutItalian] && long.words("it") == long.italian && long.words("de") == long.english)
        #expect(PublishedService.Description.made(kinds: [.rrIntervals]).kinds.contains(.heartRate), "a part comes with its whole")
    }

    @Test("CONS-11: a service is shown when an operator let it through, who is told once while something waits", arguments: Engine.allCases)
    func check(engine: Engine) throws {
        let fixture = try HubFixture(engine), services = fixture.accounts.services, clinic = try fixture.organisation()
        let boss = try fixture.account("Boss", [.operator]), id = try published(fixture, by: clinic)
        #expect(try services.services().isEmpty && services.servicesAwaitingOperator().map(\.id) == [id])
        #expect(try services.changeService(id, .made("Better sleep"), by: clinic, now: 2))
        #expect(try fixture.accounts.notices.notices(of: boss).map(\.kind) == [.serviceCheck])
        #expect(try !services.checkService(id, version: 1, isApproved: true, now: 3), "the operator saw another one")
        #expect(try services.checkService(id, version: 2, isApproved: true, now: 3))
        #expect(try !services.checkService(id, version: 2, isApproved: true, now: 4), "nothing waits")
        let shown = try #require(try services.services().first)
        #expect(shown.shown?.name == "Better sleep" && shown.waiting == nil && shown.publisher == "Clinic" && !shown.isRefused)
        #expect(try services.servicesAwaitingOperator().isEmpty)
        #expect(try fixture.accounts.notices.dueMails(9, lease: 0, now: 9).map(\.kind).contains("service.approved"))
    }

    @Test("CONS-8: what people consented to stays: a change of kinds or purpose is not taken", arguments: Engine.allCases)
    func changes(engine: Engine) throws {
        let fixture = try HubFixture(engine), services = fixture.accounts.services
        let clinic = try fixture.organisation(), other = try fixture.organisation("Other"), id = try published(fixture, by: clinic)
        _ = try services.checkService(id, version: 1, isApproved: true, now: 2)
        #expect(
            try !services.changeService(id, .made("X"), by: other, now: 3)
                && !services.changeService(.random(), .made(), by: clinic, now: 3))
        #expect(try services.changeService(id, .made("Renamed", kinds: [.position]), by: clinic, now: 3))
        let waiting = try #require(try services.service(id)?.waiting)
        #expect(waiting.name == "Renamed" && !waiting.kinds.contains(.position) && waiting.english.purpose == "Purpose of Sleep")
        #expect(try services.service(id)?.shown?.name == "Sleep", "until an operator has looked")
        #expect(try services.checkService(id, version: 2, isApproved: false, now: 4) && services.service(id)?.isRefused == true)
        #expect(try services.servicesAwaitingOperator().isEmpty && !services.checkService(id, version: 2, isApproved: true, now: 5))
        // The same words stay refused; others are looked at.
        #expect(
            try services.changeService(id, .made("Renamed", kinds: [.position]), by: clinic, now: 6)
                && services.service(id)?.isRefused == true)
        #expect(try services.changeService(id, .made("Other"), by: clinic, now: 7) && services.service(id)?.isRefused == false)
        #expect(
            try services.changeService(id, .made("Sleep"), by: clinic, now: 8) && services.service(id)?.waiting == nil, "as it is shown")
        var bad = PublishedService.Description.made()
        bad.name = ""
        #expect(try !services.changeService(id, bad, by: clinic, now: 9) && services.publishService(bad, by: clinic, now: 9) == nil)
    }

    @Test("CONS-8: a withdrawn service is added by nobody any more; an organisation has a hundred", arguments: Engine.allCases)
    func withdrawn(engine: Engine) throws {
        let fixture = try HubFixture(engine), services = fixture.accounts.services
        let clinic = try fixture.organisation(), other = try fixture.organisation("Other"), id = try published(fixture, by: clinic)
        _ = try services.checkService(id, version: 1, isApproved: true, now: 2)
        #expect(try !services.withdrawService(id, by: other, now: 3) && services.withdrawService(id, by: clinic, now: 3))
        #expect(try services.services().isEmpty && services.services(of: clinic).map(\.isWithdrawn) == [true])
        #expect(try !services.changeService(id, .made("New"), by: clinic, now: 4))
        for _ in 1..<ServiceStore.servicesMax { _ = try published(fixture, by: clinic) }
        #expect(
            try services.publishService(.made(), by: clinic, now: 5) == nil && services.publishService(.made(), by: other, now: 5) != nil)
        #expect(try services.services(of: clinic).count == 100 && services.services(of: other).count == 1)
    }

    @Test("CONS-8: a damaged description is told, and hides no other service", arguments: Engine.allCases)
    func damaged(engine: Engine) throws {
        let fixture = try HubFixture(engine), services = fixture.accounts.services, clinic = try fixture.organisation()
        let ids = try ["A", "B", "C"].map { try published(fixture, .made($0), by: clinic) }
        for id in ids.dropLast() { _ = try services.checkService(id, version: 1, isApproved: true, now: 2) }
        try fixture.damage("service", "shown", where: "id = 1")
        #expect(try services.services().map(\.id) == [ids[1]] && services.services(of: clinic).map(\.id) == [ids[2], ids[1]])
        #expect(try services.servicesAwaitingOperator().map(\.id) == [ids[2]] && fixture.unreadable == [.service])
        #expect(throws: HubStoreError.self) { try services.service(ids[0]) }
        try fixture.accounts.deletePerson(clinic.account.person, now: 3)
        #expect(try services.services().isEmpty && services.service(ids[1]) == nil)
    }

    @Test("CONS-8: the hub's own services have names that nobody else can take")
    func builtIn() {
        for service in BuiltInService.allCases {
            #expect(BuiltInService(service.id) == service && service.kinds.contains(.position) && service.kinds.contains(.heartRate))
        }
        #expect(BuiltInService(.random()) == nil && Set(BuiltInService.allCases.map(\.name)).count == 2)
    }
}
