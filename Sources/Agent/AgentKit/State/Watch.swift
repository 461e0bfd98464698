public import BlueZ
public import Positioning
public import Seams
import Sensing
import Vitals

/// Options of `trackme-agent watch`: contents and duration.
public struct WatchOptions: Sendable {
    public var sensor: SensorAddress?
    public var transport = SensorTransport.auto
    public var gpsd: GPSDAddress?
    /// Ends after so many seconds; never when nil.
    public var seconds: Int?
    /// Ends after so many heart rates and positions together; never when nil.
    public var count: Int?

    public init(
        sensor: SensorAddress? = nil, transport: SensorTransport = .auto, gpsd: GPSDAddress? = nil, seconds: Int? = nil,
        count: Int? = nil
    ) {
        self.sensor = sensor
        self.transport = transport
        self.gpsd = gpsd
        self.seconds = seconds
        self.count = count
    }
}

/// Shows the live sources without storing anything: `write` gets one JSON object a line (without its end) until a limit of `options`
/// is reached or the task is cancelled; it must not keep a line back. `time` is in milliseconds since boot, `utc` since 1970.
public func watch(_ options: WatchOptions, machine: Machine = .system, write: (String) -> Void) async throws {
    let (lines, continuation) = AsyncThrowingStream.makeStream(
        of: WatchLine.self, throwing: (any Error).self, bufferingPolicy: .bufferingOldest(4096))
    let show: @Sendable (WatchLine) -> Void = { line in
        guard case .dropped = continuation.yield(line) else { return }
        continuation.finish(
            throwing: SourceProblem(
                what: "The output is read too slowly", advice: "Let its reader keep up, or write it to a file", retries: false))
    }
    let report: @Sendable (SourceProblem) -> Void = { show(WatchLine($0)) }
    let heartRate = options.sensor.map { address in
        HeartRateSource(configuration: .init(address: address, transport: options.transport), report: report) { show(WatchLine($0)) }
    }
    let position = options.gpsd.map { address in
        GPSDSource(configuration: .init(address: address), report: report) { show(WatchLine($0)) }
    }
    defer {
        heartRate?.stop()
        position?.stop()
    }
    try heartRate?.start()
    try position?.start()
    let timer = options.seconds.map { seconds in
        machine.start {
            guard (try? await machine.sleep(for: .seconds(seconds))) != nil else { return }
            continuation.finish()
        }
    }
    defer { timer?.cancel() }
    var samples = 0
    for try await line in lines {
        write(line.text)
        samples += line.isSample ? 1 : 0
        if let count = options.count, samples >= count { return }
    }
}

/// One event as a JSON object.
private struct WatchLine: Sendable {
    var text: String
    var isSample = false

    init(_ problem: SourceProblem) {
        text = Self.object("problem", [("what", problem.what.quotedForJSON), ("advice", problem.advice.quotedForJSON)])
    }

    init(_ event: HeartRateEvent) {
        switch event {
        case .connected(let time): text = Self.object("connected", [("time", "\(time)"), ("source", "heart-rate".quotedForJSON)])
        case .measurement(let sample):
            isSample = true
            var fields = [
                ("time", "\(sample.time)"), ("bpm", "\(sample.beatsPerMinute)"), ("contact", Self.name(sample.contact).quotedForJSON),
            ]
            if let energy = sample.energyKilojoules { fields.append(("energy", "\(energy)")) }
            fields.append(("rr", "[\(sample.rrIntervals.map(String.init).joined(separator: ","))]"))
            text = Self.object("heart-rate", fields)
        case .battery(let percent, let time): text = Self.object("battery", [("time", "\(time)"), ("percent", "\(percent)")])
        case .bodyLocation(let code, let time): text = Self.object("body-location", [("time", "\(time)"), ("code", "\(code)")])
        case .charging(let isCharging, let time):
            text = Self.object("charging", [("time", "\(time)"), ("charging", isCharging.map(String.init) ?? "null")])
        case .reading(let reading):
            isSample = true
            let time = ("time", "\(reading.time)")
            switch reading.kind {
            case .bodyTemperature: text = Self.object("temperature", [time, ("hundredths", "\(reading.value)")])
            case .cadence: text = Self.object("cadence", [time, ("perMinute", "\(reading.value / 10)")])
            default: text = Self.object("reading", [time] + reading.jsonFields)
            }
        case .lost(let problem, let time): text = Self.lost(problem, "heart-rate", time)
        }
    }

    init(_ event: PositionEvent) {
        switch event {
        case .connected(let time): text = Self.object("connected", [("time", "\(time)"), ("source", "position".quotedForJSON)])
        case .fix(let sample, let utc):
            isSample = true
            var fields = [("time", "\(sample.time)")]
            if let utc { fields.append(("utc", "\(utc)")) }
            fields += [("lat", "\(sample.latitudeDegrees)"), ("lon", "\(sample.longitudeDegrees)")]
            if let altitude = sample.altitude { fields.append(("alt", "\(Double(altitude) / 10)")) }
            if let speed = sample.speed { fields.append(("speed", "\(Double(speed) / 100)")) }
            if let course = sample.course { fields.append(("course", "\(Double(course) / 100)")) }
            if let error = sample.horizontalError { fields.append(("error", "\(Double(error) / 10)")) }
            text = Self.object("position", fields + [("mode", "\(sample.mode.rawValue)")])
        case .noFix(let time): text = Self.object("no-fix", [("time", "\(time)")])
        case .stale(let age, let time): text = Self.object("stale", [("time", "\(time)"), ("age", "\(age)")])
        case .lost(let problem, let time): text = Self.lost(problem, "position", time)
        }
    }

    private static func lost(_ problem: SourceProblem, _ source: String, _ time: Milliseconds) -> String {
        object(
            "lost",
            [
                ("time", "\(time)"), ("source", source.quotedForJSON), ("what", problem.what.quotedForJSON),
                ("advice", problem.advice.quotedForJSON),
            ])
    }

    private static func name(_ contact: SensorContact) -> String {
        switch contact {
        case .unsupported: "unsupported"
        case .notDetected: "not-detected"
        case .detected: "detected"
        }
    }

    private static func object(_ type: String, _ fields: [(name: String, value: String)]) -> String {
        "{\"type\":\(type.quotedForJSON)" + fields.map { ",\"\($0.name)\":\($0.value)" }.joined() + "}"
    }
}
