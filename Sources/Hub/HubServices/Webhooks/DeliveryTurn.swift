import HubStore
import Seams
import Synchronization
import Vitals

/// The deliveries of one webhook that are made at once: of one consent one after the other, of several side by side. No other begins
/// after the first that fails, and after ``WebhookService/turnMax``.
struct DeliveryTurn: Sendable {
    let webhook: DueWebhook
    let destination: String
    /// Posts that may be on their way at once.
    let places: Int
    private let deliveries: [WebhookDelivery]
    /// Deliveries of a consent each, in the order of their first numbers from the end, as they are taken.
    private let lanes: [[WebhookDelivery]]

    /// - Parameter places: that may be used; ``places`` are those that can be.
    init(_ claimed: ClaimedDeliveries, destination: String, places: Int) {
        (webhook, deliveries, self.destination) = (claimed.webhook, claimed.deliveries, destination)
        lanes = Self.lanes(deliveries)
        self.places = min(places, lanes.count)
    }

    /// How it ended.
    struct Over: Sendable {
        let webhook: DueWebhook
        let destination: String
        let places: Int
        let outcomes: [(number: Int64, outcome: DeliveryOutcome)]
        /// Until the webhook's next turn.
        let pause: Milliseconds
        let posts: Int
        /// The longest post; nil when one failed.
        let slowest: Duration?
    }

    private struct Progress {
        /// Deliveries of a consent each, the next one first.
        var lanes: [[WebhookDelivery]]
        var outcomes: [Int64: DeliveryOutcome] = [:]
        var slowest: Duration = .zero
        var hasFailed = false

        let machine: Machine
        let end: Duration

        init(_ lanes: [[WebhookDelivery]], _ machine: Machine) {
            (self.lanes, self.machine, end) = (lanes, machine, machine.uptime + WebhookService.turnMax)
        }

        var isOver: Bool { hasFailed || machine.uptime >= end }

        mutating func next() -> [WebhookDelivery]? { isOver ? nil : lanes.popLast() }
    }

    private final class Shared: Sendable {
        let progress: Mutex<Progress>
        init(_ progress: Progress) { self.progress = Mutex(progress) }
    }

    /// - Parameter attempt: makes one delivery.
    func run(on machine: Machine, _ attempt: @escaping @Sendable (WebhookDelivery) async -> DeliveryOutcome) async -> Over {
        let shared = Shared(Progress(lanes, machine))
        await withDiscardingTaskGroup { group in
            for _ in 0..<max(1, places) {
                group.addTask {
                    while let lane = shared.progress.withLock({ $0.next() }) { await Self.run(lane, shared, machine, attempt) }
                }
            }
        }
        let done = shared.progress.withLock { $0 }
        let outcomes = deliveries.map { (number: $0.number, outcome: done.outcomes[$0.number] ?? .open) }
        return Over(
            webhook: webhook, destination: destination, places: places, outcomes: outcomes,
            pause: pause(done.hasFailed, wasTaken: outcomes.contains { $0.outcome == .delivered }),
            posts: done.outcomes.count, slowest: done.hasFailed ? nil : done.slowest)
    }

    private static func run(
        _ lane: [WebhookDelivery], _ shared: Shared, _ machine: Machine, _ attempt: (WebhookDelivery) async -> DeliveryOutcome
    ) async {
        for delivery in lane {
            guard !Task.isCancelled, !shared.progress.withLock({ $0.isOver }) else { return }
            let start = machine.uptime, outcome = await attempt(delivery), took = machine.uptime - start
            shared.progress.withLock { progress in
                progress.outcomes[delivery.number] = outcome
                progress.slowest = max(progress.slowest, took)
                if case .failed = outcome { progress.hasFailed = true }
            }
            // Later deliveries wait for it.
            if outcome == .open { return }
        }
    }

    private static func lanes(_ deliveries: [WebhookDelivery]) -> [[WebhookDelivery]] {
        var lanes: [[WebhookDelivery]] = [], places: [ConsentID?: Int] = [:]
        for delivery in deliveries {
            if let place = places[delivery.consent] {
                lanes[place].append(delivery)
            } else {
                places[delivery.consent] = lanes.count
                lanes.append([delivery])
            }
        }
        return lanes.reversed()
    }

    /// A server that took others is asked again at once: a connection may just have closed. That is one try alone, and then it pauses.
    private func pause(_ hasFailed: Bool, wasTaken: Bool) -> Milliseconds {
        guard hasFailed, !wasTaken else { return 0 }
        return WebhookService.pause(afterFailures: webhook.failures)
    }
}
