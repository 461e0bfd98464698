import Vitals

/// Whether gpsd itself is still there: a value, without clock and I/O.
///
/// gpsd is silent while its receivers are, and a connection can be half open. So gpsd is asked something after a silence, and given up
/// when it does not answer that either.
struct GPSDLiveness {
    enum Step: Sendable, Equatable {
        case ask
        case giveUp
    }

    private let patience: Milliseconds
    private var heard: Milliseconds
    private var asked: Milliseconds?

    /// - Parameter patience: the silence after which gpsd is asked, and the wait for its answer, in milliseconds.
    init(patience: Milliseconds, connectedAt time: Milliseconds) {
        self.patience = patience
        heard = time
    }

    /// Something arrived, whatever it says.
    mutating func heard(at time: Milliseconds) {
        heard = time
        asked = nil
    }

    /// When ``tick(at:)`` is due.
    var deadline: Milliseconds { (asked ?? heard) + patience }

    mutating func tick(at time: Milliseconds) -> Step? {
        guard time >= deadline else { return nil }
        guard asked == nil else { return .giveUp }
        asked = time
        return .ask
    }
}
