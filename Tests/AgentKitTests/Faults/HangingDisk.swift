import Foundation

@testable import SampleBuffer

/// A disk that does not come back: a write that holds the buffer up until ``end()``.
final class HangingDisk: Sendable {
    private let release = DispatchSemaphore(value: 0)
    private let done: Task<Void, Never>

    /// Hangs when this returns.
    init(_ buffer: SampleBuffer) async throws {
        let (starts, start) = AsyncStream.makeStream(of: Void.self)
        let release = release
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            try? buffer.write { _ in
                start.yield()
                release.wait()
            }
            end.finish()
        }
        done = Task { for await _ in ends {} }
        for await _ in starts { return }
    }

    func end() async {
        release.signal()
        await done.value
    }
}
