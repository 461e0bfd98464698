import Accounts
public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
public import Vitals

/// Measures when each service is there, and says it by the month (OPS-7, PERF-4).
///
/// A note each ``pause`` says which services are down. Where no note came for ``silence`` the hub was down, and with it all of them: so it counts a
/// crash, a machine without power and a database that takes nothing, without having been there. What is shorter is not seen.
public struct Availability: Service {
    private let store: AvailabilityStore
    private let down: @Sendable () -> Set<MeasuredService>
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds

    public static let pause: Milliseconds = 5000
    public static let silence: Milliseconds = 10_000
    /// This one and those before it.
    public static let months = 12

    /// - Parameter down: the services that were not there since it was asked last.
    public init(
        store: AvailabilityStore, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        down: @escaping @Sendable () -> Set<MeasuredService>
    ) {
        (self.store, self.logger, self.now, self.down) = (store, logger, now, down)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var last: Duration?, isFirst = true
            while !Task.isCancelled {
                let uptime = store.machine.uptime, elapsed = last.map { Milliseconds((uptime - $0) / .milliseconds(1)) }
                do {
                    try store.note(down: down(), at: now(), silence: Self.silence, elapsed: elapsed)
                    last = uptime
                    if isFirst { try store.forget(before: AvailabilityMonth.begin(Self.months + 1, before: now())) }
                    isFirst = false
                } catch {
                    logger.error("availability cannot be noted: the time until it can counts as an outage", metadata: ["error": "\(error)"])
                }
                try? await store.machine.sleep(for: .milliseconds(Self.pause))
            }
        }
    }

    /// The last months of a service, the newest first; none before it was measured.
    public static func months(of service: MeasuredService, _ store: AvailabilityStore, now: Milliseconds) throws -> [AvailabilityMonth] {
        guard let measured = try store.measured(service) else { return [] }
        // An outage that began before the first month counts in it.
        let outages = try store.outages(of: service, since: AvailabilityMonth.begin(months + 1, before: now))
        return (0..<months).compactMap { count in
            AvailabilityMonth(
                from: AvailabilityMonth.begin(count, before: now), to: AvailabilityMonth.begin(count - 1, before: now),
                measured: measured, outages)
        }
    }

    /// The newest outage of a service that is not over; nil where it is there.
    public static func current(of service: MeasuredService, _ store: AvailabilityStore, now: Milliseconds) throws -> Outage? {
        guard let measured = try store.measured(service) else { return nil }
        return try store.outages(of: service, since: now - 31 * 86_400_000).last {
            $0.end >= measured.upperBound && $0.kind != .unmeasured
        }
    }
}

/// One month of one service, UTC.
public struct AvailabilityMonth: Sendable, Hashable {
    /// Of the month, UTC milliseconds.
    public let begin: Milliseconds
    /// How long was measured, and in how much of that the service was not there; milliseconds.
    public let measured: Milliseconds
    public let unplanned: Milliseconds
    public let planned: Milliseconds

    /// - Returns: nil where nothing of it was measured.
    init?(from: Milliseconds, to: Milliseconds, measured: ClosedRange<Milliseconds>, _ outages: [Outage]) {
        let (first, last) = (max(from, measured.lowerBound), min(to, measured.upperBound))
        guard first < last else { return nil }
        func sum(_ kind: Outage.Kind) -> Milliseconds {
            outages.filter { $0.kind == kind }.reduce(0) { $0 + max(0, min($1.end, last) - max($1.begin, first)) }
        }
        let known = last - first - sum(.unmeasured)
        guard known > 0 else { return nil }
        (begin, self.measured, unplanned, planned) = (from, known, sum(.unplanned), sum(.planned))
    }

    /// In hundredths of a percent, rounded down: 10,000 is always. What was announced 48 hours ahead is no part of it.
    public var available: Int {
        let promised = measured - planned
        guard promised > 0 else { return 10_000 }
        return Int((promised - min(unplanned, promised)) * 10_000 / promised)
    }

    /// When a month began, UTC milliseconds: 0 is that of `now`, 1 the one before, -1 the next.
    static func begin(_ count: Int, before now: Milliseconds) -> Milliseconds {
        let today = CalendarDate(utc: now), months = today.year * 12 + today.month - 1 - count
        return CalendarDate(year: months / 12, month: months % 12 + 1, day: 1)?.utc ?? now
    }
}
