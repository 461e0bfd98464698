import TestSupport
import Vitals

@testable import Distress

/// Series made of a seed.
struct Made {
    var generator: SeededGenerator
    let person: PersonID
    let stream: StreamID
    private var sequence: UInt64 = 0
    private var level = 75.0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        person = PersonID.random(using: &generator)
        stream = StreamID.random(using: &generator)
    }

    func at(_ second: Int) -> Milliseconds { Milliseconds(second) * 1000 }

    func watch(_ provenance: Provenance, _ side: Side) -> DistressWatch {
        DistressWatch(person: person, provenance: provenance, side: side, settings: DistressSettings(age: 40), at: 0)
    }

    mutating func key(_ kind: DataKind) -> SampleKey {
        sequence += 1
        return SampleKey(stream: stream, sequence: sequence, kind: kind, index: 0)
    }

    mutating func reading(_ rate: Int, _ second: Int, contact: SensorContact = .detected, rr: Bool = true) -> DistressEvent {
        let intervals = rr && rate > 25 ? [UInt16(61_440 / rate)] : []
        return .heartRate(
            HeartRateSample(time: at(second), beatsPerMinute: UInt16(rate), contact: contact, rrIntervals: intervals), key(.heartRate))
    }

    mutating func state(_ code: StateEvent.Code, _ second: Int, _ value: Int64 = 0) -> DistressEvent {
        .state(StateEvent(time: at(second), code: code, value: value), key(.event))
    }

    func fix(_ second: Int, speed: Int32) -> PositionSample {
        PositionSample(time: at(second), latitude: 450_000_000, longitude: 70_000_000, speed: speed)
    }

    /// No signal, no contact, frozen, impossible, or nothing.
    mutating func nonsense(_ second: Int) -> DistressEvent {
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: reading(0, second, contact: .notDetected, rr: false)
        case 1: reading(Int.random(in: 0...255, using: &generator), second, contact: .notDetected, rr: false)
        case 2: reading(0, second, contact: .unsupported, rr: false)
        case 3: reading(Int.random(in: 241...300, using: &generator), second, rr: false)
        case 4: reading(Int.random(in: 1...24, using: &generator), second, rr: false)
        case 5: state([.sensorLost, .sensorConnected, .sensorBattery][Int.random(in: 0..<3, using: &generator)], second)
        case 6: state([.sensorContact, .sensorFrozen, .sensorAway, .sensorCharging][Int.random(in: 0..<4, using: &generator)], second, 1)
        case 7: .position(fix(second, speed: Int32.random(in: 0...3000, using: &generator)))
        default: .tick
        }
    }

    /// Anything at all: mostly readings of a heart that wanders, and everything that can be told.
    mutating func anything(_ second: Int) -> DistressEvent {
        switch Int.random(in: 0..<100, using: &generator) {
        case 0..<70:
            if Int.random(in: 0..<40, using: &generator) == 0 {
                level = [35, 75, 75, 110, 150, 190][Int.random(in: 0..<6, using: &generator)]
            }
            return reading(Int(level) + Int.random(in: -3...3, using: &generator), second)
        case 70..<80: return nonsense(second)
        case 80: return state(.ok, second)
        case 81: return state(.help, second)
        case 82: return state(.falseAlarm, second)
        case 83, 84: return state(.reactivated, second)
        case 85: return state(.paused, second)
        case 86: return state(.resumed, second)
        case 87: return .taken(by: Owner("a"))
        case 88: return .taken(by: Owner("b"))
        case 89: return .released(by: Owner("a"))
        case 90: return .finished(by: Owner("a"))
        case 91: return .otherSide([.reachable, .unreachable, .addresseeReached, .nobodyReached][Int.random(in: 0..<4, using: &generator)])
        case 92: return .flagged(.fall, key(.event))
        case 93: return .temperature(hundredths: Int.random(in: 3000...4200, using: &generator), key(.event))
        case 94: return .settings(DistressSettings(isOn: true, asksFirst: Bool.random(using: &generator), age: 40))
        case 95: return .reported(other(second))
        case 96: return state(.sensorCharging, second, 0)
        case 97: return .cadence(perMinute: 80)
        default: return .tick
        }
    }

    private mutating func other(_ second: Int) -> Alarm {
        let reading = Reading(time: at(second), value: 180, key: key(.heartRate))
        let found = Abnormality(
            trigger: .heartRateHigh, tier: .critical, limit: 131, context: .rest, first: reading, latest: reading, worst: 180, count: 3,
            isLost: false, answerTime: 5000)
        return Alarm(
            id: IncidentID(person: person, first: reading.key), person: person, provenance: .live, raisedAt: at(second),
            abnormalities: [found], readings: [reading], history: [], position: nil, aliases: [])
    }
}

extension DistressEffect {
    var callsSomebody: Bool {
        switch self {
        case .report, .deliver, .tell, .warn: true
        case .ask, .withdraw, .test, .sameEpisode, .protection, .decided: false
        }
    }
}

extension [DistressEffect] {
    var callSomebody: Bool { contains(where: \.callsSomebody) }
    var askSomebody: Bool { contains { if case .ask = $0 { true } else { false } } }
    var reported: [IncidentID] { compactMap { if case .report(let alarm) = $0 { alarm.id } else { nil } } }
}

extension DistressEvent {
    var isSample: Bool {
        switch self {
        case .heartRate, .temperature, .flagged, .state: true
        default: false
        }
    }

    /// What may end an incident.
    var mayEnd: Bool {
        switch self {
        case .state(let event, _): event.code == .ok || event.code == .falseAlarm
        case .finished: true
        default: false
        }
    }
}
