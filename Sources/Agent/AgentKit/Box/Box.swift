internal import BlueZ
internal import Logging
internal import Monitoring
internal import Peripherals
internal import SampleBuffer
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The running agent's state of sensors, persons and itself, and the one place where that is decided: events go in, samples go to the
/// queue, notices to whoever shows or speaks them. It never waits for the disk or for the hub.
///
/// Each part owns one matter, and is handed those that it needs: they stand here in that order, and no part knows one below it.
@BoxActor
final class Box {
    nonisolated let context: BoxContext
    nonisolated let parts: BoxParts
    nonisolated let stallDetector = StallDetector()
    var power = PowerState()
    /// The last position that was recorded while nobody is tracked.
    var lastUntracked: [PersonID: Milliseconds] = [:]

    // State that is known when the box is made.
    let choices: BoxChoices
    let monitors: PersonMonitors
    let stations: SOSStations

    private(set) lazy var publisher = StatusPublisher(on: context.clock.machine) { [weak self] in self?.status() }
    private(set) lazy var chain = DeliveryChain(context, parts, publisher)
    private(set) lazy var recording = SensorRecording(context, publisher)
    private(set) lazy var checkIns = CheckInAnswers(context, parts.sync, parts.checkIns, publisher)

    // AutomatedSOS: what it has and knows, what it tells, and what it does.
    private(set) lazy var means = LocalMeans(context, stations, proofs: parts.sos.hookProofs)
    private(set) lazy var places = LastPlaces(context, choices, stations, kept: parts.sos.places)
    private(set) lazy var calls = LocalCalls(context, choices, stations, means, places, parts.sos)
    private(set) lazy var sosSettings = SOSSettingsStore(context, kept: parts.sos.settings)
    private(set) lazy var protection = SOSProtection(context, stations, monitors, means, sosSettings)
    private(set) lazy var reports: SOSReports = SOSReports(
        context, choices, stations, places, means, sosSettings, protection, parts.sos.hub, stallDetector
    ) { [weak self] answer, report in
        // The one way up: what the hub answers is not the matter of whoever tells it something.
        self?.hubAnswers.heard(answer, to: report)
    }
    private(set) lazy var notices = SOSNotices(context, stations, means, calls)
    private(set) lazy var sos = AutomatedSOS(
        context, stations, means, places, calls, protection, reports, notices, publisher, stallDetector)

    // Events from sensors, the hub, the modem and people.
    private(set) lazy var monitoring = MonitorRunner(context, choices, monitors, sos, parts.queue)
    private(set) lazy var sensors = SensorListening(
        context, choices, monitors, monitoring, sos, parts.sources, parts.queue, recording)
    private(set) lazy var hubPresses = HubPresses(context, stations, sos, monitoring)
    private(set) lazy var drills = SOSDrills(context, stations, means, places, calls, hubPresses, publisher, parts.sos.hub)
    private(set) lazy var hubAnswers: SOSHubAnswers = SOSHubAnswers(
        context, stations, sos, sosSettings, hubPresses, drills, publisher, parts.sos.hub)
    private(set) lazy var callOutcomes = CallOutcomes(context, stations, means, sos, notices, drills, publisher)
    private(set) lazy var presses = PressRequests(context, monitors, stations, means, sos, monitoring, parts.recorder, publisher)
    private(set) lazy var entries = EntryRequests(context, parts.recorder)
    private(set) lazy var flags = FlagRequests(context, stations, sos, parts.recorder, publisher)
    private(set) lazy var choosing = ChoiceRequests(
        context, choices, monitors, stations, places, monitoring, sensors, publisher)

    nonisolated init(
        identity: Identity, settings: BoxSettings, configuration: AgentConfiguration, directory: StateDirectory, clock: BoxClock,
        boot: BootID, parts: BoxParts, logger: Logger
    ) {
        let context = BoxContext(
            identity: identity, configuration: configuration, directory: directory, boot: boot, clock: clock, time: parts.time,
            announcer: parts.announcer, logger: logger)
        (self.context, self.parts) = (context, parts)
        choices = BoxChoices(settings, in: directory, logger: logger)
        stations = SOSStations(SOSStations.ofPeople(identity, parts.sos, configuration.language, clock), context)
        monitors = PersonMonitors(context.people, configuration.monitor, at: clock.boottime())
    }
}
