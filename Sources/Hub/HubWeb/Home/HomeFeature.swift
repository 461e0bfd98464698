import HubServices
import HubStore
import Hummingbird

/// The page that its reader comes back to.
struct HomeFeature: Sendable {
    private let pages: TodayPages

    init(
        _ core: HubCore, _ consents: ConsentService, _ sos: SOSService, _ care: CareFeature, _ runs: RunServices, _ phones: PhoneService
    ) {
        let history = HistoryService(accounts: core.accounts, series: core.series, now: core.now)
        let records = WorkoutRecords(runs: core.runsStore, accounts: core.accounts, series: core.series, now: core.now)
        pages = TodayPages(
            accounts: core.accounts,
            day: TodayReader(history: history, series: core.series.reader, records: records, now: core.now), sos: sos, care: care.care,
            consents: consents, hospitals: care.hospitals, runs: runs, phones: phones, templates: core.templates,
            reads: ReadPool(readerMax: 4, machine: core.machine), now: core.now)
    }

    func routes(_ router: some RouterMethods<HubContext>) { pages.routes(router) }
}
