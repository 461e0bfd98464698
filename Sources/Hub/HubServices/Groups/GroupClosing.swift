import Accounts
import Groups
public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Closes the windows of statistics about groups: puts together what everybody contributes, charges them, draws the noise and stores the release.
///
/// Charges are durable before any noise is drawn, and are not made twice; the release, and that the window is closed, are one transaction. Whatever
/// kills the hub in between, a window is released once, with noise that nobody has seen before, and each person has paid for it once.
///
/// A slice of some hundred people at a time: nothing else waits for it.
public final class GroupClosing: Service, Sendable {
    private let accounts: AccountStore
    private let series: SeriesStore
    private let index: AttributeIndex
    private let answers: GroupAnswers
    private let door: GroupDoor
    private let settings: GroupSettings
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let thread: WorkQueue
    private let contributions: WindowContributions
    private let watching: GroupWatching
    private let state = Mutex(State())
    /// Windows of so long ago are released when groups are turned on.
    private let past: Milliseconds
    /// For tests: is told of each step, and kills the hub by throwing.
    private let step: @Sendable (Step) throws -> Void

    enum Step: Sendable, Hashable {
        /// The number of people who are charged.
        case charged(Int)
        case drawn, stored
    }

    private struct State {
        /// Samples that came for windows that were closed, since the last word of it.
        var late = 0
        /// Where windows are closed up to, UTC.
        var closedUpTo: Milliseconds = .min
        var toldLate: Milliseconds?
    }

    /// How often it looks: a subscription's answer comes within a minute of the close.
    static let pause: Duration = .seconds(10)
    /// A window waits so long at most for rollups that are not worked out yet.
    static let waitMax: Milliseconds = 3_600_000
    /// Between slices that are worked out ahead of the close.
    static let rest: Duration = .milliseconds(20)
    /// Between slices that are charged: whoever else writes accounts, alarms above all, comes first.
    static let breath: Duration = .milliseconds(5)
    static let year: Milliseconds = 365 * 86_400_000
    /// People of one transaction, which takes some milliseconds.
    static let slice = 500

    /// - Parameter past: windows that begin so long ago at most are closed; nil for a year.
    public convenience init(
        accounts: AccountStore, series: SeriesStore, index: AttributeIndex, answers: GroupAnswers, door: GroupDoor, settings: GroupSettings,
        logger: Logger, now: @escaping @Sendable () -> Milliseconds, past: Milliseconds? = nil
    ) {
        self.init(
            accounts: accounts, series: series, index: index, answers: answers, door: door, settings: settings, logger: logger, now: now,
            past: past ?? Self.year, step: { _ in })
    }

    init(
        accounts: AccountStore, series: SeriesStore, index: AttributeIndex, answers: GroupAnswers, door: GroupDoor, settings: GroupSettings,
        logger: Logger, now: @escaping @Sendable () -> Milliseconds, past: Milliseconds, contributions: WindowContributions? = nil,
        step: @escaping @Sendable (Step) throws -> Void
    ) {
        (self.accounts, self.series, self.index, self.answers, self.door) = (accounts, series, index, answers, door)
        (self.settings, self.logger, self.now, self.past, self.step) = (settings, logger, now, past, step)
        watching = GroupWatching(accounts: accounts, isEnabled: true, logger: logger, now: now)
        thread = BlockingQueue.groups.made(on: accounts.machine)
        self.contributions = contributions ?? WindowContributions(series: series, index: index)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try await self.work() } catch is CancellationError { return } catch {
                    self.logger.error("closing windows of groups failed; it is tried again", metadata: ["error": "\(error)"])
                }
                try? await self.accounts.machine.sleep(for: Self.pause)
            }
        }
    }

    /// Closes what is to be closed, the oldest window first, and works out ahead what the next one needs.
    public func work() async throws {
        if !index.isWhole { try await thread.run { [index] in try index.rebuild() } }
        let due = try await thread.run { [self] in
            try watching.look()
            return try dueWindows()
        }
        for (number, window) in due.enumerated() {
            // Those before it may have taken hours.
            let held = try await thread.run { [self] in
                try watching.look()
                return try isHeld(window)
            }
            guard !held, !Task.isCancelled, try await close(window, isNewest: number == due.count - 1) else { return }
            if due.count > 1 {
                logger.notice("released a window of groups of the past", metadata: ["done": "\(number + 1)", "of": "\(due.count)"])
            }
        }
        tellLate()
        try await prepare(GroupWindow(settings.budget.window, at: now() - settings.budget.window.milliseconds))
    }

    /// The windows that should be closed and are not, without those that a hub which was lost may have closed. Where windows of another length were
    /// closed, those of this one begin after them.
    func dueWindows() throws -> [GroupWindow] {
        let length = settings.budget.window, releases = accounts.consents.groupReleases, time = now()
        let closed = try Set(releases.closed(length, from: time - past - length.milliseconds, to: time, limit: .max))
        let others = try GroupWindow.Length.allCases.filter { $0 != length }.compactMap {
            try releases.closed($0, from: .min, to: .max, limit: 1).last?.end
        }
        let from = max(time - past, others.max() ?? .min)
        let all = GroupWindow.closed(length, from: from, to: time, delay: settings.closingDelay)
        state.withLock { $0.closedUpTo = closed.map(\.end).max() ?? .min }
        return try all.filter { try !closed.contains($0) && !isHeld($0) }
    }

    /// Whether a hub that was lost may have closed it.
    private func isHeld(_ window: GroupWindow) throws -> Bool {
        try accounts.consents.groupWatch.doubt().map { window.closes(after: settings.closingDelay) <= $0 } ?? false
    }

    // MARK: Late data

    /// Is told of hours whose rollups were worked out: what changes a closed window is counted, and changes nothing in it.
    /// - Parameter hours: since 1970.
    public func rolledUp(_ hours: ClosedRange<Int64>) {
        state.withLock { state in
            if hours.lowerBound * 3_600_000 < state.closedUpTo { state.late += 1 }
        }
    }

    /// Late samples since the last report.
    var late: Int { state.withLock { $0.late } }

    private func tellLate() {
        let time = now()
        let late = state.withLock { state -> Int in
            guard state.late > 0, state.toldLate.map({ time - $0 >= 86_400_000 }) ?? true else { return 0 }
            defer { (state.late, state.toldLate) = (0, time) }
            return state.late
        }
        guard late > 0 else { return }
        logger.info("data came after its window of groups was closed, and is in none", metadata: ["parts": "\(late)"])
    }

    // MARK: One window

    /// Works out ahead what people contribute to a window that has ended, with rests in between.
    private func prepare(_ window: GroupWindow) async throws {
        guard now() >= window.end + Maintenance.rollUpAfter, try !accounts.consents.groupReleases.isClosed(window), try !isHeld(window)
        else { return }
        try await thread.run { [self] in try contributions.begin(window, settings.kinds) }
        while !Task.isCancelled, try await thread.run({ [self] in try contributions.prepare(Self.slice) }) {
            try? await accounts.machine.sleep(for: Self.rest)
            // A window that is due goes first.
            if now() >= window.closes(after: settings.closingDelay) { return }
        }
    }

    /// - Returns: false where it has to wait.
    private func close(_ window: GroupWindow, isNewest: Bool) async throws -> Bool {
        let isWaiting = try await thread.run { [self] in try series.groupValues.isWaiting(before: window.end) }
        guard !isWaiting || now() > window.closes(after: settings.closingDelay) + Self.waitMax else { return false }
        let began = accounts.machine.uptime
        try await thread.run { [self] in try contributions.begin(window, settings.kinds) }
        while try await thread.run({ [self] in try contributions.prepare(Self.slice) }) { try Task.checkCancellation() }
        let rows = try await thread.run { [self] in try contributions.rows() }
        guard let rows else { return false }
        let costs = costs(window, rows.homes)
        defer { door.closed(window, nil) }
        // What was held and is closed late stands behind windows that were closed before it.
        let isNewest = isNewest && state.withLock { window.end > $0.closedUpTo }
        let budget = settings.budget.perYear.less(try door.reserve(costs.all, in: window.year))
        let people = try await charge(rows, window, costs.byHome, within: budget)
        try await thread.run { [self] in
            var generator = accounts.machine.randomness
            let released = release(people, window, using: &generator)
            try step(.drawn)
            let kept = isNewest ? PeopleCodec.encoded(people) : []
            guard try accounts.consents.groupReleases.close(window, releases: released, contributions: kept, now: now()) else { return }
            try step(.stored)
            contributions.end()
            if isNewest { door.closed(window, people) }
            state.withLock { $0.closedUpTo = max($0.closedUpTo, window.end) }
            answers.told(window)
        }
        // The number of people is not for a log: it is a true count.
        logger.notice(
            "closed a window of groups",
            metadata: ["start": "\(window.start)", "length": "\(window.length)", "ms": "\(accounts.machine.uptime - began)"])
        return true
    }

    /// The cost of each kind to an inhabitant of a place, by the order of places and kinds, and what all of it costs at most.
    func costs(_ window: GroupWindow, _ homes: [RegionCode]) -> (byHome: [[[GroupCost]]], all: Rho) {
        let levels = RegionLevel.allCases
        let known = settings.kinds.map { kind in
            levels.compactMap { level in settings.budget.variance(of: kind, at: level).map { GroupCost(kind, level, Rho($0)) } }
        }
        let byHome = homes.map { home in
            let counted = Set(answers.tree.path(from: home).filter(\.hasCells).map(\.level))
            return known.map { $0.filter { counted.contains($0.level) } }
        }
        return (byHome, known.joined().reduce(.zero) { $0 + $1.cost })
    }

    /// Charges everybody for the kinds of which they have a value, in slices.
    /// - Returns: with what people count; without the kinds that their budget does not hold.
    private func charge(
        _ rows: WindowRows, _ window: GroupWindow, _ costs: [[[GroupCost]]], within budget: Rho
    ) async throws -> WindowPeople {
        var people = WindowPeople(kinds: settings.kinds, homes: rows.homes, capacity: rows.rows.count), done = 0
        let years = accounts.consents.groupYears, kinds = settings.kinds.indices
        while done < rows.rows.count {
            try Task.checkCancellation()
            let part = rows.rows[done..<min(done + Self.slice, rows.rows.count)]
            let charges = part.map { row in
                GroupYearStore.Charge(row.person, kinds.map { row.value.bin($0) == nil ? [] : costs[row.home][$0] })
            }
            let allowed = try await thread.run { try years.charge(charges, window, within: budget) }
            for (row, allowed) in zip(part, allowed) where allowed != 0 {
                _ = people.append(
                    row.sex, row.band, home: row.home, bins: kinds.map { allowed >> UInt32($0) & 1 == 1 ? row.value.bin($0) : nil })
            }
            done += part.count
            try step(.charged(done))
            if done < rows.rows.count { try await accounts.machine.sleep(for: Self.breath) }
        }
        return people
    }

    /// Draws the noise of each kind and level.
    private func release(
        _ people: WindowPeople, _ window: GroupWindow, using generator: inout some RandomNumberGenerator
    ) -> [GroupRelease] {
        var released: [GroupRelease] = []
        for kind in settings.kinds {
            for level in RegionLevel.allCases {
                guard let variance = settings.budget.variance(of: kind, at: level) else { continue }
                let rule = ReleaseRule(minimum: settings.minimum, variance: variance, chance: settings.budget.chanceOfMargin)
                let counts = people.counts(of: kind, at: level, in: answers.tree)
                released.append(GroupRelease.close(window, kind, at: level, counts: counts, by: rule, using: &generator))
            }
        }
        return released
    }
}
