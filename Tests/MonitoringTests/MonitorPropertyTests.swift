import Monitoring
import Sensing
import TestSupport
import Testing
import Vitals

/// Arbitrary sequences of everything that a box can be told.
@Suite struct MonitorPropertyTests {
    @Test("EDGE-9, EDGE-11: whatever sensors and boxes do, no invalid reading counts and no silence is a reading", arguments: 0..<40)
    func nothingInvalidCounts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var run = Run(&random)
        for _ in 0..<2000 { run.step(&random) }
        #expect(run.violations == [], "seed \(seed)")
        #expect(run.told > 0)
        #expect(String(reflecting: run.monitor).utf8.count < 10_000, "seed \(seed): the monitor grows")
    }

    @Test("EDGE-9: the same events give the same effects")
    func repeatable() {
        func effects() -> [MonitorEffect] {
            var random = SeededGenerator(seed: 7)
            var run = Run(&random)
            for _ in 0..<2000 { run.step(&random) }
            return run.all
        }
        #expect(effects() == effects())
    }
}

/// One person's life with a box, made up from a seed, with the rules that must hold after each event.
private struct Run {
    enum Mode: CaseIterable { case worn, silent, notWorn, frozen, docked, impossible, mixed }

    var monitor: PersonMonitor
    var now: Milliseconds = 5000
    var mode = Mode.worn
    var level = 60
    var violations: [String] = []
    var told = 0
    var all: [MonitorEffect] = []
    private var open: Set<Notice> = []
    private var isWatching = false
    private var isTracking = false
    private var rate: UInt16 = 70
    /// The last reading, and for how long it was repeated without an interval.
    private var last: HeartRateSample?
    private var repeated: Milliseconds = 0

    init(_ random: inout SeededGenerator) {
        let role = BoxRole.allCases.randomElement(using: &random) ?? .phone
        let configuration = MonitorConfiguration(role: role, hasPosition: Bool.random(using: &random))
        monitor = PersonMonitor(configuration: configuration, at: now)
        handle(.sensorChosen(true))
    }

    mutating func step(_ random: inout SeededGenerator) {
        if Int.random(in: 0..<40, using: &random) == 0 { mode = Mode.allCases.randomElement(using: &random) ?? .worn }
        let pause = Int.random(in: 0..<20, using: &random) == 0 ? Milliseconds.random(in: 0...400_000, using: &random) : 1000
        let end = now + pause
        // Mostly the deadlines are kept, at times they come late.
        if Int.random(in: 0..<10, using: &random) > 0 {
            while let due = monitor.deadline, due < end {
                now = due
                handle(.tick)
            }
        }
        now = end
        handle(event(&random))
    }

    private mutating func event(_ random: inout SeededGenerator) -> MonitorEvent {
        switch Int.random(in: 0..<60, using: &random) {
        case 0: return .heartRate(.lost(Scene.problem, time: now))
        case 1: return .heartRate(.connected(time: now))
        case 2...5:
            level = min(100, max(0, level + (mode == .docked ? 2 : Int.random(in: -3...1, using: &random))))
            return .heartRate(.battery(percent: UInt8(level), time: now))
        case 6:
            return .power(
                BoxPower.allCases.randomElement(using: &random) ?? .unknown, batteryPercent: Int.random(in: 0...30, using: &random))
        case 7: return .pause(until: now + Milliseconds.random(in: -1000...200_000, using: &random), utc: nil)
        case 8: return .resume
        case 9:
            let contacts: [HubContact] = [.unset, .reached(at: now), .unreachable(Scene.problem), .refuses(Scene.problem)]
            return .hub(contacts.randomElement(using: &random) ?? .unset)
        case 10: return .buffer(Bool.random(using: &random) ? nil : Scene.problem)
        case 11: return .kinds(heartRate: Int.random(in: 0..<4, using: &random) > 0, position: Bool.random(using: &random))
        case 12: return .sensorChosen(Int.random(in: 0..<5, using: &random) > 0)
        case 13...20: return position(&random)
        default: return reading(&random)
        }
    }

    private func position(_ random: inout SeededGenerator) -> MonitorEvent {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .position(.lost(Scene.problem, time: now))
        case 1: return .position(.noFix(time: now))
        case 2: return .position(.stale(age: 9000, time: now))
        default:
            let source = PositionSource.allCases.randomElement(using: &random) ?? .gnss
            return .position(.fix(PositionSample(time: now, latitude: 1, longitude: 1, source: source), utc: nil))
        }
    }

    private mutating func reading(_ random: inout SeededGenerator) -> MonitorEvent {
        var sample = HeartRateSample(time: now, beatsPerMinute: rate)
        switch mode {
        case .silent: return .tick
        case .worn:
            rate = UInt16.random(in: 50...180, using: &random)
            sample.beatsPerMinute = rate
            sample.contact = [.unsupported, .detected].randomElement(using: &random) ?? .detected
            sample.rrIntervals = [900]
        case .notWorn: sample.contact = .notDetected
        case .docked: sample.beatsPerMinute = 0
        case .frozen: break
        case .impossible: sample.beatsPerMinute = [1, 24, 241, 65_535].randomElement(using: &random) ?? 1
        case .mixed:
            sample.beatsPerMinute = [0, 70, 71, 240, 241].randomElement(using: &random) ?? 0
            sample.contact = SensorContact.allCases.randomElement(using: &random) ?? .unsupported
            sample.time -= Milliseconds.random(in: -500...30_000, using: &random)
        }
        return .heartRate(.measurement(sample))
    }

    private mutating func note(_ sample: HeartRateSample) {
        let isSame = sample.beatsPerMinute == last?.beatsPerMinute && sample.rrIntervals.isEmpty
        repeated = isSame ? repeated + max(0, min(10_000, min(sample.time, now) - (last?.time ?? now))) : 0
        let time = max(last?.time ?? 0, min(sample.time, now))
        last = sample
        last?.time = time
    }

    private mutating func handle(_ event: MonitorEvent) {
        if case .heartRate(.measurement(let sample)) = event { note(sample) }
        if case .sensorChosen = event { (last, repeated) = (nil, 0) }
        let effects = monitor.handle(event, at: now)
        all += effects
        for effect in effects { check(effect) }
        demand(effects.count <= 40, "a burst of \(effects.count) effects")
        demand(isWatching == monitor.isWatching && isTracking == monitor.isTracking, "the effects tell another state than the monitor")
        demand(!monitor.isWatching || monitor.wearing == .worn, "watching while \(monitor.wearing)")
        demand(monitor.deadline.map { $0 > now } ?? true, "a deadline in the past")
        demand(monitor.links.count == ChainLink.Name.allCases.count, "links")
        demand(Set(monitor.summary.notices).isSubset(of: open), "a notice that was never told")
        demand(monitor.summary.heartRate == nil || monitor.isWatching, "a heart rate that does not count")
        demand(monitor.isWatching || !monitor.links.prefix(2).allSatisfy { $0.condition == .good }, "a whole chain, and nobody watches")
    }

    private mutating func check(_ effect: MonitorEffect) {
        switch effect {
        case .tell(let notice):
            told += 1
            demand(open.insert(notice).inserted, "\(notice) told twice")
        case .over(let notice): demand(open.remove(notice) != nil, "\(notice) over without having been told")
        case .watching(let on):
            demand(on != isWatching, "watching told twice")
            isWatching = on
        case .tracking(let on):
            demand(on != isTracking, "tracking told twice")
            isTracking = on
        case .reading(let sample):
            demand(isWatching, "a reading counts while nobody watches")
            demand((25...240).contains(sample.beatsPerMinute), "\(sample.beatsPerMinute) counts")
            demand(sample.contact != .notDetected, "a reading without contact counts")
            demand(sample.time > now - 10_000, "an old reading counts")
            demand(repeated < 60_000, "a frozen reading counts")
        case .record(let event):
            demand((7...16).contains(event.code.rawValue), "a code that is not the monitor's, \(event.code.rawValue)")
            demand(event.time == now, "recorded at another time")
        }
    }

    private mutating func demand(_ holds: Bool, _ rule: String) {
        if !holds, violations.count < 5 { violations.append("\(rule) at \(now), mode \(mode)") }
    }
}
