import Dispatch
public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
public import Vitals

/// Work that a hub does by itself: merging, rolling up, clearing what was deleted, keeping everybody within their space, signing the audit log, forgetting
/// accounts that nobody confirmed, and noticing what other processes changed.
public struct Maintenance: Service {
    private let accounts: AccountStore
    private let merger: SeriesMerger
    private let rollups: RollupStore
    private let authenticator: Authenticator
    private let deletion: Deletion
    private let quota: Quota
    private let workouts: WorkoutSearch?
    private let groups: GroupClosing?
    private let audit: AuditLog
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    /// It takes seconds. One for all: what writes the series does not run side by side.
    private let thread: WorkQueue

    /// Segments wait this long for merging: the live ones are read from the journal.
    static let ageMax: Milliseconds = 600_000
    /// An hour is rolled up so long after its end, when most of it was merged.
    static let rollUpAfter: Milliseconds = 900_000
    /// More waiting segments than this are merged at once: each costs about 70 bytes of memory.
    static let segmentsMax = 1_000_000
    /// An account waits this long for its confirmation: 24 hours.
    static let unconfirmedMax: Milliseconds = 86_400_000

    /// A clock so far ahead of the newest row of the audit log is not believed with what it says is over: 30 days.
    static let silenceMax: Milliseconds = 30 * 86_400_000

    public init(
        accounts: AccountStore, merger: SeriesMerger, rollups: RollupStore, authenticator: Authenticator, deletion: Deletion,
        quota: Quota, workouts: WorkoutSearch? = nil, groups: GroupClosing? = nil, audit: AuditLog, logger: Logger,
        now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.accounts, self.merger, self.rollups, self.authenticator) = (accounts, merger, rollups, authenticator)
        (self.deletion, self.quota, self.workouts, self.groups, self.audit) = (deletion, quota, workouts, groups, audit)
        (self.logger, self.now, thread) = (logger, now, BlockingQueue.merge.made(on: accounts.machine))
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withTaskGroup { group in
                group.addTask { await every(.seconds(1), "looking for revoked agents") { try authenticator.refresh() } }
                group.addTask { await every(.seconds(1), "merging") { try await merge() } }
                group.addTask {
                    await every(.seconds(1), "clearing what was deleted") { try await thread.run { try deletion.work(now: now()) } }
                }
                group.addTask { await every(.seconds(60), "rolling up") { try await rollUp() } }
                group.addTask { await every(.seconds(60), "keeping people within their space") { try await makeRoom() } }
                group.addTask { await every(.seconds(60), "signing the audit log") { try await sign() } }
                group.addTask { await every(.seconds(3600), "forgetting unconfirmed accounts") { try forget() } }
                group.addTask { await every(.seconds(86_400), "sealing names of before") { _ = try PlainNames(accounts).seal() } }
                group.addTask {
                    await every(.seconds(86_400), "reminders of consents") { try accounts.consents.reminders.setMissing(now: now()) }
                }
                group.addTask { await every(.seconds(86_400), "forgetting what is over for years") { try await forgetUsedUp() } }
                group.addTask { await every(.seconds(3600), "forgetting old questions") { try SupportStore(accounts).forget(now: now()) } }
                group.addTask { await every(.seconds(3600), "forgetting old notices") { try accounts.notices.forgetNotices(now: now()) } }
                group.addTask {
                    await every(.seconds(3600), "forgetting mails that were given up") { try FailedMailStore(accounts).forget(now: now()) }
                }
            }
        }
    }

    private func every(_ pause: Duration, _ what: String, _ work: () async throws -> Void) async {
        while !Task.isCancelled {
            do { try await work() } catch {
                logger.error("\(what) failed; it is tried again in \(pause)", metadata: ["error": "\(error)"])
            }
            try? await accounts.machine.sleep(for: pause)
        }
    }

    func merge() async throws {
        let (segments, oldest) = merger.backlog
        guard segments > Self.segmentsMax || oldest.map({ now() - $0 > Self.ageMax }) == true else { return }
        let report = try await thread.run { try merger.merge(now: now()) }
        logger.info(
            "merged", metadata: ["segments": "\(report.segments)", "blocks": "\(report.blocks)", "people": "\(report.people)"])
        for reason in report.quarantined { logger.error("set aside, not merged", metadata: ["what": "\(reason)"]) }
    }

    func rollUp() async throws {
        var settled = 0, some: Int, people: Set<PersonID> = []
        // A look for workouts reads what is due from its samples: it comes when nothing is.
        defer { workouts?.samplesCame(of: people) }
        repeat {
            let found: Set<PersonID>
            (some, found) = try await thread.run {
                var found: Set<PersonID> = []
                let settled = try rollups.build(before: now() - Self.rollUpAfter) { person, hours in
                    found.insert(person)
                    groups?.rolledUp(hours)
                }
                return (settled, found)
            }
            people.formUnion(found)
            settled += some
        } while some > 0 && !Task.isCancelled
        if settled > 0 { logger.debug("rolled up", metadata: ["changes": "\(settled)"]) }
    }

    func makeRoom() async throws {
        for overwritten in try await thread.run({ try quota.enforce(now: now()) }) {
            logger.info("overwrote the oldest", metadata: ["person": "\(overwritten.person)", "bytes": "\(overwritten.bytes)"])
        }
    }

    func sign() async throws {
        guard let checkpoint = try await thread.run({ try audit.checkpointIfDue(now: now()) }) else { return }
        // In the journal as well, which may be sent elsewhere.
        logger.notice("audit log signed", metadata: ["row": "\(checkpoint.row)", "hash": "\(checkpoint.hash)"])
    }

    func forget() throws { try accounts.forgetUnconfirmedAccounts(before: now() - Self.unconfirmedMax, now: now()) }

    func forgetUsedUp() async throws {
        try await thread.run {
            let time = now(), before = time - Retention.lifetime
            if let newest = try audit.newest(), time - newest > Self.silenceMax {
                logger.warning(
                    "forgot nothing of what is over for years: the audit log's newest row is over 30 days old, or the clock is wrong",
                    metadata: ["newest": "\(newest)", "now": "\(time)"])
                return
            }
            let (consents, lines) = try accounts.forgetUsedUp(before: before), rows = try audit.forget(before: before)
            guard consents + lines + rows > 0 else { return }
            logger.notice(
                "forgot what was over for five years", metadata: ["consents": "\(consents)", "lines": "\(lines)", "rows": "\(rows)"])
        }
    }
}
