internal import SampleBuffer
internal import Vitals

/// What the recorder has to do now with what waits in memory (EDGE-5): a power cut takes at most 30 s of samples while the hub acknowledges,
/// and 10 s otherwise.
enum SealDue: Hashable {
    case nothing
    /// To the disk with all of it.
    case disk
    /// To the hub, and later to the disk.
    case hub

    /// What was sealed for the hub is acknowledged, or on the disk, after so long.
    static let answerMax: Milliseconds = 5_000
    /// A write begins so much before its time is over: it is looked for once a second, and takes its time on a card.
    static let early: Milliseconds = 1_500
    /// What the hub has goes to the disk so often.
    static let storeInterval: Milliseconds = 300_000

    /// - Parameters:
    ///   - pendingSince: when the oldest sample came that is not sealed.
    ///   - acknowledged: when the hub last took something; nil when it does not.
    ///   - retryAt: the disk is not asked before.
    init(
        now: Milliseconds, pendingSince: Milliseconds?, live: LiveOutbox, acknowledged: Milliseconds?, retryAt: Milliseconds,
        _ configuration: AgentConfiguration
    ) {
        let sealWait = configuration.sealAfterAcknowledged
        let isAcknowledging = acknowledged.map { now - $0 <= sealWait + 2 * Self.answerMax } ?? false
        let storeWait = (isAcknowledging ? sealWait + Self.answerMax : configuration.sealAfter) - Self.early
        let oldest = [pendingSince, live.oldestWaiting].compactMap { $0 }.min()
        let isFull = live.count >= LiveOutbox.segmentsMax || live.oldest.map { now - $0 >= Self.storeInterval } ?? false
        if now >= retryAt, isFull || oldest.map({ now - $0 >= storeWait }) ?? false {
            self = .disk
        } else if isAcknowledging, let pendingSince, now - pendingSince >= sealWait {
            self = .hub
        } else {
            self = .nothing
        }
    }
}
