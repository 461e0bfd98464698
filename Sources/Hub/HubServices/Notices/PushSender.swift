import Alerts
public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals
public import WebPush

/// Sends notices to browsers (RFC 8030), and tries again when a push service takes none.
public struct PushSender: Service {
    /// The text of a notification, in the language of its account, and its link.
    public struct Letter: Sendable, Codable {
        public var title: String
        public var text: String
        /// A path of this hub.
        public var url: String
        /// A notification of the same tag is replaced.
        public var tag: String
        public var lang: String
        /// It stays on the screen until somebody answers it, and is felt.
        public var isUrgent: Bool?

        public init(title: String, text: String, url: String, tag: String, lang: String, isUrgent: Bool? = nil) {
            (self.title, self.text, self.url, self.tag, self.lang) = (title, text, url, tag, lang)
            self.isUrgent = isUrgent
        }
    }

    /// Tries of one message go on for so long; the notice stays on its page.
    static let patience: Milliseconds = 86_400_000
    /// After how many milliseconds a message is tried again: the first time, and at most.
    static let pauseFirst: Milliseconds = 10_000
    static let pauseMax: Milliseconds = 3_600_000
    /// How long a push service keeps a message for a phone that is off, in seconds: three days, as long as a question waits.
    static let lifetime = 3 * 86_400
    /// The same for what is of no use any more after that: a crew is not called to what went to others, nobody is asked about an hour ago.
    static let brief: [NoticeKind: Int] = [.sosOffer: 30, .sosQuestion: 120]
    private static let lease: Milliseconds = 60_000
    private static let batch = 16, atOnce = 256
    private static let pause: Duration = .milliseconds(500)
    static let urgent: Set<NoticeKind> = [
        .asked, .sosRaised, .sosTaken, .sosOver, .sosWarning, .sosPause, .sosQuestion, .sosOffer, .sosUnprotected, .sosTest, .wayFailed,
        .peopleUnreached, .addressAsked,
        .sosSettingsDiffer, .sosInactive, .sosActive, .sosAsked, .sosUnheard, .sosNoPosition,
    ]

    private let store: PushStore
    private let client: EgressClient
    private let key: ServerKey
    private let contact: String
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds
    private let write: @Sendable (StoredPush) -> Letter?
    private let underWay = UnderWay()
    private let ways: WayMonitor

    /// - Parameters:
    ///   - contact: `mailto:` of the operator, for the push services.
    ///   - ways: learns what became of each message.
    ///   - write: nil for a notice of which nothing can be said.
    public init(
        store: PushStore, client: EgressClient, key: ServerKey, contact: String, logger: Logger,
        now: @escaping @Sendable () -> Milliseconds, ways: WayMonitor = WayMonitor(), write: @escaping @Sendable (StoredPush) -> Letter?
    ) {
        (self.store, self.client, self.key, self.contact) = (store, client, key, contact)
        (self.logger, self.now, self.ways, self.write) = (logger, now, ways, write)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    var pushes: [StoredPush] = []
                    do { pushes = try due() } catch {
                        logger.error("the outbox of push messages cannot be read; it is tried again", metadata: ["error": "\(error)"])
                    }
                    for push in pushes {
                        underWay.count.withLock { $0 += 1 }
                        group.addTask {
                            await send(push)
                            underWay.count.withLock { $0 -= 1 }
                        }
                    }
                    if pushes.isEmpty { try? await store.machine.sleep(for: Self.pause) }
                }
            }
        }
    }

    /// Sends what is due, and waits for all of it. Returns how many were tried.
    func sendDue() async throws -> Int {
        let pushes = try due()
        await withDiscardingTaskGroup { group in
            for push in pushes { group.addTask { await send(push) } }
        }
        return pushes.count
    }

    /// Messages on their way.
    private final class UnderWay: Sendable {
        let count = Mutex(0)
    }

    /// Due messages, as far as there is room. Nobody waits for those on their way: a silent push service holds no other up.
    private func due() throws -> [StoredPush] {
        let room = Self.atOnce - underWay.count.withLock { $0 }
        return try room > 0 ? store.duePushes(min(room, Self.batch), lease: Self.lease, now: now()) : []
    }

    private func send(_ push: StoredPush) async {
        do {
            guard let letter = write(push) else {
                logger.error("a notice of an unknown kind was not pushed")
                return try store.pushFailed(push, "nothing can be said", due: nil)
            }
            // Of no use any more: the hub was down, or the service asked to wait.
            guard now() - push.created < Milliseconds(Self.lifetime(of: push)) * 1000 else {
                return try givenUp(push, "it is too late for it")
            }
            let request: PushRequest
            do { request = try self.request(letter, push) } catch {
                logger.error("a push message cannot be made: \(error)")
                return try store.pushFailed(push, "the message could not be made", due: nil)
            }
            guard let url = try? OutsideURL(request.url) else {
                return try store.pushFailed(push, "its address cannot be read", due: nil)
            }
            do {
                let answer = try await client.send(
                    request.body, to: url, headers: request.headers.map { ($0.name, $0.value) }, turn: push.tries)
                try take(PushAnswer(status: answer.status, retryAfter: answer.retryAfter), push)
            } catch let failure as EgressClient.Failure {
                try later(push, failure.description)
            }
        } catch {
            logger.error("what became of a push message cannot be stored; it is sent again", metadata: ["error": "\(error)"])
        }
    }

    private func request(_ letter: Letter, _ push: StoredPush) throws -> PushRequest {
        let to = push.device.address
        let subscription = try PushSubscription(endpoint: to.endpoint, publicKey: to.publicKey, secret: to.secret)
        return try PushRequest(
            Self.payload(letter), to: subscription, key: key, contact: contact, lifetime: Self.lifetime(of: push),
            urgency: push.notice.kind.map(Self.urgent.contains) == true ? .high : .normal, topic: "n\(push.notice.row)", utc: now())
    }

    private static func lifetime(of push: StoredPush) -> Int { push.notice.kind.flatMap { brief[$0] } ?? lifetime }

    private func take(_ answer: PushAnswer, _ push: StoredPush) throws {
        switch answer {
        case .accepted:
            note(push, .success("taken by the push service"))
            try store.pushed(push, now: now())
        case .gone: try store.pushDeviceGone(push, now: now())
        case .later(let seconds): try later(push, "it asks to wait", seconds: seconds)
        case .tooLarge: try givenUp(push, "it takes no message of this size")
        case .refused(let status):
            note(push, .failure(WayFailure("it answered with status \(status)")))
            try givenUp(push, "it answered with status \(status)")
        }
    }

    private func later(_ push: StoredPush, _ why: String, seconds: Int? = nil) throws {
        note(push, .failure(WayFailure(why)))
        let time = now()
        guard time - push.created < min(Self.patience, Milliseconds(Self.lifetime(of: push)) * 1000) else { return try givenUp(push, why) }
        let pause = min(Self.pauseMax, Self.pauseFirst << Milliseconds(min(push.tries - 1, 10)))
        try store.pushFailed(push, why, due: time + max(pause, Milliseconds(seconds ?? 0) * 1000))
    }

    /// Host and port of a push service: of the address only that, as who knows the rest can send.
    static func service(of endpoint: String) -> String { endpoint.split(separator: "/").dropFirst().first.map(String.init) ?? "" }

    private func note(_ push: StoredPush, _ result: Result<String, any Error>) {
        ways.attempted(.push(Self.service(of: push.device.address.endpoint)), to: "\(push.device.row)", result)
    }

    private func givenUp(_ push: StoredPush, _ why: String) throws {
        let service = Self.service(of: push.device.address.endpoint)
        logger.error("a push message was given up: \(why)", metadata: ["service": "\(service)"])
        try store.pushFailed(push, why, due: nil)
    }
}
