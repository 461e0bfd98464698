import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
import TestSupport
import Testing
import Vitals

/// Services, named readers and invitations without pages.
@Suite struct ServiceConsentTests {
    private static let words = PublishedService.Words(about: "Tells how you rest.", purpose: "To tell how you rest")

    static func about(_ name: String = "Sleep coach", kinds: Set<DataKind> = [.heartRate]) -> PublishedService.Description {
        .init(
            name: name, english: words, italian: .init(about: "Dice come riposi.", purpose: "Dire come riposi"), kinds: kinds,
            actions: [.once, .daily])
    }

    private func shown(_ hub: ConsentFixture) throws -> ServiceID {
        let id = try hub.consents.publish(Self.about(), by: hub.hospital)
        #expect(try hub.consents.check(id, version: 1, isApproved: true, by: hub.checker))
        return id
    }

    @Test("CONS-8: a service is shown once an operator approved what they saw; a change is checked again; what was agreed to stays")
    func checked() async throws {
        let hub = try ConsentFixture()
        let id = try hub.consents.publish(Self.about(), by: hub.hospital)
        func told() throws -> Int { try hub.mails(to: hub.checker).count { $0.kind == "service.check" } }
        #expect(try hub.consents.services().isEmpty)
        #expect(try hub.consents.add(id, .daily, language: "en", of: hub.person, by: hub.ada.id) == nil)
        #expect(try hub.mails(to: hub.checker).map(\.kind) == ["service.check"])
        #expect(try problem { _ = try hub.consents.check(id, version: 1, isApproved: true, by: hub.hospital) } == .notYours)
        try hub.consents.change(id, Self.about("Night coach"), by: hub.hospital)
        #expect(try told() == 1, "it waits already")
        // The operator saw the first version.
        #expect(try !hub.consents.check(id, version: 1, isApproved: true, by: hub.checker))
        #expect(try hub.consents.check(id, version: 2, isApproved: false, by: hub.checker))
        #expect(try hub.consents.services().isEmpty && hub.consents.servicesToCheck(for: hub.checker).isEmpty)
        try hub.consents.change(id, Self.about("Day coach"), by: hub.hospital)
        #expect(try told() == 2)
        #expect(try hub.consents.check(id, version: 3, isApproved: true, by: hub.checker))
        #expect(try hub.consents.services().map(\.shown?.name) == ["Day coach"])

        var other = Self.about("Noon coach", kinds: [.position])
        other.english.purpose = "To sell it"
        try hub.consents.change(id, other, by: hub.hospital)
        #expect(try hub.accounts.services.service(id)?.shown?.name == "Day coach")
        #expect(try hub.consents.check(id, version: 4, isApproved: true, by: hub.checker))
        let now = try #require(try hub.accounts.services.service(id)?.shown)
        #expect(now.name == "Noon coach" && now.kinds == [.heartRate] && now.english.purpose == Self.words.purpose)
        #expect(throws: ConsentService.PublishProblem.unknown) { try hub.consents.withdraw(ServiceID.random(), by: hub.hospital) }
        var empty = Self.about(" ")
        empty.actions = []
        #expect(throws: ConsentService.PublishProblem.lacks([.name, .actions])) { try hub.consents.publish(empty, by: hub.hospital) }
    }

    @Test("CONS-8: a service that is changed back and forth is one notice for an operator who has not looked, and a new one for who has")
    func backAndForth() async throws {
        let hub = try ConsentFixture()
        let id = try shown(hub)
        func told() throws -> Int { try hub.accounts.notices.notices(of: hub.checker).count { $0.kind == .serviceCheck } }
        // The first was decided on a page that was looked at.
        _ = try hub.consents.servicesToCheck(for: hub.checker)
        for _ in 0..<3 {
            try hub.consents.change(id, Self.about("Night coach"), by: hub.hospital)
            try hub.consents.change(id, Self.about(), by: hub.hospital)
        }
        #expect(try told() == 2)
        #expect(try hub.consents.servicesToCheck(for: hub.checker).isEmpty)
        try hub.consents.change(id, Self.about("Night coach"), by: hub.hospital)
        #expect(try told() == 3)
        // Another service is other news.
        _ = try hub.consents.publish(Self.about("Other"), by: hub.hospital)
        #expect(try told() == 4)
    }

    @Test("CONS-8: a service is added with a consent that counts for it alone, works on when it is withdrawn, and is removed")
    func added() async throws {
        let hub = try ConsentFixture(), service = try shown(hub), other = try shown(hub)
        let id = try #require(try hub.consents.add(service, .daily, language: "it", of: hub.person, by: hub.ada.id))
        #expect(try hub.accounts.consents.consent(id, askedBy: hub.asker, now: hub.clock.now)?.scope.purpose == "Dire come riposi")
        for wrong in [nil, other] { #expect(try hub.consents.read(id, as: hub.asker, for: wrong, from: 0, to: 1) == nil) }
        #expect(try hub.consents.read(id, as: hub.asker, for: service, from: 0, to: 1) != nil)
        // In other words it is the same.
        #expect(
            try problem { _ = try hub.consents.add(service, .daily, language: "en", of: hub.person, by: hub.ada.id) } == .alreadyRuns(id))
        try hub.consents.withdraw(service, by: hub.hospital)
        #expect(try hub.consents.services().map(\.id) == [other])
        #expect(try hub.consents.services(of: hub.person, for: hub.ada.id) == [service])
        #expect(try hub.consents.read(id, as: hub.asker, for: service, from: 0, to: 1) != nil)
        try hub.consents.remove(service, of: hub.person, by: hub.ada.id)
        #expect(try hub.consents.read(id, as: hub.asker, for: service, from: 0, to: 1) == nil)
        #expect(try hub.consents.add(service, .daily, language: "en", of: hub.person, by: hub.ada.id) == nil)
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.first?.name == "Sleep coach (Made Up)")
    }

    @Test("CONS-8: the hub's own services are added and removed each by a consent for it alone, which no organisation reads by")
    func builtIn() async throws {
        let hub = try ConsentFixture(), sos = BuiltInService.automatedSOS
        let id = try hub.consents.add(sos, purpose: "To call for help", of: hub.person, by: hub.ada.id)
        #expect(try hub.accounts.consents.running(sos.id, of: hub.person, now: hub.clock.now)?.id == id)
        #expect(try hub.accounts.consents.running(BuiltInService.track4Run.id, of: hub.person, now: hub.clock.now) == nil)
        // Neither an organisation with a service and a consent of its own, nor a stranger, by whatever name.
        let own = try shown(hub), other = try #require(try hub.consents.add(own, .daily, language: "en", of: hub.person, by: hub.ada.id))
        let direct = try await hub.accepted()
        let stranger = Reader.organisation(OrganisationID(try ConsentFixture.add("lab@example.org", [.organisation], to: hub.accounts).id))
        for reader in [hub.asker, stranger] {
            for service in [nil, sos.id, own] {
                #expect(try hub.consents.read(id, as: reader, for: service, from: 0, to: 1) == nil)
            }
            #expect(try hub.accounts.consents.consent(id, askedBy: reader, now: hub.clock.now) == nil)
            #expect(try hub.consents.take(ServiceResult(text: "x", values: []), for: id, by: reader) == .unknown)
        }
        #expect(try hub.consents.read(other, as: hub.asker, for: own, from: 0, to: 1) != nil, "what is its own it reads")
        #expect(try hub.consents.read(direct, as: hub.asker, for: nil, from: 0, to: 1) != nil)
        #expect(try hub.consents.followers(of: hub.person, for: hub.ada.id).items.contains { $0.name == "AutomatedSOS" })
        try hub.consents.remove(sos.id, of: hub.person, by: hub.ada.id)
        #expect(try hub.accounts.consents.running(sos.id, of: hub.person, now: hub.clock.now) == nil)
        #expect(try hub.consents.read(other, as: hub.asker, for: own, from: 0, to: 1) != nil, "each by a consent for it alone")
    }

    @Test("CONS-8: results are checked, counted and bounded, sealed for the person alone, and refused once the service is removed")
    func results() async throws {
        let hub = try ConsentFixture(), service = try shown(hub)
        let id = try #require(try hub.consents.add(service, .daily, language: "en", of: hub.person, by: hub.ada.id))
        let result = ServiceResult(text: "You rest well", values: [.init(name: "Sleep", value: 7.5, unit: "h")])
        #expect(try hub.consents.take(result, for: id, by: hub.asker) == .stored(number: 1))
        #expect(try hub.consents.use(of: service, by: hub.person, for: hub.ada.id).results.map(\.result) == [result])
        #expect(try problem { _ = try hub.consents.use(of: service, by: hub.person, for: hub.hospital.id) } == .notYours)
        let stranger = try ConsentFixture.add("lab@example.org", [.organisation], to: hub.accounts)
        #expect(try hub.consents.take(result, for: id, by: .organisation(OrganisationID(stranger.id))) == .unknown)
        let direct = try await hub.accepted()
        #expect(try hub.consents.take(result, for: direct, by: hub.asker) == .unknown)
        let points: [ServiceResult.Point] = [.init(time: 2, value: 1), .init(time: 2, value: 1)]
        let faults: [(ServiceResult, ServiceResult.Fault)] = [
            (ServiceResult(), .empty), (ServiceResult(text: String(repeating: "x", count: 4001)), .textTooLong),
            (ServiceResult(values: [.init(name: "", value: 1, unit: "")]), .name),
            (ServiceResult(values: [.init(name: "x", value: .nan, unit: "")]), .notFinite),
            (ServiceResult(series: .init(name: "x", unit: "", points: [])), .points),
            (ServiceResult(series: .init(name: "x", unit: "", points: points)), .times),
        ]
        for (wrong, fault) in faults {
            #expect(throws: fault) { _ = try hub.consents.take(wrong, for: id, by: hub.asker) }
        }
        for _ in 2...ServiceStore.resultsDailyMax { _ = try hub.consents.take(result, for: id, by: hub.asker) }
        #expect(try hub.consents.take(result, for: id, by: hub.asker) == .tooMany)
        for _ in 0..<2 {
            hub.clock.advance(day)
            for _ in 0..<ServiceStore.resultsDailyMax { _ = try hub.consents.take(result, for: id, by: hub.asker) }
        }
        let kept = try hub.consents.use(of: service, by: hub.person, for: hub.ada.id).results
        #expect(kept.count == ServiceStore.resultsKeptMax && kept.first?.number == 3 * ServiceStore.resultsDailyMax)
        try hub.consents.remove(service, of: hub.person, by: hub.ada.id)
        #expect(try hub.consents.take(result, for: id, by: hub.asker) == .over)
        _ = try hub.accounts.deletePerson(hub.person, now: hub.clock.now)
        #expect(try hub.accounts.services.results(of: hub.person, from: service).isEmpty)
        try hub.accounts.eraseRows(of: hub.person)
        #expect(try hub.count("SELECT count(*) FROM service_result") == 0)
    }

    @Test("CONS-8: added for once it is read once, and its result may come within a week after that")
    func once() async throws {
        let hub = try ConsentFixture(), service = try shown(hub)
        let id = try #require(try hub.consents.add(service, .once, language: "en", of: hub.person, by: hub.ada.id))
        #expect(try hub.consents.read(id, as: hub.asker, for: service, from: 0, to: 1) != nil)
        try hub.consents.delivered(id, to: hub.asker)
        #expect(try hub.consents.read(id, as: hub.asker, for: service, from: 0, to: 1) == nil)
        hub.clock.advance(7 * day)
        #expect(try hub.consents.take(ServiceResult(text: "Done"), for: id, by: hub.asker) == .stored(number: 1))
        hub.clock.advance(1)
        #expect(try hub.consents.take(ServiceResult(text: "Late"), for: id, by: hub.asker) == .over)
    }
}
