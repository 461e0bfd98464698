internal import SampleBuffer
internal import Vitals

/// The last known state of the buffer, which only the recorder asks.
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

    /// Counting a month of segments takes its time, and a page asks every two seconds.
    private static let countEvery: Milliseconds = 30_000

    /// Begins a look.
    /// - Parameter counts: the whole status too, where the last one is old.
    /// - Returns: whether the whole status is asked for; nil while another look is under way.
    mutating func beginLook(counts: Bool, at now: Milliseconds) -> Bool? {
        guard asked == nil else { return nil }
        asked = now
        return counts && counted.map { now - $0 >= Self.countEvery } ?? true
    }

    /// - Parameters: what the recorder answered; nil for what it did not.
    mutating func looked(_ waiting: (segments: Int, samples: Int)?, _ status: BufferStatus?, at now: Milliseconds) {
        asked = nil
        if let waiting {
            self.waiting = waiting
            answered = now
            waitingSince = waiting.segments > 0 ? waitingSince ?? now : nil
        }
        if let status { (self.status, counted) = (status, now) }
    }
}
