internal import BlueZ
internal import Logging
internal import Monitoring
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// To which sensors the box listens.
@BoxActor
final class SensorListening {
    private let context: BoxContext
    private let choices: BoxChoices
    private let monitors: PersonMonitors
    private let monitoring: MonitorRunner
    private let sos: AutomatedSOS
    private let sources: LiveSources
    private let queue: SampleQueue
    private let recording: SensorRecording
    /// The sensor that is listened to.
    private(set) var addresses: [PersonID: SensorAddress] = [:]
    /// Those that are listened to beside it, and what they told.
    private var others: [PersonID: [OtherSensor]] = [:]

    init(
        _ context: BoxContext, _ choices: BoxChoices, _ monitors: PersonMonitors, _ monitoring: MonitorRunner, _ sos: AutomatedSOS,
        _ sources: LiveSources, _ queue: SampleQueue, _ recording: SensorRecording
    ) {
        (self.context, self.choices, self.monitors, self.monitoring, self.sos) = (context, choices, monitors, monitoring, sos)
        (self.sources, self.queue, self.recording) = (sources, queue, recording)
    }

    /// The sensor that was chosen before.
    func begin(_ person: PersonID, at now: Milliseconds) {
        addresses[person] = choices[person].sensor
        monitoring.handle(.sensorChosen(addresses[person] != nil), of: person, at: now)
    }

    /// Listens to the chosen sensors, and to no other.
    func listen() throws(SourceProblem) {
        for person in context.people where choices[person].sensor != addresses[person] {
            let now = context.clock.boottime(), old = addresses[person]
            addresses[person] = choices[person].sensor
            if let old { lose(old, of: person, at: now) }
            monitoring.handle(.sensorChosen(addresses[person] != nil), of: person, at: now)
        }
        try sources.use(addresses, others: chooseOthers())
    }

    /// The series and the recording say where the readings of a sensor end.
    private func lose(_ sensor: SensorAddress, of person: PersonID, at now: Milliseconds) {
        let problem = SourceProblem(
            what: "The sensor \(sensor) is not used any more", advice: "Wear the one that was chosen", retries: false)
        let event = HeartRateEvent.lost(problem, time: now)
        sos.watch(event, of: person)
        queue.put(.heartRate(event, person))
        recording.note(event, of: sensor)
    }

    // MARK: - Beside the heart rate

    /// Sensors to listen to beside the heart rates, from now on. The knowledge of a sensor that stays is kept.
    private func chooseOthers() -> [PersonID: [SensorAddress]] {
        var chosen: [PersonID: [SensorAddress]] = [:]
        for person in context.people {
            let addresses = (choices[person].others ?? []).map(\.address), before = others[person] ?? []
            chosen[person] = addresses
            others[person] = addresses.map { address in before.first { $0.address == address } ?? OtherSensor(address: address) }
        }
        return chosen
    }

    /// What a sensor told that is not the strap: nothing where it was one before.
    func takeOther(_ event: HeartRateEvent, of person: PersonID, from sensor: SensorAddress) {
        guard let index = others[person]?.firstIndex(where: { $0.address == sensor }) else { return }
        others[person]?[index].take(event)
        if case .lost(let problem, _) = event { context.logger.notice("beside the heart rate: \(problem)") }
        // They are health data as the heart rate is, and collected with it.
        guard case .reading = event, choices[person].kinds.heartRate, !monitors.isPaused(person) else { return }
        sos.watch(event, of: person)
        queue.put(.heartRate(event, person))
        recording.note(event, of: sensor)
    }

    func otherStates(of person: PersonID) -> [BoxStatus.OtherSensorState]? {
        let now = context.clock.boottime(), names = choices[person].others ?? []
        let states = (others[person] ?? []).map { sensor in
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
