internal import SyncProtocol
internal import Vitals

/// Tells how far a replay is, once in a few seconds.
struct ProgressDisplay {
    private static let every: Milliseconds = 2000

    let clock: BoxClock
    let say: @Sendable (String) -> Void
    private var next: Milliseconds = 0

    init(clock: BoxClock, say: @escaping @Sendable (String) -> Void) {
        self.clock = clock
        self.say = say
        next = clock.boottime() + Self.every
    }

    var isDue: Bool { clock.boottime() >= next }

    mutating func show(_ position: Milliseconds?, _ recorder: Recorder, _ sync: SyncService) async throws {
        next = clock.boottime() + Self.every
        let waiting = try await recorder.waiting(), snapshot = sync.snapshot
        let hub =
            switch snapshot.status {
            case .starting: "not asked yet"
            case .connected: "connected"
            case .offline(let reason): "offline: \(reason)"
            case .stopped(let reason): "stopped: \(reason)"
            }
        let refused = recorder.refusedSegments > 0 ? ", refused \(recorder.refusedSegments)" : ""
        say(
            "recording at \(position.map(ISO8601.string) ?? "its start"); segments: sent \(snapshot.acknowledgedSegments), "
                + "waiting \(waiting.segments)\(refused); hub: \(hub)")
    }
}
