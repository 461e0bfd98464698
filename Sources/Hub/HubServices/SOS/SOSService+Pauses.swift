import Distress
import HubStore
import Logging
import Vitals

/// The time that this hub itself missed: it stood still (a virtual machine that was paused), or its clock was set forward. Nobody could be heard
/// meanwhile, so nobody is taken for silent because of it, and whoever was to answer keeps the time that was left.
extension SOSService {
    /// How often the hub looks at its own time.
    static let pauseLookEvery: Milliseconds = 1000
    /// Two looks that lie farther apart than this are a pause. A busy machine delays a look by less.
    static let pauseMin: Milliseconds = 10_000
    /// After a pause, answers that waited on the network are taken before a question of the hub's own counts as unanswered.
    static let catchUpFor: Milliseconds = 10_000

    /// Since when this hub has listened without a break.
    var listeningSince: Milliseconds { state.withLock { $0.listening.since } }

    /// The correction to add to a time of the hub's clock, to have it by the time of alarms. One of before the clock was set back stands as it is:
    /// ahead it would be of the future.
    /// - Parameter lead: how far the time of alarms is ahead of the hub's clock.
    static func lead(_ lead: Milliseconds, over stamp: Milliseconds, at time: Milliseconds) -> Milliseconds {
        let slack: Milliseconds = 1000
        return stamp + lead <= time + slack ? lead : 0
    }

    /// Looks whether the hub missed something, and gives everybody who was to answer the missing time back. Each look of ``run()`` begins
    /// with it.
    func lookAtPauses() { state.withLock { noteMissed(&$0) } }

    /// Likewise before anything is decided: what waited on the network comes as soon as the hub goes on, and before its looks. Only in a hub that
    /// looks by itself. Under the lock.
    func catchUp(_ state: inout State) {
        if state.listening.isLooking { noteMissed(&state) }
    }

    private func noteMissed(_ state: inout State) {
        let time = now()
        guard let (missed, stepped) = state.listening.look(at: time, ticks: clock.ticks) else { return }
        for person in state.entries.keys { state.entries[person]?.state.noteMissed(missed, answersUntil: time + Self.catchUpFor) }
        for id in state.cases.values.map(\.id) { _ = dispatch(.hub(.missed(missed, stepped: stepped)), to: id, &state) }
        logger.critical(
            "this hub stood still, or its clock was set forward: boxes, phones and crews have as long again to be heard",
            metadata: ["milliseconds": "\(missed)"])
    }
}

extension SOSWatchState {
    /// The hub heard nobody for so long.
    fileprivate mutating func noteMissed(_ missed: Milliseconds, answersUntil: Milliseconds) {
        for sender in (senders ?? [:]).keys { senders?[sender]?.postpone(by: missed) }
        watch.awaitAnswers(until: answersUntil)
    }
}

/// When a hub listened, by the time of its looks.
struct SOSListening {
    /// Without a break since then.
    private(set) var since: Milliseconds
    /// How long it did not listen before that; 0 behind a start.
    private(set) var missed: Milliseconds = 0
    /// Boxes that were first heard behind the pause: what their last report said of their clock, and when it came.
    private var strangers: [BootID: (sentAt: Milliseconds, at: Milliseconds)] = [:]
    private var looked: Milliseconds
    /// The time then by the clock that nobody sets.
    private var ticks: Milliseconds?
    /// It looks by itself, each second: a time without a look is a pause.
    var isLooking = false

    init(since time: Milliseconds, ticks: Milliseconds?) { (since, looked, self.ticks) = (time, time, ticks) }

    /// - Returns: how long the hub did not listen, and by how much its time went farther than the clock that nobody sets, in milliseconds;
    ///   nil where it listened.
    mutating func look(at time: Milliseconds, ticks now: Milliseconds?) -> (missed: Milliseconds, stepped: Milliseconds)? {
        let passed = now.flatMap { now in ticks.map { now - $0 } }
        defer { (looked, ticks) = (max(looked, time), now) }
        guard time - looked > SOSService.pauseMin else { return nil }
        (since, missed, strangers) = (time, time - looked, [:])
        return (time - looked, max(0, time - looked - (passed ?? time - looked)))
    }

    /// Whether a report may have waited on the network while the hub stood still, and nothing tells for how long: right behind the pause, of a box
    /// whose clock was never heard before, until two of its reports came as far apart as they were sent.
    /// - Parameters:
    ///   - isNew: nothing was heard of this boot before.
    ///   - sentAt: by the box's clock.
    mutating func mayHaveWaited(_ boot: BootID, isNew: Bool, sentAt: Milliseconds, at time: Milliseconds) -> Bool {
        guard missed > 0, time - since < SOSService.catchUpFor, isNew || strangers[boot] != nil else { return false }
        if let before = strangers[boot], sentAt - before.sentAt >= 1000, time - before.at >= sentAt - before.sentAt - 500 {
            strangers[boot] = nil
            return false
        }
        strangers[boot] = (sentAt, time)
        return true
    }
}
