internal import Logging
internal import NIOCore
internal import Seams
internal import ServiceLifecycle
internal import Synchronization

/// The shared part of the control socket and the page: a bounded number of connections, each answered by a task of its own.
final class Listener<Inbound: Sendable, Outbound: Sendable>: Sendable {
    typealias Connection = NIOAsyncChannel<Inbound, Outbound>

    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isEnding = false
    }

    private let state = Mutex(State())
    private let connectionsMax: Int
    private let machine: Machine
    private let answer: @Sendable (Connection, _ isTooMany: Bool) async throws -> Void

    init(connectionsMax: Int, on machine: Machine, _ answer: @escaping @Sendable (Connection, _ isTooMany: Bool) async throws -> Void) {
        (self.connectionsMax, self.machine) = (connectionsMax, machine)
        self.answer = answer
    }

    /// There is no room even to say so.
    struct Crowded: Error {}

    /// Takes a new connection, in the initializer of its channel. It gets its task at once: a wrapped channel that nobody serves
    /// would stop the program.
    /// - Throws: ``Crowded`` when as many as may be served wait for their refusal already; the connection is closed then.
    func take(_ channel: any Channel) throws {
        guard state.withLock({ $0.tasks.count < 2 * connectionsMax }) else { throw Crowded() }
        let connection = try Connection(wrappingChannelSynchronously: channel)
        state.withLock { state in
            let number = state.next, isTooMany = state.tasks.count >= connectionsMax
            state.next += 1
            let task = machine.start { [self] in
                // An error here is the other side's: it went away, or sent what is no request. It ends this connection alone.
                try? await answer(connection, isTooMany)
                self.state.withLock { _ = $0.tasks.removeValue(forKey: number) }
            }
            if state.isEnding { task.cancel() }
            state.tasks[number] = task
        }
    }

    /// Returns when the listening channel has been closed, at the latest when the task is cancelled, and everybody has gone.
    func run(_ channel: any Channel) async {
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            channel.close(promise: nil)
        }
        let tasks = state.withLock { state in
            state.isEnding = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}

/// Calls `listen` again when it ended, until the agent shuts down: what collects heart rates must not end because nobody can look.
func keepListening(
    _ logger: Logger, on machine: Machine, retry: Duration = .seconds(10), _ listen: @escaping @Sendable () async throws -> Void
) async {
    await cancelWhenGracefulShutdown {
        var told: String?
        while !Task.isCancelled {
            do {
                try await listen()
                told = nil
            } catch {
                let what = "\(error)"
                if !Task.isCancelled, what != told { logger.error("\(what) Trying again every \(retry).") }
                told = what
            }
            try? await machine.sleep(for: retry)
        }
    }
}
