import Accounts
import Foundation
import Testing
import Vitals

@testable import Groups

@Suite struct AskTests {
    private let tree = MadeRegions.tree
    private let day: Milliseconds = 86_400_000

    private func ask(_ kinds: Set<DataKind> = [.steps], regions: Set<RegionCode>? = nil, ranges: [DoorQuestion.Range] = []) throws
        -> GroupAsk
    {
        try GroupAsk(kinds: kinds, sexes: [.female], regions: regions, ranges: ranges, in: tree)
    }

    private func request(
        _ ask: GroupAsk? = nil, purpose: String = "Sleep study", term: GroupRequest.Term = .once, past: Int = 1, at now: Milliseconds = 0
    ) throws -> GroupRequest {
        try GroupRequest(ask: ask ?? self.ask(), purpose: purpose, term: term, past: past, mails: false, created: now)
    }

    @Test("GRP-1: a question to a group names a kind and a constraint, and only what can be grouped")
    func problems() {
        func problem(_ make: () throws -> GroupAsk) -> GroupAsk.Problem? {
            do { _ = try make() } catch { return error as? GroupAsk.Problem }
            return nil
        }
        #expect(problem { try GroupAsk(kinds: [], sexes: [.male], in: tree) } == .noKinds)
        #expect(problem { try GroupAsk(kinds: [.ecg], sexes: [.male], in: tree) } == .notGrouped(.ecg))
        #expect(problem { try GroupAsk(kinds: [.steps], of: [.sleep], sexes: [.male], in: tree) } == .notGrouped(.steps), "it has no share")
        #expect(problem { try GroupAsk(kinds: [.steps], in: tree) } == .unconstrained)
        #expect(
            problem {
                try GroupAsk(
                    kinds: [.steps], sexes: Set(CellSex.allCases), bands: Set(AgeBand.all), regions: Set(tree.roots),
                    ranges: [.init(.sleep, bins: 0...15)], in: tree)
            } == .unconstrained, "everybody is no constraint")
        #expect(problem { try GroupAsk(kinds: [.steps], regions: [], in: tree) } == .empty)
        #expect(
            problem { try GroupAsk(kinds: [.steps], regions: [MadeRegions.code("9")], in: tree) } == .unknownRegion(MadeRegions.code("9")))
        let apart: [DoorQuestion.Range] = [.init(.sleep, bins: 0...3), .init(.sleep, bins: 5...9)]
        #expect(problem { try GroupAsk(kinds: [.steps], ranges: apart, in: tree) } == .empty)
        #expect(problem { try GroupAsk(kinds: [.steps], ranges: [.init(.position, bins: 0...3)], in: tree) } == .rangeOfPositions)
        #expect(problem { try GroupAsk(kinds: [.position], sexes: [.female], in: tree) } == .positionsOfOneRegion)
        #expect(problem { try GroupAsk(kinds: [.position], regions: [MadeRegions.lake], in: tree) } == nil)
    }

    @Test("GRP-1: ways to say the same are one question, also after it was stored")
    func same() throws {
        let towns: Set<RegionCode> = [MadeRegions.lakeTown, MadeRegions.lakeCity]
        let one = try ask([.steps, .sleep], regions: towns, ranges: [.init(.weight, bins: 2...9), .init(.weight, bins: 4...15)])
        let other = try ask([.sleep, .steps], regions: [MadeRegions.lake], ranges: [.init(.weight, bins: 4...9)])
        #expect(one == other && one.regions == [MadeRegions.lake] && one.needsDoor)
        #expect(try JSONDecoder().decode(GroupAsk.self, from: JSONEncoder().encode(one)) == one)
        let window = GroupWindow(.week, number: 2_900)
        #expect(try one.door(.steps, in: window, tree) == other.door(.steps, in: window, tree))
        let plain = try ask(regions: towns)
        #expect(try plain.door(.steps, in: window, tree) == nil)
        #expect(try plain.question(.steps, in: tree) == GroupQuestion(.steps, sexes: [.female], regions: [MadeRegions.lake], in: tree))
    }

    @Test("GRP-5: a subscription runs as long as was asked, from the approval on, and the organisation ends it at any time")
    func states() throws {
        var subscription = try request(term: .lasting(30 * day), past: 0)
        let early = subscription.handle(.delivered, at: 1)
        #expect(!early, "nothing is delivered before an operator looked at it")
        let approved = subscription.handle(.approved, at: day)
        #expect(approved && subscription.state == .active(since: day, until: 31 * day))
        let delivered = subscription.handle(.delivered, at: 2 * day)
        #expect(delivered && subscription.state == .active(since: day, until: 31 * day), "it goes on")
        #expect(subscription.state(at: 31 * day - 1) == subscription.state)
        #expect(subscription.state(at: 31 * day) == .over(.ranOut, at: 31 * day))
        var ended = subscription
        let isEnded = ended.handle(.ended, at: 5 * day)
        #expect(isEnded && ended.state == .over(.ended, at: 5 * day))
        let again = ended.handle(.ended, at: 6 * day)
        #expect(!again)
        var spent = subscription
        let isSpent = spent.handle(.budgetSpent, at: 5 * day)
        #expect(isSpent && spent.state == .over(.budgetSpent, at: 5 * day))
        let late = subscription.handle(.ended, at: 40 * day)
        #expect(!late && subscription.state == .over(.ranOut, at: 31 * day), "its time was over before")
        var refused = try request()
        let isRefused = refused.handle(.refused, at: 7)
        #expect(isRefused && refused.state == .over(.refusedByOperator, at: 7))
    }

    @Test("GRP-5: a subscription whose time is over waits for its last window, not for ever, and is not ended twice")
    func late() throws {
        var waiting = try request(term: .lasting(30 * day), past: 0)
        _ = waiting.handle(.approved, at: 0)
        let isOver = waiting.pass(30 * day)
        #expect(!isOver && waiting.state == .active(since: 0, until: 30 * day), "a window is still to close")
        let isEnded = waiting.handle(.ended, at: 30 * day)
        #expect(!isEnded, "everybody sees it as over")
        let isDelivered = waiting.handle(.delivered, at: 30 * day + 1)
        #expect(isDelivered)
        var complete = waiting
        let early = complete.pass(30 * day - 1, isComplete: true), isComplete = complete.pass(30 * day, isComplete: true)
        #expect(!early && isComplete && complete.state == .over(.ranOut, at: 30 * day))
        let isGone = waiting.pass(30 * day + GroupRequest.grace)
        #expect(isGone && waiting.state == .over(.ranOut, at: 30 * day))
    }

    @Test("GRP-5: a request wants the windows that close while it runs, and as many before as it asked for")
    func windows() throws {
        let delay = GroupWindow.Length.week.closingDelay, newest = GroupWindow(.week, number: 2_900), now = newest.closes(after: delay) + 1
        func earlier(_ count: Int64) -> GroupWindow { GroupWindow(.week, number: newest.number - count) }
        func active(_ term: GroupRequest.Term, past: Int) throws -> GroupRequest {
            var request = try request(term: term, past: past, at: now)
            _ = request.handle(.approved, at: now)
            return request
        }
        let once = try active(.once, past: 2)
        #expect([0, 1, 2].map { once.wants(earlier($0), closingDelay: delay) } == [true, true, false])
        let subscription = try active(.lasting(8 * day), past: 0)
        #expect([-2, -1, 0].map { subscription.wants(earlier($0), closingDelay: delay) } == [false, true, false])
        var over = once
        _ = over.handle(.delivered, at: now)
        #expect(over.state == .over(.fulfilled, at: now) && !over.wants(newest, closingDelay: delay))
    }

    @Test("CONS-11: an approval covers the same purpose, kinds and time or less; another purpose is looked at again")
    func covered() throws {
        let approved = try request(ask([.steps, .sleep]), term: .lasting(30 * day))
        #expect(try request(ask([.sleep], regions: [MadeRegions.lake]), purpose: " sleep  STUDY").isCovered(by: approved))
        #expect(try !request(purpose: "Advertising").isCovered(by: approved))
        #expect(try !request(ask([.weight])).isCovered(by: approved))
        #expect(
            try !request(ask([.steps], ranges: [.init(.weight, bins: 3...15)])).isCovered(by: approved),
            "a range is another kind of question")
        #expect(try !request(term: .lasting(31 * day)).isCovered(by: approved))
        #expect(throws: GroupRequest.Problem.purposeMissing) { try request(purpose: " \n") }
        #expect(throws: GroupRequest.Problem.purposeTooLong) { try request(purpose: String(repeating: "a", count: 1_001)) }
        #expect(throws: GroupRequest.Problem.termOutOfRange) { try request(term: .lasting(0)) }
        #expect(throws: GroupRequest.Problem.pastOutOfRange) { try request(past: 0) }
    }

    @Test("GRP-2: a delivery is kept as it was; a refusal holds no number")
    func delivery() throws {
        let missing = GroupCell(.male, AgeBand(age: 40), MadeRegions.hills), counts = (0..<16).map { Int64($0) * 100 - 20 }
        let delivery = GroupDelivery(
            window: GroupWindow(.day, number: 20_000), at: 5,
            results: [GroupResult(.steps, .released(counts: counts, variance: 25, missing: [missing])), GroupResult(.sleep, .refused)])
        let read = try JSONDecoder().decode(GroupDelivery.self, from: JSONEncoder().encode(delivery))
        #expect(read == delivery && read.results[0].missing == [missing] && read.results[0].answer?.counts == counts)
        #expect(read.results[1].answer == nil && read.results[1].missing.isEmpty)
    }
}
