public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Delivers what waits for webhooks: what rests on one consent in order and one at a time, of several consents and to several webhooks at once
/// (``DeliveryLimits``); again with growing pauses for a day, then it is given up and shown.
///
/// A webhook's turn is a claim of what waits first, its posts, and their outcomes. Claims and outcomes of all webhooks that are ready share
/// their commits. What was queued meanwhile has the next turn, so the last word about a consent comes behind everything else about it.
public struct WebhookService: Service {
    private let store: WebhookStore
    private let client: EgressClient
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let mayLeave: @Sendable (WebhookDelivery) throws -> Bool
    private let mayWait: @Sendable () -> Bool
    private let state = State()
    /// The store waits for the disk; the requests of others shall not.
    private let thread: WorkQueue

    /// Due webhooks that are looked at, at most.
    static let dueMax = 1024
    /// Deliveries of one turn for each that may be on its way at once.
    static let turnDepth = 4
    /// A webhook that fails gets so many until one is taken.
    static let probes = 1
    /// Later in a turn no other post begins: what was queued meanwhile waits.
    static let turnMax: Duration = .seconds(5)
    /// Longer than a turn takes: the last try ends after ``EgressClient/limit``, name resolution not included.
    static let lease: Milliseconds = 120_000
    static let retriedFor: Milliseconds = 86_400_000
    static let pauseMin: Milliseconds = 5000
    static let pauseMax: Milliseconds = 3_600_000
    /// How soon what was queued is seen.
    static let look: Duration = .milliseconds(200)

    /// - Parameter mayLeave: asked right before each try; false when the consent on which a delivery rests has ended. What it throws is a
    ///   failed try.
    /// - Parameter mayWait: whether no turn begins at the moment: the hub has too much to do.
    public init(
        store: WebhookStore, client: EgressClient, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        mayLeave: @escaping @Sendable (WebhookDelivery) throws -> Bool, mayWait: @escaping @Sendable () -> Bool = { false }
    ) {
        (self.store, self.client, self.logger, self.now, self.mayLeave) = (store, client, logger, now, mayLeave)
        self.mayWait = mayWait
        thread = BlockingQueue.webhooks.made(on: store.machine)
    }

    private final class State: Sendable {
        let limits = Mutex(DeliveryLimits())
        let over = Mutex<[DeliveryTurn.Over]>([])
    }

    public func run() async throws {
        // Nobody else delivers: a directory has one hub.
        do { try store.releaseDeliveries(now: now()) } catch {
            logger.error("deliveries of the last run wait until their lease is over", metadata: ["error": "\(error)"])
        }
        await cancelWhenGracefulShutdown { await serve() }
    }

    private func serve() async {
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    look.yield()
                    try? await store.machine.sleep(for: Self.look)
                }
                look.finish()
            }
            group.addTask {
                for await _ in ends {
                    await settle()
                    // More waits perhaps.
                    look.yield()
                }
            }
            await withDiscardingTaskGroup { turns in
                for await _ in looks {
                    for turn in await due() {
                        turns.addTask {
                            let over = await turn.run(on: store.machine) { await attempt($0, to: turn.webhook) }
                            state.over.withLock { $0.append(over) }
                            end.yield()
                        }
                    }
                }
            }
            group.cancelAll()
        }
        // Deliveries that ended while the hub stopped.
        await settle()
    }

    // MARK: Turns

    private func due() async -> [DeliveryTurn] {
        guard !mayWait(), !state.limits.withLock({ $0.isFull }) else { return [] }
        do { return try await thread.run(claim) } catch {
            logger.error("the queue of webhooks cannot be read; it is tried again", metadata: ["error": "\(error)"])
            return []
        }
    }

    private func claim() throws -> [DeliveryTurn] {
        let now = now()
        var places: [WebhookID: Places] = [:], wanted: [(webhook: DueWebhook, count: Int)] = []
        for webhook in try store.dueWebhooks(Self.dueMax, now: now, tell: tell) {
            let destination = Self.destination(webhook), atMost = webhook.failures > 0 ? Self.probes : DeliveryLimits.destinationMax
            let count = state.limits.withLock { $0.take(destination, of: webhook.organisation, atMost: atMost) }
            guard count > 0 else { continue }
            places[webhook.id] = Places(destination: destination, organisation: webhook.organisation, count: count)
            wanted.append((webhook, webhook.failures > 0 ? count : count * Self.turnDepth))
        }
        // Also when nothing could be claimed.
        defer {
            for rest in places.values {
                state.limits.withLock { $0.give(rest.destination, of: rest.organisation, rest.count, posts: 0, slowest: .zero) }
            }
        }
        guard !wanted.isEmpty else { return [] }
        return try store.claimDeliveries(wanted, lease: Self.lease, now: now, tell: tell).compactMap { claimed in
            guard let place = places[claimed.webhook.id] else { return nil }
            let turn = DeliveryTurn(claimed, destination: place.destination, places: place.count)
            // Others have what it cannot use.
            places[claimed.webhook.id]?.count -= turn.places
            return turn
        }
    }

    private struct Places {
        let destination: String
        let organisation: OrganisationID
        var count: Int
    }

    private func tell(_ damaged: DamagedWebhookData) {
        logger.critical("data of a webhook is damaged; restore it from the backup", metadata: ["error": "\(damaged)"])
    }

    private static func destination(_ webhook: DueWebhook) -> String {
        (try? OutsideURL(webhook.url))?.destination ?? webhook.url
    }

    /// Stores the outcomes of the turns that are over.
    private func settle() async {
        let over = state.over.withLock { over in
            defer { over = [] }
            return over
        }
        guard !over.isEmpty else { return }
        let now = now()
        do {
            let settled = over.map { DeliveryOutcomes($0.webhook, outcomes: $0.outcomes, due: now + $0.pause) }
            let givenUp = try await thread.run { try store.settle(settled, oldest: now - Self.retriedFor, now: now) }
            for (over, givenUp) in zip(over, givenUp) { tell(over, givenUp: givenUp) }
        } catch {
            logger.error("what became of deliveries cannot be stored; they are made again", metadata: ["error": "\(error)"])
        }
        for over in over {
            state.limits.withLock {
                $0.give(over.destination, of: over.webhook.organisation, over.places, posts: over.posts, slowest: over.slowest)
            }
        }
    }

    private func tell(_ over: DeliveryTurn.Over, givenUp: Int) {
        let about: Logger.Metadata = ["organisation": "\(over.webhook.organisation)", "webhook": "\(over.webhook.id)"]
        for case (let number, .failed(let error)) in over.outcomes {
            let more: Logger.Metadata = ["delivery": "\(number)", "error": "\(error)"]
            logger.info("a delivery to a webhook failed; it is tried again", metadata: about.merging(more) { $1 })
        }
        if givenUp > 0 { logger.warning("\(givenUp) deliveries to a webhook were given up after a day", metadata: about) }
    }

    /// 5 s, then twice as long each time, up to an hour.
    static func pause(afterFailures failures: Int) -> Milliseconds { min(pauseMax, pauseMin << min(failures, 20)) }

    // MARK: One try

    private func attempt(_ delivery: WebhookDelivery, to webhook: DueWebhook) async -> DeliveryOutcome {
        do {
            guard try mayLeave(delivery) else { return .withdrawn }
        } catch {
            logger.error("whether a delivery may leave cannot be found out", metadata: ["error": "\(error)"])
            return .failed("the hub could not prepare the delivery")
        }
        guard let url = try? OutsideURL(webhook.url) else { return .failed("its address cannot be read") }
        let signature = Webhooks.signature(of: delivery.payload, secret: webhook.secret, seconds: now() / 1000)
        let headers = [
            ("content-type", "application/json"), ("user-agent", "TrackMe"), (WebhookHeader.signature, signature),
            (WebhookHeader.delivery, "\(delivery.number)"), (WebhookHeader.webhook, "\(webhook.id)"),
        ]
        do {
            let status = try await client.post(delivery.payload, to: url, headers: headers, turn: delivery.tries)
            return (200..<300).contains(status) ? .delivered : .failed("it answered with status \(status)")
        } catch {
            // The hub stops: whether it arrived is not known.
            return Task.isCancelled ? .open : .failed(error.description)
        }
    }
}
