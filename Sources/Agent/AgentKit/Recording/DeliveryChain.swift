internal import Logging
internal import Monitoring
internal import Peripherals
internal import SampleBuffer
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// How the links behind the sensors are: the database, the sync loop, the hub. The recorder waits for the disk, and a disk can hang: it is
/// looked at beside the box's work, by one look at a time.
@BoxActor
final class DeliveryChain {
    /// A loop that has not come back from one step for so long is stuck: told.
    nonisolated static let stuckAfter: Milliseconds = 45_000
    /// What stores samples has not come back for so long: the disk itself is tested.
    nonisolated static let hangTestedAfter: Milliseconds = 1_800_000
    /// So long it is shown that readings were lost.
    nonisolated static let lossShown: Milliseconds = 600_000
    /// Segments wait, the hub answers nothing, and nobody says why: no longer good. Several sending intervals.
    nonisolated static let unansweredAfter: Milliseconds = 120_000
    /// No answer waits longer for a look.
    nonisolated static let lookMax = Duration.seconds(1)

    private let context: BoxContext
    private let recorder: Recorder
    private let queue: SampleQueue
    private let sources: LiveSources
    private let sync: SyncService
    private let nudges: SyncSignals
    private let publisher: StatusPublisher
    private(set) var buffer = BufferSnapshot()
    /// Under way, or over, as long as the recorder does not come back.
    private(set) var diskTest: DiskTest?

    init(_ context: BoxContext, _ parts: BoxParts, _ publisher: StatusPublisher) {
        (self.context, self.publisher) = (context, publisher)
        (recorder, queue, sources, sync, nudges) = (parts.recorder, parts.queue, parts.sources, parts.sync, parts.nudges)
    }

    // MARK: - Looking

    /// Begins a look, unless one is under way.
    /// - Parameter counts: the whole status too, where the last one is old.
    func lookAtBuffer(counts: Bool = false) {
        guard let isDue = buffer.beginLook(counts: counts, at: context.clock.boottime()) else { return }
        buffer.look = .task(on: context.clock.machine) { [weak self, recorder] in
            let waiting = try? await recorder.waiting()
            let status = isDue ? try? await recorder.bufferStatus() : nil
            await self?.looked(waiting, status)
        }
    }

    private func looked(_ waiting: (segments: Int, samples: Int)?, _ status: BufferStatus?) {
        buffer.looked(waiting, status, at: context.clock.boottime())
    }

    /// Waits for the look under way, and no longer than ``lookMax``: what was known before does then.
    func awaitBuffer() async {
        guard buffer.asked != nil, let look = buffer.look else { return }
        _ = await look.value(within: Self.lookMax)
    }

    // MARK: - What becomes of it

    /// Sending stuck for so long the service manager may start everything anew. A request and its second try may take their time.
    private var hopelessAfter: Milliseconds { max(300_000, 2 * context.configuration.requestLimit + 60_000) }

    func hubContact() -> HubContact {
        let snapshot = sync.snapshot, now = context.clock.boottime(), limit = context.configuration.requestLimit
        if let since = snapshot.busySince, now - since > Self.stuckAfter + limit {
            return .unreachable(.stuck(now - since, diskHangs: diskHangsSince(now) != nil))
        }
        let silence = buffer.waitingSince.map { now - max($0, snapshot.lastAnswer ?? 0) } ?? 0
        return snapshot.contact(unanswered: silence > Self.unansweredAfter + limit ? silence : nil)
    }

    /// The same for one person: a hub that takes other people's may not know of this one.
    func contact(_ hub: HubContact, of person: PersonID) -> HubContact {
        guard case .reached = hub, sync.unbound.contains(person) else { return hub }
        return .refuses(.unbound)
    }

    /// nil while the database takes samples, and all of them came there.
    func bufferTrouble(_ now: Milliseconds) -> SourceProblem? {
        if let since = diskHangsSince(now) {
            return SourceProblem(
                what: "The disk has not come back for \((now - since) / 1000) s", advice: "Samples wait in memory. Check the card or disk",
                retries: true, kind: .diskFails)
        }
        if let reason = recorder.trouble {
            return SourceProblem(
                what: reason, advice: "Samples wait in memory. Free space on the box, or check the card or disk", retries: true,
                kind: .diskFails)
        }
        guard let lost = sources.lostAt, now - lost < Self.lossShown else { return nil }
        return SourceProblem(
            what: "Readings were lost \((now - lost) / 1000) s ago: this box was too busy to take them",
            advice: "The series says where. Look what else loads this box", retries: true, kind: .readingsLost)
    }

    /// Since when the disk has not come back, where that is longer than any disk takes; nil otherwise.
    private func diskHangsSince(_ now: Milliseconds) -> Milliseconds? {
        guard let since = [queue.busySince, buffer.asked].compactMap(\.self).min(), now - since > Self.stuckAfter else { return nil }
        return since
    }

    /// Whether the box still does its work: only then is the service manager's watchdog told so. A disk that hangs is no reason to start
    /// anew: samples wait in memory, and the next process could not even open its buffer. That it is the disk, and not the recorder by
    /// itself, is tested before samples have no more room there.
    func isAlive() -> Bool {
        let now = context.clock.boottime(), hangs = diskHangsSince(now)
        if let hangs, now - hangs >= Self.hangTestedAfter {
            let test = diskTest ?? DiskTest(context.directory, logger: context.logger)
            diskTest = test
            return !test.isBack
        }
        diskTest = nil
        guard let since = sync.snapshot.busySince, now - since >= hopelessAfter else { return true }
        return hangs != nil
    }

    /// Sends now; the answer says why when that cannot be done.
    func syncNow() async -> ControlReply {
        // What was collected in the last seconds belongs to everything.
        let sealed = Pending<Void>.task(on: context.clock.machine) { [recorder] in await recorder.sealReporting() }
        guard await sealed.value(within: .seconds(2)) != nil else {
            return ControlReply(
                isDone: false, message: "The disk of this box does not come back: nothing can be sent now",
                advice: "What is collected waits in memory. Check the card or disk", status: publisher.status(), words: "problem.diskFails")
        }
        nudges.signal(.urgent)
        let asked = context.clock.boottime()
        var isEmpty = false
        for _ in 0..<50 where !isEmpty {
            try? await context.clock.machine.sleep(for: .milliseconds(200))
            guard sync.snapshot.isDone || sync.snapshot.busySince == nil else { continue }
            lookAtBuffer()
            await awaitBuffer()
            isEmpty = buffer.waiting.segments == 0 && (buffer.answered ?? 0) >= asked
        }
        publisher.publish()
        if let trouble = recorder.trouble {
            return ControlReply(
                isDone: false, message: trouble, advice: "Samples wait in memory. Free space on the box, or check the card or disk",
                status: publisher.status(), words: "problem.diskFails")
        }
        let waiting = buffer.waiting
        switch hubContact() {
        case .reached where isEmpty:
            return ControlReply(isDone: true, message: "Everything has arrived at the hub.", status: publisher.status())
        case .reached:
            return ControlReply(
                isDone: true, message: "Sending: \(waiting.segments) segments, \(waiting.samples) samples still wait.",
                status: publisher.status())
        case .unreachable(let problem), .refuses(let problem):
            return ControlReply(problem, status: publisher.status())
        case .unset:
            return ControlReply(
                isDone: false, message: "This box belongs to no hub yet", advice: "Enrol it: trackme-agent enrol URL CODE",
                words: ChainLink.Cause.noHub.key)
        }
    }
}

extension SyncService.Snapshot {
    /// - Parameter silence: the hub has taken nothing for so long although segments wait, milliseconds; nil otherwise.
    fileprivate func contact(unanswered silence: Milliseconds?) -> HubContact {
        switch status {
        case .starting:
            .unreachable(SourceProblem(what: "The hub was not reached yet", advice: "Wait a moment", retries: true, kind: .hubNotYet))
        case .connected: silence.map { .unreachable(.unanswered($0)) } ?? .reached(at: lastAnswer)
        case .offline(let reason):
            .unreachable(
                SourceProblem(
                    what: reason, advice: "What is collected waits on this box. Check its network and that the hub runs", retries: true,
                    kind: .hubAway))
        case .stopped(let reason):
            .refuses(
                SourceProblem(
                    what: reason, advice: "What is collected waits on this box. Ask whoever runs the hub", retries: true,
                    kind: .hubRefuses))
        }
    }
}

extension SourceProblem {
    fileprivate static func stuck(_ time: Milliseconds, diskHangs: Bool) -> SourceProblem {
        SourceProblem(
            what: diskHangs ? "Sending waits for the disk of this box" : "Sending has been stuck for \(time / 1000) s",
            advice: diskHangs
                ? "Samples wait in memory. Check the card or disk"
                : "The service starts anew by itself; if that goes on, look at journalctl -u trackme-agent", retries: true,
            kind: diskHangs ? .diskFails : .sendingStuck)
    }

    fileprivate static let unbound = SourceProblem(
        what: "The hub does not know that this box sends for this person",
        advice: "Everything is kept on this box. Ask whoever runs the hub, then enrol the box again", retries: true, kind: .hubUnbound)

    fileprivate static func unanswered(_ silence: Milliseconds) -> SourceProblem {
        SourceProblem(
            what: "The hub has taken nothing for \(silence / 1000) s although segments wait",
            advice: "They wait on this box. Look at journalctl -u trackme-agent, and that the hub runs", retries: true,
            kind: .hubSilent)
    }
}
