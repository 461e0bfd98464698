public import HubStore
public import Logging
import Privacy
import Seams
public import ServiceLifecycle
import Vitals

/// Queues what was stored for the webhooks of organisations with a subscription, as soon as it is stored (CONS-5, CONS-14). Each webhook has
/// a place of its own in each consent's data, in the database: what a hub that was killed had not queued is found by the next one.
public struct WebhookFeeder: Service {
    private let accounts: AccountStore
    private let arrivalReader: ArrivalReader
    private let bus: LiveBus
    private let logger: Logger
    private let time: MonotonicUTC

    /// Everybody is looked at now and then: for webhooks that are new, and what failed.
    static let sweepPause: Duration = .seconds(60)
    /// A webhook that is behind gets larger deliveries, every so many sweeps.
    static let sweepsBehind = 5
    /// Segments of one look at one consent.
    static let segmentsMax = 200
    /// Deliveries of one look, and of one transaction, about: a transaction is short.
    private static let payloadsOfLook = 4
    private static let payloadsMax = 64

    public init(accounts: AccountStore, arrivals: ArrivalReader, bus: LiveBus, logger: Logger, time: MonotonicUTC) {
        (self.accounts, arrivalReader, self.bus, self.logger, self.time) = (accounts, arrivals, bus, logger, time)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    for await _ in bus.arrived.signals { feedArrived() }
                }
                group.addTask {
                    var sweeps = 0
                    while !Task.isCancelled {
                        sweep(isBehindToo: sweeps.isMultiple(of: Self.sweepsBehind))
                        sweeps += 1
                        try? await accounts.machine.sleep(for: Self.sweepPause)
                    }
                }
            }
        }
    }

    private func feedArrived() {
        do { feed(try accounts.webhooks.fedToWebhooks(bus.arrived.take()), isBehindToo: false) } catch {
            logger.error("whose new data goes to webhooks cannot be read; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    func sweep(isBehindToo: Bool) {
        do { feed(try accounts.webhooks.peopleFedToWebhooks(), isBehindToo: isBehindToo) } catch {
            logger.error("whose data goes to webhooks cannot be read; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// Looks for what is new of these people until there is no more.
    /// - Parameter isBehindToo: also for webhooks that are behind.
    func feed(_ people: some Sequence<PersonID>, isBehindToo: Bool) {
        var people = Array(people)
        do {
            while !people.isEmpty, !Task.isCancelled { try step(&people, isBehindToo) }
        } catch {
            logger.error("what is new cannot be queued for webhooks; it is tried again", metadata: ["error": "\(error)"])
        }
    }

    /// One transaction for the first of these people; who has more stays among them.
    private func step(_ people: inout [PersonID], _ isBehindToo: Bool) throws {
        var found: [WebhookBatch] = [], again: [PersonID] = [], payloads = 0
        while payloads < Self.payloadsMax, let person = people.popLast() {
            let feeds: [WebhookBatch]
            do { feeds = try look(at: person, isBehindToo) } catch {
                // A person whose data cannot be read holds up nobody else.
                logger.error("what is new of somebody cannot be read for webhooks; it is tried again", metadata: ["error": "\(error)"])
                continue
            }
            found += feeds
            payloads += feeds.reduce(0) { $0 + $1.payloads.count }
            if feeds.contains(where: { !$0.payloads.isEmpty }) { again.append(person) }
        }
        guard !found.isEmpty else { return }
        // The other task may have moved a place meanwhile, or a consent ended: whatever is left then comes with the next sweep.
        if try accounts.webhooks.feedWebhooks(found, now: time.now) == found.count { people += again }
    }

    private func look(at person: PersonID, _ isBehindToo: Bool) throws -> [WebhookBatch] {
        try accounts.webhooks.webhookFeeds(of: [person]).filter { !$0.isFull && (isBehindToo || !$0.isBehind) }.compactMap(look)
    }

    private func look(_ feed: WebhookFeed) throws -> WebhookBatch? {
        let now = time.now
        guard let (grant, since) = try accounts.consents.subscription(by: feed.consent, now: now) else { return nil }
        let place = feed.cursor.map { SubscriptionCursor($0) ?? .unreadable }
        guard let arrivals = try arrivalReader.read(grant, after: place, since: since, segmentsMax: Self.segmentsMax, now: now) else {
            return nil
        }
        var payloads = WebhookPayloads(feed.consent, told: feed.told)
        var next: SubscriptionCursor
        switch arrivals {
        case .startOver(let from, let cursor):
            next = cursor
            payloads.startOver(from: from, cursor: cursor.description)
        case .items(let items, let upTo):
            guard let upTo else { return nil }
            next = upTo
            for arrival in items {
                payloads.append(arrival, cursor: arrival.cursor.description)
                guard payloads.payloads.count < Self.payloadsOfLook else {
                    next = arrival.cursor
                    break
                }
            }
            payloads.flush()
        }
        if !payloads.payloads.isEmpty { try accounts.ledger.recordRead(grant, now: now) }
        return WebhookBatch(feed, person: grant.person, payloads: payloads.payloads, cursor: next.description, told: payloads.told)
    }
}
