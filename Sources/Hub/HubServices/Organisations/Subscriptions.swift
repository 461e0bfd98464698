public import HubStore
public import Privacy
import Seams
public import Vitals

/// A delivery to a subscriber.
public enum Delivery: Sendable, Hashable {
    /// The samples of one segment, in the order of arrival; late and back-dated samples among them (DATA-14). Times are UTC.
    case samples(Arrival, cursor: SubscriptionCursor)
    /// Missed samples cannot be told apart by segment: all of it was sampled at `from` (UTC milliseconds) or later. Read
    /// again from there (``ConsentService/read(_:as:for:from:to:)``), and go on behind `cursor`; what comes next may be in that reading
    /// already, and is known by kind and time.
    case startOver(from: Milliseconds, cursor: SubscriptionCursor)
    /// Nothing came for ten seconds: a sign of life.
    case idle(cursor: SubscriptionCursor?)
    /// The last one: nothing may be read any more.
    case ended
}

/// New data of a granted person for a subscriber (CONS-5, CONS-14).
///
/// The guarantee: behind a cursor nothing comes twice and nothing is left out that was received while the consent held, of the granted kinds alone, in
/// the order in which this hub stored it. It is exact for 30 days, at whichever hub, also at one that was restored and to which boxes send again. It
/// ends in ``Delivery/startOver(from:cursor:)`` where ``HubStore/ArrivalReader/read(_:after:since:segmentsMax:now:)`` says so. From the commit of a
/// revocation on nothing is handed out.
///
/// A time is what the hub knew of the box's clock when it was delivered: a better clock record that comes later changes what is read
/// again, not what was delivered.
public struct Subscriptions: Sendable {
    let accounts: AccountStore
    let arrivalReader: ArrivalReader
    private let bus: LiveBus
    let time: MonotonicUTC

    public init(accounts: AccountStore, arrivals: ArrivalReader, bus: LiveBus, time: MonotonicUTC) {
        (self.accounts, arrivalReader, self.bus, self.time) = (accounts, arrivals, bus, time)
    }

    /// Deliveries from a place on: first what was missed, then live.
    /// - Parameters:
    ///   - service: for which service, where the consent counts for one.
    ///   - cursor: of the last delivery that was received; nil begins with what came since the consent.
    /// - Returns: nil when the consent gives this reader nothing (any more), or only one delivery.
    public func deliveries(
        of id: ConsentID, to reader: Reader, for service: ServiceID? = nil, after cursor: SubscriptionCursor? = nil
    ) throws -> Deliveries? {
        let now = time.now
        guard let grant = try accounts.consents.grant(by: id, to: reader, for: service, now: now),
            let access = try accounts.consents.access(by: id, now: now),
            let asked = try accounts.consents.consent(id, askedBy: reader, now: now), asked.scope.term != .once
        else { return nil }
        return Deliveries(
            source: .init(accounts: accounts, arrivals: arrivalReader, time: time, grant: grant, since: access.since),
            // Watching begins before the first look: what comes between the two is seen.
            watch: bus.watch(grant.person), cursor: cursor)
    }
}

/// One subscriber's deliveries. To be iterated once; it ends with ``Delivery/ended``, or without it when the hub stops.
public struct Deliveries: AsyncSequence, Sendable {
    struct Source: Sendable {
        let accounts: AccountStore
        let arrivals: ArrivalReader
        let time: MonotonicUTC
        let grant: Grant
        let since: Milliseconds

        func holds() throws -> Bool { try accounts.reading(grant, now: time.now) { true } ?? false }
    }

    let source: Source
    let watch: LiveWatch
    let cursor: SubscriptionCursor?

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let source: Source
        private let ticker: Ticker
        private var signals: AsyncStream<LiveSignal>.Iterator
        private var place: SubscriptionCursor?
        /// The place that the subscriber was told last: one that moves with what is not for them would tell that it came.
        private var told: SubscriptionCursor?
        private var waiting: ArraySlice<Arrival> = []
        private var isOver = false
        private var ticks = 0

        /// A sign of life after so many quiet seconds.
        static let idleTicks = 10

        fileprivate init(_ deliveries: Deliveries) {
            source = deliveries.source
            ticker = Ticker(deliveries.watch, on: deliveries.source.accounts.machine)
            signals = deliveries.watch.signals.makeAsyncIterator()
            (place, told) = (deliveries.cursor, deliveries.cursor)
        }

        public mutating func next() async throws -> Delivery? {
            guard !isOver else { return nil }
            while true {
                // Asked again for each one: a revocation may have been committed since they were read.
                guard try source.holds() else { return end() }
                if let arrival = waiting.popFirst() {
                    told = arrival.cursor
                    return .samples(arrival, cursor: arrival.cursor)
                }
                if let missed = try look() { return missed }
                guard waiting.isEmpty else { continue }
                guard let signal = await signals.next() else { return nil }
                ticks = signal == .tick ? ticks + 1 : 0
                if ticks >= Self.idleTicks {
                    ticks = 0
                    guard try source.holds() else { return end() }
                    return .idle(cursor: told)
                }
            }
        }

        /// Takes in what came; returns what must be said at once.
        private mutating func look() throws -> Delivery? {
            let now = source.time.now
            guard let found = try source.arrivals.read(source.grant, after: place, since: source.since, now: now) else { return end() }
            switch found {
            case .startOver(let from, let next):
                (place, told) = (next, next)
                return .startOver(from: from, cursor: next)
            case .items(let items, let upTo):
                place = upTo ?? place
                if !items.isEmpty { try source.accounts.ledger.recordRead(source.grant, now: now) }
                waiting = items[...]
                return nil
            }
        }

        private mutating func end() -> Delivery {
            (isOver, waiting) = (true, [])
            return .ended
        }
    }
}

/// Has a watch tick each second as long as it is held: time alone can end a consent, and another process too.
final class Ticker: Sendable {
    private let task: Task<Void, Never>

    init(_ watch: LiveWatch, on machine: Machine) {
        task = machine.start {
            while !Task.isCancelled {
                try? await machine.sleep(for: .seconds(1))
                watch.tick()
            }
        }
    }

    deinit { task.cancel() }
}
