import HubStore
import Logging
import Seams
import Vitals

/// One subject of AutomatedSOS. All of them share the lock, the cases and the ways out of one ``SOSService``; none keeps anything of its own.
protocol SOSSubject: Sendable {
    /// Decides and stores.
    var sos: SOSService { get }
}

extension SOSSubject {
    typealias State = SOSService.State

    var store: SOSStore { sos.store }
    var pages: SOSBus { sos.pages }
    var crewIndex: CrewIndex { sos.crewIndex }
    var accounts: AccountStore { sos.accounts }
    var detectionReader: DetectionReader { sos.detectionReader }
    var emergencyReader: EmergencyReader { sos.emergencyReader }
    var bus: LiveBus { sos.bus }
    var outlets: SOSOutlets { sos.outlets }
    var ways: WayMonitor { sos.ways }
    var logger: Logger { sos.logger }
    var clock: MonotonicUTC { sos.clock }
    var writer: SOSWriter { sos.writer }
    var notices: WorkQueue { sos.notices }
    var machine: Machine { sos.machine }
    var randomness: Randomness { sos.randomness }

    /// The time of all that stands in a case.
    func now() -> Milliseconds { sos.now() }
}

// MARK: Each subject from another

extension SOSService {
    public var addressees: SOSAddressees { SOSAddressees(sos: self) }
    public var reachability: SOSReachability { SOSReachability(sos: self) }
    var sending: SOSSending { SOSSending(sos: self) }
    var owedNotices: SOSOwedNotices { SOSOwedNotices(sos: self) }
    public var restoredSettings: SOSRestoredSettings { SOSRestoredSettings(sos: self) }
    public var crews: SOSCrews { SOSCrews(sos: self) }
    public var homes: SOSHomes { SOSHomes(sos: self) }
    public var positions: SOSPositions { SOSPositions(sos: self) }
    var detection: SOSDetection { SOSDetection(sos: self) }
    public var inactivity: SOSInactivity { SOSInactivity(sos: self) }
    public var helpers: SOSHelpers { SOSHelpers(sos: self) }
    var owners: SOSOwners { SOSOwners(sos: self) }
    public var drills: SOSDrills { SOSDrills(sos: self) }
    var chain: SOSChain { SOSChain(sos: self) }
    public var choices: SOSChoices { SOSChoices(sos: self) }
    var baselines: SOSBaselines { SOSBaselines(sos: self) }
    public var strictRights: SOSStrictRights { SOSStrictRights(sos: self) }
    public var preparation: SOSPreparation { SOSPreparation(sos: self) }
    public var reports: SOSReports { SOSReports(sos: self) }
    public var boxSettings: SOSBoxSettings { SOSBoxSettings(sos: self) }
    public var presses: SOSPresses { SOSPresses(sos: self) }
    public var views: SOSViews { SOSViews(sos: self) }
    var resumption: SOSResumption { SOSResumption(sos: self) }
}

extension SOSSubject {
    var addressees: SOSAddressees { sos.addressees }
    var reachability: SOSReachability { sos.reachability }
    var sending: SOSSending { sos.sending }
    var owedNotices: SOSOwedNotices { sos.owedNotices }
    var restoredSettings: SOSRestoredSettings { sos.restoredSettings }
    var crews: SOSCrews { sos.crews }
    var positions: SOSPositions { sos.positions }
    var detection: SOSDetection { sos.detection }
    var inactivity: SOSInactivity { sos.inactivity }
    var helpers: SOSHelpers { sos.helpers }
    var owners: SOSOwners { sos.owners }
    var drills: SOSDrills { sos.drills }
    var chain: SOSChain { sos.chain }
    var choices: SOSChoices { sos.choices }
    var baselines: SOSBaselines { sos.baselines }
    var boxSettings: SOSBoxSettings { sos.boxSettings }
    var presses: SOSPresses { sos.presses }
    var views: SOSViews { sos.views }
    var resumption: SOSResumption { sos.resumption }
}
