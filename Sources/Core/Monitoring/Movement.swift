import Vitals

/// Whether the box is carried along, as far as satellite fixes tell: by their speed. A receiver that lies still shows some speed now and
/// then, and whoever runs stands still now and then.
struct Movement: Hashable, Sendable {
    /// The first and the last of the fast fixes that follow one another.
    private var since: Milliseconds?
    private var fastAt: Milliseconds?

    mutating func take(_ sample: PositionSample, at time: Milliseconds) {
        guard sample.source == .gnss, let speed = sample.speed else { return }
        let time = max(time, fastAt ?? time)
        guard speed >= MonitorConfiguration.movingSpeed else {
            if !isMoving(at: time) { since = nil }
            return
        }
        let gap = hasMoved ? MonitorConfiguration.movingEnds : MonitorConfiguration.positionOld
        if let fastAt, time - fastAt >= gap { since = nil }
        since = since ?? time
        fastAt = time
    }

    private var hasMoved: Bool {
        guard let since, let fastAt else { return false }
        return fastAt - since >= MonitorConfiguration.movingAfter
    }

    /// When it is over, should no fast fix come; nil while nothing moves.
    var end: Milliseconds? { hasMoved ? fastAt.map { $0 + MonitorConfiguration.movingEnds } : nil }

    func isMoving(at now: Milliseconds) -> Bool { end.map { now < $0 } ?? false }
}
