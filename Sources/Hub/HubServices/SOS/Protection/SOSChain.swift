import Distress
import HubStore
import Logging
import Vitals

/// The links of the chain (SOS-18): sensor, box or phone, network. A broken one is told to the person and to caregivers, once; it is never an alarm.
struct SOSChain: SOSSubject {
    let sos: SOSService

    /// A link that breaks for a moment is not told; one that was told must hold for so long before it is told again.
    static let brokenFor: Milliseconds = 20_000, wholeFor: Milliseconds = 120_000
    /// A box that stands still says so after 25 s at the latest: with two looks it is told within 46 s.
    static let downFor: Milliseconds = 10_000
    /// What somebody does on purpose (a pause, charging, a case that is over) is shown, and is no broken link.
    static let breaks: Set<Absence> = [.noSignal, .notWorn, .away, .frozen, .contradictory, .unknown]

    /// States of boxes that pages show; ``noPosition`` is told as well.
    static let shownWeaknesses = [
        noPosition, "noOwnMeans", "settingsLost", "contactWithoutNumber", "hooksUntested", "modemFails", "stoodStill", "mayFallAsleep",
        "wasAsleep",
    ]
    static let noPosition = "noPosition"
    /// A box on which no strap was chosen says so beside ``Distress/Absence/noSignal``.
    static let noSensor = "noSensor"
    /// A receiver comes and goes in a house: a position that was lost must be there for so long before its loss is told again.
    static let placedFor: Milliseconds = 600_000

    enum LinkState: Hashable {
        case whole
        case broken(String)
        /// Nothing is to be said.
        case unknown
    }

    /// Whom an alarm would reach is read again after this: with the looks, a consent that ends is told within 41 s.
    static let addresseesEvery: Milliseconds = 30_000

    /// Looks at everybody's links, and has told what is broken.
    func look() async {
        reachability.noteWaiting()
        let time = now()
        let people = sos.state.withLock { Array($0.entries.keys) }
        // A part at a time: an alarm waits for the lock.
        for part in stride(from: 0, to: people.count, by: Self.looksAtOnce) {
            let some = people[part..<min(part + Self.looksAtOnce, people.count)]
            lookAtAddressees(of: some, now: time)
            await lookAtLinks(of: some, now: time)
            await inactivity.look(at: some)
        }
        ways.told(reachability.unreached)
    }

    private static let looksAtOnce = 500

    /// Whether an alarm would reach anybody (SOS-1): relatives end their consents, and control rooms fall silent.
    private func lookAtAddressees(of people: ArraySlice<PersonID>, now time: Milliseconds) {
        let due = sos.state.withLock { state in
            var due: [(PersonID, SOSChoice)] = []
            for person in people {
                // Also for a person who has it off and a box: whether a call for help would reach anybody.
                guard let entry = state.entries[person], entry.choice.isOn || !entry.state.boxes.isEmpty,
                    entry.isReachStale || time - entry.addresseesSeen >= Self.addresseesEvery
                else { continue }
                if entry.isReachStale { state.entries[person]?.isReachStale = false }
                due.append((person, entry.choice))
            }
            return due
        }
        for (person, choice) in due {
            let reach: SOSReachability.Reach, canHub: Bool, warned: WarningsTold
            do {
                warned = try reachability.warned(of: person, choice)
                let byHub = try reachability.reach(choice, of: person, by: .hub)
                canHub = byHub == .somebody
                reach = try canHub ? byHub : reachability.reach(choice, of: person, by: .heardBoxes)
            } catch {
                // What was known of it stands, and is looked at again.
                sos.state.withLock { $0.entries[person]?.isReachStale = true }
                logger.error("whom an alarm would reach cannot be read", metadata: ["error": "\(error)"])
                continue
            }
            sos.state.withLock { state in
                guard state.entries[person]?.choice.version == choice.version else { return }
                state.entries[person]?.reachesNobody = reach != .somebody
                state.entries[person]?.failedWays = if case .waysFailed(let ways) = reach { ways } else { [] }
                state.entries[person]?.hubReachesNobody = !canHub
                state.entries[person]?.warned = warned
                state.entries[person]?.addresseesSeen = time
            }
        }
    }

    private func lookAtLinks(of people: ArraySlice<PersonID>, now time: Milliseconds) async {
        let (looked, told) = sos.state.withLock { state -> ([PersonID], [PersonID]) in
            var looked: [PersonID] = [], told: [PersonID] = []
            for person in people {
                guard var entry = state.entries[person] else { continue }
                let before = (entry.state.link, entry.state.addressees, entry.state.place, entry.state.reminder)
                let isOn = entry.choice.isOn && entry.isConsented
                let isBroken = isOn && lookAtChain(&entry, listeningSince: state.listening.since, now: time)
                if entry.lookAtReminder(now: time) || isBroken {
                    state.owing.insert(person)
                    told.append(person)
                }
                guard before != (entry.state.link, entry.state.addressees, entry.state.place, entry.state.reminder) else { continue }
                entry.isDirty = true
                sos.store(person, &entry, [], &state)
                looked.append(person)
            }
            return (looked, told)
        }
        for person in looked { detection.updateWatch(of: person) }
        guard !looked.isEmpty else { return }
        await owedNotices.tell()
        for person in told { pages.changed(person) }
        _ = await writer.flush()
    }

    /// Each link by itself: that one is broken hides no other.
    /// - Returns: whether something is to be told.
    private func lookAtChain(_ entry: inout SOSEntry, listeningSince: Milliseconds, now: Milliseconds) -> Bool {
        var owed: [(kind: NoticeKind, reason: String)] = []
        func owe(_ kind: NoticeKind, _ reason: String?) { if let reason { owed.append((kind, reason)) } }
        let watching = linkState(entry, listeningSince: listeningSince, now: now), isBox = !entry.state.boxes.isEmpty
        let reached = entry.reachesNobody ? LinkState.broken(entry.failedWays.isEmpty ? "nobody" : "waysFailed") : .whole,
            place = Self.placeState(entry, now: now)
        owe(.sosUnprotected, Self.look(at: &entry.state.link, watching, isBox: isBox, now: now))
        if watching == .whole {
            if entry.state.watch.detector.unprotected.isEmpty { entry.state.link?.sawHeart = true }
            if Self.isWatchedByBox(entry, now: now) { entry.state.link?.boxWatched = true }
        }
        owe(.sosUnprotected, Self.look(at: &entry.state.addressees, reached, now: now))
        owe(.sosNoPosition, Self.look(at: &entry.state.place, place, wholeFor: Self.placedFor, now: now))
        for (kind, reason) in owed {
            entry.state.owe(kind, ["reason": reason], isForPerson: true, isForCaregivers: true, now: now)
        }
        return !owed.isEmpty
    }

    /// The state of a link after this look.
    /// - Returns: what is to be told now: that it is broken, or that it is worse than what was told.
    private static func look(
        at known: inout SOSWatchState.Link?, _ found: LinkState, isBox: Bool = false, wholeFor: Milliseconds = SOSChain.wholeFor,
        now: Milliseconds
    ) -> String? {
        var link = known ?? .init(), tells: String?
        switch found {
        case .unknown: (link.brokenSince, link.worseSince, link.wholeSince) = (nil, nil, nil)
        case .whole:
            (link.wasWhole, link.brokenSince, link.worseSince, link.wholeSince) = (true, nil, nil, link.wholeSince ?? now)
            if link.told != nil, let since = link.wholeSince, now - since >= wholeFor { (link.told, link.toldReason) = (nil, nil) }
        case .broken(let reason):
            let isWorse = gravity(reason) > 0
            (link.brokenSince, link.wholeSince) = (link.brokenSince ?? now, nil)
            // Something lighter that lasts already gives it no less time to pass.
            link.worseSince = isWorse ? link.worseSince ?? now : nil
            // Where a box is known, and where AutomatedSOS is on, it was whole once.
            let wasWhole = link.wasWhole || ["nobody", "waysFailed"].contains(reason) || reason == "silent" && isBox
            let isNews = link.told == nil || gravity(reason) > gravity(link.toldReason)
            if wasWhole, isNews, let since = isWorse ? link.worseSince : link.brokenSince, now - since >= grace(reason) {
                (link.told, link.toldReason, tells) = (now, reason, reason)
            }
        }
        if link != known ?? .init() { known = link }
        return tells
    }

    /// Silence has had its time already, as has a receiver without a position (45 s at the box), and a box that says that it stands still, but
    /// for one that does so for a moment.
    private static func grace(_ reason: String) -> Milliseconds {
        ["silent": 0, "nobody": 0, "waysFailed": 0, noPosition: 0, "detectorDown": downFor][reason] ?? brokenFor
    }

    /// A sensor that is not worn is told; that its box falls silent then, is told as well. What an older hub told is not told again.
    private static func gravity(_ reason: String?) -> Int { reason.map { ["detectorDown": 1, "silent": 2][$0] ?? 0 } ?? .max }

    /// Whether somebody watches.
    private func linkState(_ entry: SOSEntry, listeningSince: Milliseconds, now: Milliseconds) -> LinkState {
        let boxes = entry.state.boxes.values
        // Nobody could be heard while this hub did not listen.
        func silence(_ last: Milliseconds) -> Milliseconds { now - max(last, listeningSince) }
        if Self.isWatchedByBox(entry, now: now) { return .whole }
        let heard = boxes.filter { now - $0.received < SOSTimings.linkSilentAfter }
        if let box = heard.first(where: { !$0.isDetectorDown }) {
            return box.unprotected.first(where: Self.breaks.contains).map { .broken($0.rawValue) } ?? .unknown
        }
        // No box watches: the hub does.
        var watch = entry.state.watch
        _ = watch.handle(.tick, at: now)
        if watch.protection.isProtected { return .whole }
        let senders = (entry.state.senders ?? [:]).values
        let known = senders.filter { $0.patience != nil }
        let isHeard = known.contains { silence($0.last) <= $0.patience ?? 0 }
        let hadBox = entry.state.link?.boxWatched == true && boxes.contains { now - $0.received < SOSTimings.awayAfter }
        if isHeard, !hadBox {
            // Nothing can have come yet.
            guard known.contains(where: { $0.last >= listeningSince }) else { return .unknown }
            // A phone that sends no heart rate is whole as a phone, unless there was a box that watched.
            return entry.state.link?.sawHeart == true
                ? watch.protection.reasons.first(where: Self.breaks.contains).map { .broken($0.rawValue) } ?? .unknown : .whole
        }
        // A box that says itself that it does not watch, and not because its person wants that.
        if !heard.isEmpty {
            return heard.contains { !$0.unprotected.allSatisfy(Self.breaks.contains) } ? .unknown : .broken("detectorDown")
        }
        if !boxes.isEmpty { return boxes.allSatisfy { silence($0.received) >= SOSTimings.linkSilentAfter } ? .broken("silent") : .unknown }
        return known.isEmpty ? .unknown : .broken("silent")
    }

    /// Whether a box knows where it is; one is enough. What is paused or switched off says nothing, nor does a box that does not say.
    private static func placeState(_ entry: SOSEntry, now: Milliseconds) -> LinkState {
        let boxes = entry.state.boxes.values.filter { box in
            now - box.received < SOSTimings.linkSilentAfter && box.isPositionOff != true && box.unprotected.allSatisfy(breaks.contains)
        }
        if boxes.contains(where: { $0.weaknesses?.contains(noPosition) == false }) { return .whole }
        return boxes.isEmpty || boxes.contains { $0.weaknesses == nil } ? .unknown : .broken(noPosition)
    }

    private static func isWatchedByBox(_ entry: SOSEntry, now: Milliseconds) -> Bool {
        entry.state.boxes.values.contains { now - $0.received < SOSTimings.linkSilentAfter && !$0.isDetectorDown && $0.unprotected.isEmpty }
    }
}

extension SOSWatchState {
    static let sendersMax = 16

    /// A sender without a detector of its own was heard.
    mutating func heard(_ stream: StreamID, at time: Milliseconds) {
        let key = stream.description
        var all = senders ?? [:]
        if all[key] == nil, all.count >= Self.sendersMax, let oldest = all.min(by: { $0.value.last < $1.value.last })?.key {
            all[oldest] = nil
        }
        all[key, default: SOSRhythm(at: time)].heard(at: time)
        senders = all
    }
}
