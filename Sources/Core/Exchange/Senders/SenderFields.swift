internal import Vitals

/// One value as a phone sent it: JSON, or the text of a parameter.
enum SenderField {
    case number(Double)
    case text(String)
    case flag(Bool)

    /// A finite number; also one in quotation marks, as scripts send it. Nil for anything else.
    var number: Double? {
        switch self {
        case .number(let value): return value
        case .flag: return nil
        case .text(let text):
            // Double() would also take "nan", "inf" and hexadecimals.
            guard text.utf8.count <= 40, text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
            guard let value = Double(text), value.isFinite else { return nil }
            return value
        }
    }

    /// Yes or no; nil for anything else.
    var flag: Bool? {
        switch self {
        case .flag(let value): value
        case .number(let value): value == 1 ? true : value == 0 ? false : nil
        case .text(let text):
            switch text.lowercased() {
            case "true", "1": true
            case "false", "0": false
            default: nil
            }
        }
    }
}

/// Makes a reading of one message's fields: what must be there refuses the message, what may be there is left out and counted.
struct SenderMessage {
    /// When it is, UTC; the hub's own time until the message says another.
    private(set) var time: Milliseconds
    private var leftOut = 0
    private var position: PositionSample?
    private var events: [StateEvent] = []
    private(set) var refused: [SenderRefusal] = []
    private(set) var ignored = 0
    /// Times may be this late at most.
    private let latest: Milliseconds

    init(now: Milliseconds) { (time, latest) = (now, now + SampleLimits.aheadMax) }

    /// Seconds or milliseconds since 1970, or a date with a time: what is beyond the year 5138 in seconds counts as milliseconds.
    mutating func setTime(_ field: SenderField?) {
        guard let field else { return refuse(.noTime) }
        let read: Milliseconds?
        if let number = field.number {
            let milliseconds = number.magnitude < 1e11 ? number * 1000 : number
            read = Milliseconds(exactly: milliseconds.rounded(.down))
        } else if case .text(let text) = field {
            read = TimeText.milliseconds(text)
        } else {
            read = nil
        }
        guard let read, read >= SampleLimits.earliest, read <= latest else { return refuse(.badTime) }
        time = read
    }

    mutating func setPosition(_ latitude: SenderField?, _ longitude: SenderField?) {
        guard let latitude = latitude?.number.flatMap({ Self.scaled($0, 1e7, -900_000_000...900_000_000) }),
            let longitude = longitude?.number.flatMap({ Self.scaled($0, 1e7, -1_800_000_000...1_800_000_000) }),
            latitude != 0 || longitude != 0
        else { return refuse(.badPosition) }
        // How the phone found it, it does not say: its location service did. The error tells, see ``setAccuracy(_:)``.
        position = PositionSample(time: time, latitude: latitude, longitude: longitude, mode: .unknown, source: .network)
    }

    mutating func setAltitude(_ field: SenderField?) {
        let altitude = optional(field, 10, SampleLimits.altitude, unknownBelow: nil)
        position?.altitude = altitude
    }

    /// `unit`: how many cm/s one of the sender's units has.
    mutating func setSpeed(_ field: SenderField?, unit: Double) {
        let speed = optional(field, unit, SampleLimits.speed, unknownBelow: 0)
        position?.speed = speed
    }

    mutating func setCourse(_ field: SenderField?) {
        let course = optional(field, 100, 0...36_000, unknownBelow: 0)
        position?.course = course.map { $0 % 36_000 }
    }

    /// Up to this error, in 0.1 m, a phone has seen satellites: 15 m. Known networks alone are some tens of metres wide.
    static let satelliteErrorMax: Int32 = 150

    mutating func setAccuracy(_ field: SenderField?) {
        let error = optional(field, 10, 0...Int32.max, unknownBelow: 0)
        position?.horizontalError = error == 0 ? nil : error
        if let error, (1...Self.satelliteErrorMax).contains(error) { position?.source = .gnss }
    }

    /// `unit`: how many percent one of the sender's has.
    mutating func setBattery(_ field: SenderField?, unit: Double = 1) {
        guard let percent = optional(field, unit, 0...100, unknownBelow: 0) else { return }
        events.append(StateEvent(time: time, code: .boxBattery, value: Int64(percent)))
    }

    mutating func setCharging(_ field: SenderField?) {
        guard let field else { return }
        guard let flag = field.flag else {
            leftOut += 1
            return
        }
        events.append(StateEvent(time: time, code: .boxPower, value: flag ? 1 : 2))
    }

    /// One alarm, or several with commas between them, as Traccar joins them. `sos` is a call for help: a person pressed a button, so nothing
    /// is asked first. `fallDown` is what a device noticed by itself: it asks. All others (low battery, tow, accident) are about the device or a vehicle.
    mutating func setAlarm(_ field: SenderField?) {
        guard let field else { return }
        guard case .text(let text) = field else {
            ignored += 1
            return
        }
        var codes: [StateEvent.Code] = []
        for word in text.lowercased().split(whereSeparator: { ", ".contains($0) }) {
            switch word {
            case "sos": codes.append(.help)
            case "falldown": codes.append(.fall)
            default: ignored += 1
            }
        }
        if text.isEmpty { ignored += 1 }
        for code in Set(codes).sorted(by: { $0.rawValue < $1.rawValue }) { events.append(StateEvent(time: time, code: code)) }
    }

    mutating func ignore() { ignored += 1 }

    mutating func refuse(_ refusal: SenderRefusal) { refused.append(refusal) }

    /// The reading. A call for help, or a fall, counts whatever else is wrong with the message, at the hub's own time if need be; a position and a
    /// battery without a right time do not.
    func reading(device: String? = nil) -> SenderReading {
        var reading = SenderReading()
        let timeIsKnown = !refused.contains { $0.code == .badTime || $0.code == .noTime }
        if timeIsKnown, let position { reading.samples.positions = [position] }
        reading.samples.events = events.filter { timeIsKnown || $0.code.isSOS }
        if leftOut > 0, !reading.samples.isEmpty {
            reading.samples.events.append(StateEvent(time: time, code: .inputSkipped, value: Int64(leftOut)))
        }
        (reading.ignored, reading.refused, reading.device) = (ignored, refused, device)
        return reading
    }

    /// An optional value in stored units. Below `unknownBelow` programs say "not known"; out of range, or no number, is counted.
    private mutating func optional(
        _ field: SenderField?, _ unit: Double, _ range: ClosedRange<Int32>, unknownBelow: Double?
    ) -> Int32? {
        guard let field else { return nil }
        let number = field.number
        if let number, let unknownBelow, number < unknownBelow { return nil }
        guard let value = number.flatMap({ Self.scaled($0, unit, range) }) else {
            leftOut += 1
            return nil
        }
        return value
    }

    private static func scaled(_ value: Double, _ unit: Double, _ range: ClosedRange<Int32>) -> Int32? {
        let scaled = (value * unit).rounded()
        guard scaled >= Double(range.lowerBound), scaled <= Double(range.upperBound) else { return nil }
        return Int32(scaled)
    }
}
