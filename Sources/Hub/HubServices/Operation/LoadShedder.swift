public import Logging
public import Seams
import Synchronization
public import Vitals

/// The one place that says what a hub leaves undone at the moment (``LoadShedding``). Who does such work asks it first.
public final class LoadShedder: Sendable {
    private let state = Mutex(LoadShedding())
    private let logger: Logger
    private let machine: Machine

    public init(logger: Logger, machine: Machine) { (self.logger, self.machine) = (logger, machine) }

    private var now: Milliseconds { Milliseconds(machine.uptime / .milliseconds(1)) }

    /// Takes in how long work waited, milliseconds.
    public func note(_ wait: Milliseconds) { note(wait, at: now) }

    /// - Parameter now: by ``Machine/uptime``, milliseconds.
    func note(_ wait: Milliseconds, at now: Milliseconds) {
        guard let shed = state.withLock({ $0.note(wait, at: now) ? $0.shed : nil }) else { return }
        guard !shed.isEmpty else { return logger.notice("the load has passed: everything is done again") }
        logger.warning(
            "under too much load; calls for help go on, and this is left undone",
            metadata: ["what": "\(shed.map { "\($0)" }.joined(separator: ", "))", "wait": "\(wait) ms"])
    }

    /// How many kinds are left undone.
    var count: Int { state.withLock { $0.count } }

    public func sheds(_ kind: Sheddable) -> Bool { state.withLock { $0.sheds(kind) } }

    /// After how many seconds work of a kind may be asked for again; nil where it is done.
    public func retryAfter(_ kind: Sheddable) -> Int? {
        let now = now
        return state.withLock { $0.wait(for: kind, at: now) }.map { Int(($0 + 999) / 1000) }
    }

    /// For /readyz; empty where everything is done.
    public var notes: [String] {
        let shed = state.withLock(\.shed)
        return shed.isEmpty ? [] : ["under load, left undone: " + shed.map { "\($0)" }.joined(separator: ", ")]
    }
}

/// Too much load for what was asked for.
public struct Overloaded: Error, Sendable, Hashable {
    /// After how many seconds it may be asked for again.
    public let seconds: Int

    public init(seconds: Int) { self.seconds = seconds }
}
