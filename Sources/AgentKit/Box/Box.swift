internal import BlueZ
internal import Logging
internal import Monitoring
internal import Peripherals
internal import SampleBuffer
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// What the running agent knows of sensors, persons and itself, and the one place where that is decided: events go in, samples go to the
/// queue, notices to whoever shows or speaks them. It never waits for the disk or for the hub.
actor Box {
    let identity: Identity
    let configuration: AgentConfiguration
    let directory: StateDirectory
    let clock: BoxClock
    let boot: BootID
    let logger: Logger
    let parts: BoxParts

    var settings: BoxSettings
    var monitors: [PersonID: PersonMonitor] = [:]
    var power = PowerState()
    /// The sensor that is listened to.
    var addresses: [PersonID: SensorAddress] = [:]
    /// The last position that was recorded while nobody is tracked.
    var lastUntracked: [PersonID: Milliseconds] = [:]
    var recording: CaptureFiles?
    var glance = BufferGlance()
    /// Of the whole box, told and not over.
    var boxNotices: Set<Notice> = []
    let settingsFile: SettingsFile
    var watchers: [Int: AsyncStream<BoxStatus>.Continuation] = [:]
    var nextWatcher = 0
    var shown: BoxStatus?

    init(
        identity: Identity, settings: BoxSettings, configuration: AgentConfiguration, directory: StateDirectory, clock: BoxClock,
        boot: BootID, parts: BoxParts, logger: Logger
    ) {
        self.identity = identity
        self.settings = settings
        self.configuration = configuration
        self.directory = directory
        self.clock = clock
        self.boot = boot
        self.parts = parts
        self.logger = logger
        settingsFile = SettingsFile(directory, logger: logger)
        for person in identity.persons {
            monitors[person.person] = PersonMonitor(configuration: configuration.monitor, at: clock.boottime())
        }
    }
}
