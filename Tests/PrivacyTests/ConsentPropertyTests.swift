import Privacy
import TestSupport
import Testing
import Vitals

/// Arbitrary sequences of everything that can happen to consents, in any order, twice, and with a clock that at times steps back.
@Suite struct ConsentPropertyTests {
    @Test(
        "CONS-4, CONS-6: no sequence of events gives a grant without the right person's yes, outside its time, or for anything else",
        arguments: 0..<20)
    func nothingWithoutConsent(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var town = Town()
        for step in 0..<400 {
            try town.step(&random)
            town.probe(&random)
            guard town.violations.isEmpty else { break }
            if step % 100 == 99 { town.forgetOld() }
        }
        #expect(town.violations == [], "seed \(seed)")
        // Grants are given where they should be, or all this proves nothing.
        #expect(town.granted > 20 && town.withheld > 20, "seed \(seed): \(town.granted) granted, \(town.withheld) not")
    }

    @Test("CONS-10: over all those sequences, blocks happen and keep requests away")
    func blocksHappen() throws {
        var random = SeededGenerator(seed: 99)
        var town = Town()
        for _ in 0..<3000 { try town.step(&random) }
        #expect(town.keptAway > 10 && town.violations == [])
    }
}

private struct Town {
    struct Case {
        var consent: Consent
        var history: History
    }

    /// A pair of asker and person.
    struct Pair: Hashable { let asker: Reader, person: PersonID }

    var now = noon
    var cases: [Case] = []
    var standings: [Pair: AskerStanding] = [:]
    /// Denials in a row by the test's own count, and who reached three.
    var inARow: [Pair: Int] = [:]
    var blocked: Set<Pair> = []
    var violations: [String] = []
    var granted = 0, withheld = 0, keptAway = 0
    private var number: UInt64 = 0

    static let authorities = [Cast.adult, Cast.minor]
    static let accounts = [Cast.adasAccount, Cast.minorsAccount, Cast.mother, Cast.carla, Cast.stranger]
    static let readers = [Cast.hospital, Cast.insurer, .caregiver(Cast.carla), .named(Cast.stranger), .organiser(Cast.stranger)]
    static let pairs = readers.flatMap { reader in authorities.map { Pair(asker: reader, person: $0.person) } }
    static let kinds: [DataKind] = [.heartRate, .rrIntervals, .position, .event, .weight]
    static let services: [ServiceID?] = [nil, ServiceID(high: 4, low: 1), ServiceID(high: 4, low: 2)]

    mutating func step(_ random: inout SeededGenerator) throws {
        // Mostly forwards by up to hours, at times by days, at times a little back.
        switch Int.random(in: 0..<10, using: &random) {
        case 0: now -= .random(in: 0...2 * hour, using: &random)
        case 1: now += .random(in: 0...3 * day, using: &random)
        default: now += .random(in: 0...hour, using: &random)
        }
        // At times somebody is let ask again.
        if Int.random(in: 0..<30, using: &random) == 0, let pair = Self.pairs.filter(blocked.contains).randomElement(using: &random) {
            blocked.remove(pair)
            inARow[pair] = 0
            standings[pair]?.lift()
        }
        if cases.isEmpty || Int.random(in: 0..<8, using: &random) == 0 {
            try begin(&random)
        } else {
            // Mostly the newest, which are still open.
            let back = min(cases.count, Int.random(in: 0..<4, using: &random) == 0 ? cases.count : 6)
            happen(to: Int.random(in: cases.count - back..<cases.count, using: &random), &random)
        }
    }

    private mutating func begin(_ random: inout SeededGenerator) throws {
        func pick<Element>(_ list: [Element]) -> Element { list[Int.random(in: 0..<list.count, using: &random)] }
        let authority = pick(Self.authorities), asker = pick(Self.readers)
        let terms: [ConsentTerm] = [
            .once, .lasting(.random(in: 1...20, using: &random) * hour), .until(now + .random(in: 1...30, using: &random) * hour),
            .untilRevoked,
        ]
        let kinds = Set(Self.kinds.filter { _ in Bool.random(using: &random) })
        number += 1
        // A purpose of its own each: that nothing is asked twice is proved elsewhere.
        let scope = try ConsentScope(
            asker: asker, service: pick(Self.services), kinds: kinds.isEmpty ? [.heartRate] : kinds, purpose: "Purpose \(number)",
            term: pick(terms))
        let parameters: ConsentParameters = pick([.data4Help, .caregiver, .runCheckIn(start: now + 5 * hour)])
        var history = History(scope: scope, authority: authority, parameters: parameters)
        let pair = Pair(asker: asker, person: authority.person)
        if Int.random(in: 0..<6, using: &random) == 0 {
            let account = pick(Self.accounts)
            guard let decider = try? authority.decider(account, at: now) else { return }
            history.reached = true
            history.deeds = [(.sent, now), (.yes, now)]
            let consent = try Consent.give(scope, id: Cast.id(number), by: decider, parameters: parameters, at: now).0
            cases.append(Case(consent: consent, history: history))
            accepted(pair)
            return
        }
        let request = ConsentRequest(whom: Cast.address, scope: scope, created: now)
        let isApproved = !parameters.needsOperator || Bool.random(using: &random)
        let reach = reach(request, authority.person)
        let consent = try Consent.ask(
            request, id: Cast.id(number), reach: reach, approvals: isApproved ? [OperatorApproval(scope)] : [], parameters: parameters
        ).0
        if isApproved {
            history.reached = !blocked.contains(pair)
            history.deeds.append((.sent, now))
        }
        cases.append(Case(consent: consent, history: history))
    }

    private mutating func reach(_ request: ConsentRequest, _ person: PersonID) -> Reach {
        let pair = Pair(asker: request.scope.asker, person: person)
        let reach = AskingRules.reach(
            request,
            to: AskedPerson(id: person, policy: AccessPolicy(), standing: standings[pair] ?? AskerStanding(), consents: []))
        if blocked.contains(pair) { keptAway += 1 }
        if (reach == .person(person)) == blocked.contains(pair) { violations.append("\(pair) is blocked or not: \(reach)") }
        return reach
    }

    private mutating func happen(to index: Int, _ random: inout SeededGenerator) {
        let (consent, authority) = (cases[index].consent, cases[index].history.authority)
        let pair = Pair(asker: consent.request.scope.asker, person: authority.person)
        var deed = History.Deed.nothing, event = ConsentEvent.timePassed
        // The account of anybody, by the right of anybody: only the right account by the right of this very person does anything.
        let others = Self.authorities[Int.random(in: 0..<2, using: &random)]
        let account = Self.accounts[Int.random(in: 0..<Self.accounts.count, using: &random)]
        let isMinor = authority.person == Cast.minor.person && now < noon + 10 * day
        let own = authority.person == Cast.ada ? Cast.adasAccount : isMinor ? Cast.mother : Cast.minorsAccount
        let isRight = others.person == authority.person && account == own
        let decider = try? others.decider(account, at: now)
        if others.person == authority.person, (decider != nil) != isRight { violations.append("\(account) decides for \(authority)") }

        switch Int.random(in: 0..<24, using: &random) {
        case 0...9: if let decider { (event, deed) = (.accepted(by: decider), isRight ? .yes : .nothing) }
        case 10...11: if let decider { (event, deed) = (.denied(by: decider), isRight ? .no : .nothing) }
        case 12...13: if let decider { (event, deed) = (.revoked(by: decider), isRight ? .revoked : .nothing) }
        case 14: (event, deed) = (.ended(by: pair.asker), .ended)
        case 15: (event, deed) = (.ended(by: pair.asker == Cast.insurer ? Cast.hospital : Cast.insurer), .nothing)
        case 16: (event, deed) = (.delivered, .delivered)
        case 17: (event, deed) = (.refused, .refused)
        case 18...21: (event, deed) = (.approved(reach(consent.request, authority.person)), .sent)
        // Nobody was unknown here: this changes nothing.
        case 22: event = .appeared(reach(consent.request, authority.person))
        default: break
        }
        let effects = cases[index].consent.handle(event, at: now)
        write(deed, to: index, pair)
        settle(effects, consent, pair)
    }

    /// What did nothing is written down as nothing, where only that makes the history readable: a second sending, an operator too late.
    private mutating func write(_ deed: History.Deed, to index: Int, _ pair: Pair) {
        var deed = deed
        let history = cases[index].history
        let wasSent = history.deeds.contains { $0.deed == .sent }
        let isDead = history.deeds.contains { $0.deed == .refused || (!wasSent && $0.deed == .ended) } || isPast(history)
        if deed == .sent, wasSent || isDead { deed = .nothing }
        if deed == .refused, wasSent { deed = .nothing }
        // Revoking or delivering what nobody has accepted is refused, and denying what was accepted.
        if deed == .sent { cases[index].history.reached = !blocked.contains(pair) }
        if deed == .no, history.window != nil, now < history.window?.until ?? now { deed = .nothing }
        cases[index].history.deeds.append((deed, now))
    }

    /// Whether an instant at which it had to end passed while it waited for the operator.
    private func isPast(_ history: History) -> Bool {
        var ends: [Milliseconds] = []
        if case .at(let instant) = history.parameters.expiry { ends.append(instant) }
        if case .until(let end) = history.scope.term { ends.append(end) }
        guard let end = ends.min() else { return false }
        return now >= end || history.deeds.contains { $0.at >= end }
    }

    private mutating func settle(_ effects: [ConsentEffect], _ before: Consent, _ pair: Pair) {
        let after = cases.first { $0.consent.id == before.id }?.consent
        if effects.contains(.openAccess), after?.access(at: now) == nil { violations.append("opened, and no access") }
        if before.access(at: now) != nil, after?.access(at: now) == nil, !effects.contains(.cutAccess) {
            violations.append("access ended and streams run on")
        }
        if effects.contains(.clearDenials) { accepted(pair) }
        if effects.contains(.countDenial) {
            inARow[pair, default: 0] += 1
            _ = standings[pair, default: AskerStanding()].denied(before.parameters)
            if inARow[pair, default: 0] >= 3 { blocked.insert(pair) }
        }
        if case .over = before.state, effects.contains(where: { if case .refuse = $0 { false } else { true } }) {
            violations.append("what is over moved: \(effects)")
        }
    }

    private mutating func accepted(_ pair: Pair) {
        inARow[pair] = 0
        standings[pair, default: AskerStanding()].accepted()
    }

    /// Asks for each sort of grant at some instants, right ones and wrong ones.
    mutating func probe(_ random: inout SeededGenerator) {
        for entry in cases.suffix(12) {
            let (consent, history) = (entry.consent, entry.history)
            let window = history.window
            let instants = [now, now + .random(in: -day...day, using: &random), window?.since, window?.until].compactMap { $0 }
            for at in instants.flatMap({ [$0 - 1, $0] }) where at < noon + 99_000 * day {
                for reader in Self.readers {
                    for service in Self.services {
                        check(consent.grant(to: reader, for: service, at: at), reader, service, at, window, history, consent)
                    }
                }
            }
        }
    }

    private mutating func check(
        _ grant: Grant?, _ reader: Reader, _ service: ServiceID?, _ at: Milliseconds, _ window: (since: Milliseconds, until: Milliseconds)?,
        _ history: History, _ consent: Consent
    ) {
        let isOpen = window.map { at >= $0.since && at < $0.until } ?? false
        let isDue = isOpen && reader == history.scope.asker && service == history.scope.service
        if isDue { granted += 1 } else { withheld += 1 }
        if (grant != nil) != isDue { violations.append("at \(at): \(String(describing: grant)) of \(consent), after \(history.deeds)") }
        guard let grant else { return }
        if grant.kinds != history.scope.kinds || grant.person != history.authority.person || !consent.upholds(grant, at: at) {
            violations.append("\(grant) of \(consent)")
        }
    }

    mutating func forgetOld() { cases.removeFirst(max(0, cases.count - 40)) }
}
