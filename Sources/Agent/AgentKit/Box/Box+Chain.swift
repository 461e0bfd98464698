internal import Logging
internal import Monitoring
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// How the links behind the sensors are: the database, the sync loop, the hub; and telling whoever watches.
extension Box {
    /// A loop that has not come back from one step for so long is stuck: told.
    static let stuckAfter: Milliseconds = 45_000
    /// What stores samples has not come back for so long: the disk itself is tested.
    static let hangTestedAfter: Milliseconds = 1_800_000
    /// So long it is shown that readings were lost.
    static let lossShown: Milliseconds = 600_000
    /// Segments wait, the hub answers nothing, and nobody says why: no longer good. Several sending intervals.
    static let unansweredAfter: Milliseconds = 120_000

    /// Sending stuck for so long the service manager may start everything anew. A request and its second try may take their time.
    var hopelessAfter: Milliseconds { max(300_000, 2 * configuration.requestLimit + 60_000) }

    var hubLink: ChainLink {
        for person in identity.persons {
            if let link = monitors[person.person]?.links.first(where: { $0.name == .hub }) { return link }
        }
        return ChainLink(name: .hub, condition: .unknown)
    }

    func hubContact() -> HubContact {
        let snapshot = parts.sync.snapshot, now = clock.boottime(), limit = configuration.requestLimit
        if let since = snapshot.busySince, now - since > Self.stuckAfter + limit {
            return .unreachable(.stuck(now - since, diskHangs: diskHangsSince(now) != nil))
        }
        let silence = glance.waitingSince.map { now - max($0, snapshot.lastAnswer ?? 0) } ?? 0
        return snapshot.contact(unanswered: silence > Self.unansweredAfter + limit ? silence : nil)
    }

    /// nil while the database takes samples, and all of them came there.
    func bufferTrouble(_ now: Milliseconds) -> SourceProblem? {
        if let since = diskHangsSince(now) {
            return SourceProblem(
                what: "The disk has not come back for \((now - since) / 1000) s", advice: "Samples wait in memory. Check the card or disk",
                retries: true, kind: .diskFails)
        }
        if let reason = parts.recorder.trouble {
            return SourceProblem(
                what: reason, advice: "Samples wait in memory. Free space on the box, or check the card or disk", retries: true,
                kind: .diskFails)
        }
        guard let lost = parts.sources.lostAt, now - lost < Self.lossShown else { return nil }
        return SourceProblem(
            what: "Readings were lost \((now - lost) / 1000) s ago: this box was too busy to take them",
            advice: "The series says where. Look what else loads this box", retries: true, kind: .readingsLost)
    }

    /// Since when the disk has not come back, where that is longer than any disk takes; nil otherwise.
    private func diskHangsSince(_ now: Milliseconds) -> Milliseconds? {
        guard let since = [parts.queue.busySince, glance.asked].compactMap(\.self).min(), now - since > Self.stuckAfter else { return nil }
        return since
    }

    /// Whether the box still does its work: only then is the service manager's watchdog told so. A disk that hangs is no reason to start
    /// anew: samples wait in memory, and the next process could not even open its buffer. That it is the disk, and not the recorder by
    /// itself, is tested before samples have no more room there.
    func isAlive() -> Bool {
        let now = clock.boottime(), hangs = diskHangsSince(now)
        if let hangs, now - hangs >= Self.hangTestedAfter {
            let test = diskTest ?? DiskTest(directory, logger: logger)
            diskTest = test
            return !test.isBack
        }
        diskTest = nil
        guard let since = parts.sync.snapshot.busySince, now - since >= hopelessAfter else { return true }
        return hangs != nil
    }

    /// Sends now; the answer says why when that cannot be done.
    func syncNow() async -> ControlReply {
        // What was collected in the last seconds belongs to everything.
        let recorder = parts.recorder
        let sealed = Pending<Void>.task { await recorder.sealReporting() }
        guard await sealed.value(within: .seconds(2)) != nil else {
            return ControlReply(
                isDone: false, message: "The disk of this box does not come back: nothing can be sent now",
                advice: "What is collected waits in memory. Check the card or disk", status: status(), words: "problem.diskFails")
        }
        parts.nudges.signal(.urgent)
        let asked = clock.boottime()
        var isEmpty = false
        for _ in 0..<50 where !isEmpty {
            try? await clock.machine.sleep(for: .milliseconds(200))
            guard parts.sync.snapshot.isDone || parts.sync.snapshot.busySince == nil else { continue }
            lookAtBuffer()
            await awaitBuffer()
            isEmpty = glance.waiting.segments == 0 && (glance.answered ?? 0) >= asked
        }
        publish()
        if let trouble = parts.recorder.trouble {
            return ControlReply(
                isDone: false, message: trouble, advice: "Samples wait in memory. Free space on the box, or check the card or disk",
                status: status(), words: "problem.diskFails")
        }
        let waiting = glance.waiting
        switch hubContact() {
        case .reached where isEmpty:
            return ControlReply(isDone: true, message: "Everything has arrived at the hub.", status: status())
        case .reached:
            return ControlReply(
                isDone: true, message: "Sending: \(waiting.segments) segments, \(waiting.samples) samples still wait.", status: status())
        case .unreachable(let problem), .refuses(let problem):
            return ControlReply(problem, status: status())
        case .unset:
            return ControlReply(
                isDone: false, message: "This box belongs to no hub yet", advice: "Enrol it: trackme-agent enrol URL CODE",
                words: ChainLink.Cause.noHub.key)
        }
    }

    // MARK: - Whoever watches

    /// Tells those who watch, when there is something new.
    func publish() {
        guard !watchers.isEmpty else { return }
        watchers.tell(status())
    }

    func statuses() -> AsyncStream<BoxStatus> {
        watchers.add(status()) { [machine = clock.machine] id in machine.start { [weak self] in await self?.removeWatcher(id) } }
    }

    private func removeWatcher(_ id: Int) { watchers.remove(id) }

    /// The last: a running recording is closed, and the settings are on the disk, should it come back in time.
    func end() async {
        if recording != nil {
            let stopping = Pending<ControlReply>.task { await self.stopRecording() }
            let reply = await stopping.value(within: .seconds(2))
            if reply?.isDone != true { logger.warning("the recording was not ended: \(reply?.message ?? "the disk does not come back")") }
        }
        _ = await settingsFile.written().value(within: .seconds(2))
        sosTimer?.cancel()
        calling?.cancel()
        keepSOS()
        keepLastPlaces()
        _ = await lastPlaceFile.written().value(within: .seconds(2))
        _ = await sosStateFile.written().value(within: .seconds(2))
        watchers.finish()
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

    fileprivate static func unanswered(_ silence: Milliseconds) -> SourceProblem {
        SourceProblem(
            what: "The hub has taken nothing for \(silence / 1000) s although segments wait",
            advice: "They wait on this box. Look at journalctl -u trackme-agent, and that the hub runs", retries: true,
            kind: .hubSilent)
    }
}
