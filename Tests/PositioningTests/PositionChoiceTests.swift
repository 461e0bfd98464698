import Sensing
import Testing
import Vitals

@testable import Positioning

@Suite
struct PositionChoiceTests {
    private static let minute: Milliseconds = 60_000
    private var choice = PositionChoice(limits: limits, at: 0)
    private static let limits = {
        var limits = PositionChoice.Limits()
        limits.lesserAfter = minute
        return limits
    }()

    private func fix(_ time: Milliseconds, error: Int32? = 50) -> PositionSample {
        PositionSample(time: time, latitude: 454_780_000, longitude: 92_270_000, horizontalError: error)
    }

    private func network(_ time: Milliseconds, error: Int32 = 800, north: Int32 = 0) -> PositionSample {
        PositionSample(
            time: time, latitude: 454_780_000 + north, longitude: 92_270_000, horizontalError: error, mode: .unknown, source: .network)
    }

    private func fixed(_ time: Milliseconds) throws -> PositionSample {
        try #require(FixedPosition(latitude: 45.5, longitude: 9.25, altitude: 120.5, error: 12)).sample(at: time)
    }

    @Test("EDGE-3: every satellite event is passed on; a fresh fix is the current position, however inexact")
    mutating func satellites() {
        let events: [PositionEvent] = [
            .connected(time: 0), .noFix(time: 1), .fix(fix(2, error: 900), utc: 7), .stale(age: 3000, time: 3002),
        ]
        for event in events.dropLast() { #expect(choice.gnss(event) == [event]) }
        #expect(choice.current(at: 1002) == .init(sample: fix(2, error: 900), age: 1000, isCurrent: true))
        #expect(choice.place(network(1000, error: 100), from: .wifi, at: 1000) == [])
        #expect(choice.gnss(events[3]) == [events[3]])
    }

    @Test("EDGE-3: when the fix is lost the last position stays available with its age, and is never current")
    mutating func lost() {
        #expect(choice.current(at: 0) == nil)
        _ = choice.gnss(.fix(fix(1000), utc: nil))
        // Without any event too: a source that dies in silence must not leave a fresh position behind.
        #expect(choice.current(at: 4000)?.isCurrent == true)
        #expect(choice.current(at: 4001) == .init(sample: fix(1000), age: 3001, isCurrent: false))
        _ = choice.gnss(.fix(fix(5000), utc: nil))
        _ = choice.gnss(.noFix(time: 5100))
        #expect(choice.current(at: 5200) == .init(sample: fix(5000), age: 200, isCurrent: false))
        #expect(choice.current(at: 86_400_000) == .init(sample: fix(5000), age: 86_395_000, isCurrent: false))
        #expect(choice.deadline == nil)
    }

    @Test("EDGE-3: a minute without a fix, and a network's place is recorded: marked, once a minute, and on a move")
    mutating func network() {
        _ = choice.gnss(.fix(fix(0), utc: nil))
        _ = choice.gnss(.noFix(time: 1000))
        #expect(!choice.wantsLesser(at: 59_999) && choice.wantsLesser(at: 60_000))
        #expect(choice.place(network(59_000), from: .wifi, at: 59_000) == [])
        #expect(choice.deadline == 69_000)
        #expect(choice.tick(at: 69_000) == [.fix(network(59_000), utc: nil)])
        #expect(choice.current(at: 70_000) == .init(sample: network(59_000), age: 11_000, isCurrent: true))
        // The same place again, and the same sample again, are no news before a minute is over, or at all.
        #expect(choice.place(network(80_000), from: .wifi, at: 80_000) == [])
        #expect(choice.tick(at: 128_999) == [])
        #expect(choice.tick(at: 129_000) == [.fix(network(80_000), utc: nil)])
        #expect(choice.tick(at: 200_000) == [])
        let moved = network(201_000, north: 100_000)
        #expect(choice.place(moved, from: .wifi, at: 201_000) == [.fix(moved, utc: nil)])
        // A fix wins at once, and the wait begins anew.
        #expect(choice.gnss(.fix(fix(210_000), utc: nil)) == [.fix(fix(210_000), utc: nil)])
        #expect(choice.current(at: 210_000)?.sample.source == .gnss)
        #expect(choice.place(network(220_000), from: .wifi, at: 220_000) == [])
    }

    @Test("EDGE-3: a place that is worse than what the last fix has become is not used yet")
    mutating func worse() {
        _ = choice.gnss(.fix(fix(0), utc: nil))
        // 5 km: an old fix is better for less than half an hour at 3 m/s.
        #expect(choice.place(network(Self.minute, error: 50_000), from: .geoclue, at: Self.minute) == [])
        #expect(choice.current(at: Self.minute)?.sample.source == .gnss)
        let later = network(28 * Self.minute, error: 50_000)
        #expect(choice.place(later, from: .geoclue, at: 28 * Self.minute) == [.fix(later, utc: nil)])
        #expect(choice.current(at: 28 * Self.minute)?.sample == later)
    }

    @Test("EDGE-3: the better of two lesser sources counts; one that is old or withdrawn does not")
    mutating func several() {
        #expect(choice.place(network(Self.minute, error: 5000), from: .geoclue, at: Self.minute).count == 1)
        let near = network(Self.minute + 1, error: 600)
        #expect(choice.place(near, from: .wifi, at: Self.minute + 10_000) == [.fix(near, utc: nil)])
        #expect(choice.current(at: Self.minute + 10_000)?.sample == near)
        #expect(choice.place(nil, from: .wifi, at: Self.minute + 11_000) == [])
        #expect(choice.current(at: Self.minute + 11_000)?.sample.horizontalError == 5000)
        #expect(choice.current(at: Self.minute + 120_001)?.isCurrent == false)
        #expect(choice.current(at: Self.minute + 600_001) == nil)
    }

    @Test("EDGE-13: a gateway's place is recorded at the start and every hour, and kept though worse than 10 m")
    mutating func gateway() throws {
        #expect(choice.place(try fixed(0), from: .fixed, at: 0) == [.fix(try fixed(0), utc: nil)])
        #expect(try fixed(0).source == .fixed && fixed(0).horizontalError == 120 && fixed(0).altitude == 1205)
        var recorded: [Milliseconds] = []
        for _ in 0..<2000 {
            let time = try #require(choice.deadline)
            #expect(time > recorded.last ?? 0)
            recorded += choice.tick(at: time).map { if case .fix(let sample, _) = $0 { sample.time } else { -1 } }
        }
        #expect(recorded.prefix(3) == [3_600_000, 7_200_000, 10_800_000])
        #expect(choice.current(at: 20_000_123) == .init(sample: try fixed(20_000_123), age: 0, isCurrent: true))
        // A receiver in the gateway is believed while it has a fix.
        _ = choice.gnss(.fix(fix(20_001_000), utc: nil))
        #expect(choice.current(at: 20_001_000)?.sample.source == .gnss)
        #expect(choice.tick(at: 20_030_000) == [])
        #expect(choice.current(at: 20_062_000)?.sample.source == .fixed)
    }

    @Test("EDGE-13: a fixed place that is not on Earth is refused")
    func places() {
        #expect(FixedPosition(latitude: 90.1, longitude: 0, error: 1) == nil)
        #expect(FixedPosition(latitude: 0, longitude: .nan, error: 1) == nil)
        #expect(FixedPosition(latitude: 0, longitude: 0, error: -1) == nil)
        #expect(FixedPosition(latitude: 0, longitude: 0, altitude: .infinity, error: 1) == nil)
        #expect(FixedPosition(latitude: -90, longitude: 180, error: 0) != nil)
    }
}
