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
    /// Those that are listened to beside it, and what they told.
    var otherSensors: [PersonID: [OtherSensor]] = [:]
    /// The last position that was recorded while nobody is tracked.
    var lastUntracked: [PersonID: Milliseconds] = [:]
    var recording: CaptureFiles?
    /// Why the last one stopped by itself; nil when it did not, or was asked for.
    var recordingProblem: SourceProblem?
    var glance = BufferSnapshot()
    /// Under way, or over, as long as the recorder does not come back.
    var diskTest: DiskTest?
    /// Of the whole box, told and not over.
    var boxNotices: Set<Notice> = []
    let settingsFile: SettingsFile
    // AutomatedSOS, in the folder SOS.
    var watchings: [PersonID: SOSStation]
    var callers: [PersonID: any LocalCalling] = [:]
    /// With which they call.
    var plans: [PersonID: LocalAlarm.Plan] = [:]
    var messages: [PersonID: SOSMessages] = [:]
    let callEvents = CallEvents()
    var calling: Task<Void, Never>?
    var sosTimer: Task<Void, Never>?
    /// When ``sosTimer`` rings.
    var scheduled: Milliseconds?
    /// The settings of AutomatedSOS, also against those of a hub that was restored.
    var heldSettings: HeldSettings
    /// They were made for a detector of before: fetched anew once, whatever their version.
    var areSettingsOld: Bool
    var isFetchingSettings = false
    let sosSettingsFile: SOSSettingsFile
    let sosStateFile: NewestFile<SOSState>
    var modem = ModemSnapshot()
    var hooksGlance = HooksGlance()
    /// What tests and attempts showed of them.
    var ways: BoxWays
    let hookProofsFile: HookProofsFile
    /// Where people were last, also before this start.
    var lastPlaces: [PersonID: StoredPosition] = [:]
    let lastPlaceFile: NewestFile<[StoredPosition]>
    var isLookingAtHooks = false
    let detectorGuard = StallDetector()
    /// When the box came back from standing still.
    var stoodStill: Milliseconds?
    var sleep = MachineSleep()
    // Check-ins, in the folder CheckIns.
    var checkIns = CheckIns()
    let checkInsFile: CheckInsFile
    var watchers = StatusWatchers()

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
        watchings = Self.watchings(identity, parts.sos, configuration.language, clock)
        heldSettings = HeldSettings(parts.sos.settings)
        areSettingsOld = parts.sos.settings.map { $0.detector == nil } ?? false
        sosSettingsFile = SOSSettingsFile(directory, logger: logger)
        sosStateFile = SOSStateFile.writer(directory, logger: logger)
        ways = BoxWays(hooks: parts.sos.hookProofs)
        hookProofsFile = HookProofsFile(directory, logger: logger)
        lastPlaceFile = LastPlaceFile.writer(directory, logger: logger)
        for place in parts.sos.places { lastPlaces[place.person] = place }
        checkInsFile = CheckInsFile(directory, logger: logger)
        for person in identity.persons {
            monitors[person.person] = PersonMonitor(configuration: configuration.monitor, at: clock.boottime())
        }
    }
}
