import Accounts
public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Planned maintenance (SOS-15, PERF-4), in the hours that the operator set: everybody with an account hears of it with the planning, 48 hours ahead
/// and 1 hour ahead, and sees it on the pages.
public final class PlannedMaintenance: Service {
    private let store: MaintenanceStore
    private let audit: AuditLog
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let windows = Mutex<[MaintenanceWindow]>([])
    /// In which maintenance may lie; nil for any.
    public let hours: MaintenanceHours?

    /// From this long before its begin pages show a window: 7 days.
    static let shownAhead: Milliseconds = 7 * 86_400_000
    public static let leadMin: Milliseconds = 300_000
    public static let leadMax: Milliseconds = 366 * 86_400_000
    /// Minutes.
    public static let lengths = 5...720
    /// Slices of one announcement before other timers have their turn.
    private static let slicesAtOnce = 20

    public init(
        store: MaintenanceStore, hours: MaintenanceHours? = nil, audit: AuditLog, logger: Logger,
        now: @escaping @Sendable () -> Milliseconds
    ) {
        (self.store, self.hours, self.audit, self.logger, self.now) = (store, hours, audit, logger, now)
    }

    public enum Problem: Error, Sendable, Hashable {
        case badTime, badLength, badHours, overlaps, notYours
    }

    /// The one that goes on, or comes next; nil for none within ``shownAhead``.
    public var next: MaintenanceWindow? {
        let time = now()
        return windows.withLock { $0.first { $0.isPlanned && $0.end > time && $0.begin - time <= Self.shownAhead } }
    }

    /// Keeps what pages show; a window that is over goes by itself.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try self.refresh() } catch {
                    self.logger.error("planned maintenance cannot be read", metadata: ["error": "\(error)"])
                }
                try? await self.store.machine.sleep(for: .seconds(30))
            }
        }
    }

    func refresh() throws {
        let found = try store.maintenance(endingAfter: now())
        windows.withLock { $0 = found }
    }

    // MARK: The operator

    /// Those to come and those of the last month.
    public func list(for account: StoredAccount) throws -> [MaintenanceWindow] {
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        return try store.maintenance(endingAfter: now() - 31 * 86_400_000)
    }

    public func plan(begin: Milliseconds, minutes: Int, by account: StoredAccount) throws {
        let time = now()
        guard account.roles.contains(.operator) else { throw Problem.notYours }
        guard begin >= time + Self.leadMin, begin <= time + Self.leadMax else { throw Problem.badTime }
        guard Self.lengths.contains(minutes) else { throw Problem.badLength }
        let end = begin + Milliseconds(minutes) * 60_000
        if let hours, !hours.contain(begin, end) { throw Problem.badHours }
        guard try store.planMaintenance(begin: begin, end: end, now: time) != nil else {
            throw Problem.overlaps
        }
        try audit.append(.maintenancePlanned, by: account.id, on: nil, now: time)
        try refresh()
    }

    public func cancel(_ id: Int64, by account: StoredAccount) throws {
        guard account.roles.contains(.operator), try store.cancelMaintenance(id, now: now()) else { throw Problem.notYours }
        try audit.append(.maintenanceCancelled, by: account.id, on: nil, now: now())
        try refresh()
    }

    // MARK: Announcing

    public var timers: [TimerKind: TimerService.Handler] { [.maintenance: { [self] in try await announce($0) }] }

    private func announce(_ timer: StoredTimer) async throws {
        guard let (window, step) = try store.maintenance(of: timer.subject) else {
            return try store.dropMaintenance(timer.subject)
        }
        // A hub that was down tells nobody of what is over.
        guard step == .cancelled || (window.isPlanned && window.end > now()) else {
            return try store.dropMaintenance(timer.subject)
        }
        var slices = 0
        while try store.announceMaintenance(window, step, now: now()) {
            slices += 1
            if slices.isMultiple(of: Self.slicesAtOnce) { await Task.yield() }
        }
        logger.notice("told of planned maintenance", metadata: ["step": "\(step)"])
    }
}
