import HubServices
import HubStore
import Hummingbird
import Seams

/// A person's own data: how they are, how much there is, downloading and deleting it, and what sends it; and places nearby.
struct OwnDataFeature: Sendable {
    let core: HubCore
    let quota: Quota
    private let consents: ConsentService
    let imports: ImportService
    /// The workouts of people, and what looks for them.
    private let records: WorkoutRecords
    let search: WorkoutSearch
    private let devices: DeviceIngest
    private let upload: ECGUpload
    private let sos: SOSService

    init(_ core: HubCore, _ consents: ConsentService, _ ingest: IngestFeature, _ sos: SOSService) {
        (self.core, self.consents, devices, self.sos) = (core, consents, ingest.devices, sos)
        quota = Quota(
            accounts: core.accounts, space: core.series.space, audit: core.audit, bytesMax: core.configuration.quota,
            paidBytesMax: core.configuration.payments.space)
        upload = ECGUpload(store: core.strips, audit: core.audit, space: quota.bytesMax, now: core.now)
        imports = ImportService(
            store: ImportStore(core.series), devices: core.accounts.devices, ingest: ingest.ingest, ecg: upload, deletion: core.deletion,
            audit: core.audit, folder: core.directory.path("imports"), bytesMax: core.configuration.imports.max, logger: core.logger,
            now: core.now)
        records = WorkoutRecords(runs: core.runsStore, accounts: core.accounts, series: core.series, now: core.now)
        search = WorkoutSearch(
            records: records, machine: core.machine, logger: core.logger,
            wearer: WorkoutWearers(
                accounts: core.accounts, history: HistoryService(accounts: core.accounts, series: core.series, now: core.now),
                now: core.now
            ).wearer)
        core.deletion.whenPartIsCleared { [search] in search.look($0) }
    }

    func routes(_ pages: some RouterMethods<HubContext>, _ ingest: IngestFeature, _ groups: GroupsFeature) throws {
        let (accounts, factors, templates, now) = (core.accounts, core.factors, core.templates, core.now)
        let comparisons = groups.comparisons(core)
        let leaving = Leaving(accounts: accounts, consents: consents, runs: core.runsStore, deletion: core.deletion, now: now)
        MyDataPages(
            accounts: accounts, quota: quota, deletion: core.deletion, leaving: leaving, factors: factors, templates: templates,
            isForSale: core.configuration.payments.isEnabled, now: now
        ).routes(pages)
        LeavePages(
            accounts: accounts, runs: core.runsStore, sos: core.sosStore, leaving: leaving, audit: core.audit, factors: factors,
            templates: templates, now: now
        ).routes(pages)
        HealthPages(
            accounts: accounts, consents: consents,
            history: HistoryService(accounts: accounts, series: core.series, days: core.runsStore.workoutRecords, now: now),
            export: core.export, templates: templates, reads: ReadPool(readerMax: 4, machine: core.machine),
            protection: { [views = sos.views] in try views.view(of: $0) },
            peers: { [comparisons] in try comparisons.comparisons(of: $0, HealthPeers.kinds, on: $1) }, logger: core.logger, now: now
        ).routes(pages)
        let workouts = WorkoutRecordPages(
            accounts: accounts, records: records, search: search,
            history: HistoryService(accounts: accounts, series: core.series, now: now), templates: templates,
            map: core.map, reads: ReadPool(readerMax: 4, machine: core.machine), now: now)
        workouts.routes(pages)
        TracksPages(workouts: workouts, consents: consents).routes(pages)
        EntryPages(
            accounts: accounts, entry: ManualEntry(devices: devices, now: now), deletion: core.deletion, series: core.series.reader,
            templates: templates, now: now
        ).routes(pages)
        ECGPages(
            accounts: accounts, upload: upload, reading: core.ecg, store: core.strips, deletion: core.deletion, factors: factors,
            audit: core.audit,
            views: ECGViews(templates: templates), now: now
        ).routes(pages)
        ImportPages(accounts: accounts, imports: imports, factors: factors, templates: templates, now: now).routes(pages)
        ExportPages(
            accounts: accounts, runs: core.runsStore, sos: core.sosStore, export: core.export, ecg: core.ecg, audit: core.audit,
            factors: factors, templates: templates, jobs: ExportJobs(randomness: core.machine.randomness), url: core.url,
            logger: core.logger, now: now
        ).routes(pages)
        BoxesPages(
            agents: accounts.agents, thinned: accounts.thinned, authenticator: core.authenticator, reports: ingest.boxes,
            settings: ingest.boxSettings, enrolment: ingest.enrolment, devices: Devices(devices: accounts.devices),
            factors: factors, templates: templates, enrolmentAddress: core.enrolmentAddress, now: now
        ).routes(pages)
        BoxSettingsPages(settings: ingest.boxSettings).routes(pages)
        BoxSetUpPages(
            pairings: ingest.pairings, factors: factors, templates: templates, enrolmentAddress: core.enrolmentAddress, now: now
        ).routes(pages)
        PlacesPages(
            places: try PlaceStore(core.directory), consents: consents, series: core.series.reader, care: accounts.care,
            templates: templates, map: core.map, now: now
        ).routes(pages)
    }
}
