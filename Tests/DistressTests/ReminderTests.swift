import Testing
import Vitals

@testable import Distress

@Suite struct ReminderTests {
    private let hour: Milliseconds = 3_600_000

    private func told(_ plan: ReminderPlan, looks: [Milliseconds]) -> [Milliseconds] {
        var reminder = Reminder(since: 0)
        return looks.filter { reminder.isDue(at: $0, plan) }
    }

    @Test("SOS-21: told at once, after an hour, then daily")
    func usual() {
        let looks = (0...300).map { Milliseconds($0) * hour / 4 }
        #expect(told(ReminderPlan(), looks: looks) == [0, hour, 25 * hour, 49 * hour, 73 * hour])
    }

    @Test("SOS-21: the person's own times hold, and a long sleep is one reminder")
    func own() {
        let plan = ReminderPlan(first: 2 * hour, every: 4 * hour)
        #expect(told(plan, looks: [0, hour, 2 * hour, 100 * hour, 101 * hour, 104 * hour]) == [0, 2 * hour, 100 * hour, 104 * hour])
    }
}
