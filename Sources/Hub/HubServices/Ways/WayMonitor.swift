public import Alerts
public import Logging
public import Seams
public import ServiceLifecycle
import Synchronization
public import Vitals

/// Watches every way out of the hub (SOS-22): runs the probes, takes what became of real messages, and says when a way fails or works again.
///
/// What is known is kept in memory: a hub that is started anew learns it again from its probes within seconds.
public final class WayMonitor: Service, Sendable {
    /// A way that began to fail, or works again.
    public struct Change: Sendable, Hashable {
        public let way: Way
        public let health: WayHealth
    }

    private struct ProbeKey: Hashable {
        let way: Way
        let id: String
    }

    private struct State {
        var health: [Way: WayHealth] = [:]
        var probes: [ProbeKey: WayProbe] = [:]
        var due: [ProbeKey: Milliseconds] = [:]
        var running: Set<ProbeKey> = []
        var observers: [@Sendable (Change) -> Void] = []
        var recipientObservers: [@Sendable (Way, String) -> Void] = []
        var failureObservers: [@Sendable (Way, String, WayFailure) -> Void] = []
        /// Those of whom operators were told last, as far as they are without a way still, and when.
        var people: Set<PersonID> = [], peopleTold: Milliseconds = .min / 2
        /// Operators were told that there is somebody, and not yet that there is nobody any more.
        var isSomebodyTold = false
        var peopleObservers: [@Sendable (PeopleUnreached) -> Void] = []
        var discovered: Milliseconds = .min / 2
    }

    /// How often it is looked which push services there are, milliseconds.
    static let discoverEvery: Milliseconds = 600_000
    private static let tick: Duration = .milliseconds(500)

    private let state = Mutex(State())
    private let now: @Sendable () -> Milliseconds
    private let logger: Logger
    private let machine: Machine
    private let discover: @Sendable () throws -> [WayProbe]

    /// - Parameters:
    ///   - now: UTC milliseconds; nil for the machine's.
    ///   - discover: probes of ways that come and go; it is asked every ten minutes.
    public init(
        probes: [WayProbe] = [], now: (@Sendable () -> Milliseconds)? = nil,
        logger: Logger = Logger(label: "trackme.ways"), machine: Machine = .system,
        discover: @escaping @Sendable () throws -> [WayProbe] = { [] }
    ) {
        (self.now, self.logger, self.machine, self.discover) = (now ?? { machine.utc }, logger, machine, discover)
        for probe in probes { add(probe) }
    }

    /// Watches by one more probe.
    public func add(_ probe: WayProbe) {
        let key = ProbeKey(way: probe.way, id: probe.id)
        state.withLock { state in
            state.probes[key] = probe
            if state.due[key] == nil { state.due[key] = probe.first ?? .min / 2 }
            if state.health[probe.way] == nil { state.health[probe.way] = Self.health(of: probe.way) }
        }
    }

    /// Calls `observer` after each change between failing and not failing, in no order with others.
    public func observe(_ observer: @escaping @Sendable (Change) -> Void) { state.withLock { $0.observers.append(observer) } }

    /// Calls `observer` with each recipient whom a message by a way did not reach, where nothing had failed for them, in no order with others.
    public func observeRecipients(_ observer: @escaping @Sendable (_ way: Way, _ recipient: String) -> Void) {
        state.withLock { $0.recipientObservers.append(observer) }
    }

    /// Calls `observer` with each message that did not leave, in no order with others.
    public func observeFailures(_ observer: @escaping @Sendable (_ way: Way, _ recipient: String, _ why: WayFailure) -> Void) {
        state.withLock { $0.failureObservers.append(observer) }
    }

    /// Others without a way are told at once, but not more often than this, milliseconds: a way that breaks does so for one after the other.
    static let peopleEvery: Milliseconds = 30_000

    /// Calls `observer` with how many people no way reaches: when there is somebody, when there is somebody else, and when there is nobody any
    /// more.
    public func observePeople(_ observer: @escaping @Sendable (PeopleUnreached) -> Void) {
        state.withLock { $0.peopleObservers.append(observer) }
    }

    /// Takes who has lost their last way, as of now.
    public func told(_ unreached: PeopleUnreached) {
        let time = now(), people = unreached.people
        let observers = state.withLock { state -> [@Sendable (PeopleUnreached) -> Void] in
            // Whoever is without a way anew is news, also where somebody else has theirs back with the same look.
            state.people.formIntersection(people)
            let isNews =
                people.isEmpty
                ? state.isSomebodyTold
                : !people.isSubset(of: state.people) && (!state.isSomebodyTold || time - state.peopleTold >= Self.peopleEvery)
            guard isNews else { return [] }
            (state.people, state.peopleTold, state.isSomebodyTold) = (people, time, !people.isEmpty)
            return state.peopleObservers
        }
        for observer in observers { observer(unreached) }
    }

    private static func health(of way: Way) -> WayHealth { WayHealth(hasOneRecipient: way.kind == "room") }

    // MARK: What is known

    /// All ways that are watched or were used, in their order.
    public var all: [(way: Way, health: WayHealth)] {
        state.withLock { state in state.health.map { ($0.key, $0.value) } }.sorted { $0.0 < $1.0 }
    }

    public var failing: [(way: Way, health: WayHealth)] { all.filter(\.health.isFailing) }

    public func isFailing(_ way: Way) -> Bool { state.withLock { $0.health[way]?.isFailing ?? false } }

    /// Whether a message to a recipient would not leave by this way, as far as is known.
    public func isFailing(_ way: Way, for recipient: String) -> Bool {
        state.withLock { $0.health[way]?.isFailing(for: recipient) ?? false }
    }

    // MARK: What happens

    /// The outcome of a real message.
    /// - Parameter recipient: tells recipients apart; it is kept in memory and shown nowhere.
    public func attempted(_ way: Way, to recipient: String, _ result: Result<String, any Error>) {
        let wasFailing = isFailing(way, for: recipient)
        change(way) { $0.attempted(to: recipient, result.mapError { WayFailure($0) }, at: now()) }
        if case .failure(let error) = result {
            for observer in state.withLock(\.failureObservers) { observer(way, recipient, WayFailure(error)) }
        }
        guard !wasFailing, isFailing(way, for: recipient) else { return }
        for observer in state.withLock(\.recipientObservers) { observer(way, recipient) }
    }

    /// Since when the oldest message waits that nobody has tried to send; nil where none waits.
    public func waiting(_ way: Way, since oldest: Milliseconds?) {
        guard oldest != nil || state.withLock({ $0.health[way] != nil }) else { return }
        change(way) { $0.waiting(since: oldest, at: now()) }
    }

    private func change(_ way: Way, _ body: (inout WayHealth) -> Void) {
        let (change, observers) = state.withLock { state -> (Change?, [@Sendable (Change) -> Void]) in
            let before = state.health[way] ?? Self.health(of: way)
            var health = before
            body(&health)
            state.health[way] = health
            return (before.isFailing == health.isFailing ? nil : Change(way: way, health: health), state.observers)
        }
        guard let change else { return }
        if let failure = change.health.failure {
            logger.critical("a way out has failed", metadata: ["way": "\(way)", "why": "\(failure.what)"])
        } else {
            logger.notice("a way out works again", metadata: ["way": "\(way)"])
        }
        for observer in observers { observer(change) }
    }

    // MARK: Probes

    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                while !Task.isCancelled {
                    discoverDue()
                    // One that hangs holds up no other.
                    for probe in takeDue() { group.addTask { [self] in await look(probe) } }
                    try? await machine.sleep(for: Self.tick)
                }
            }
        }
    }

    /// Runs the probes that are due, and waits for them.
    func lookDue() async {
        discoverDue()
        await look(takeDue())
    }

    /// Sends the messages to the operator's own address now.
    public func proveNow() async {
        await look(
            state.withLock { state in
                let proofs = state.probes.filter { $0.value.isAttempt && !state.running.contains($0.key) }
                state.running.formUnion(proofs.keys)
                return Array(proofs.values)
            })
    }

    /// Whether the operator has given an address for daily tests.
    public var hasProofs: Bool { state.withLock { $0.probes.values.contains(where: \.isAttempt) } }

    private func look(_ probes: [WayProbe]) async {
        await withDiscardingTaskGroup { group in
            for probe in probes { group.addTask { [self] in await look(probe) } }
        }
    }

    private func takeDue() -> [WayProbe] {
        let time = now()
        return state.withLock { state in
            let due = state.probes.filter { key, _ in !state.running.contains(key) && (state.due[key] ?? 0) <= time }
            state.running.formUnion(due.keys)
            return Array(due.values)
        }
    }

    private func look(_ probe: WayProbe) async {
        let key = ProbeKey(way: probe.way, id: probe.id), found: Result<String?, any Error>
        do { found = .success(try await probe.look()) } catch { found = .failure(error) }
        // A hub that stops with whoever it looks at has found out nothing.
        let time = now(), isCancelled = Task.isCancelled
        if !isCancelled {
            change(probe.way) { health in
                switch found {
                case .success(nil): break
                case .success(let what?): health.probed(probe.id, .success(what), isAttempt: probe.isAttempt, at: time)
                case .failure(let error): health.probed(probe.id, .failure(WayFailure(error)), isAttempt: probe.isAttempt, at: time)
                }
            }
        }
        state.withLock { state in
            let health = state.health[probe.way]
            let isFirstMiss = health?.isMissing(probe: probe.id) == true && health?.isFailing != true
            let pause = isFirstMiss ? min(WayProbe.soon, probe.every) : health?.isFailing == true ? probe.everyFailing : probe.every
            state.due[key] = time + pause
            state.running.remove(key)
        }
    }

    private func discoverDue() {
        let time = now()
        guard state.withLock({ time - $0.discovered >= Self.discoverEvery }) else { return }
        state.withLock { $0.discovered = time }
        do { for probe in try discover() { add(probe) } } catch {
            logger.error("which push services are used cannot be read", metadata: ["error": "\(error)"])
        }
    }
}
