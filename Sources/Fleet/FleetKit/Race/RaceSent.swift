import Synchronization
import Vitals

/// The head of every request: it changes when the token does.
final class RaceHead: Sendable {
    private let text: Mutex<String>

    init(_ text: String) { self.text = Mutex(text) }

    var current: String {
        get { text.withLock { $0 } }
        set { text.withLock { $0 = newValue } }
    }
}

/// The samples that the boxes of a race sent.
final class RaceSent: Sendable {
    /// Milliseconds after which a fix left its box late: there was no network.
    static let lateAfter: Milliseconds = 1500

    struct Counts: Sendable {
        var requests = 0
        var samples = 0
        /// Requests that were sent again, because the hub did not answer or was busy.
        var repeats = 0
        /// Segments that the hub will never take.
        var refused = 0
        var firstProblem: String?
        var answerDelays = Delays()
        /// When fixes that left their box late did so, by bib and time, UTC milliseconds.
        var late: [Int: [Milliseconds: Milliseconds]] = [:]
    }
    private let counts = Mutex(Counts())

    func change(_ body: (inout Counts) -> Void) { counts.withLock { body(&$0) } }

    var result: Counts { counts.withLock { $0 } }
}
