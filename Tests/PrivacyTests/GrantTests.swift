import Privacy
import Testing
import Vitals

@Suite struct GrantTests {
    @Test("CONS-8: a consent counts for its service, its reader and its kinds alone")
    func serviceAlone() throws {
        let service = ServiceID(high: 4, low: 1)
        let consent = try Cast.accepted(Cast.scope(service: service, kinds: [.position]))
        let now = noon + hour
        let grant = try #require(consent.grant(to: Cast.hospital, for: service, at: now))
        #expect(grant.kinds == [.position] && grant.person == Cast.ada && grant.ground == .consent(consent.id))
        #expect(consent.grant(to: Cast.hospital, at: now) == nil)
        #expect(consent.grant(to: Cast.hospital, for: ServiceID(high: 4, low: 2), at: now) == nil)
        #expect(consent.grant(to: Cast.insurer, for: service, at: now) == nil)
        // A grant of one consent is not upheld by another.
        #expect(!(try Cast.accepted(Cast.scope(service: service, kinds: [.position]), id: 2)).upholds(grant, at: now))
    }

    @Test("CONS-7: who may read, since when and until when, is what the grants say")
    func followers() throws {
        var consent = try Cast.accepted()
        let access = try #require(consent.access(at: noon + hour))
        #expect(access.since == noon + second && access.until == noon + second + 30 * day && access.by == Cast.adasAccount)
        #expect(consent.access(at: noon + second + 30 * day) == nil)
        _ = consent.handle(.revoked(by: try Cast.yes()), at: noon + hour)
        #expect(consent.access(at: noon + hour) == nil)
        guard case .over(let end) = consent.state else { throw ConsentProblem.notAccepted }
        #expect(end.access == access && end.at == noon + hour, "the past stays in the history")
    }

    @Test("CONS-16: a person grants a named reader unasked, block and policy notwithstanding, and revokes it")
    func named() throws {
        let doctor = Reader.named(Cast.stranger)
        let scope = try Cast.scope(doctor, kinds: [.heartRate], purpose: "My doctor", term: .untilRevoked)
        var (consent, effects) = try Consent.give(
            scope, id: Cast.id(1), by: Cast.yes(), parameters: .caregiver, at: noon)
        #expect(effects.first == .openAccess && effects.contains(.timer(nil)) && effects.entries == [.given])
        #expect(!effects.contains(.notifyPerson(.asked)))
        let grant = try #require(consent.grant(to: doctor, at: noon + 4000 * day))
        #expect(grant.ground == .named(consent.id) && grant.kinds == [.heartRate] && grant.isRecorded)
        let end = consent.handle(.revoked(by: try Cast.yes()), at: noon + 4000 * day)
        #expect(end.first == .cutAccess)
        #expect(consent.grant(to: doctor, at: noon + 4000 * day) == nil)
        #expect(throws: ConsentProblem.termOutOfRange) {
            try Consent.give(Cast.scope(doctor, term: .until(noon)), id: Cast.id(2), by: Cast.yes(), parameters: .caregiver, at: noon)
        }
    }

    @Test("ACC-11: a caregiver gets a view by consent, and cannot consent in the person's place")
    func caregiver() throws {
        let carla = Reader.caregiver(Cast.carla)
        let scope = try Cast.scope(carla, kinds: [.heartRate, .position], purpose: "Looking after you", term: .untilRevoked)
        let request = ConsentRequest(whom: Cast.address, scope: scope, created: noon)
        var (consent, effects) = try Consent.ask(
            request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [], parameters: .caregiver)
        #expect(effects.contains(.notifyPerson(.asked)))
        #expect(!Cast.adult.mayAnswer(Cast.carla, at: noon))
        #expect(throws: ConsentProblem.notYours) { try Cast.adult.decider(Cast.carla, at: noon) }
        #expect(Cast.adult.grant(to: Cast.carla, at: noon) == nil)
        _ = consent.handle(.accepted(by: try Cast.yes()), at: noon + 1)
        #expect(consent.grant(to: carla, at: noon + day)?.ground == .caregiver(consent.id))
        // Reading by it is recorded, and gives no right to answer others.
        #expect(!Cast.adult.mayAnswer(Cast.carla, at: noon + day))
    }

    @Test("ACC-17: for a minor a parent answers and keeps a view, until the minor is of age")
    func minor() throws {
        let minor = Cast.minor, birthday = noon + 10 * day
        #expect(minor.mayAnswer(Cast.mother, at: noon) && !minor.mayAnswer(Cast.minorsAccount, at: noon))
        #expect(!minor.mayAnswer(Cast.carla, at: noon))
        let view = try #require(minor.grant(to: Cast.mother, at: birthday - 1))
        #expect(view.ground == .guardian(Cast.mother) && view.isRecorded && minor.upholds(view, at: birthday - 1))
        #expect(minor.grant(to: Cast.mother, at: birthday) == nil && !minor.upholds(view, at: birthday))
        #expect(!minor.mayAnswer(Cast.mother, at: birthday) && minor.mayAnswer(Cast.minorsAccount, at: birthday))

        var consent = try Cast.asked(reach: .person(minor.person))
        // Another person's yes is none.
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon) == [.refuse(.notYours)])
        _ = consent.handle(.accepted(by: try minor.decider(Cast.mother, at: noon)), at: noon)
        #expect(consent.access(at: noon)?.by == Cast.mother)
        // Of age, they take it back themselves.
        _ = consent.handle(.revoked(by: try minor.decider(Cast.minorsAccount, at: birthday)), at: birthday)
        #expect(consent.ending == .revoked)
    }

    @Test("DATA-12: each read by somebody else belongs in the ledger; one's own and the hub's do not")
    func ledger() throws {
        let own = try #require(Cast.adult.grant(to: Cast.adasAccount, at: noon))
        #expect(own.ground == .own(Cast.adasAccount) && own.kinds == Set(DataKind.allCases) && !own.isRecorded)
        #expect(Cast.adult.upholds(own, at: noon))
        #expect(!Grant.maintenance(of: Cast.ada).isRecorded && !Grant.system(.deletion, of: Cast.ada).isRecorded)
        #expect(try Cast.accepted().anyGrant(at: noon + hour)?.isRecorded == true)
        let link = LinkSession(hash: [1], person: Cast.ada, expires: noon + 1, revoked: false)
        #expect(link.grant(at: noon)?.isRecorded == true && link.grant(at: noon + 1) == nil)
        // Nobody upholds a grant of another sort.
        #expect(!Cast.adult.upholds(.maintenance(of: Cast.ada), at: noon))
        #expect(!(try Cast.accepted()).upholds(own, at: noon + hour))
    }

    @Test("ACC-11: a person without an account of their own lets nobody answer")
    func noAccount() {
        let authority = Authority(person: Cast.ada, account: nil)
        for account in [Cast.carla, Cast.mother, Cast.adasAccount] {
            #expect(!authority.mayAnswer(account, at: noon) && authority.grant(to: account, at: noon) == nil)
        }
    }
}
