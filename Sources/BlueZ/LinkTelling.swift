import Sensing
import Vitals

/// Which events of a link are told. Behind a problem a connection without a measurement is no success: a sensor that takes the link and
/// drops it would be told for ever, connected and lost in turn. Nobody is told of a connection without being told of its loss.
struct LinkTelling {
    /// Two problems that take turns are not told at each turn, and yet the last one told is not for ever one that was over long ago.
    private static let again: Milliseconds = 600_000
    private static let keptMax = 16

    /// Told, and not over: no measurement has come since. The last one is the newest.
    private var told: [(problem: SourceProblem, time: Milliseconds)] = []
    /// ``HeartRateEvent/connected(time:)`` of a link that still has to deliver.
    private var held: HeartRateEvent?

    /// Whether to tell of this failure.
    mutating func isNews(_ problem: SourceProblem, at time: Milliseconds) -> Bool {
        held = nil
        if told.last?.problem == problem { return false }
        if let earlier = told.first(where: { $0.problem == problem }), time - earlier.time < Self.again { return false }
        told.removeAll { $0.problem == problem }
        if told.count == Self.keptMax { told.removeFirst() }
        told.append((problem, time))
        return true
    }

    /// What to tell for an event.
    mutating func take(_ event: HeartRateEvent) -> [HeartRateEvent] {
        switch event {
        case .connected where !told.isEmpty:
            held = event
            return []
        case .measurement:
            defer { (told, held) = ([], nil) }
            return [held, event].compactMap { $0 }
        default: return [event]
        }
    }
}
