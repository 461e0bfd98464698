import HubStore
import Logging
import Seams
public import ServiceLifecycle
import Vitals

/// Does what is due about runs: looks each second, also for what became due while no hub ran.
public struct RunTimerService: Service {
    let runsStore: RunsStore
    let store: RunTimerStore
    let notices: RunNoticeStore
    let consents: RunConsentStore
    let checkIns: CheckInService
    let finder: RunFinder
    let logger: Logger
    let time: MonotonicUTC

    /// The wait of failed work for its next try, milliseconds.
    static let lease: Milliseconds = 30_000
    /// People who are told with one commit.
    static let tellBatch = 50
    /// Later than this is told to the operator, milliseconds: telling 5,000 takes most of a minute.
    static let lateTold: Milliseconds = 300_000

    private var now: Milliseconds { time.now }

    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            var released = false, looks = 0
            while !Task.isCancelled {
                do {
                    // This hub is alone in its directory: who held a lease is gone.
                    if !released { try store.releaseTimers() }
                    released = true
                    while !Task.isCancelled, try await fire() > 0 {}
                    looks += 1
                    if looks.isMultiple(of: 60) { try warnOfLate() }
                } catch {
                    logger.error(
                        "looking for what is due about runs failed; it is tried again in a second", metadata: ["error": "\(error)"])
                }
                try? await consents.machine.sleep(for: .seconds(1))
            }
        }
    }

    /// Does what is due now, one slice of each; returns how much that was.
    @discardableResult
    public func fire() async throws -> Int {
        let due = try store.dueTimers(20, lease: Self.lease, now: now)
        var done = 0
        for timer in due {
            await Task.yield()
            // What it logs bears the name of the request that began it.
            if LogTrace.$current.withValue(timer.trace, operation: { fire(timer) }) { done += 1 }
        }
        if let telling = try notices.dueTelling(Self.tellBatch, lease: Self.lease, now: now) {
            try tell(telling)
            done += 1
        }
        if try finder.announceNext() { done += 1 }
        return done
    }

    /// - Returns: whether it was done.
    private func fire(_ timer: RunTimer) -> Bool {
        do {
            guard let run = try runsStore.run(timer.run) else { return false }
            try handle(timer.kind, run)
            return true
        } catch {
            logger.error(
                "something about a run failed; it is tried again in \(Self.lease / 1000) seconds",
                metadata: ["run": "\(timer.run)", "what": "\(timer.kind)", "due": "\(timer.due)", "error": "\(error)"])
            return false
        }
    }

    private func handle(_ kind: RunTimer.Kind, _ run: StoredRun) throws {
        switch kind {
        case .checkIn: try checkIns.askToCheckIn(run)
        case .start:
            guard run.state == .scheduled else { return try store.setTimer(.start, of: run, due: nil) }
            guard now >= run.plan.starts else { return try store.setTimer(.start, of: run, due: run.plan.starts) }
            _ = try checkIns.start(run)
        case .finish:
            guard now >= run.plan.ends else { return try store.setTimer(.finish, of: run, due: run.plan.ends) }
            // A hub that was down over the whole run: who was on the list is decided all the same.
            if run.state == .scheduled { _ = try checkIns.start(run) }
            if try runsStore.move(run.id, to: .finished, now: run.plan.ends) == nil { try store.setTimer(.finish, of: run, due: nil) }
        case .endConsents: try checkIns.endConsents(run)
        case .bringBack: try checkIns.bringBack(run)
        }
    }

    /// At least once: killed between the two commits, some read it twice.
    private func tell(_ telling: RunAnnouncement) throws {
        let run = telling.run
        let arguments = telling.arguments.merging(["run": run.plan.name, "code": run.code]) { own, _ in own }
        try consents.tell(
            telling.kind, arguments, people: telling.people, and: telling.isForOrganiser ? run.organiser.map { [$0] } ?? [] : [], now: now)
        try notices.told(telling, now: now)
    }

    private func warnOfLate() throws {
        let late = try store.lateTimers(by: Self.lateTold, now: now)
        if late > 0 { logger.error("what is due about runs is late", metadata: ["count": "\(late)"]) }
    }
}
