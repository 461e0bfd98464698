import Sensing
import Vitals

/// Which events of a link are told. Behind a problem a connection without a measurement is no success: a sensor that takes the link and
/// drops it would be told for ever, connected and lost in turn. Nobody is told of a connection without being told of its loss.
struct LinkEventDebouncer {
    /// A problem that was told before is told again when the one that took its place has stood for ``firstPause``, and then for twice as
    /// long each time: the last one told is shown to the wearer and must not be one that is over, and two that take turns must not be
    /// told, logged and recorded at each turn.
    private static let firstPause: Milliseconds = 15_000
    private static let longestPause: Milliseconds = 600_000
    private static let keptMax = 16

    private let role: SensorRole

    /// Told, and not over: no measurement has come since. The last one is the newest.
    private var told: [SourceProblem] = []
    private var toldTime: Milliseconds = 0
    private var pause = Self.firstPause
    /// ``HeartRateEvent/connected(time:)`` of a link that still has to deliver.
    private var held: HeartRateEvent?

    /// - Parameter role: which readings are a success.
    init(role: SensorRole = .heartRate) { self.role = role }

    /// Whether to tell of this failure.
    mutating func isNews(_ problem: SourceProblem, at time: Milliseconds) -> Bool {
        held = nil
        if told.last == problem { return false }
        if told.contains(problem) {
            let stood = time - toldTime
            guard stood >= pause else { return false }
            pause = min(pause * 2, Self.longestPause)
        }
        told.removeAll { $0 == problem }
        if told.count == Self.keptMax { told.removeFirst() }
        told.append(problem)
        toldTime = time
        return true
    }

    /// The report for an event.
    mutating func take(_ event: HeartRateEvent) -> [HeartRateEvent] {
        switch event {
        case .connected where !told.isEmpty:
            held = event
            return []
        case .measurement where role == .heartRate, .reading where role == .readings:
            defer { (told, pause, held) = ([], Self.firstPause, nil) }
            return [held, event].compactMap { $0 }
        default: return [event]
        }
    }
}
