import Alerts
import Foundation
import Glibc
public import HubStore
import Seams
public import Vitals

/// The looks at a running hub, made of what it stands on.
public struct HealthLooks: Sendable {
    private let directory: HubDirectory
    private let databases: [WatchedDatabase]
    private let backlogs: BacklogStore
    private let accounts: AccountStore
    private let runs: RunsStore
    private let merger: SeriesMerger
    private let sos: SOSService
    private let time: MonotonicUTC
    private let now: @Sendable () -> Milliseconds
    /// Each of its works has a thread of its own: one that hangs holds up none.
    private let queue: WorkQueue
    private let machine: Machine

    /// What is written to see how long the disk takes.
    static let probe = "health-probe"
    /// Folder and file of systemd-timesyncd: the second is there once it has set the clock. To ask the kernel is forbidden where setting it is.
    static let timesync = "/run/systemd/timesync", synchronized = timesync + "/synchronized"
    /// Later than this a timer is very late, milliseconds.
    static let veryLate: Milliseconds = 600_000

    /// - Parameters:
    ///   - time: of what must not go back, over `now`.
    ///   - now: the clock, UTC milliseconds.
    public init(
        _ directory: HubDirectory, accounts: AccountStore, series: SeriesStore, runs: RunsStore, sos: SOSService, time: MonotonicUTC,
        now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.directory, self.accounts, self.runs, self.sos) = (directory, accounts, runs, sos)
        (self.time, self.now, merger, machine) = (time, now, series.merger, accounts.machine)
        databases = WatchedDatabase.all(accounts: accounts, series: series, sos: sos.store, runs: runs)
        backlogs = BacklogStore(accounts)
        queue = BlockingQueue.health.made(on: machine, isConcurrent: true)
    }

    /// - Parameter certificateEnd: of the certificate that is shown, UTC milliseconds; nil without TLS.
    public func all(certificateEnd: @escaping @Sendable () -> Milliseconds?) -> [HealthLook] {
        let now = now, ways = sos.ways, merger = merger
        return stored + [
            HealthLook(.mail) { .ways("mail", "Mails", none: "None was sent yet.", ways.all) },
            HealthLook(.texts) { .ways("text", "Text messages", none: "hub.sms.command is not set: the hub sends none.", ways.all) },
            HealthLook(.rooms) { .ways("room", "Control rooms", none: "hub.sos.rooms names none.", ways.all) },
            HealthLook(.certificate) { .certificate(end: certificateEnd(), now: now()) },
            HealthLook(.merges) {
                let (segments, oldest) = merger.backlog
                return .merges(segments, oldest: oldest, now: now())
            },
        ] + waiting
    }

    /// Of the disk and the clock.
    private var stored: [HealthLook] {
        let path = directory.url.path, probe = directory.path(Self.probe), files = machine.files, machine = machine, queue = queue
        let databases = databases, time = time
        return [
            HealthLook(.disk) { await queue.run { .disk(files.room(at: path)) } },
            HealthLook(.sync) {
                await queue.run {
                    let start = machine.uptime
                    do throws(FileProblem) { try files.write(Array("This file may go.\n".utf8), to: probe, mode: 0o600) } catch {
                        return .sync(.failure(error))
                    }
                    return .sync(.success(machine.uptime - start))
                }
            },
            HealthLook(.databases) {
                await withTaskGroup(of: (Int, HealthFinding.Written).self) { group in
                    for (place, database) in databases.enumerated() {
                        group.addTask { (place, await queue.run { Self.written(database, machine) }) }
                    }
                    let all = await group.reduce(into: [(Int, HealthFinding.Written)]()) { $0.append($1) }
                    return .databases(all.sorted { $0.0 < $1.0 }.map(\.1))
                }
            },
            HealthLook(.clock) {
                let isSynchronized = files.exists(Self.timesync) ? files.exists(Self.synchronized) : nil
                return .clock(lead: time.lead, isSynchronized: isSynchronized)
            },
        ]
    }

    private static func written(_ database: WatchedDatabase, _ machine: Machine) -> HealthFinding.Written {
        let start = machine.uptime
        var problem: String?
        do { try database.tryWriting() } catch { problem = "\(error)" }
        let sizes = database.paths.compactMap { machine.files.facts($0)?.size }
        return .init(
            name: database.name, wait: machine.uptime - start, problem: problem, bytes: sizes.isEmpty ? nil : sizes.reduce(0, +))
    }

    /// Of what waits in databases.
    private var waiting: [HealthLook] {
        let backlogs = backlogs, accounts = accounts, runs = runs, now = now, time = time
        return [
            look(.mails) {
                let (count, oldest) = try backlogs.mails()
                return .mails(count, oldest: oldest, now: now())
            },
            look(.webhooks) {
                let (deliveries, due) = try backlogs.webhooks()
                return .webhooks(deliveries, due: due, now: now())
            },
            look(.timers) {
                let now = time.now, ofRuns = runs.timers
                let late = try accounts.timers.lateTimers(by: TimerService.lateMax, now: now)
                let runsLate = try ofRuns.lateTimers(by: RunTimerService.lateTold, now: now)
                let veryLate = try accounts.timers.lateTimers(by: Self.veryLate, now: now) + ofRuns.lateTimers(by: Self.veryLate, now: now)
                return .timers(late: late + runsLate, veryLate: veryLate)
            },
        ]
    }

    /// A look that reads a database.
    private func look(_ check: HealthCheck, _ read: @escaping @Sendable () throws -> HealthFinding) -> HealthLook {
        let queue = queue
        return HealthLook(check) {
            do { return try await queue.run(read) } catch {
                return HealthFinding(.failing, "It cannot be read (\(error)): look at the databases.")
            }
        }
    }

    /// Figures that are known without a look.
    public func figures() -> [MetricSample] { [MetricSample(.clock, Double(now()) / 1000)] + wayFigures + sosFigures + processFigures }

    private var wayFigures: [MetricSample] {
        let kinds = Dictionary(grouping: sos.ways.all, by: \.way.kind).sorted { $0.key < $1.key }
        return kinds.flatMap { kind, ways in
            [MetricSample(.ways, ways.count, kind), MetricSample(.waysFailing, ways.count(where: \.health.isFailing), kind)]
        }
    }

    private var sosFigures: [MetricSample] {
        let cases = SOSCounts(sos), faults = sos.faults
        return [
            MetricSample(.sosWorking, faults.contains(where: \.isOfHub) ? 0 : 1), MetricSample(.sosCases, cases.open),
            MetricSample(.sosUnreached, cases.unreached), MetricSample(.sosUnreachedAge, Double(cases.oldest) / 1000),
            MetricSample(.sosUnserved, sos.reachability.unreached.count),
        ]
    }

    private var processFigures: [MetricSample] {
        var figures: [MetricSample] = [], used = rusage(), most = rlimit()
        if getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &used) == 0 {
            let seconds = [used.ru_utime, used.ru_stime].reduce(0.0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1_000_000 }
            figures.append(MetricSample(.processCPU, seconds))
        }
        // In pages: all, resident, …
        if let pages = try? machine.files.read("/proc/self/statm"), let resident = Self.word(1, of: pages) {
            figures.append(MetricSample(.processMemory, resident * Int(sysconf(Int32(_SC_PAGESIZE)))))
        }
        if let names = try? machine.files.names(in: "/proc/self/fd") { figures.append(MetricSample(.processFiles, names.count)) }
        if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &most) == 0 {
            figures.append(MetricSample(.processFilesMax, Double(most.rlim_cur)))
        }
        return figures
    }

    private static func word(_ place: Int, of bytes: [UInt8]) -> Int? {
        let words = String(decoding: bytes, as: UTF8.self).split(separator: " ")
        return words.indices.contains(place) ? Int(words[place]) : nil
    }
}
