internal import Foundation
internal import Logging
internal import Synchronization

/// Whether the disk takes anything: a small file, written and synced on a thread of its own, which may never come back.
final class DiskTest: Sendable {
    private static let file = "disk-test"
    private let answered = Mutex(false)

    /// Begins at once.
    init(_ directory: StateDirectory, logger: Logger) {
        let thread = Thread { [self] in
            // Also one that refuses it does not hang.
            try? directory.write([0], to: Self.file)
            answered.withLock { $0 = true }
            logger.error("the disk answers: if samples are still not stored, that is not because of it, and the service starts anew")
            directory.remove { $0.hasPrefix(Self.file) }
        }
        thread.name = "trackme.disk-test"
        thread.start()
    }

    /// It came back, with the file on the disk or with a refusal.
    var isBack: Bool { answered.withLock { $0 } }
}
