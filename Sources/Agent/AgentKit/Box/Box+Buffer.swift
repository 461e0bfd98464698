internal import SampleBuffer
internal import Vitals

/// What the box last knew of its buffer, which only the recorder asks.
struct BufferSnapshot {
    var waiting: (segments: Int, samples: Int) = (0, 0)
    /// Since when something waits to be sent; nil while nothing does.
    var waitingSince: Milliseconds?
    var status: BufferStatus?
    /// When the recorder last answered, and when it last counted everything.
    var answered: Milliseconds?
    var counted: Milliseconds?
    /// Since when the look that is under way has been.
    var asked: Milliseconds?
    var look: Pending<Void>?
}

// The recorder waits for the disk, and a disk can hang: it is looked at beside the box's work, by one look at a time.
extension Box {
    /// Counting a month of segments takes its time, and a page asks every two seconds.
    private static let countEvery: Milliseconds = 30_000
    /// No answer waits longer for a look.
    static let lookMax = Duration.seconds(1)

    /// Begins a look, unless one is under way.
    /// - Parameter counts: the whole status too, where the last one is old.
    func lookAtBuffer(counts: Bool = false) {
        guard glance.asked == nil else { return }
        let now = clock.boottime()
        glance.asked = now
        let isDue = counts && glance.counted.map { now - $0 >= Self.countEvery } ?? true
        let recorder = parts.recorder
        glance.look = .task { [weak self] in
            let waiting = try? await recorder.waiting()
            let status = isDue ? try? await recorder.bufferStatus() : nil
            await self?.looked(waiting, status)
        }
    }

    private func looked(_ waiting: (segments: Int, samples: Int)?, _ status: BufferStatus?) {
        let now = clock.boottime()
        glance.asked = nil
        if let waiting {
            glance.waiting = waiting
            glance.answered = now
            glance.waitingSince = waiting.segments > 0 ? glance.waitingSince ?? now : nil
        }
        if let status { (glance.status, glance.counted) = (status, now) }
    }

    /// Waits for the look under way, and no longer than ``lookMax``: what was known before does then.
    func awaitBuffer() async {
        guard glance.asked != nil, let look = glance.look else { return }
        _ = await look.value(within: Self.lookMax)
    }
}
