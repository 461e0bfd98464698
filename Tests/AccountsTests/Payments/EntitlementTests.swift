import Accounts
import Testing
import Vitals

@Suite struct EntitlementTests {
    private static let day = Entitlement.day
    private static let grace = 14 * day

    /// Passes each hour of so many days, and returns what happened, with the day.
    private func live(_ entitlement: inout Entitlement, from first: Int = 0, days: Int, isDoubtful: Bool = false) -> [String] {
        var said: [String] = []
        for hour in first * 24..<(first + days) * 24 {
            let now = Milliseconds(hour) * 3_600_000
            for effect in entitlement.pass(at: now, grace: Self.grace, isDoubtful: isDoubtful) { said.append("\(hour / 24) \(effect)") }
        }
        return said
    }

    @Test("PAY-1: an end is told 14, 7 and 1 days ahead, once each; it stays on for the days of grace")
    func warnings() {
        var entitlement = Entitlement(.space, ends: 0, step: .off)
        #expect(!entitlement.isOn && entitlement.next(after: 0, grace: Self.grace) == nil)
        entitlement.extend(days: 30, at: 0)
        #expect(entitlement.isOn && entitlement.ends == 30 * Self.day && entitlement.next(after: 0, grace: Self.grace) == 16 * Self.day)
        #expect(
            live(&entitlement, days: 43) == ["16 warn(days: 14)", "23 warn(days: 7)", "29 warn(days: 1)", "30 ended"] && entitlement.isOn)
        #expect(live(&entitlement, from: 43, days: 10) == ["44 off"] && !entitlement.isOn)
    }

    @Test("PAY-1: a hub that was down tells the nearest warning alone, and each instant of the timer has something to do")
    func late() {
        var entitlement = Entitlement(.space, ends: 30 * Self.day)
        #expect(entitlement.pass(at: 25 * Self.day, grace: Self.grace, isDoubtful: false) == [.warn(days: 7)])
        #expect(entitlement.pass(at: 25 * Self.day, grace: Self.grace, isDoubtful: false).isEmpty)
        #expect(entitlement.pass(at: 60 * Self.day, grace: Self.grace, isDoubtful: false) == [.ended, .off])
        #expect(entitlement.pass(at: 61 * Self.day, grace: Self.grace, isDoubtful: false).isEmpty)

        var timed = Entitlement(.space, ends: 30 * Self.day), now: Milliseconds? = 0, fired = 0
        while let time = now, let next = timed.next(after: time, grace: Self.grace) {
            #expect(next > time && !timed.pass(at: next, grace: Self.grace, isDoubtful: false).isEmpty)
            (now, fired) = (next, fired + 1)
        }
        #expect(fired == 5)
    }

    @Test("PAY-1: a payment in doubt switches nothing off, however long the end is past")
    func doubt() {
        var entitlement = Entitlement(.space, ends: 0)
        #expect(live(&entitlement, days: 100, isDoubtful: true) == ["0 ended"] && entitlement.isOn)
        #expect(entitlement.next(after: 100 * Self.day, grace: Self.grace) == 101 * Self.day)
        #expect(live(&entitlement, from: 100, days: 1) == ["100 off"])
    }

    @Test("PAY-1: what is bought again is added, also in the days of grace, and is warned of anew")
    func extended() {
        var entitlement = Entitlement(.space, ends: 30 * Self.day)
        entitlement.extend(days: 30, at: 10 * Self.day)
        #expect(entitlement.ends == 60 * Self.day)
        var ended = Entitlement(.space, ends: 30 * Self.day, step: .grace)
        ended.extend(days: 30, at: 35 * Self.day)
        #expect(ended.ends == 65 * Self.day && ended.step == .running)
    }

    @Test("PAY-1: a refund leaves time for all warnings, and makes nothing longer")
    func shortened() {
        var entitlement = Entitlement(.space, ends: 365 * Self.day)
        entitlement.shorten(days: 365, at: 10 * Self.day)
        #expect(entitlement.ends == 25 * Self.day)
        #expect(live(&entitlement, from: 10, days: 20) == ["11 warn(days: 14)", "18 warn(days: 7)", "24 warn(days: 1)", "25 ended"])
        var short = Entitlement(.space, ends: 12 * Self.day)
        short.shorten(days: 365, at: 10 * Self.day)
        #expect(short.ends == 12 * Self.day)
        var two = Entitlement(.space, ends: 730 * Self.day)
        two.shorten(days: 365, at: 10 * Self.day)
        #expect(two.ends == 365 * Self.day, "another payment's days stay")
    }
}
