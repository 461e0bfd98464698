import Sensing
import Vitals

/// The position source's last report.
struct PositionState: Hashable, Sendable {
    /// When watching it began: the start, or the end of a pause.
    var askedSince: Milliseconds
    /// The last position.
    private(set) var fixAt: Milliseconds?
    private(set) var source = PositionSource.gnss
    /// Why nothing comes: of the source, or of what it has to go by.
    var problem: SourceProblem? { lost ?? receiver }
    private var lost: SourceProblem?
    private var receiver: SourceProblem?
    /// Whether the receiver answers; nil before it did.
    private(set) var isConnected: Bool?
    private(set) var movement = Movement()

    init(at time: Milliseconds) { askedSince = time }

    mutating func take(_ event: PositionEvent, at now: Milliseconds) {
        switch event {
        case .connected:
            (isConnected, lost) = (true, nil)
        case .fix(let sample, _):
            (isConnected, lost) = (true, nil)
            if sample.source == .gnss { receiver = nil }
            movement.take(sample, at: min(sample.time, now))
            take(sample, at: min(sample.time, now))
        case .noFix: (isConnected, receiver) = (true, nil)
        case .stale: break
        case .lost(let problem, _):
            (isConnected, lost) = (false, problem)
        }
    }

    mutating func take(_ problem: SourceProblem) { receiver = problem }

    /// A satellite fix is not replaced by something coarser as long as it is new.
    private mutating func take(_ sample: PositionSample, at time: Milliseconds) {
        if sample.source != .gnss, source == .gnss, let fixAt, time < fixAt + MonitorConfiguration.positionOld { return }
        fixAt = max(fixAt ?? time, time)
        source = sample.source
    }

    func condition(at now: Milliseconds) -> ChainLink.Condition {
        guard let fixAt else { return now >= missingFrom ? .broken : .unknown }
        if now >= missingFrom { return .broken }
        switch source {
        case .fixed: return .good
        case .network: return .weak
        case .gnss: return now >= fixAt + MonitorConfiguration.positionOld ? .weak : .good
        }
    }

    /// From when on the position counts as missing. The place that was set does not move.
    private var missingFrom: Milliseconds {
        let told = MonitorConfiguration.positionTold
        guard let fixAt else { return askedSince + told }
        switch source {
        case .fixed: return .max
        case .network: return max(fixAt + MonitorConfiguration.networkPositionOld, askedSince + told)
        case .gnss: return max(fixAt, askedSince) + told
        }
    }

    /// Times at which ``condition(at:)`` or ``movement`` may say something else, should nothing be heard.
    var turns: [Milliseconds] {
        [missingFrom] + [fixAt.map { $0 + MonitorConfiguration.positionOld }, movement.end].compactMap(\.self)
    }
}
