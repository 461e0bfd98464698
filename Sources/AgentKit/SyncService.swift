internal import Foundation
internal import Logging
internal import SampleBuffer
internal import ServiceLifecycle
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Runs the effects of the ``Uploader`` one after the other: the box's side of the contract with the hub.
final class SyncService: Service {
    /// For progress and status displays.
    struct Snapshot: Sendable {
        var status = Uploader.Status.starting
        var acknowledgedSegments = 0
        var refusedSegments = 0
        /// Nothing waits, and nothing is in flight.
        var isDone = false
    }

    private let client: HubClient
    private let tokens: TokenRequest
    private let recorder: Recorder
    private let nudges: Nudges
    private let clock: BoxClock
    private let logger: Logger
    /// Held for its lock as long as tokens are used.
    private let directory: StateDirectory
    private let shared = Mutex(Snapshot())

    init(
        client: HubClient, tokens: TokenRequest, recorder: Recorder, nudges: Nudges, clock: BoxClock, logger: Logger,
        directory: StateDirectory
    ) {
        self.client = client
        self.tokens = tokens
        self.recorder = recorder
        self.nudges = nudges
        self.clock = clock
        self.logger = logger
        self.directory = directory
    }

    var snapshot: Snapshot { shared.withLock { $0 } }

    func run() async throws {
        let token = try await recorder.storedToken()
        await cancelWhenGracefulShutdown { await self.loop(Uploader(token: token)) }
        await client.shutdown()
    }

    private struct Flight {
        var batch = SentBatch()
        var sent: Milliseconds = 0
        var received: Milliseconds = 0
    }

    private func loop(_ start: Uploader) async {
        var uploader = start, random = SystemRandomNumberGenerator()
        var events: [Uploader.Event] = [.started]
        var flight = Flight()
        var alarm: Task<Void, Never>?
        defer { alarm?.cancel() }
        var signals = nudges.signals.makeAsyncIterator()
        while !Task.isCancelled {
            if events.isEmpty {
                guard let signal = await signals.next() else { return }
                nudges.taken(signal)
                events.append(signal.event)
            }
            let effects = uploader.handle(events.removeFirst(), at: clock.boottime(), random: &random)
            tell(uploader.status)
            for effect in effects {
                if case .wake(let time) = effect {
                    alarm?.cancel()
                    alarm = wake(at: time)
                } else if let event = await perform(effect, &flight) {
                    events.append(event)
                }
            }
        }
    }

    private func wake(at time: Milliseconds) -> Task<Void, Never> {
        Task { [nudges, clock] in
            try? await Task.sleep(for: .milliseconds(max(0, time - clock.boottime())))
            if !Task.isCancelled { nudges.signal(.woken) }
        }
    }

    private func perform(_ effect: Uploader.Effect, _ flight: inout Flight) async -> Uploader.Event? {
        do {
            switch effect {
            case .obtainToken(let predecessor):
                return .tokenReplied(await tokens.send(predecessor: predecessor, over: client))
            case .storeToken(let token, let newStream):
                try await recorder.store(token: token, newStream: newStream)
                return .tokenStored(true)
            case .seal:
                try await recorder.seal()
                return nil
            case .send(let token, let bytesMax):
                guard let batch = try await recorder.nextBatch(bytesMax: bytesMax) else {
                    shared.withLock { $0.isDone = true }
                    return .nothingToSend
                }
                shared.withLock { $0.isDone = false }
                return await send(batch, token: token, &flight)
            case .apply(let answer):
                let outcome = try await recorder.apply(answer, to: flight.batch, sent: flight.sent, received: flight.received)
                shared.withLock { snapshot in
                    snapshot.acknowledgedSegments += outcome.acknowledged
                    snapshot.refusedSegments += outcome.refused
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

    private func send(_ batch: OutgoingBatch, token: String, _ flight: inout Flight) async -> Uploader.Event {
        flight = Flight(batch: batch.sent, sent: clock.boottime())
        let reply: Uploader.Reply<SyncAnswer>
        do {
            let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", SyncRoute.segmentsMediaType)]
            let response = try await client.send(.post, SyncRoute.segments, headers: headers, body: batch.body)
            reply = .init(.success(response), from: client.address)
        } catch {
            reply = .init(.failure(error), from: client.address)
        }
        flight.received = clock.boottime()
        return .segmentsReplied(reply)
    }

    private func tell(_ status: Uploader.Status) {
        let before = shared.withLock { snapshot in
            defer { snapshot.status = status }
            return snapshot.status
        }
        guard before != status, !Task.isCancelled else { return }
        switch status {
        case .starting: break
        case .connected: logger.notice("the hub takes our data")
        case .offline(let reason): logger.warning("waiting for the hub: \(reason)")
        case .stopped(let reason): logger.error("no longer sending: \(reason)")
        }
    }
}

extension Nudges.Signal {
    fileprivate var event: Uploader.Event {
        switch self {
        case .collected: .collected
        case .sealed: .sealed
        case .woken: .woken
        }
    }
}
