internal import Foundation
internal import Logging
internal import SampleBuffer
internal import Seams
internal import ServiceLifecycle
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Runs the effects of the ``Uploader`` one after the other: the box's side of the contract with the hub.
final class SyncService: Service {
    /// For progress and status displays.
    struct Snapshot: Sendable {
        var status = Uploader.Status.starting
        /// Since when it is so, by the boot clock: of its kind, whatever the reason.
        var since: Milliseconds = 0
        /// When the hub last took what was sent, by the boot clock; nil before the first time since the start.
        var lastAnswer: Milliseconds?
        var acknowledgedSegments = 0
        /// Nothing waits, and nothing is in flight.
        var isDone = false
        /// That wait on the hub for an answer of this box's people.
        var questions = 0
        /// Check-ins of this box's one person, as the hub said at ``hubUTC``.
        var checkIns: [CheckIn] = []
        /// The hub's clock when it last took something, UTC milliseconds.
        var hubUTC: Milliseconds?
        /// Since when one step has been under way, by the monotonic clock; nil while it waits for something to do.
        var busySince: Milliseconds?
    }

    /// Interval at which an obstacle that lasts is told again.
    private static let reminderInterval: Milliseconds = 3_600_000
    /// A buffer that cannot be opened is tried again so often.
    private static let openInterval = Duration.seconds(10)
    /// A disk that has not come back after so long is not waited for while SOS records are in memory.
    private static let diskPatience = Duration.seconds(2)

    private let client: HubClient
    private let tokens: TokenRequest
    /// Told of each token that is used, for alarms.
    private let access: SOSAccess?
    /// Told of people of whom the hub takes nothing again.
    private let departures: Departures?
    /// nil where no CA is pinned.
    private let succession: AuthoritySuccession?
    private let recorder: Recorder
    private let nudges: SyncSignals
    private let clock: BoxClock
    private let logger: Logger
    /// The box shows check-ins to its one person.
    private let showsCheckIns: Bool
    /// Held for its lock as long as tokens are used.
    private let directory: StateDirectory
    private let shared = Mutex(Snapshot())
    private let keptAddress: Mutex<String?>
    private let told = Mutex<Milliseconds>(0)

    init(
        client: HubClient, tokens: TokenRequest, recorder: Recorder, nudges: SyncSignals, clock: BoxClock, logger: Logger,
        directory: StateDirectory, access: SOSAccess? = nil, succession: AuthoritySuccession? = nil, departures: Departures? = nil,
        showsCheckIns: Bool = false
    ) {
        self.client = client
        self.tokens = tokens
        self.access = access
        self.succession = succession
        self.departures = departures
        self.recorder = recorder
        self.nudges = nudges
        self.clock = clock
        self.logger = logger
        self.directory = directory
        self.showsCheckIns = showsCheckIns
        keptAddress = Mutex(client.lastAddress)
    }

    var snapshot: Snapshot { shared.withLock { $0 } }

    /// People of this box of whom the hub does not know that it sends for them.
    var unbound: Set<PersonID> { departures?.unbound ?? [] }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard let token = await self.storedToken() else { return }
            self.access?.note(token: token.value)
            await self.loop(Uploader(token: token.value))
        }
        await recorder.settle()
        await client.shutdown()
    }

    private struct StoredToken { var value: String? }

    /// Waits for a buffer that cannot be read now: whoever asked for a token without naming the present one would look like a copied card.
    private func storedToken() async -> StoredToken? {
        while !Task.isCancelled {
            do { return StoredToken(value: try await recorder.storedToken()) } catch { tell(.offline("\(error)")) }
            try? await self.clock.machine.sleep(for: Self.openInterval)
        }
        return nil
    }

    private struct Flight {
        var batch = SentBatch()
        var sent: Milliseconds = 0
        var received: Milliseconds = 0
    }

    private func loop(_ start: Uploader) async {
        var uploader = start, random = clock.machine.randomness
        var events: [Uploader.Event] = [.started]
        var flight = Flight()
        var alarm: Task<Void, Never>?
        defer { alarm?.cancel() }
        var signals = nudges.signals.makeAsyncIterator()
        while !Task.isCancelled {
            if events.isEmpty {
                guard let signal = await signals.next() else { return }
                guard nudges.take(signal) else { continue }
                events.append(signal.event)
            }
            // While a backlog drains there is always a next event, and no time to wait for signals: current samples go with its next batch.
            var effects = nudges.take(.collected) ? uploader.handle(.collected, at: clock.boottime(), random: &random) : []
            effects += uploader.handle(events.removeFirst(), at: clock.boottime(), random: &random)
            tell(uploader.status)
            for effect in effects {
                if case .wake(let time) = effect {
                    alarm?.cancel()
                    alarm = wake(at: time)
                } else {
                    shared.withLock { $0.busySince = clock.boottime() }
                    if let event = await perform(effect, &flight) { events.append(event) }
                    shared.withLock { $0.busySince = nil }
                }
            }
        }
    }

    private func wake(at time: Milliseconds) -> Task<Void, Never> {
        clock.machine.start { [nudges, clock] in
            try? await clock.machine.sleep(for: .milliseconds(max(0, time - clock.boottime())))
            if !Task.isCancelled { nudges.signal(.woken) }
        }
    }

    private func perform(_ effect: Uploader.Effect, _ flight: inout Flight) async -> Uploader.Event? {
        do {
            switch effect {
            case .obtainToken(let predecessor):
                let reply = await tokens.send(predecessor: predecessor, over: client)
                if case .answer(let answer) = reply, let succession {
                    // Nothing that is sent waits for it.
                    clock.machine.start { [client] in await succession.follow(answer.nextAuthority, over: client) }
                }
                return .tokenReplied(reply)
            case .storeToken(let token, let newStream):
                try await patiently { try await $0.store(token: token, newStream: newStream) }
                access?.note(token: token)
                return .tokenStored(true)
            case .seal:
                try await patiently { try await $0.sealLive() }
                return nil
            case .sendSOS(let token):
                guard let batch = try await nextSOS() else { return .nothingToSend }
                return await send(batch, token: token, &flight)
            case .send(let token, let bytesMax):
                guard let batch = try await nextBatch(bytesMax: bytesMax) else {
                    shared.withLock { $0.isDone = true }
                    return .nothingToSend
                }
                shared.withLock { $0.isDone = false }
                return await send(batch, token: token, &flight)
            case .apply(let answer):
                let outcome = try await apply(answer, to: flight)
                if !outcome.unbound.isEmpty { departures?.note(unbound: outcome.unbound) }
                if !outcome.gone.isEmpty { await departures?.note(outcome.gone) }
                if let left = answer.checkIns?.unreadable, left > 0 {
                    logger.warning("\(left) check-ins in the hub's answer cannot be shown here: answer them on the hub's pages")
                }
                shared.withLock { snapshot in
                    snapshot.lastAnswer = flight.received
                    snapshot.questions = max(0, answer.questions ?? 0)
                    (snapshot.checkIns, snapshot.hubUTC) = (answer.checkIns?.items ?? [], answer.utc)
                    snapshot.acknowledgedSegments += outcome.acknowledged
                    snapshot.isDone = !outcome.more
                }
                return .applied(progress: outcome.isProgress, more: outcome.more)
            case .wake: return nil
            }
        } catch {
            // A seal that failed keeps its samples and is tried again by the recorder; what is sealed can be sent meanwhile.
            if case .seal = effect { return nil }
            return .bufferFailed("\(error)")
        }
    }

    /// Waits for the recorder, whose thread may hang in the disk: not longer than ``diskPatience`` while SOS records are in memory. The work
    /// goes on by itself.
    private func patiently<Value: Sendable>(_ work: @escaping @Sendable (Recorder) async throws -> Value) async throws -> Value {
        let (ends, end) = AsyncThrowingStream.makeStream(of: Value.self)
        clock.machine.start { [recorder] in
            do { end.yield(try await work(recorder)) } catch { end.finish(throwing: error) }
        }
        let limit = clock.machine.start { [recorder, clock] in
            repeat {
                guard (try? await clock.machine.sleep(for: Self.diskPatience)) != nil else { return }
            } while recorder.outbox.isEmpty
            end.finish(throwing: AgentProblem("the disk of this box does not come back", advice: "Check the card or disk"))
        }
        defer { limit.cancel() }
        for try await value in ends { return value }
        throw CancellationError()
    }

    private func nextBatch(bytesMax: Int) async throws -> OutgoingBatch? {
        if let batch = recorder.outbox.batch() { return batch }
        return try await patiently { try await $0.nextBatch(bytesMax: bytesMax) }
    }

    private func nextSOS() async throws -> OutgoingBatch? {
        if let batch = recorder.outbox.batch() { return batch }
        guard try await patiently({ try await $0.holdsUnsentSOS() }) else { return nil }
        return try await nextBatch(bytesMax: 1)
    }

    private func apply(_ answer: SyncAnswer, to flight: Flight) async throws -> AnswerOutcome {
        let (batch, sent, received) = (flight.batch, flight.sent, flight.received)
        if let outcome = recorder.applyToMemory(answer, to: batch, sent: sent, received: received) { return outcome }
        let outcome = try await patiently { try await $0.apply(answer, to: batch, sent: sent, received: received) }
        await keepAddress()
        return outcome
    }

    private func send(_ batch: OutgoingBatch, token: String, _ flight: inout Flight) async -> Uploader.Event {
        access?.note(token: token)
        flight = Flight(batch: batch.sent, sent: clock.boottime())
        let reply: Uploader.Reply<SyncAnswer>
        do {
            var headers = [("Authorization", "Bearer \(token)"), ("Content-Type", SyncRoute.segmentsMediaType)]
            if showsCheckIns { headers.append((SyncRoute.showsHeader, SyncRoute.showsCheckIns)) }
            let response = try await client.send(.post, SyncRoute.segments, headers: headers, body: batch.body)
            reply = checked(.init(.success(response), from: client.address))
        } catch {
            reply = .init(.failure(error), from: client.address)
        }
        flight.received = clock.boottime()
        if case .answer(let answer) = reply {
            tokens.clock.note(hub: answer.utc, at: flight.sent + (flight.received - flight.sent + 1) / 2)
        } else {
            // Nobody waits for the disk here.
            clock.machine.start { [recorder] in await recorder.noteNoAnswer() }
        }
        return .segmentsReplied(reply)
    }

    /// A hub that lives outside of its own certificate's time would give ours to everything that goes by it, this box's clock included.
    private func checked(_ reply: Uploader.Reply<SyncAnswer>) -> Uploader.Reply<SyncAnswer> {
        guard case .answer(let answer) = reply, let life = client.certificateLife, !life.contains(answer.utc) else { return reply }
        return .notTheHub(
            "\(client.address) says that it is \(ISO8601.string(answer.utc)), when its own certificate is not valid. Set the hub's clock")
    }

    /// For times without a name service.
    private func keepAddress() async {
        let reached = client.lastAddress
        access?.note(address: reached)
        guard let reached, reached != keptAddress.withLock({ $0 }) else { return }
        do {
            try await patiently { try await $0.store(hubAddress: reached) }
            keptAddress.withLock { $0 = reached }
        } catch {
            logger.debug("the hub's address was not stored: \(error)")
        }
    }

    private func tell(_ status: Uploader.Status) {
        let now = clock.boottime()
        let before = shared.withLock { snapshot in
            if !snapshot.status.isSameKind(as: status) || snapshot.since == 0 { snapshot.since = now }
            defer { snapshot.status = status }
            return snapshot.status
        }
        var isReminder = false
        if case .stopped = status { isReminder = now - told.withLock { $0 } >= Self.reminderInterval }
        guard before != status || isReminder, !Task.isCancelled else { return }
        told.withLock { $0 = now }
        switch status {
        case .starting: break
        case .connected: logger.notice("the hub takes our data")
        case .offline(let reason): logger.warning("waiting for the hub: \(reason)")
        case .stopped(let reason): logger.error("the hub does not let us send, which is tried again every ten minutes: \(reason)")
        }
    }
}

extension Uploader.Status {
    fileprivate func isSameKind(as other: Uploader.Status) -> Bool {
        switch (self, other) {
        case (.starting, .starting), (.connected, .connected), (.offline, .offline), (.stopped, .stopped): true
        default: false
        }
    }
}

extension SyncSignals.Signal {
    fileprivate var event: Uploader.Event {
        switch self {
        case .collected: .collected
        case .sealed: .sealed
        case .woken: .woken
        case .urgent: .urgent
        }
    }
}
