import Sensing
import Testing
import Vitals

@testable import Positioning

struct PositionTrackerTests {
    private static let floor: Milliseconds = 1_735_689_600_000
    private static let today: Milliseconds = 1_795_248_000_000

    private func tracker() -> PositionTracker {
        var tracker = PositionTracker(limits: .init(staleAfter: 3000, earliestUTC: Self.floor))
        #expect(tracker.connected(at: 0) == [.event(.connected(time: 0))])
        return tracker
    }

    private func report(_ device: String = "a", mode: Int = 3, utc: Milliseconds? = nil, latitude: Double = 1) -> GPSDMessage {
        .report(TPVReport(device: device, mode: mode, utc: utc, latitude: latitude, longitude: 2))
    }

    private func fix(_ time: Milliseconds, mode: FixMode = .threeDimensional, latitude: Int32 = 10_000_000, utc: Milliseconds? = nil)
        -> PositionTracker.Effect
    {
        .event(.fix(PositionSample(time: time, latitude: latitude, longitude: 20_000_000, mode: mode), utc: utc))
    }

    @Test("EDGE-3: silence is stale after 3 s and again at growing intervals, until a report comes")
    func stale() {
        var tracker = tracker()
        #expect(tracker.handle(report(), at: 1000) == [fix(1000)])
        #expect(tracker.deadline == 4000)
        #expect(tracker.tick(at: 3999) == [])
        #expect(tracker.tick(at: 4000) == [.event(.stale(age: 3000, time: 4000))])
        #expect(tracker.tick(at: 4001) == [])
        #expect(tracker.deadline == 7000)
        #expect(tracker.tick(at: 7100) == [.event(.stale(age: 6100, time: 7100))])
        #expect(tracker.deadline == 13_000)
        #expect(tracker.handle(report(), at: 8000) == [fix(8000)])
        #expect(tracker.deadline == 11_000)
    }

    @Test("EDGE-3: staleness is said at least once a minute, and once for a long sleep")
    func staleForLong() {
        var tracker = tracker()
        #expect(tracker.tick(at: 3_600_000).count == 1)
        #expect(tracker.tick(at: 3_600_001) == [])
        #expect((3_600_001...3_660_000).contains(tracker.deadline ?? 0))
    }

    @Test("EDGE-3: without a connection nothing is called stale")
    func disconnected() {
        var tracker = tracker()
        tracker.disconnected()
        #expect(tracker.deadline == nil)
        #expect(tracker.tick(at: 100_000) == [])
    }

    @Test("EDGE-3: a receiver without a fix is told once, and its messages are no silence")
    func noFix() {
        var tracker = tracker()
        #expect(tracker.handle(report(mode: 1), at: 1000) == [.event(.noFix(time: 1000))])
        #expect(tracker.handle(report(mode: 0), at: 2000) == [])
        #expect(tracker.deadline == 5000)
        #expect(tracker.handle(report(), at: 3000) == [fix(3000)])
        #expect(tracker.handle(report(latitude: .nan), at: 4000) == [.event(.noFix(time: 4000))])
    }

    @Test("EDGE-3: of several receivers the best fix counts, equals do not take turns")
    func severalReceivers() {
        var tracker = tracker()
        #expect(tracker.handle(report("a", mode: 2), at: 1000) == [fix(1000, mode: .twoDimensional)])
        #expect(tracker.handle(report("b", mode: 1), at: 1100) == [])
        #expect(tracker.handle(report("b", mode: 3, latitude: 3), at: 1200) == [fix(1200, latitude: 30_000_000)])
        #expect(tracker.handle(report("a", mode: 2), at: 2000) == [])
        #expect(tracker.handle(report("a", mode: 3), at: 2100) == [])
        #expect(tracker.handle(report("b", mode: 3, latitude: 4), at: 2200) == [fix(2200, latitude: 40_000_000)])
        // b falls silent: a takes over when b's last report is stale.
        #expect(tracker.handle(report("a", mode: 3), at: 5100) == [])
        #expect(tracker.handle(report("a", mode: 3), at: 5200) == [fix(5200)])
        // A known number of receivers is remembered, however many names come.
        for index in 0..<1000 { #expect(tracker.handle(report("x\(index)", mode: 1), at: 5300) == []) }
        #expect(tracker.handle(report("a", mode: 3), at: 5400) == [fix(5400)])
    }

    @Test("EDGE-3: an epoch that gpsd reports twice is one position, and one that never changes is silence")
    func repeatedEpoch() {
        var tracker = tracker()
        #expect(tracker.handle(report(utc: Self.today), at: 1000) == [fix(1000, utc: Self.today)])
        #expect(tracker.handle(report(utc: Self.today), at: 1010) == [])
        #expect(tracker.handle(report(utc: Self.today + 200), at: 1200) == [fix(1200, utc: Self.today + 200)])
        for time in stride(from: Milliseconds(1300), to: 4200, by: 100) {
            #expect(tracker.handle(report(utc: Self.today + 200), at: time) == [])
        }
        #expect(tracker.tick(at: 4200) == [.event(.stale(age: 3000, time: 4200))])
    }

    @Test(
        "EDGE-3: an impossible date of the receiver is told once, and only the date is lost",
        arguments: [floor - 2, today - 1024 * 7 * 86_400_000, floor + 1024 * 7 * 86_400_000, 1])
    func impossibleDate(utc: Milliseconds) {
        var tracker = tracker()
        let effects = tracker.handle(report(utc: utc), at: 1000)
        #expect(effects.count == 2 && effects.last == fix(1000))
        guard case .problem(let problem)? = effects.first else {
            Issue.record("not told")
            return
        }
        #expect(problem.what.contains("1024 weeks") == (utc > 1 && utc < Self.floor))
        #expect(tracker.handle(report(utc: utc + 1), at: 2000) == [fix(2000)])
        #expect(tracker.handle(report(utc: Self.today), at: 3000) == [fix(3000, utc: Self.today)])
    }

    @Test("EDGE-3: gpsd without a receiver is told once until there is one")
    func noReceiver() {
        var tracker = tracker()
        #expect(tracker.handle(.devices(count: 0), at: 1) == [.receiver(.noReceiver)])
        #expect(tracker.handle(.devices(count: 0), at: 2) == [])
        _ = tracker.connected(at: 2)
        #expect(tracker.handle(.devices(count: 0), at: 2) == [])
        #expect(tracker.handle(.devices(count: 1), at: 3) == [])
        _ = tracker.connected(at: 4)
        #expect(tracker.handle(.devices(count: 0), at: 5) == [.receiver(.noReceiver)])
    }

    @Test("EDGE-3: a receiver that is unplugged leaves no fix behind, and another one takes over at once")
    func unplugged() {
        var tracker = tracker()
        _ = tracker.handle(report("a"), at: 1000)
        #expect(tracker.handle(report("b", mode: 2), at: 1100) == [])
        #expect(tracker.handle(.device(path: "b", isActive: false), at: 1200) == [])
        #expect(
            tracker.handle(.device(path: "a", isActive: false), at: 1300)
                == [.event(.noFix(time: 1300)), .receiver(.receiverGone("a"))])
        #expect(tracker.handle(.device(path: "a", isActive: false), at: 1301) == [])
        #expect(tracker.handle(report("b", mode: 2), at: 1400) == [fix(1400, mode: .twoDimensional)])
        #expect(tracker.handle(.device(path: "a", isActive: true), at: 1500) == [])
        #expect(tracker.handle(report("a"), at: 1600) == [fix(1600)])
        // One that is there again and sees nothing yet says so.
        #expect(tracker.handle(.device(path: "a", isActive: false), at: 1700).count == 2)
        #expect(tracker.handle(report("a", mode: 1), at: 6000) == [.event(.noFix(time: 6000))])
    }

    @Test("EDGE-3: a later date that is known to have been moves the floor of what is believed, and only up")
    func movingFloor() {
        var tracker = tracker()
        #expect(tracker.handle(report(utc: Self.today - 1000), at: 1000) == [fix(1000, utc: Self.today - 1000)])
        tracker.believeDates(from: Self.today)
        tracker.believeDates(from: 0)
        #expect(tracker.handle(report(utc: Self.today - 500), at: 2000).last == fix(2000))
        #expect(tracker.handle(report(utc: Self.today + 500), at: 3000) == [fix(3000, utc: Self.today + 500)])
    }
}
