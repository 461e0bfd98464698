import HubServices
import HubStore
import Hummingbird
import Seams
import ServiceLifecycle

/// Runs, their spectators and results, and workouts.
struct RunsFeature: Sendable {
    let core: HubCore
    let runs: RunServices
    let live: LiveRuns
    let workouts: LiveWorkouts

    init(_ core: HubCore, _ consents: ConsentService) throws {
        self.core = core
        let runs = RunServices(
            store: core.runsStore, accounts: core.accounts, series: core.series.reader, consents: consents, audit: core.audit,
            words: .init(
                site: core.url,
                purpose: { part, name, code, language in
                    Texts.of(language).filled("runPurpose.\(part.rawValue)", ["run": name, "code": code])
                }, stop: { core.stop(core.unsubscribe.token($0)) }),
            obstacles: core.configuration.mapInUse(core.machine.files).obstaclesOrNone(core.logger),
            organisers: try core.configuration.runs.whoOrganises(),
            check: try core.configuration.runs.whichAreChecked(), logger: core.logger, time: core.time)
        let live = LiveRuns(
            store: core.runsStore, accounts: core.accounts, series: core.series.reader, bus: core.bus, logger: core.logger, time: core.time)
        (self.runs, self.live) = (runs, live)
        workouts = LiveWorkouts(
            store: core.runsStore.workouts, accounts: core.accounts, series: core.series.reader, bus: core.bus, logger: core.logger,
            time: core.time, places: live.ownPlaces)
    }

    func routes(_ router: Router<HubContext>, pages: some RouterMethods<HubContext>) {
        RunLiveRoutes(live: live, finder: runs.finder, store: core.runsStore, service: core.service, accounts: core.accounts)
            .routes(router, pages: pages)
        let watch = WatchSite(
            finder: runs.finder, resultService: runs.results, care: core.accounts.care, ledger: core.accounts.ledger,
            templates: core.templates, map: core.configuration.map, address: core.url, time: core.time,
            reads: WatchSite.reads(on: core.machine))
        WatchPages(site: watch, live: live).routes(pages)
        ResultsPages(
            site: watch, pictures: PictureTool(logger: core.logger, machine: core.machine),
            exports: RaceExports(site: watch, export: core.export, logger: core.logger)
        ).routes(pages)
        let site = RunSite(
            finder: runs.finder, enrolments: runs.enrolments, store: core.runsStore, accounts: core.accounts, templates: core.templates,
            map: core.map, address: core.url, time: core.time)
        site.routes(pages, runs)
        WorkoutPages(site: site, workouts: runs.workouts, live: workouts, service: core.service).routes(pages)
    }

    var services: [any Service] { core.executors.background([runs.timers, live, workouts]) }
}
