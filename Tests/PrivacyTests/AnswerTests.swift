import Privacy
import Testing
import Vitals

@Suite struct AnswerTests {
    @Test("CONS-2: the person is notified and accepts; the asker is told, and data may flow")
    func accepts() throws {
        let scope = try Cast.scope()
        let request = ConsentRequest(whom: Cast.address, scope: scope, created: noon)
        var (consent, effects) = try Consent.ask(
            request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [OperatorApproval(scope)], parameters: .data4Help)
        #expect(effects.contains(.notifyPerson(.asked)) && effects.contains(.timer(noon + 72 * hour)))
        #expect(effects.entries == [.asked])
        #expect(consent.anyGrant(at: noon) == nil)

        let answer = consent.handle(.accepted(by: try Cast.yes()), at: noon + hour)
        let shown = ShownToAsker.State.accepted(since: noon + hour, until: noon + hour + 30 * day)
        #expect(consent.shown(at: noon + hour).state == shown)
        #expect(
            answer == [
                .openAccess, .timer(noon + hour + 30 * day), .tellAsker(consent.shown(at: noon + hour)), .clearDenials,
                .record(ConsentEntry(consent: Cast.id(1), what: .accepted, at: noon + hour, by: Cast.adasAccount)),
            ])
        #expect(consent.anyGrant(at: noon + hour)?.kinds == [.heartRate])
        // A second click.
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + 2 * hour) == [])
        #expect(consent.deadline == noon + hour + 30 * day)
    }

    @Test("CONS-2: the person accepts a part: fewer kinds and a shorter time, never more than was asked")
    func acceptsPart() throws {
        let asked: Set<DataKind> = [.heartRate, .rrIntervals, .position]
        /// What can be read, and for how long.
        func given(_ part: ConsentPart, term: ConsentTerm = .lasting(30 * day)) throws -> ConsentPart {
            var consent = try Cast.asked(Cast.scope(kinds: asked, term: term))
            try consent.narrow(to: part, at: noon + hour)
            _ = consent.handle(.accepted(by: try Cast.yes()), at: noon + hour)
            return ConsentPart(kinds: consent.anyGrant(at: noon + hour)?.kinds, lasting: consent.deadline.map { $0 - noon - hour })
        }
        let whole = ConsentPart(kinds: asked, lasting: 30 * day)
        #expect(try given(ConsentPart()) == whole)
        #expect(try given(ConsentPart(kinds: [.heartRate])) == ConsentPart(kinds: [.heartRate], lasting: 30 * day))
        let short = ConsentPart(kinds: [.heartRate], lasting: 7 * day)
        #expect(try given(ConsentPart(kinds: [.heartRate, .event], lasting: 7 * day)) == short)
        // They tell the heart rate, which was left out.
        #expect(try given(ConsentPart(kinds: [.rrIntervals, .position])).kinds == [.position])
        #expect(try given(ConsentPart(lasting: 90 * day)) == whole)
        #expect(try given(ConsentPart(lasting: 7 * day), term: .untilRevoked).lasting == 7 * day)
        #expect(try given(ConsentPart(lasting: 7 * day), term: .until(noon + 2 * hour)).lasting == hour)
        for kinds in [[], [.event], [.rrIntervals]] as [Set<DataKind>] {
            #expect(throws: ConsentProblem.noKinds) { try given(ConsentPart(kinds: kinds)) }
        }
        #expect(throws: ConsentProblem.termOutOfRange) { try given(ConsentPart(lasting: 0)) }
    }

    @Test("CONS-2: what was accepted is narrowed no more, and the check-in of a run has no parts")
    func noParts() throws {
        var running = try Cast.accepted()
        try running.narrow(to: ConsentPart(kinds: []), at: noon + hour)
        #expect(running.anyGrant(at: noon + hour)?.kinds == [.heartRate])
        let run = try Cast.scope(.organiser(Cast.stranger), kinds: [.heartRate, .position], term: .until(noon + day))
        var checkIn = try Cast.asked(run)
        #expect(throws: ConsentProblem.notYours) { try checkIn.narrow(to: ConsentPart(kinds: [.heartRate]), at: noon + hour) }
    }

    @Test("CONS-2: the person denies; the asker is told, and nothing flows, then or later")
    func denies() throws {
        var consent = try Cast.asked()
        let effects = consent.handle(.denied(by: try Cast.yes()), at: noon + hour)
        #expect(effects.contains(.tellAsker(consent.shown(at: noon + hour))) && effects.contains(.countDenial))
        #expect(consent.shown(at: noon + hour).state == .over(.denied, at: noon + hour))
        #expect(consent.handle(.denied(by: try Cast.yes()), at: noon + hour) == [])
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + hour) == [.refuse(.over(.denied))])
        #expect(consent.anyGrant(at: noon + 2 * hour) == nil)
    }

    @Test("CONS-2: a denial does not take back what was accepted: that is a revocation, and said so")
    func denialAfterAcceptance() throws {
        var consent = try Cast.accepted()
        #expect(consent.handle(.denied(by: try Cast.yes()), at: noon + hour) == [.refuse(.alreadyAccepted)])
        var open = try Cast.asked()
        #expect(open.handle(.revoked(by: try Cast.yes()), at: noon + hour) == [.refuse(.notAccepted)])
        #expect(open.handle(.delivered, at: noon + hour) == [.refuse(.notAccepted)])
    }

    @Test("CONS-3: an unanswered request is denied by itself after 72 h, or after what is set", arguments: [72 * hour, 24 * hour])
    func expires(_ wait: Milliseconds) throws {
        var parameters = ConsentParameters.data4Help
        if wait != 72 * hour { parameters.expiry = .after(wait) }
        var consent = try Cast.asked(parameters: parameters)
        #expect(consent.handle(.timePassed, at: noon + wait - 1) == [])
        // However late the timer comes round.
        let effects = consent.handle(.timePassed, at: noon + wait + 5 * second)
        #expect(consent.shown(at: noon).state == .over(.unanswered, at: noon + wait))
        #expect(
            effects == [
                .timer(nil), .tellAsker(consent.shown(at: noon)),
                .notifyPerson(.over(.unanswered)), .countDenial,
                .record(ConsentEntry(consent: Cast.id(1), what: .over(.unanswered), at: noon + wait, by: nil)),
            ])
        #expect(consent.handle(.timePassed, at: noon + 2 * wait) == [])
    }

    @Test("CONS-3: an answer at the very deadline is too late, even when the timer has not come round or the clock steps back")
    func lateAnswer() throws {
        var consent = try Cast.asked()
        let effects = consent.handle(.accepted(by: try Cast.yes()), at: noon + 72 * hour)
        #expect(effects.last == .refuse(.over(.unanswered)) && effects.contains(.countDenial))
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + hour) == [.refuse(.over(.unanswered))])
        #expect(consent.anyGrant(at: noon + hour) == nil)

        var timely = try Cast.asked()
        _ = timely.handle(.accepted(by: try Cast.yes()), at: noon + 72 * hour - 1)
        #expect(timely.anyGrant(at: noon + 72 * hour) != nil)
    }

    @Test("CONS-5: nothing is granted from the end of a subscription on, whatever the clock does after it")
    func ranOut() throws {
        var consent = try Cast.accepted()
        let end = noon + second + 30 * day
        #expect(consent.anyGrant(at: noon) == nil)
        #expect(consent.anyGrant(at: noon + second) != nil && consent.anyGrant(at: end - 1) != nil)
        #expect(consent.anyGrant(at: end) == nil && consent.isDue(at: end))
        let effects = consent.handle(.timePassed, at: end + 9)
        #expect(effects.prefix(2) == [.cutAccess, .timer(nil)] && effects.contains(.notifyPerson(.over(.ranOut))))
        #expect(consent.anyGrant(at: end - 1) == nil)
        #expect(consent.shown(at: end - 1).state == .over(.ranOut, at: end))
        #expect(!effects.contains(.countDenial))
    }

    @Test("CONS-6: the person revokes: streams are cut, nothing is granted from that commit on")
    func revokes() throws {
        var consent = try Cast.accepted()
        let grant = try #require(consent.anyGrant(at: noon + hour))
        #expect(consent.upholds(grant, at: noon + hour))
        let effects = consent.handle(.revoked(by: try Cast.yes()), at: noon + hour)
        #expect(effects.first == .cutAccess && effects.contains(.tellAsker(consent.shown(at: noon + hour))))
        #expect(effects.entries == [.over(.revoked)])
        #expect(!consent.upholds(grant, at: noon + hour) && !consent.upholds(grant, at: noon + second))
        #expect(consent.handle(.revoked(by: try Cast.yes()), at: noon + 2 * hour) == [])
        #expect(consent.handle(.accepted(by: try Cast.yes()), at: noon + 2 * hour) == [.refuse(.over(.revoked))])
    }

    @Test("CONS-6: the asker ends a subscription or takes a question back; nobody else can")
    func askerEnds() throws {
        var running = try Cast.accepted()
        #expect(running.handle(.ended(by: Cast.insurer), at: noon + hour) == [.refuse(.notYours)])
        let effects = running.handle(.ended(by: Cast.hospital), at: noon + hour)
        #expect(effects.first == .cutAccess && effects.contains(.notifyPerson(.over(.endedByAsker))))
        #expect(running.handle(.revoked(by: try Cast.yes()), at: noon + hour) == [])
        var open = try Cast.asked()
        let withdrawn = open.handle(.ended(by: Cast.hospital), at: noon + hour)
        #expect(withdrawn.contains(.notifyPerson(.over(.withdrawn))))
        #expect(open.handle(.accepted(by: try Cast.yes()), at: noon + hour) == [.refuse(.over(.withdrawn))])
    }

    @Test("CONS-4: a \"once\" is open until it was delivered, and for a week at most")
    func once() throws {
        var consent = try Cast.accepted(Cast.scope(term: .once))
        #expect(consent.deadline == noon + second + 7 * day)
        #expect(consent.anyGrant(at: noon + second) != nil)
        let effects = consent.handle(.delivered, at: noon + 2 * second)
        #expect(effects.first == .cutAccess && effects.entries == [.over(.fulfilled)])
        #expect(consent.anyGrant(at: noon + 2 * second) == nil)
        #expect(consent.handle(.delivered, at: noon + 3 * second) == [])
        // One delivery of many ends nothing.
        var subscription = try Cast.accepted()
        #expect(subscription.handle(.delivered, at: noon + 2 * second) == [])
        #expect(subscription.anyGrant(at: noon + 2 * second) != nil)
    }

    @Test("RUN-5: a check-in needs no operator, expires at the start, lasts to the end, and refusals are not held against the organiser")
    func runCheckIn() throws {
        let start = noon + 2 * hour, end = noon + 5 * hour
        let scope = try Cast.scope(.organiser(Cast.stranger), kinds: [.heartRate, .position], term: .until(end))
        let request = ConsentRequest(whom: .person(Cast.ada), scope: scope, created: noon)
        func ask() throws -> Consent {
            try Consent.ask(
                request, id: Cast.id(1), reach: .person(Cast.ada), approvals: [], parameters: .runCheckIn(start: start)
            ).0
        }
        var silent = try ask(), unwilling = try ask(), willing = try ask()
        #expect(silent.deadline == start)
        let refusals = silent.handle(.timePassed, at: start) + unwilling.handle(.denied(by: try Cast.yes()), at: noon + 1)
        #expect(refusals.entries == [.over(.unanswered), .over(.denied)] && !refusals.contains(.countDenial))
        _ = willing.handle(.accepted(by: try Cast.yes()), at: noon + 1)
        #expect(willing.anyGrant(at: end - 1) != nil && willing.anyGrant(at: end) == nil)
    }
}
