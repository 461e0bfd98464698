import Privacy
import Testing
import Vitals

@Suite struct RequestTests {
    @Test("CONS-1: a request names data types, purpose, and either once or a subscription with a duration")
    func complete() throws {
        let once = try Cast.scope(kinds: [.heartRate, .position], term: .once)
        #expect(once.kinds == [.heartRate, .position])
        #expect(try Cast.scope(term: .lasting(1)).term == .lasting(1))
        #expect(throws: ConsentProblem.noKinds) { try Cast.scope(kinds: []) }
        #expect(throws: ConsentProblem.purposeMissing) { try Cast.scope(purpose: " \n") }
        #expect(throws: ConsentProblem.purposeTooLong) { try Cast.scope(purpose: String(repeating: "x", count: 1001)) }
        for duration in [0, -1, ConsentTerm.lastingMax + 1, .max] {
            #expect(throws: ConsentProblem.termOutOfRange) { try Cast.scope(term: .lasting(duration)) }
        }
    }

    @Test("CONS-1: what is over before it begins is not asked")
    func tooLate() throws {
        #expect(throws: ConsentProblem.tooLate) { try Cast.asked(parameters: .runCheckIn(start: noon)) }
        #expect(throws: ConsentProblem.termOutOfRange) { try Cast.asked(Cast.scope(term: .until(noon))) }
    }

    @Test("CONS-11: the first request of a kind waits for an operator, and nobody is told of it")
    func operatorFirst() throws {
        let scope = try Cast.scope()
        let request = ConsentRequest(whom: Cast.address, scope: scope, created: noon)
        var (consent, effects) = try Consent.ask(
            request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [], parameters: .data4Help)
        #expect(effects == [.askOperator])
        #expect(consent.state == .awaitingOperator && consent.person == nil && consent.deadline == nil)
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + 1) == [.refuse(.notYours)])
        #expect(consent.anyGrant(at: noon + 2) == nil)

        let sent = consent.handle(.approved(.person(Cast.ada)), at: noon + 100 * day)
        #expect(sent.contains(.notifyPerson(.asked)))
        // The person has all the time to answer, however long the operator took.
        #expect(consent.deadline == noon + 100 * day + 72 * hour)
        #expect(consent.handle(.approved(.person(Cast.ada)), at: noon + 101 * day) == [])
        #expect(consent.handle(.refused, at: noon + 101 * day) == [.refuse(.alreadySent)])
    }

    @Test("CONS-11: what the operator refuses never leaves")
    func operatorRefuses() throws {
        let request = ConsentRequest(whom: Cast.address, scope: try Cast.scope(), created: noon)
        var consent = try Consent.ask(request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [], parameters: .data4Help).0
        let effects = consent.handle(.refused, at: noon + 1)
        #expect(effects == [.timer(nil), .tellAsker(consent.shown(at: noon + 1))])
        #expect(consent.ending == .refusedByOperator)
        #expect(consent.handle(.refused, at: noon + 2) == [])
        #expect(consent.handle(.approved(.person(Cast.ada)), at: noon + 3) == [.refuse(.over(.refusedByOperator))])
    }

    @Test("CONS-11: an approval covers its own kind of request and what is less, nothing wider and nobody else")
    func approvals() throws {
        let approval = OperatorApproval(try Cast.scope(kinds: [.heartRate, .position], term: .lasting(30 * day)))
        func covers(_ scope: ConsentScope) -> Bool {
            approval.covers(ConsentRequest(whom: Cast.otherAddress, scope: scope, created: noon))
        }
        #expect(covers(try Cast.scope(kinds: [.heartRate], term: .once)))
        #expect(covers(try Cast.scope(kinds: [.heartRate, .position])))
        #expect(!covers(try Cast.scope(kinds: [.heartRate, .event])))
        #expect(!covers(try Cast.scope(term: .lasting(31 * day))))
        #expect(!covers(try Cast.scope(term: .untilRevoked)))
        #expect(!covers(try Cast.scope(purpose: "Advertising")))
        #expect(!covers(try Cast.scope(Cast.insurer)))
        #expect(!covers(try Cast.scope(service: ServiceID(high: 4, low: 4))))
    }
}
