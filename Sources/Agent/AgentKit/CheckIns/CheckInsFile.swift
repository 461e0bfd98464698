internal import Foundation
internal import Logging
internal import Seams

/// Keeps on the disk what was said to check-ins: an answer survives a restart and a time without the hub.
final class CheckInsFile: Sendable {
    static let file = "check-ins.json"
    private let queue: WorkQueue
    private let directory: StateDirectory
    private let logger: Logger

    init(_ directory: StateDirectory, logger: Logger) {
        self.directory = directory
        self.logger = logger
        queue = directory.machine.queue(ofFile: "check-ins")
    }

    /// Without a file nothing was said. One that cannot be read is set aside, and `damage` says what that means.
    func load() -> (said: [CheckIns.LocalReply], damage: String?) {
        let advice = "what was said to a check-in on this box and not sent yet is lost: look at the run's page on the hub, and answer again"
        let content: [UInt8]?
        do throws(AgentProblem) { content = try directory.read(Self.file) } catch {
            return ([], "\(error.what): \(advice)")
        }
        guard let content else { return ([], nil) }
        if let said = try? JSONDecoder().decode([CheckIns.LocalReply].self, from: Data(content)) { return (said, nil) }
        do throws(AgentProblem) { try directory.write(content, to: Self.file + ".damaged") } catch { logger.warning("\(error)") }
        return ([], "\(directory.path)/\(Self.file) is damaged: \(advice)")
    }

    /// Begins to write. The result comes when the disk has it, or says why it has not; that is logged too.
    func write(_ said: [CheckIns.LocalReply]) -> Pending<AgentProblem?> {
        Pending(on: directory.machine) { done in
            queue.async { [directory, logger] in
                do throws(AgentProblem) {
                    guard let content = try? JSONEncoder().encode(said) else {
                        throw AgentProblem(
                            "The answers to check-ins cannot be written as JSON", advice: "Report this as an error of trackme-agent")
                    }
                    try directory.write(Array(content), to: Self.file)
                    done(nil)
                } catch {
                    logger.error("what was said to a check-in is in memory alone until the disk takes it: \(error)")
                    done(error)
                }
            }
        }
    }
}
