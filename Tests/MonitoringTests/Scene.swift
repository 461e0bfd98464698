import Monitoring
import Sensing
import Vitals

/// A monitor with its clock, told what happens second by second.
struct Scene {
    var monitor: PersonMonitor
    /// Seconds of the boot clock.
    private(set) var second: Milliseconds = 1000
    /// Everything that was asked for, in order.
    private(set) var effects: [MonitorEffect] = []

    /// A person with a sensor, on a box of that role.
    init(_ role: BoxRole = .phone, power: BoxPower = .battery, override: BoxPower? = nil, hasPosition: Bool = false) {
        let configuration = MonitorConfiguration(role: role, powerOverride: override, hasPosition: hasPosition)
        monitor = PersonMonitor(configuration: configuration, at: 1_000_000)
        tell(.sensorChosen(true))
        tell(.power(power, batteryPercent: nil))
    }

    var now: Milliseconds { second * 1000 }

    @discardableResult
    mutating func tell(_ event: MonitorEvent) -> [MonitorEffect] {
        let new = monitor.handle(event, at: now)
        effects += new
        return new
    }

    /// Seconds go by in which nothing but the monitor's own deadlines happens.
    mutating func wait(_ seconds: Milliseconds) {
        let end = now + seconds * 1000
        while let due = monitor.deadline, due <= end {
            effects += monitor.handle(.tick, at: due)
        }
        second += seconds
    }

    /// Readings, one a second; the clock moves before each.
    mutating func readings(_ rates: [UInt16], contact: SensorContact = .unsupported, intervals: [UInt16] = [800]) {
        for rate in rates {
            wait(1)
            let sample = HeartRateSample(time: now, beatsPerMinute: rate, contact: contact, rrIntervals: intervals)
            tell(.heartRate(.measurement(sample)))
        }
    }

    /// So many seconds of somebody who wears the sensor.
    mutating func worn(_ seconds: Int = 5) { readings((0..<seconds).map { UInt16(70 + $0 % 3) }) }

    mutating func lose() { tell(.heartRate(.lost(Scene.problem, time: now))) }

    mutating func battery(_ percent: UInt8) { tell(.heartRate(.battery(percent: percent, time: now))) }

    mutating func fix(_ source: PositionSource = .gnss, speed: Int32? = nil) {
        let sample = PositionSample(time: now, latitude: 457_000_000, longitude: 91_000_000, speed: speed, source: source)
        tell(.position(.fix(sample, utc: nil)))
    }

    /// Fixes of that speed (0.01 m/s), one a second; the clock moves before each.
    mutating func fixes(_ seconds: Int, speed: Int32) {
        for _ in 0..<seconds {
            wait(1)
            fix(speed: speed)
        }
    }

    static let problem = SourceProblem(what: "It is gone", advice: "Look for it.", retries: true)

    // MARK: - What came of it

    /// Forgets what was asked for so far.
    mutating func clear() { effects = [] }

    var told: [Notice] { effects.compactMap { if case .tell(let notice) = $0 { notice } else { nil } } }
    var over: [Notice] { effects.compactMap { if case .over(let notice) = $0 { notice } else { nil } } }
    var counted: [UInt16] { effects.compactMap { if case .reading(let sample) = $0 { sample.beatsPerMinute } else { nil } } }
    var watching: [Bool] { effects.compactMap { if case .watching(let on) = $0 { on } else { nil } } }
    var tracking: [Bool] { effects.compactMap { if case .tracking(let on) = $0 { on } else { nil } } }
    var recorded: [Record] {
        effects.compactMap { if case .record(let event) = $0 { Record(code: event.code, value: event.value) } else { nil } }
    }

    struct Record: Hashable {
        var code: StateEvent.Code
        var value: Int64 = 0
    }

    func link(_ name: ChainLink.Name) -> ChainLink? { monitor.links.first { $0.name == name } }
    func condition(_ name: ChainLink.Name) -> ChainLink.Condition? { link(name)?.condition }
}
