import Privacy
import Testing
import Vitals

@Suite struct AskingTests {
    private func request(_ scope: ConsentScope, whom: ConsentRequest.Addressee = Cast.address, at now: Milliseconds = noon + hour)
        -> ConsentRequest
    {
        ConsentRequest(whom: whom, scope: scope, created: now)
    }

    private func person(
        policy: AccessPolicy = AccessPolicy(), standing: AskerStanding = AskerStanding(), consents: [Consent] = []
    ) -> AskedPerson {
        AskedPerson(id: Cast.ada, policy: policy, standing: standing, consents: consents)
    }

    @Test("CONS-2: what runs is not asked again, nor what is less; anything wider is a new request")
    func notTwice() throws {
        let running = try Cast.accepted(Cast.scope(kinds: [.heartRate, .position]))
        func check(_ scope: ConsentScope, at now: Milliseconds = noon + hour) throws {
            try AskingRules.check(request(scope, at: now), earlier: [running])
        }
        #expect(throws: ConsentProblem.alreadyRuns(running.id)) { try check(running.request.scope) }
        #expect(throws: ConsentProblem.alreadyRuns(running.id)) { try check(Cast.scope(kinds: [.position])) }
        #expect(throws: ConsentProblem.alreadyRuns(running.id)) {
            try check(Cast.scope(purpose: " study  OF rest\n", term: .once))
        }
        try check(Cast.scope(kinds: [.heartRate, .event]))
        try check(Cast.scope(term: .lasting(31 * day)))
        try check(Cast.scope(purpose: "Study of sleep"))
        try check(Cast.scope(service: ServiceID(high: 4, low: 4)))
        try check(Cast.scope(Cast.insurer))
        // When it has run out, it may be asked again, even before the timer came round.
        try check(running.request.scope, at: noon + second + 30 * day)
    }

    @Test("CONS-2: a question that is open is not asked again, and no more than three are open at a time")
    func openQuestions() throws {
        let first = try Cast.asked()
        #expect(throws: ConsentProblem.alreadyAsked(first.id)) {
            try AskingRules.check(request(first.request.scope), earlier: [first])
        }
        let open = try (1...3).map { try Cast.asked(Cast.scope(purpose: "Question \($0)"), id: $0) }
        let fourth = request(try Cast.scope(purpose: "Question 4"))
        try AskingRules.check(fourth, earlier: Array(open.prefix(2)))
        #expect(throws: ConsentProblem.tooManyOpen) { try AskingRules.check(fourth, earlier: open) }
        try AskingRules.check(request(try Cast.scope(purpose: "Question 4"), at: noon + 72 * hour), earlier: open)
    }

    @Test("CONS-1: asking under another address tells the asker nothing, and asks the person nothing")
    func otherAddress() throws {
        for earlier in [try Cast.asked(), try Cast.accepted()] {
            let again = request(earlier.request.scope, whom: Cast.otherAddress)
            try AskingRules.check(again, earlier: [earlier])
            #expect(AskingRules.reach(again, to: person(consents: [earlier])) == .nobody(.repeated(Cast.ada)))
        }
        let open = try (1...3).map { try Cast.asked(Cast.scope(purpose: "Question \($0)"), id: $0) }
        let fourth = request(try Cast.scope(purpose: "Question 4"), whom: Cast.otherAddress)
        #expect(AskingRules.reach(fourth, to: person(consents: open)) == .nobody(.repeated(Cast.ada)))
        #expect(AskingRules.reach(fourth, to: person(consents: Array(open.prefix(2)))) == .person(Cast.ada))
    }

    @Test("CONS-10: the third denial blocks the asker; an unanswered request counts, an acceptance starts again")
    func blocks() throws {
        var standing = AskerStanding()
        func deny() -> Bool { standing.denied(.data4Help) }
        #expect(!deny() && !deny())
        standing.accepted()
        #expect(!deny() && !deny() && !standing.isBlocked)
        #expect(deny())
        #expect(!deny(), "told once")
        let question = request(try Cast.scope())
        #expect(AskingRules.reach(question, to: person(standing: standing)) == .nobody(.blocked(Cast.ada)))
        standing.accepted()
        #expect(standing.isBlocked, "only the person lifts a block")
        standing.lift()
        #expect(AskingRules.reach(question, to: person(standing: standing)) == .person(Cast.ada))

        var silent = try Cast.asked()
        let effects = silent.handle(.timePassed, at: noon + 72 * hour)
        #expect(effects.contains(.countDenial))
    }

    @Test("CONS-10: the number of denials is a setting, and none where they do not count")
    func blockSetting() {
        var parameters = ConsentParameters.data4Help
        parameters.denialsUntilBlocked = 1
        var standing = AskerStanding()
        _ = standing.denied(parameters)
        #expect(standing.isBlocked)
        var organiser = AskerStanding()
        for _ in 0..<10 { _ = organiser.denied(.runCheckIn(start: noon)) }
        #expect(!organiser.isBlocked)
    }

    @Test("CONS-10: what a blocked asker asks reaches nobody: no notice, no answer, no grant")
    func blockedAsks() throws {
        var consent = try Cast.asked(reach: .nobody(.blocked(Cast.ada)))
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + 1) == [.refuse(.notYours)])
        #expect(consent.anyGrant(at: noon + 2) == nil)
        let effects = consent.handle(.timePassed, at: noon + 72 * hour)
        #expect(effects == [.timer(nil), .tellAsker(consent.shown(at: noon + 72 * hour))])
    }

    @Test("CONS-13: the policy says which kinds may ever be asked for, and by whom")
    func policy() throws {
        let policy = AccessPolicy(anybody: [.heartRate], exceptions: [Cast.insurer: [], .caregiver(Cast.carla): [.heartRate, .position]])
        func reach(_ scope: ConsentScope) -> Reach { AskingRules.reach(request(scope), to: person(policy: policy)) }
        #expect(reach(try Cast.scope()) == .person(Cast.ada))
        #expect(reach(try Cast.scope(kinds: [.heartRate, .position])) == .nobody(.policy(Cast.ada)))
        #expect(reach(try Cast.scope(Cast.insurer)) == .nobody(.policy(Cast.ada)))
        #expect(reach(try Cast.scope(.caregiver(Cast.carla), kinds: [.position])) == .person(Cast.ada))
        // The person sees in the ledger what was kept back.
        let scope = try Cast.scope(Cast.insurer)
        let effects = try Consent.ask(
            request(scope), id: Cast.id(1), reach: reach(scope), approvals: [OperatorApproval(scope)], parameters: .data4Help
        ).1
        #expect(effects.entries == [.keptBack(.policy(Cast.ada))] && !effects.contains(.notifyPerson(.asked)))
    }

    @Test("CONS-11: block and policy of the day on which a request leaves count, not those of the day on which it was made")
    func reachAtApproval() throws {
        let request = ConsentRequest(whom: Cast.address, scope: try Cast.scope(), created: noon)
        var consent = try Consent.ask(request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [], parameters: .data4Help).0
        let effects = consent.handle(.approved(.nobody(.blocked(Cast.ada))), at: noon + day)
        #expect(!effects.contains(.notifyPerson(.asked)) && consent.person == nil)
    }
}
