internal import Logging
internal import Seams

/// Writes the settings on a queue of its own, in their order, because a disk may hang: what was chosen holds meanwhile.
final class SettingsFile: Sendable {
    private let queue: WorkQueue
    private let directory: StateDirectory
    private let logger: Logger

    init(_ directory: StateDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
        queue = directory.machine.queue(ofFile: "settings")
    }

    /// Begins to write. The result comes when the disk has them, or says why it has not; that is logged too.
    func write(_ settings: BoxSettings) -> Pending<AgentProblem?> {
        Pending(on: directory.machine) { done in
            queue.async { [directory, logger] in
                do throws(AgentProblem) {
                    try settings.save(to: directory)
                    done(nil)
                } catch {
                    logger.error("what was chosen holds until the agent restarts: \(error)")
                    done(error)
                }
            }
        }
    }

    /// Everything so far was written, or refused.
    func written() -> Pending<Void> {
        Pending(on: directory.machine) { done in queue.async { done(()) } }
    }
}
