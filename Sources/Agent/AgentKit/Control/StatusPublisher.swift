internal import Seams
internal import Vitals

/// The state of the box, for whoever watches it and for the answers to requests.
@BoxActor
final class StatusPublisher {
    private var watchers = StatusWatchers()
    private let machine: Machine
    private let current: @BoxActor () -> BoxStatus?

    /// - Parameter current: the state now; nil when the box is given up.
    init(on machine: Machine, _ current: @escaping @BoxActor () -> BoxStatus?) { (self.machine, self.current) = (machine, current) }

    /// The state now.
    func status() -> BoxStatus? { current() }

    /// Tells those who watch, when there is something new.
    func publish() {
        guard !watchers.isEmpty, let status = status() else { return }
        watchers.tell(status)
    }

    /// - Parameter status: the state now.
    func subscribe(_ status: BoxStatus) -> AsyncStream<BoxStatus> {
        watchers.add(status) { [weak self, machine] id in machine.start { [weak self] in await self?.remove(id) } }
    }

    private func remove(_ id: Int) { watchers.remove(id) }

    func finish() { watchers.finish() }
}
