internal import Foundation
internal import Logging
internal import Synchronization

/// Whether the disk takes anything: a small file, written and synced on a thread of its own, which may never come back.
final class DiskTest: Sendable {
    private static let file = "disk-test"
    private let answered = Mutex(false)

    /// Begins at once. A refusal proves nothing, since one that hangs also refuses what is not its own to take: it is tried again.
    init(_ directory: StateDirectory, every seconds: TimeInterval = 60, logger: Logger) {
        let thread = Thread { [weak self] in
            var isTold = false
            while self != nil {
                do { try directory.write([0], to: Self.file) } catch {
                    if !isTold { logger.error("whether the disk hangs cannot be tested: \(error); it is tried again") }
                    isTold = true
                    Thread.sleep(forTimeInterval: seconds)
                    continue
                }
                self?.answered.withLock { $0 = true }
                logger.error("the disk answers: if samples are still not stored, that is not because of it, and the service starts anew")
                return directory.remove { $0.hasPrefix(Self.file) }
            }
        }
        thread.name = "trackme.disk-test"
        thread.start()
    }

    /// It came back, with the file on the disk.
    var isBack: Bool { answered.withLock { $0 } }
}
