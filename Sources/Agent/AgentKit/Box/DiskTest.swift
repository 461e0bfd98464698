internal import Logging
internal import Seams
internal import Synchronization

/// Whether the disk takes anything: a small file, written and synced on a queue of its own, which may never come back.
final class DiskTest: Sendable {
    private static let file = "disk-test"
    private let answered = Mutex(false)

    /// Begins at once. A refusal proves nothing, since one that hangs also refuses what is not its own to take: it is tried again.
    init(_ directory: StateDirectory, every span: Duration = .seconds(60), logger: Logger) {
        let machine = directory.machine, queue = machine.queue(ofFile: Self.file)
        machine.start { [weak self] in
            var isTold = false
            while self != nil {
                do { try await queue.run { try directory.write([0], to: Self.file) } } catch {
                    if !isTold { logger.error("whether the disk hangs cannot be tested: \(error); it is tried again") }
                    isTold = true
                    try? await machine.sleep(for: span)
                    continue
                }
                self?.answered.withLock { $0 = true }
                logger.error("the disk answers: if samples are still not stored, that is not because of it, and the service starts anew")
                return queue.async { directory.remove { $0.hasPrefix(Self.file) } }
            }
        }
    }

    /// It came back, with the file on the disk.
    var isBack: Bool { answered.withLock { $0 } }
}
