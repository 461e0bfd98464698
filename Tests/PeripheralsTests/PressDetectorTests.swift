import Testing
import Vitals

@testable import Peripherals

@Suite
struct PressDetectorTests {
    private typealias Input = PressDetector.Input
    private typealias Effect = PressDetector.Effect

    /// The effects of these inputs, and of the ticks that are due before and after them, up to `end`.
    private func effects(_ inputs: [Input], until end: Milliseconds = 20_000) -> [Effect] {
        var detector = PressDetector()
        var effects: [Effect] = []
        func tick(upTo time: Milliseconds) {
            while let due = detector.deadline, due <= time { effects += detector.handle(.tick(time: due)) }
        }
        for input in inputs {
            let time =
                switch input {
                case .down(_, let time), .up(_, let time), .tick(let time): time
                }
            tick(upTo: time)
            effects += detector.handle(input)
        }
        tick(upTo: end)
        return effects
    }

    @Test("EDGE-12: pressed and let go is one short press, told when it cannot be a bounce any more")
    func short() {
        #expect(effects([.down(key: 1, time: 0), .up(key: 1, time: 300)]) == [.pressed(.short, key: 1, time: 350)])
        #expect(effects([.down(key: 1, time: 0), .up(key: 1, time: 0)]) == [.pressed(.short, key: 1, time: 50)])
        #expect(effects([.down(key: 1, time: 0), .up(key: 1, time: 1999)]) == [.pressed(.short, key: 1, time: 2049)])
    }

    @Test("EDGE-12: held for two seconds is one long press, told while it is held; letting go adds nothing")
    func long() {
        #expect(effects([.down(key: 1, time: 0), .up(key: 1, time: 9000)]) == [.pressed(.long, key: 1, time: 2000)])
        #expect(effects([.down(key: 1, time: 0), .up(key: 1, time: 2000)]) == [.pressed(.long, key: 1, time: 2000)])
    }

    @Test("EDGE-12: a long press that was read late, in one go, is still long, and a short one short")
    func late() {
        var detector = PressDetector()
        #expect(detector.handle(.down(key: 1, time: 0)).isEmpty)
        #expect(detector.handle(.up(key: 1, time: 2500)) == [.pressed(.long, key: 1, time: 2500)])
        #expect(detector.handle(.tick(time: 9000)).isEmpty)
        #expect(detector.handle(.down(key: 1, time: 10_000)).isEmpty)
        #expect(detector.handle(.up(key: 1, time: 10_200)).isEmpty)
        #expect(detector.handle(.tick(time: 19_000)) == [.pressed(.short, key: 1, time: 19_000)])
        #expect(detector.deadline == nil)
    }

    @Test("EDGE-12: contacts that bounce make no second press, nor end a long one")
    func bounce() {
        let shaky: [Input] = (0..<5).flatMap { [.down(key: 1, time: $0 * 10), .up(key: 1, time: $0 * 10 + 5)] }
        #expect(effects(shaky) == [.pressed(.short, key: 1, time: 95)])
        let held: [Input] = [.down(key: 1, time: 0), .up(key: 1, time: 1000), .down(key: 1, time: 1040), .up(key: 1, time: 2500)]
        #expect(effects(held) == [.pressed(.long, key: 1, time: 2000)])
        let end: [Input] = [.down(key: 1, time: 0), .up(key: 1, time: 2500), .down(key: 1, time: 2510), .up(key: 1, time: 2520)]
        #expect(effects(end) == [.pressed(.long, key: 1, time: 2000)])
        let twice: [Input] = [.down(key: 1, time: 0), .up(key: 1, time: 100), .down(key: 1, time: 150), .up(key: 1, time: 250)]
        #expect(effects(twice) == [.pressed(.short, key: 1, time: 150), .pressed(.short, key: 1, time: 300)])
    }

    @Test("EDGE-12: two keys at a time are two presses, each by itself")
    func keys() {
        let inputs: [Input] = [.down(key: 1, time: 0), .down(key: 2, time: 1500), .up(key: 2, time: 1700), .up(key: 1, time: 2100)]
        #expect(effects(inputs) == [.pressed(.short, key: 2, time: 1750), .pressed(.long, key: 1, time: 2000)])
        // A quick change from one to the other is no bounce.
        let change: [Input] = [.down(key: 1, time: 0), .up(key: 1, time: 1990), .down(key: 2, time: 2000), .up(key: 2, time: 2300)]
        #expect(effects(change) == [.pressed(.short, key: 1, time: 2040), .pressed(.short, key: 2, time: 2350)])
    }

    @Test("EDGE-12: a key that stays down is told as stuck, once, and counts again when it is let go")
    func stuck() {
        let inputs: [Input] = [
            .down(key: 1, time: 0), .up(key: 1, time: 500_000), .down(key: 1, time: 501_000), .up(key: 1, time: 501_100),
        ]
        let wanted: [Effect] = [.pressed(.long, key: 1, time: 2000), .stuck(key: 1), .pressed(.short, key: 1, time: 501_150)]
        #expect(effects(inputs, until: 900_000) == wanted)
    }

    @Test("EDGE-12: a release nobody saw the press of, and a hand on the keyboard, are bounded")
    func oddities() {
        #expect(effects([.up(key: 1, time: 10)]).isEmpty)
        var detector = PressDetector()
        for key in UInt16(1)...100 { _ = detector.handle(.down(key: key, time: 0)) }
        #expect(detector.held.count == 8)
    }
}
