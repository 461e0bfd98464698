public import HubStore
public import Logging
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Delivers what waits for webhooks: in order and one at a time for each, again with growing pauses for a day, then it is given up and shown.
public struct WebhookService: Service {
    private let accounts: AccountStore
    private let client: OutsideClient
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let mayLeave: @Sendable (WebhookDelivery) throws -> Bool
    private let inFlight = InFlight()

    /// Webhooks that are served at once, at most.
    static let inFlightMax = 64
    /// Longer than a try takes, name resolution included.
    static let lease: Milliseconds = 120_000
    static let retriedFor: Milliseconds = 86_400_000
    static let pauseMin: Milliseconds = 5000
    static let pauseMax: Milliseconds = 3_600_000
    /// How soon what was queued is seen.
    static let look: Duration = .milliseconds(200)

    /// - Parameter mayLeave: asked right before each try; false when the consent on which a delivery rests has ended. What it throws is a
    ///   failed try.
    public init(
        accounts: AccountStore, client: OutsideClient, logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        mayLeave: @escaping @Sendable (WebhookDelivery) throws -> Bool
    ) {
        (self.accounts, self.client, self.logger, self.now, self.mayLeave) = (accounts, client, logger, now, mayLeave)
    }

    private final class InFlight: Sendable {
        private let count = Mutex(0)
        var free: Int { inFlightMax - count.withLock { $0 } }
        func change(by change: Int) { count.withLock { $0 += change } }
    }

    public func run() async throws {
        // Nobody else delivers: a directory has one hub.
        do { try accounts.releaseDeliveries(now: now()) } catch {
            logger.error("deliveries of the last run wait until their lease is over", metadata: ["error": "\(error)"])
        }
        await cancelWhenGracefulShutdown { await serve() }
    }

    private func serve() async {
        let (looks, look) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup { group in
            group.addTask {
                while !Task.isCancelled {
                    look.yield()
                    try? await Task.sleep(for: Self.look)
                }
                look.finish()
            }
            await withDiscardingTaskGroup { deliveries in
                for await _ in looks {
                    for delivery in due() {
                        inFlight.change(by: 1)
                        deliveries.addTask {
                            await deliver(delivery)
                            inFlight.change(by: -1)
                            // The next of this webhook waits perhaps.
                            look.yield()
                        }
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func due() -> [WebhookDelivery] {
        do {
            let free = inFlight.free
            guard free > 0, try accounts.isDeliveryDue(now: now()) else { return [] }
            return try accounts.claimDeliveries(free, lease: Self.lease, now: now())
        } catch {
            logger.error("the queue of webhooks cannot be read; it is tried again", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// One try, and what becomes of it.
    func deliver(_ delivery: WebhookDelivery) async {
        do {
            switch await attempt(delivery) {
            case .success(true): try accounts.delivered(delivery, now: now())
            case .success(false): try accounts.withdrawn(delivery, now: now())
            case .failure where Task.isCancelled:
                // The hub stops: whether it arrived is not known, so it goes again, under the same number.
                try accounts.returned(delivery, now: now())
            case .failure(let failure): try failed(delivery, failure)
            }
        } catch {
            logger.error("what became of a delivery cannot be stored; it is made again", metadata: ["error": "\(error)"])
        }
    }

    private func failed(_ delivery: WebhookDelivery, _ failure: OutsideClient.Failure) throws {
        let now = now(), error = failure.description
        let givenUp = try accounts.failed(
            delivery, error, due: now + Self.pause(afterFailures: delivery.failures), oldest: now - Self.retriedFor, now: now)
        let about: Logger.Metadata = [
            "organisation": "\(delivery.organisation)", "webhook": "\(delivery.webhook)", "delivery": "\(delivery.number)",
            "error": "\(error)",
        ]
        logger.info("a delivery to a webhook failed; it is tried again", metadata: about)
        if givenUp > 0 { logger.warning("\(givenUp) deliveries to a webhook were given up after a day", metadata: about) }
    }

    /// 5 s, then twice as long each time, up to an hour.
    static func pause(afterFailures failures: Int) -> Milliseconds { min(pauseMax, pauseMin << min(failures, 20)) }

    /// True when it was taken, false when it must not leave.
    private func attempt(_ delivery: WebhookDelivery) async -> Result<Bool, OutsideClient.Failure> {
        do {
            guard try mayLeave(delivery) else { return .success(false) }
        } catch {
            logger.error("whether a delivery may leave cannot be found out", metadata: ["error": "\(error)"])
            return .failure(.init(description: "the hub could not prepare the delivery"))
        }
        guard let url = try? OutsideURL(delivery.url) else { return .failure(.init(description: "its address cannot be read")) }
        let signature = Webhooks.signature(of: delivery.payload, secret: delivery.secret, seconds: now() / 1000)
        let headers = [
            ("content-type", "application/json"), ("user-agent", "TrackMe"), (WebhookHeader.signature, signature),
            (WebhookHeader.delivery, "\(delivery.number)"), (WebhookHeader.webhook, "\(delivery.webhook)"),
        ]
        do {
            let status = try await client.post(delivery.payload, to: url, headers: headers, turn: delivery.tries)
            return (200..<300).contains(status) ? .success(true) : .failure(.init(description: "it answered with status \(status)"))
        } catch { return .failure(error) }
    }
}
