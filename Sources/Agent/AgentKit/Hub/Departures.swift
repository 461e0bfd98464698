internal import Logging
internal import Seams
internal import ServiceLifecycle
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Hears from the hub that people of this box are gone, notes it, and ends the agent at once. Started again, by its service manager, it erases
/// what it held of them (``Departure``) and goes on with the others: nothing of who left stays in memory either.
final class Departures: Service {
    /// A disk that does not take the note within it is told; the hub says it again.
    private static let patience = Duration.seconds(10)

    private let people: Set<PersonID>
    private let directory: StateDirectory
    private let file: NewestFile<Set<PersonID>>
    private let gone: Mutex<Set<PersonID>>
    private let strangers = Mutex<Set<PersonID>>([])
    private let logger: Logger
    private let (ends, end) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingOldest(1))

    init(_ identity: Identity, _ directory: StateDirectory, logger: Logger) {
        people = Set(identity.persons.map(\.person))
        (self.directory, self.logger) = (directory, logger)
        gone = Mutex(Departure.noted(in: directory.path, machine: directory.machine))
        file = NewestFile(Departure.file, in: directory, refusal: "who left this box is not noted", level: .error, logger: logger)
    }

    /// Somebody was deleted or left. Those who are none of this box's people now, of whom old data waited, mean nothing here.
    func note(_ left: Set<PersonID>) async {
        let own = left.intersection(people)
        guard !own.isEmpty else { return }
        let all = gone.withLock { gone in
            gone.formUnion(own)
            return gone
        }
        file.keep(all)
        _ = await file.written().value(within: Self.patience)
        guard Departure.noted(in: directory.path, machine: directory.machine).isSuperset(of: own) else { return }
        logger.notice(
            "people of this box were deleted at the hub, or left: the agent ends, and erases what it holds of them when it starts again",
            metadata: ["people": "\(own.count)"])
        end.yield()
    }

    /// People of this box of whom the hub does not know that it sends for them: everything of theirs is kept, and goes on.
    var unbound: Set<PersonID> { strangers.withLock { $0 } }

    /// The hub refused somebody's samples and did not say that they are gone: one that was put back to an older backup knows no better.
    func note(unbound others: Set<PersonID>) {
        set(unbound: unbound.union(others.intersection(people)))
    }

    /// The answer to what the box says of itself.
    func note(_ answer: BoxConditionAnswer) async {
        let left = Set(answer.gone ?? [])
        if let bound = answer.bound { set(unbound: people.subtracting(bound).subtracting(left)) }
        await note(left)
    }

    private func set(unbound now: Set<PersonID>) {
        let before = strangers.withLock { strangers in
            defer { strangers = now }
            return strangers
        }
        guard now != before else { return }
        if now.isEmpty { return logger.notice("the hub knows again for whom this box sends") }
        logger.error(
            "the hub does not know that this box sends for people of it: perhaps it was put back to an older backup. All of theirs is kept here",
            metadata: ["people": "\(now.count)"])
    }

    /// Ends when somebody left.
    func run() async throws {
        await cancelWhenGracefulShutdown { [ends] in
            for await _ in ends { return }
        }
    }
}
