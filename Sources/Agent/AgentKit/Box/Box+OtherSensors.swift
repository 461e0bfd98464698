internal import BlueZ
internal import Logging
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// A sensor beside the one that tells the heart rate: what it told last. It never says that anybody is, or is not, well; that it is silent or
/// away is nothing but that.
struct OtherSensor: Sendable, Hashable {
    /// What it measured is shown for so long, in milliseconds; then it is silent. A pod tells each second, a thermometer or a scale now and then.
    static let streamShown: Milliseconds = 20_000, onceShown: Milliseconds = 600_000

    let address: SensorAddress
    var isConnected = false
    var batteryPercent: Int?
    var problem: SourceProblem?
    private var latest: ScalarSample?

    init(address: SensorAddress) { self.address = address }

    mutating func take(_ event: HeartRateEvent) {
        switch event {
        case .connected: (isConnected, problem) = (true, nil)
        case .lost(let problem, _): (isConnected, self.problem) = (false, problem)
        case .battery(let percent, _): batteryPercent = Int(percent)
        case .reading(let reading): (isConnected, problem, latest) = (true, nil, reading)
        case .measurement, .bodyLocation, .charging: break
        }
    }

    /// The last reading; nil where it is too old to say anything of now.
    func reading(at now: Milliseconds) -> ScalarSample? {
        guard let latest else { return nil }
        let shown = latest.kind == .cadence ? Self.streamShown : Self.onceShown
        return now - latest.time <= shown ? latest : nil
    }
}

extension Box {
    /// What is to be listened to beside the heart rates, from now on. What was known of a sensor that stays is kept.
    func chooseOtherSensors() -> [PersonID: [SensorAddress]] {
        var chosen: [PersonID: [SensorAddress]] = [:]
        for person in identity.persons.map(\.person) {
            let addresses = (settings[person].others ?? []).map(\.address), before = otherSensors[person] ?? []
            chosen[person] = addresses
            otherSensors[person] = addresses.map { address in before.first { $0.address == address } ?? OtherSensor(address: address) }
        }
        return chosen
    }

    /// What a sensor told that is not the strap: nothing where it was one before.
    func takeOther(_ event: HeartRateEvent, of person: PersonID, from sensor: SensorAddress) {
        guard let index = otherSensors[person]?.firstIndex(where: { $0.address == sensor }) else { return }
        otherSensors[person]?[index].take(event)
        if case .lost(let problem, _) = event { logger.notice("beside the heart rate: \(problem)") }
        // They are health data as the heart rate is, and collected with it.
        guard case .reading = event, settings[person].kinds.heartRate, !isPaused(person) else { return }
        watch(event, of: person)
        parts.queue.put(.heartRate(event, person))
        note(event, of: sensor)
    }

    func otherSensorStates(of person: PersonID) -> [BoxStatus.OtherSensorState]? {
        let now = clock.boottime(), names = settings[person].others ?? []
        let states = (otherSensors[person] ?? []).map { sensor in
            var state = BoxStatus.OtherSensorState(
                address: sensor.address, name: names.first { $0.address == sensor.address }?.name, isConnected: sensor.isConnected,
                batteryPercent: sensor.batteryPercent, problem: sensor.problem?.description)
            guard let reading = sensor.reading(at: now) else { return state }
            (state.kind, state.value, state.second) = (reading.kind.name, reading.kind.entry.text(of: reading.value), reading.second)
            state.temperature = reading.kind == .bodyTemperature ? Int(reading.value) : nil
            state.cadence = reading.kind == .cadence ? Int(reading.value / 10) : nil
            state.time = reading.time
            return state
        }
        return states.isEmpty ? nil : states
    }
}
