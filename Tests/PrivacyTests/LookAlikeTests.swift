import Privacy
import TestSupport
import Testing
import Vitals

/// Whatever an asker does, people who do not exist, who blocked the asker, whose policy says no and who only keep silent look the same.
@Suite struct LookAlikeTests {
    @Test("CONS-1: unknown, blocked, refused by policy and silent cannot be told apart, before, at or after the expiry")
    func oneRequest() throws {
        let silences: [Reach.Silence] = [.unknown, .blocked(Cast.ada), .policy(Cast.ada), .repeated(Cast.ada)]
        for silence in silences {
            var known = try Cast.asked(), other = try Cast.asked(reach: .nobody(silence))
            let instants = [0, 1, 72 * hour - 1, 72 * hour, 72 * hour + 1, 400 * day].map { noon + $0 }
            for now in instants { #expect(known.shown(at: now) == other.shown(at: now), "\(silence) at \(now)") }
            #expect(known.deadline == other.deadline)
            // Shown as over from the deadline on, whenever the timer comes round.
            #expect(other.shown(at: noon + 72 * hour).state == .over(.unanswered, at: noon + 72 * hour))
            let late = noon + 72 * hour + 3
            #expect(known.handle(.timePassed, at: late).forAsker == other.handle(.timePassed, at: late).forAsker)
            for now in instants { #expect(known.shown(at: now) == other.shown(at: now), "\(silence) at \(now), after the timer") }
        }
    }

    @Test("CONS-1: nothing that an asker does over months tells these people apart", arguments: 0..<50)
    func manyRequests(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var people = Townsman.Kind.allCases.map(Townsman.init)
        var now = noon
        var seen: [String] = []
        for step in 0..<300 {
            now += Milliseconds.random(in: -10 * second...20 * hour, using: &random)
            let act = try Act.random(step, &random)
            let answers = try people.indices.map { try people[$0].take(act, at: now) }
            let views = people.map { $0.consents.map { $0.shown(at: now) } }
            for (index, person) in people.enumerated() {
                #expect(answers[index] == answers[0], "seed \(seed), step \(step): \(person.kind)")
                #expect(views[index] == views[0], "seed \(seed), step \(step): \(person.kind)")
            }
            seen.append(answers[0].outcome)
        }
        // The script reaches what it is about.
        #expect(Set(seen).isSuperset(of: ["sent", "alreadyAsked", "tooManyOpen"]), "seed \(seed)")
        #expect(people[0].standing.isBlocked && people[0].consents.contains { $0.person != nil })
        #expect(people.dropFirst().allSatisfy { $0.consents.allSatisfy { $0.person == nil } })
    }
}

private enum Act {
    case ask(ConsentRequest.Addressee, ConsentScope, number: UInt64)
    case approve(Int)
    case refuse(Int)
    case end(Int)
    case tick(Int)

    static func random(_ step: Int, _ random: inout SeededGenerator) throws -> Act {
        let some = Int.random(in: 0..<1000, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...4:
            let scope = try Cast.scope(
                purpose: "Question \(Int.random(in: 0..<4, using: &random))",
                term: Bool.random(using: &random) ? .once : .lasting(.random(in: 1...60, using: &random) * day))
            return .ask(Bool.random(using: &random) ? Cast.address : Cast.otherAddress, scope, number: UInt64(step))
        case 5...6: return .approve(some)
        case 7: return Bool.random(using: &random) ? .refuse(some) : .end(some)
        default: return .tick(some)
        }
    }
}

/// One answer to the asker, in all that can be seen of it.
private struct Answer: Equatable {
    var outcome = "none"
    var effects: [ConsentEffect] = []
}

/// One who never answers, or of whom nobody ever hears. Both addresses are theirs.
private struct Townsman {
    enum Kind: CaseIterable { case silent, unknown, blocked, guarded }

    let kind: Kind
    var consents: [Consent] = []
    var standing = AskerStanding()

    init(_ kind: Kind) {
        self.kind = kind
        if kind == .blocked { for _ in 0..<3 { _ = standing.denied(.data4Help) } }
    }

    private var asked: AskedPerson? {
        guard kind != .unknown else { return nil }
        let policy = kind == .guarded ? AccessPolicy(anybody: []) : AccessPolicy()
        return AskedPerson(id: Cast.ada, policy: policy, standing: standing, consents: consents.filter { $0.person == Cast.ada })
    }

    mutating func take(_ act: Act, at now: Milliseconds) throws -> Answer {
        switch act {
        case .ask(let whom, let scope, let number): return try ask(ConsentRequest(whom: whom, scope: scope, created: now), number)
        case .approve(let index): return hand(index, now) { .approved(AskingRules.reach($0.request, to: $1)) }
        case .refuse(let index): return hand(index, now) { _, _ in .refused }
        case .end(let index): return hand(index, now) { _, _ in .ended(by: Cast.hospital) }
        case .tick(let index): return hand(index, now) { _, _ in .timePassed }
        }
    }

    private mutating func ask(_ request: ConsentRequest, _ number: UInt64) throws -> Answer {
        do { try AskingRules.check(request, earlier: consents) } catch {
            return Answer(outcome: String("\(error)".prefix { $0 != "(" }))
        }
        // Half of the purposes were approved before.
        let approvals = [OperatorApproval(try Cast.scope(purpose: "Question 1", term: .untilRevoked))]
        let (consent, effects) = try Consent.ask(
            request, id: Cast.id(number), reach: AskingRules.reach(request, to: asked), approvals: approvals, parameters: .data4Help)
        consents.append(consent)
        return Answer(outcome: "sent", effects: effects.forAsker)
    }

    private mutating func hand(_ some: Int, _ now: Milliseconds, _ event: (Consent, AskedPerson?) -> ConsentEvent) -> Answer {
        guard !consents.isEmpty else { return Answer() }
        let index = some % consents.count
        let effects = consents[index].handle(event(consents[index], asked), at: now)
        if effects.contains(.countDenial) { _ = standing.denied(.data4Help) }
        return Answer(effects: effects.forAsker)
    }
}
