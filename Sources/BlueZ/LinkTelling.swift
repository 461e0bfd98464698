import Sensing

/// Which events of a link are told. Behind a problem a connection without a measurement is no success: a sensor that takes the link and
/// drops it would be told for ever, connected and lost in turn. Nobody is told of a connection without being told of its loss.
struct LinkTelling {
    /// Told, and not over: no measurement has come since.
    private var problem: SourceProblem?
    /// ``HeartRateEvent/connected(time:)`` of a link that still has to deliver.
    private var held: HeartRateEvent?

    /// Whether to tell of this failure.
    mutating func isNews(_ problem: SourceProblem) -> Bool {
        held = nil
        defer { self.problem = problem }
        return problem != self.problem
    }

    /// What to tell for an event.
    mutating func take(_ event: HeartRateEvent) -> [HeartRateEvent] {
        switch event {
        case .connected where problem != nil:
            held = event
            return []
        case .measurement:
            defer { (problem, held) = (nil, nil) }
            return [held, event].compactMap { $0 }
        default: return [event]
        }
    }
}
