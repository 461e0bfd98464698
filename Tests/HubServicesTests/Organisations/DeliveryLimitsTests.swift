import Testing
import Vitals

@testable import HubServices

struct DeliveryLimitsTests {
    private let one = OrganisationID(AccountID(.random()))

    @Test("CONS-5: a destination that takes fast gets more at once, up to a limit; one that is slow or fails comes down to one")
    func width() {
        var limits = DeliveryLimits()
        var widths: [Int] = []
        for _ in 0..<8 {
            let count = limits.take("a", of: one, atMost: 1000)
            widths.append(count)
            limits.give("a", of: one, count, posts: count, slowest: .milliseconds(20))
        }
        #expect(widths == [1, 2, 4, 8, 16, 32, 64, 64])
        for slowest in [Duration.seconds(2), nil, .seconds(2), nil, .seconds(2), nil, nil] {
            let count = limits.take("a", of: one, atMost: 1000)
            limits.give("a", of: one, count, posts: count, slowest: slowest)
        }
        #expect(limits.take("a", of: one, atMost: 1000) == 1)
        #expect(limits.take("a", of: one, atMost: 1000) == 0)
    }

    @Test("CONS-5: turns without a post, or that did not fill their places, show nothing")
    func idle() {
        var limits = DeliveryLimits()
        let count = limits.take("a", of: one, atMost: 5)
        limits.give("a", of: one, count, posts: 0, slowest: .zero)
        #expect(count == 1 && limits.take("a", of: one, atMost: 5) == 1 && limits.used == 1)
    }

    @Test("CONS-5: slow destinations keep one place each, so that a fast one finds room; in all there is a limit")
    func room() {
        var limits = DeliveryLimits()
        for number in 0..<100 { #expect(limits.take("slow \(number)", of: OrganisationID(AccountID(.random())), atMost: 64) == 1) }
        for _ in 0..<7 {
            let count = limits.take("fast", of: one, atMost: 64)
            limits.give("fast", of: one, count, posts: count, slowest: .zero)
        }
        #expect(limits.take("fast", of: one, atMost: 64) == 64)
        for number in 100..<1000 { _ = limits.take("slow \(number)", of: OrganisationID(AccountID(.random())), atMost: 64) }
        #expect(limits.used == DeliveryLimits.totalMax && limits.isFull)
    }

    @Test("CONS-5: places that a turn cannot use go back at once, and what it posts one after the other there shows nothing")
    func narrow() {
        var limits = DeliveryLimits()
        limits.give("a", of: one, limits.take("a", of: one, atMost: 64), posts: 4, slowest: .zero)
        for _ in 0..<8 {
            let count = limits.take("a", of: one, atMost: 64)
            #expect(count == 2)
            limits.give("a", of: one, count - 1, posts: 0, slowest: .zero)
            #expect(limits.used == 1)
            limits.give("a", of: one, 1, posts: 256, slowest: .zero)
        }
        #expect(limits.used == 0)
    }

    @Test("CONS-5: one organisation with many host names has a quarter of all places, and gets them again")
    func organisation() {
        var limits = DeliveryLimits()
        let other = OrganisationID(AccountID(.random()))
        for number in 0..<100 { _ = limits.take("host \(number)", of: one, atMost: 64) }
        #expect(limits.used == DeliveryLimits.organisationMax && !limits.isFull)
        #expect(limits.take("other", of: other, atMost: 64) == 1)
        limits.give("host 0", of: one, 1, posts: 1, slowest: .zero)
        #expect(limits.take("host 99", of: one, atMost: 64) == 1 && limits.take("host 98", of: one, atMost: 64) == 0)
    }
}
