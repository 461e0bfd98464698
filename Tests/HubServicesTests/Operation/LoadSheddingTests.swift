import HubServices
import Testing
import Vitals

/// What is expected of a mutating call is asked of a reference.
private final class Hub {
    private var shedding = LoadShedding()

    var count: Int { shedding.count }
    var shed: [Sheddable] { shedding.shed }
    func sheds(_ kind: Sheddable) -> Bool { shedding.sheds(kind) }
    func note(_ wait: Milliseconds, at now: Milliseconds) -> Bool { shedding.note(wait, at: now) }
    func wait(for kind: Sheddable, at now: Milliseconds) -> Milliseconds? { shedding.wait(for: kind, at: now) }
}

struct LoadSheddingTests {
    private func pressed(_ shedding: Hub, until count: Int, at now: inout Milliseconds) {
        while shedding.count < count {
            now += 1000
            _ = shedding.note(LoadShedding.pressureMin, at: now)
        }
    }

    @Test("PERF-4: under load the hub leaves undone exports, history, groups, webhooks, spectators, backlog, live data, in this order")
    func order() {
        let shedding = Hub()
        var now: Milliseconds = 0, order: [Sheddable] = []
        for count in 1...Sheddable.allCases.count {
            pressed(shedding, until: count, at: &now)
            #expect(shedding.shed.count == count)
            order.append(shedding.shed[count - 1])
            #expect(Sheddable.allCases.allSatisfy { shedding.sheds($0) == ($0.rawValue < count) })
        }
        #expect(order == [.exports, .history, .groups, .webhooks, .spectators, .backlog, .liveData])
        // There is no more to leave undone.
        for _ in 0..<100 {
            now += 1000
            #expect(!shedding.note(.max, at: now))
        }
    }

    @Test("PERF-4: one step needs pressure for five seconds, a single slow moment none")
    func rises() {
        let shedding = Hub()
        #expect(!shedding.note(LoadShedding.pressureMin, at: 0) && !shedding.note(.max, at: 4999))
        #expect(!shedding.note(LoadShedding.pressureMin - 1, at: 5000), "it was over")
        #expect(!shedding.note(LoadShedding.pressureMin, at: 5001) && !shedding.note(LoadShedding.pressureMin, at: 10_000))
        #expect(shedding.note(LoadShedding.pressureMin, at: 10_001) && shedding.count == 1)
        #expect(!shedding.note(LoadShedding.pressureMin, at: 15_000), "the next step needs as long again")
        #expect(shedding.note(LoadShedding.pressureMin, at: 15_001) && shedding.count == 2)
    }

    @Test("PERF-4: the hub takes one kind back after fifteen calm seconds, and swings not where it is neither")
    func falls() {
        let shedding = Hub()
        var now: Milliseconds = 0
        pressed(shedding, until: 2, at: &now)
        for _ in 0..<600 {
            now += 1000
            #expect(!shedding.note((LoadShedding.calmMax + LoadShedding.pressureMin) / 2, at: now))
        }
        let begin = now
        #expect(!shedding.note(LoadShedding.calmMax, at: begin) && !shedding.note(0, at: begin + 14_999))
        #expect(!shedding.note(LoadShedding.calmMax + 1, at: begin + 15_000), "it was not calm throughout")
        #expect(!shedding.note(0, at: begin + 16_000) && shedding.note(0, at: begin + 31_000) && shedding.shed == [.exports])
        #expect(!shedding.note(0, at: begin + 45_999) && shedding.note(0, at: begin + 46_000) && shedding.shed.isEmpty)
        #expect(!shedding.note(0, at: begin + 900_000))
    }

    @Test("PERF-4: who is refused hears when it can be done at the earliest, and nobody is refused by then if it stays calm")
    func retry() throws {
        let shedding = Hub()
        var now: Milliseconds = 0
        pressed(shedding, until: 3, at: &now)
        #expect(shedding.wait(for: .webhooks, at: now) == nil && shedding.wait(for: .liveData, at: now) == nil)
        #expect(shedding.wait(for: .groups, at: now) == 15_000 && shedding.wait(for: .exports, at: now) == 45_000)
        let begin = now
        _ = shedding.note(0, at: begin)
        #expect(shedding.wait(for: .groups, at: begin + 10_000) == 5000)
        #expect(shedding.wait(for: .groups, at: begin + 20_000) == 1000, "never at once, or all would come together")
        let wait = try #require(shedding.wait(for: .exports, at: begin))
        while now < begin + wait {
            now += 1000
            _ = shedding.note(0, at: now)
        }
        #expect(!shedding.sheds(.exports))
    }
}
