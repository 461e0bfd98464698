internal import Logging
internal import SampleBuffer
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// The one way of samples into the buffer, live or replayed, and the only user of the buffer while the agent runs.
///
/// Samples are on the disk within ten seconds. While the hub acknowledges they go to the hub first, 25 s later at most or as soon as
/// the sync loop asks for them, and to the disk in one write every few minutes; what the hub does not take within 30 s goes to the disk at
/// once. When the disk takes nothing they go on waiting, up to a bound; then the oldest go, which on a full disk are those that lie there, and
/// a gap is declared. SOS records wait for nothing: they go out from memory until the disk took them, also while it hangs, and are never
/// dropped.
actor Recorder {
    /// About two hours at one heart rate and one position a second.
    static let pendingMax = 16_384
    /// A segment is sealed before it gets longer than this, however dense the samples are.
    static let segmentSamplesMax = 4_096

    private let executor: BlockingExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    let buffer: SampleBuffer
    let target: SealTarget
    private let boot: BootID
    /// Of this boot; nil until the disk took it.
    private nonisolated let bootCounter = Mutex<UInt32?>(nil)
    let clock: BoxClock
    /// Told of every satellite time.
    private let time: TokenClock?
    let configuration: AgentConfiguration
    let nudges: SyncSignals
    let logger: Logger

    private var collectors: [PersonID: SampleCollector] = [:]
    /// Samples that were left out because their source was too dense.
    nonisolated let thinned = LossCount()
    /// People whose samples were lost before they came to a seal.
    private nonisolated let lost = Mutex<Set<PersonID>>([])
    private var progress: ReplayProgress?
    nonisolated let clocks = Mutex(ClockComparisons())
    /// For the stream of ``live``: the hub compares the clocks of each stream for itself.
    nonisolated let liveClocks = Mutex(ClockComparisons())
    /// Of the pending samples: number, and range of times.
    private var pendingCount = 0
    private var pendingTimes: ClosedRange<Milliseconds>?
    /// When the oldest of them came, by the box's monotonic clock.
    private var pendingSince: Milliseconds?
    /// Sealed, but not on the disk.
    var live: LiveOutbox
    /// When the hub last took something, by the monotonic clock; nil when it did not take what was sent after that.
    var acknowledged: Milliseconds?
    private var isFailing = false
    /// The disk was full for longer than memory holds samples: until it has room again the oldest ones on it make place for new ones.
    private var givesUpOldest = false
    /// A disk that failed is not tried again earlier, but for an SOS record.
    private var retryAt: Milliseconds = 0
    /// A look at what waits is under way.
    private var isLooking = false
    /// A turn of ``carryOn(after:)`` is to come.
    var carriesOn = false
    /// Why the disk takes nothing; nil while it does.
    nonisolated var trouble: String? { failure.withLock { $0 } }
    private nonisolated let failure = Mutex<String?>(nil)
    /// What the hub refused for good since the start: counted before anybody sees that it does not wait any more.
    nonisolated var refusedSegments: Int { refused.withLock { $0 } }
    nonisolated let refused = Mutex(0)
    /// SOS records that the disk has not taken yet.
    nonisolated let outbox: SOSOutbox

    init(
        buffer: SampleBuffer, target: SealTarget, boot: BootID, clock: BoxClock, time: TokenClock? = nil, configuration: AgentConfiguration,
        nudges: SyncSignals, logger: Logger
    ) throws {
        self.buffer = buffer
        self.target = target
        self.clock = clock
        self.time = time
        self.configuration = configuration
        self.nudges = nudges
        self.logger = logger
        self.boot = boot
        executor = BlockingExecutor(file: "buffer", on: clock.machine)
        let randomness = clock.machine.randomness
        (live, outbox) = (LiveOutbox(stream: randomness.id()), SOSOutbox(stream: randomness.id()))
        do throws(BufferError) {
            let counter = try buffer.beginBoot(boot)
            bootCounter.withLock { $0 = counter }
        } catch {
            // A full disk is no reason not to collect: samples wait in memory, and the next seal tries again.
            guard case .notWritable = error else { throw error }
            logger.error("\(error)")
        }
        for notice in buffer.takeNotices() { logger.error("\(notice)") }
    }

    /// Before this boot was counted nothing was sealed in it: 0, which no boot has, makes everything backlog.
    var now: BufferTime { BufferTime(boot: bootCounter.withLock { $0 } ?? 0, milliseconds: clock.boottime()) }

    /// The clock of the samples, which needs this boot to be counted.
    private func domain() throws(BufferError) -> ClockDomain {
        let counter: UInt32
        if let known = bootCounter.withLock({ $0 }) {
            counter = known
        } else {
            counter = try buffer.beginBoot(boot)
            bootCounter.withLock { $0 = counter }
        }
        return target == .live ? .boottime(boot: boot, counter: counter) : .recorded
    }

    // MARK: - Taking samples

    func take(_ event: HeartRateEvent, of person: PersonID) {
        collectors[person, default: SampleCollector()].take(event)
        took(at: event.time)
    }

    func take(_ event: PositionEvent, of person: PersonID) {
        if case .fix(let sample, let utc?) = event, target == .live, time?.note(gnss: utc, at: sample.time) ?? true {
            noteClock(utc: utc, at: sample.time, uncertainty: ClockComparisons.gnssUncertainty, source: .gnss)
        }
        collectors[person, default: SampleCollector()].take(event)
        took(at: event.time)
    }

    /// What happened to the box, the sensor or the person. An SOS record can be sent at once, whatever the disk does, and was given to the
    /// disk when this returns.
    nonisolated func take(_ event: StateEvent, of person: PersonID) async {
        guard event.code.isSOS else { return await note(event, of: person) }
        // Boot 0 is one that was not counted; the boot's own identifier tells it from others.
        let domain =
            target == .live ? ClockDomain.boottime(boot: boot, counter: bootCounter.withLock { $0 } ?? 0) : .recorded
        let records = SampleSet(
            events: [event], clocks: clocks.withLock { $0.current(now: clock.boottime(), utc: clock.utc()) })
        if !outbox.hold(records, of: person, clock: domain) { logger.error("too many SOS records wait in memory: the oldest is gone") }
        nudges.signal(.urgent)
        await sealReporting()
    }

    private func note(_ event: StateEvent, of person: PersonID) {
        collectors[person, default: SampleCollector()].take(event)
        took(at: event.time)
    }

    /// Samples of a person were lost on their way here: the next seal declares a gap.
    nonisolated func noteLost(of person: PersonID) { lost.withLock { _ = $0.insert(person) } }

    /// A replayed event. With `sealed` it only brings the collector to where it was: the samples are in the buffer already.
    /// - Throws: when the disk takes nothing; the event is taken nevertheless.
    func replay(_ event: RecordedEvent, of person: PersonID, progress: ReplayProgress, sealed: Bool) throws(BufferError) {
        if sealed {
            switch event.kind {
            case .heartRate(let event): collectors[person, default: SampleCollector()].take(event)
            case .position(let event): collectors[person, default: SampleCollector()].take(event)
            }
            _ = collectors[person]?.takeSamples()
            return
        }
        // Before the event that would make the segment too long, so that recordings with holes give no segments across them.
        var failure: BufferError?
        if let times = pendingTimes, pendingCount > 0, event.time >= times.lowerBound + configuration.sealAfter {
            do throws(BufferError) { try seal() } catch { failure = error }
        }
        // Taking can seal, and then this event's samples and its progress must be in the same transaction.
        self.progress = progress
        switch event.kind {
        case .heartRate(let event): take(event, of: person)
        case .position(let event): take(event, of: person)
        }
        if let failure { throw failure }
    }

    /// The end of a replay, and how many records of its input could not be used, in one transaction.
    func finish(_ progress: ReplayProgress, skipped: Int64, of person: PersonID) throws(BufferError) {
        if !isFailing, skipped > 0, let time = progress.position {
            collectors[person, default: SampleCollector()].noteSkipped(skipped, time)
        }
        self.progress = progress
        try seal()
    }

    private func took(at time: Milliseconds) {
        let count = collectors.values.reduce(0) { $0 + $1.samples.count }
        if let told = thinned.reach(collectors.values.reduce(0) { $0 + $1.thinned }) { tell(thinned: told) }
        guard count > pendingCount else { return }
        pendingCount = count
        pendingTimes = pendingTimes.map { min($0.lowerBound, time)...max($0.upperBound, time) } ?? time...time
        if pendingSince == nil { pendingSince = clock.boottime() }
        let span = pendingTimes.map { $0.upperBound - $0.lowerBound } ?? 0
        if target != .live {
            if !isFailing, span >= configuration.sealAfter || count >= Self.segmentSamplesMax { sealReporting() }
        } else if count >= Self.segmentSamplesMax, !isFailing {
            sealReporting()
        }
        look()
        if pendingCount > Self.pendingMax { makeRoom() }
        nudges.signal(.collected)
    }

    /// What waits on a full disk is older than what waits here, and goes first. A recording waits by itself and displaces nothing.
    private func makeRoom() {
        if target == .live {
            let isNew = !givesUpOldest
            givesUpOldest = true
            sealReporting()
            if isNew, givesUpOldest, pendingCount == 0 {
                logger.error(
                    "the disk has been full for longer than memory holds: new samples displace the oldest there, sent or not, with a gap")
            }
        }
        if pendingCount > Self.pendingMax { dropOldest() }
    }

    private func dropOldest() {
        logger.error("the disk takes nothing: the older half of the waiting samples is dropped", metadata: ["waiting": "\(pendingCount)"])
        for person in collectors.keys {
            guard var samples = collectors[person]?.takeSamples() else { continue }
            samples.dropOlderHalf()
            collectors[person]?.putBack(samples)
            noteLost(of: person)
        }
        pendingCount = collectors.values.reduce(0) { $0 + $1.samples.count }
    }

    // MARK: - Sealing

    /// Brings whatever waits to the disk, SOS records first; on failure everything goes on waiting.
    func seal() throws(BufferError) {
        var problem: BufferError?
        do throws(BufferError) { try storeSOS() } catch { problem = error }
        // One stream for all of a start's samples, whichever way they go, as far as that can be.
        if let counter = bootCounter.withLock({ $0 }), mayHold, !isFailing, (try? buffer.owesGap()) != true { holdPending(counter) }
        if live.count > 0 {
            do throws(BufferError) {
                try buffer.adopt(&live, at: now, givesUpOldest: givesUpOldest)
                succeeded()
            } catch {
                problem = error
            }
        }
        if pendingCount > 0 || progress != nil { try sealSamples() }
        guard let problem else { return }
        failed(problem)
        throw problem
    }

    /// Seals what was collected for the hub alone; the disk gets it later.
    func sealLive() throws(BufferError) {
        guard mayHold, let counter = bootCounter.withLock({ $0 }) else { return try seal() }
        // With a new file, in which nothing was sealed yet, the gap of the old one comes first.
        if !isFailing, (try? buffer.owesGap()) == true { return try seal() }
        holdPending(counter)
        if live.count >= LiveOutbox.segmentsMax { sealReporting() }
    }

    private var mayHold: Bool { target == .live && live.count < LiveOutbox.segmentsMax }

    private func holdPending(_ counter: UInt32) {
        guard pendingCount > 0 else { return }
        let records = takeClockRecords(of: liveClocks)
        let lost = self.lost.withLock { $0 }
        for person in collectors.keys.sorted() {
            guard var samples = collectors[person]?.takeSamples(), !samples.isEmpty else { continue }
            samples.clocks += records
            live.hold(
                samples, of: person, clock: .boottime(boot: boot, counter: counter), since: pendingSince ?? clock.boottime(),
                lost: lost.contains(person) ? .diskFull : nil)
            self.lost.withLock { _ = $0.remove(person) }
        }
        (pendingCount, pendingTimes, pendingSince) = (0, nil, nil)
        nudges.signal(.sealed)
    }

    private func takeClockRecords(of clocks: borrowing Mutex<ClockComparisons>) -> [ClockRecord] {
        guard target == .live else { return [] }
        return clocks.withLock {
            $0.take(now: clock.boottime(), utc: clock.utc(), isSynchronized: clock.isSynchronized(), every: configuration.clockEvery)
        }
    }

    /// Under the names under which the hub may have them.
    private func storeSOS() throws(BufferError) {
        let held = outbox.held
        guard !held.isEmpty else { return }
        try buffer.adopt(held, at: now)
        outbox.remove(held)
        if pendingCount == 0, progress == nil { succeeded() }
        nudges.signal(.sealed)
    }

    private func sealSamples() throws(BufferError) {
        let domain: ClockDomain
        do throws(BufferError) { domain = try self.domain() } catch {
            failed(error)
            throw error
        }
        let records = takeClockRecords(of: clocks)
        let lost = self.lost.withLock { $0 }
        var taken: [PersonID: SampleSet] = [:]
        var parts: [SealPart] = []
        for person in collectors.keys.sorted() {
            guard let samples = collectors[person]?.takeSamples(), !samples.isEmpty else { continue }
            taken[person] = samples
            var whole = samples
            whole.clocks += records
            parts.append(SealPart(person: person, clock: domain, samples: whole, lost: lost.contains(person) ? .diskFull : nil))
        }
        do {
            try buffer.seal(parts, to: target, at: now, progress: progress, givesUpOldest: givesUpOldest)
        } catch {
            for (person, samples) in taken { collectors[person]?.putBack(samples) }
            clocks.withLock { $0.putBack(records) }
            failed(error)
            throw error
        }
        succeeded()
        (pendingCount, pendingTimes, pendingSince, progress) = (0, nil, nil, nil)
        self.lost.withLock { $0.subtract(lost.intersection(parts.map(\.person))) }
        if !parts.isEmpty { nudges.signal(.sealed) }
    }

    private func succeeded() {
        if isFailing { logger.notice("the disk takes samples again") }
        isFailing = false
        givesUpOldest = givesUpOldest && buffer.isDiskNearlyFull
        failure.withLock { $0 = nil }
        tellNotices()
    }

    private func failed(_ error: BufferError) {
        tellNotices()
        if !isFailing { logger.error("\(error)") }
        isFailing = true
        failure.withLock { $0 = "\(error)" }
        retryAt = clock.boottime() + configuration.sealAfter
        let dropped = live.count < LiveOutbox.segmentsMax ? 0 : live.dropAcknowledged()
        if dropped > 0 {
            logger.warning("copies of what the hub has are not kept, since the disk takes nothing", metadata: ["segments": "\(dropped)"])
        }
        look()
    }

    func tellNotices() {
        for notice in buffer.takeNotices() { logger.error("\(notice)") }
        carryOn(after: Self.turnInterval)
    }

    /// Seals where nobody waits for the result; a failure is logged once and tried again later.
    func sealReporting() { try? seal() }

    /// Does what is due, and comes back when something may be due again.
    func look() {
        let now = clock.boottime()
        switch SealDue(
            now: now, pendingSince: pendingSince, live: live, acknowledged: target == .live ? acknowledged : nil,
            retryAt: isFailing ? retryAt : 0, configuration)
        {
        case .disk: sealReporting()
        // Where memory takes no more, the disk's next try is waited for.
        case .hub: if mayHold, bootCounter.withLock({ $0 }) != nil { try? sealLive() }
        case .nothing: break
        }
        guard !isLooking, pendingSince != nil || live.count > 0 else { return }
        isLooking = true
        clock.machine.start { [weak self, machine = clock.machine, wait = configuration.sealAfter / 10] in
            try? await machine.sleep(for: .milliseconds(wait))
            await self?.lookAgain()
        }
    }

    private func lookAgain() {
        isLooking = false
        look()
    }
}

extension HeartRateEvent {
    var time: Milliseconds {
        switch self {
        case .connected(let time), .battery(_, let time), .bodyLocation(_, let time), .charging(_, let time), .lost(_, let time): time
        case .measurement(let sample): sample.time
        case .reading(let reading): reading.time
        }
    }
}

extension PositionEvent {
    var time: Milliseconds {
        switch self {
        case .connected(let time), .noFix(let time), .stale(_, let time), .lost(_, let time): time
        case .fix(let sample, _): sample.time
        }
    }
}
