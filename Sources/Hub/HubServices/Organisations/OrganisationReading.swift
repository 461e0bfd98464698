public import HubStore
public import Privacy
public import Vitals

/// The readings of an organisation's pages from the people who consented (CONS-9, CONS-15).
extension ConsentService {
    /// The people whom an organisation may read now, the newest consents first.
    public func people(of reader: Reader, before: Int64? = nil) throws -> ConsentPage<AskedConsent> {
        try accounts.consents.runningConsents(askedBy: reader, before: before, now: time.now)
    }

    /// One consent of an organisation's that gives access; nil for every other.
    public func running(_ id: ConsentID, of reader: Reader) throws -> AskedConsent? {
        try accounts.consents.consent(id, askedBy: reader, now: time.now).flatMap { $0.isRunning ? $0 : nil }
    }

    /// One consent of an organisation's of which something can be downloaded; nil for every other.
    public func downloadable(_ id: ConsentID, of reader: Reader) throws -> AskedConsent? {
        try accounts.consents.consent(id, askedBy: reader, now: time.now).flatMap { $0.isRunning || $0.repeatedUntil != nil ? $0 : nil }
    }

    /// The data that a consent lets its reader download: everything there is, and for a "once" what there was when the person said yes, so that
    /// it is the same each time, for ``Privacy/Consent/repeatsFor`` also when it is over. It stands in the ledger from here on; the grant is checked again while the file is written.
    /// - Returns: nil when the consent gives this reader nothing (any more).
    public func download(_ id: ConsentID, as reader: Reader) throws -> (grant: Grant, span: ClosedRange<Milliseconds>)? {
        let now = time.now
        if let (grant, upTo) = try accounts.consents.repeated(by: id, to: reader, now: now) {
            try accounts.ledger.recordRead(grant, now: now)
            return (grant, 0...max(0, upTo))
        }
        guard let asked = try running(id, of: reader), case .accepted(let since, _) = asked.shown,
            let grant = try accounts.consents.grant(by: id, to: reader, for: asked.scope.service, now: now)
        else { return nil }
        try accounts.ledger.recordRead(grant, now: now)
        return (grant, 0...max(0, asked.scope.term == .once ? since : now))
    }

    /// With what samples are read part by part, and up to which instant: of a "once" what was there when the person said yes, also again for
    /// ``Privacy/Consent/repeatsFor`` when it is over. It stands in the ledger from here on.
    /// - Returns: nil when the consent gives this reader nothing (any more); `upTo` is nil where nothing but the present bounds it.
    public func samples(
        _ id: ConsentID, as reader: Reader, for service: ServiceID?
    ) throws -> (grant: Grant, upTo: Milliseconds?)? {
        let now = time.now
        guard let asked = try accounts.consents.consent(id, askedBy: reader, now: now), asked.scope.service == service else { return nil }
        if let (grant, upTo) = try accounts.consents.repeated(by: id, to: reader, now: now) {
            try accounts.ledger.recordRead(grant, now: now)
            return (grant, upTo)
        }
        guard let grant = try grant(id, as: reader, for: service) else { return nil }
        guard asked.scope.term == .once, case .accepted(let since, _) = asked.shown else { return (grant, nil) }
        return (grant, since)
    }

    /// Records of "the last n", at most.
    public static let lastMax = 10_000

    /// From when on there are so many of the newest records, of all granted kinds together; those of the same instant come along.
    /// - Returns: nil where there is none, and when the grant does not hold (any more).
    public func start(ofLast count: Int, _ grant: Grant, upTo: Milliseconds) throws -> Milliseconds? {
        struct Times: SampleEdit {
            var all: [Milliseconds] = []

            mutating func edit<Sample: TimedSample>(_ samples: inout [Sample]) { all += samples.map(\.time) }
        }
        let span = 0...max(0, upTo), count = min(max(count, 1), Self.lastMax)
        guard let hours = try series.hours(grant, in: span, now: time.now), let longest = try series.longestBlock(grant, now: time.now)
        else {
            return nil
        }
        var times = Times()
        for hour in hours.joined().reversed() where times.all.count < count {
            for piece in try series.pieces(grant, kinds: Array(grant.kinds), hour: hour, in: span, longest: longest, now: time.now) ?? [] {
                var samples = piece.samples
                samples.edit(&times)
            }
        }
        let newest = times.all.sorted(by: >)
        return newest.isEmpty ? nil : newest[min(count, newest.count) - 1]
    }

    /// A part of what a consent gives was taken as a whole. A "once" ends when no hour is left that has data from before the yes, and not
    /// before: neither with the first part, nor with one in which there was nothing.
    public func delivered(_ span: ClosedRange<Milliseconds>, of id: ConsentID, to reader: Reader, _ grant: Grant) throws {
        guard let asked = try running(id, of: reader), asked.scope.term == .once, case .accepted(let since, _) = asked.shown else { return }
        let parts = try accounts.consents.noteDelivered(span, of: id)
        guard let hours = try series.hours(grant, in: 0...max(0, since), now: time.now), !hours.isEmpty else { return }
        let isAll = hours.joined().allSatisfy { hour in
            let first = hour * SeriesStore.hour, last = min(first + SeriesStore.hour - 1, since)
            return parts.contains { $0.lowerBound <= first && last <= $0.upperBound }
        }
        if isAll { try delivered(id, to: reader) }
    }

    /// Arrivals for the person of a consent, as they come, of the granted kinds alone.
    /// - Returns: nil when the consent gives this reader nothing (any more), or only one delivery.
    public func updates(_ id: ConsentID, as reader: Reader) throws -> GrantedUpdates? {
        guard let asked = try running(id, of: reader), asked.scope.term != .once,
            let grant = try accounts.consents.grant(by: id, to: reader, for: asked.scope.service, now: time.now)
        else { return nil }
        return GrantedUpdates(accounts: accounts, time: time, grant: grant, user: ReadingUser.current, watch: bus.watch(grant.person))
    }
}

/// A live view by a grant, which is asked for again before each signal. To be iterated once; it ends with ``Signal/ended``, or without it
/// when the hub stops.
public struct GrantedUpdates: AsyncSequence, Sendable {
    public enum Signal: Sendable, Hashable {
        case update(LiveUpdate)
        /// The watcher was too slow and something was left out: read everything again.
        case missed
        /// A second passed.
        case tick
        /// The last one: nothing may be read any more.
        case ended
    }

    let accounts: AccountStore
    let time: MonotonicUTC
    let grant: Grant
    /// Who reads for the organisation.
    let user: ReadingUser?
    let watch: LiveWatch

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let source: GrantedUpdates
        private let ticker: Ticker
        private var signals: AsyncStream<LiveSignal>.Iterator
        private var isOver = false

        fileprivate init(_ source: GrantedUpdates) {
            self.source = source
            ticker = Ticker(source.watch, on: source.accounts.machine)
            signals = source.watch.signals.makeAsyncIterator()
        }

        public mutating func next() async throws -> Signal? {
            while !isOver, let signal = await signals.next() {
                let now = source.time.now
                guard try source.accounts.reading(source.grant, now: now, { true }) ?? false else {
                    isOver = true
                    return .ended
                }
                switch signal {
                case .tick: return .tick
                case .missed: return .missed
                case .update(var update):
                    update.samples.keep(source.grant.kinds)
                    (update.samples.clocks, update.samples.unknown) = ([], [])
                    // That something of another kind came, is nothing for this reader either.
                    guard !update.samples.isEmpty else { continue }
                    try source.accounts.ledger.recordRead(source.grant, by: source.user, now: now)
                    return .update(update)
                }
            }
            return nil
        }
    }
}
