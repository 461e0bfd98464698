internal import Foundation
internal import Logging
internal import Seams
internal import Synchronization

/// Keeps the newest content of one file on the disk, on a queue of its own, because a disk may hang. Two writes that wait are one.
final class NewestFile<Content: Encodable & Sendable>: Sendable {
    private let name: String
    private let directory: StateDirectory
    private let refusal: String
    private let logger: Logger
    private let level: Logger.Level
    private let format: JSONEncoder.OutputFormatting
    private let queue: WorkQueue
    private let waiting = Mutex<Content?>(nil)

    /// - Parameters:
    ///   - refusal: what it means that a write failed, for the log.
    ///   - level: how grave that is.
    init(
        _ name: String, in directory: StateDirectory, refusal: String, level: Logger.Level = .warning, logger: Logger,
        format: JSONEncoder.OutputFormatting = []
    ) {
        (self.name, self.directory, self.refusal, self.logger) = (name, directory, refusal, logger)
        (self.level, self.format) = (level, format)
        queue = directory.machine.queue(ofFile: name)
    }

    /// Begins to write; that it failed is logged.
    func keep(_ content: Content) {
        let isFirst = waiting.withLock { waiting in
            defer { waiting = content }
            return waiting == nil
        }
        guard isFirst else { return }
        queue.async { [self] in
            guard let content = waiting.withLock({ $0.take() }) else { return }
            do {
                let encoder = JSONEncoder()
                encoder.outputFormatting = format
                try directory.write(Array(try encoder.encode(content)), to: name)
            } catch { logger.log(level: level, "\(refusal): \(error)") }
        }
    }

    /// Everything so far was written, or refused.
    func written() -> Pending<Void> {
        Pending(on: directory.machine) { done in queue.async { done(()) } }
    }
}
