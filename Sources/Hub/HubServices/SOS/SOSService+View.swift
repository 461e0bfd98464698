import Accounts
public import Distress
public import HubStore
import Seams
import Synchronization
public import Vitals

/// What pages show of one person.
public struct SOSView: Sendable, Hashable {
    public let choice: SOSChoice
    public let isConsented: Bool
    /// "Are you OK?", while it is asked here or on a box.
    public let question: Question?
    public let item: SOSCase?
    public let last: SOSWatchState.Last?
    /// Nobody is watched until the person reactivates (SOS-8).
    public let isWaiting: Bool
    /// The person ended a case before anybody had taken it: until then what was answered is silent, and everything else is watched.
    public let answeredUntil: Milliseconds?
    /// Why the person is not protected now, as names of texts; empty for one who is (SOS-18).
    public let reasons: [String]
    /// What does not take the protection away and should be looked at, as names of texts.
    public let weaknesses: [String]
    /// What is known of the rhythm of a person who wants to be told of an irregular one; nil for everybody else.
    public let rhythm: HeartRhythm.Standing?
    /// Until when what a page shows of the whole chain is known, by the hub's clock: the newest report.
    public let heard: Milliseconds?

    public var isProtected: Bool { reasons.isEmpty }
    /// Turned on, with a consent that runs.
    public var isOn: Bool { choice.isOn && isConsented }
}

extension SOSService {
    public func view(of person: PersonID) throws -> SOSView? {
        guard try prepare(person),
            let found = state.withLock({ state in state.entries[person].map { ($0, state.openCase(of: person)) } })
        else { return nil }
        let (entry, item) = found, time = now()
        let boxes = entry.state.boxes.values.filter { time - $0.received < Self.linkSilentAfter }
        var question = boxes.compactMap(\.question).max { $0.askedAt < $1.askedAt }
        if case .suspecting(let suspicion) = entry.state.watch.incident.state, suspicion.isAsked { question = suspicion.question }
        if let warning = entry.state.watch.incident.warning, question == nil { question = warning.question }
        // The box asks no more once there is a case.
        if item != nil { question = nil }
        // A box of release 0.3.0 waits also where this hub goes on.
        let isWaiting = entry.state.watch.incident.isWaiting || Self.isWaiting(boxes)
        let answered = entry.state.watch.incident.answered.map { $0.at + Self.quietTime }
        return SOSView(
            choice: entry.choice, isConsented: entry.isConsented, question: question, item: item, last: entry.state.last,
            isWaiting: isWaiting,
            answeredUntil: item == nil && !isWaiting && entry.choice.isOn ? answered.flatMap { $0 > time ? $0 : nil } : nil,
            reasons: try reasons(entry, person, isWaiting, time), weaknesses: Self.weaknesses(entry, time),
            rhythm: entry.choice.tellsRhythm == true ? entry.state.rhythm ?? .init() : nil,
            heard: entry.state.boxes.values.map(\.received).max())
    }

    /// None of them watches, and one waits.
    static func isWaiting(_ boxes: [SOSWatchState.Box]) -> Bool {
        let alive = boxes.filter { !$0.isDetectorDown }
        return alive.contains { $0.unprotected.contains(.waitingForReactivation) } && !alive.contains(where: \.unprotected.isEmpty)
    }

    /// Every link of the chain: chosen, somebody to call, a box that reports, and what that says of sensor and person.
    private func reasons(_ entry: Entry, _ person: PersonID, _ isWaiting: Bool, _ time: Milliseconds) throws -> [String] {
        guard entry.choice.isOn, entry.isConsented else { return ["off"] }
        let nobody: [String] =
            switch try reach(entry.choice, of: person, by: .heardBoxes) {
            case .somebody: []
            case .nobody: ["nobody"]
            case .waysFailed: ["waysFailed"]
            }
        return nobody + unwatched(entry, isWaiting, time, listeningSince: listeningSince)
    }

    /// Why nobody watches now; empty where somebody does.
    /// - Parameter listeningSince: nobody could be heard before this: until a report is due, what was whole then counts as whole.
    func unwatched(_ entry: Entry, _ isWaiting: Bool, _ time: Milliseconds, listeningSince: Milliseconds = .min) -> [String] {
        var reasons = isWaiting ? [Absence.waitingForReactivation.rawValue] : []
        let wasWhole = entry.state.link?.told == nil && entry.state.reminder == nil, since = wasWhole ? listeningSince : .min
        let heard = entry.state.boxes.values.filter { time - max($0.received, since) < Self.linkSilentAfter }
        let alive = heard.filter { !$0.isDetectorDown }
        if !alive.isEmpty {
            // One box that watches is enough.
            guard !alive.contains(where: \.unprotected.isEmpty) else { return reasons }
            for absence in Absence.allCases where alive.contains(where: { $0.unprotected.contains(absence) }) {
                if !reasons.contains(absence.rawValue) { reasons.append(absence.rawValue) }
            }
            return reasons
        }
        // Readings are as old as they are now, whenever the watch was told last.
        var watch = entry.state.watch
        _ = watch.handle(.tick, at: time)
        let own = watch.protection.reasons.filter { $0 != .waitingForReactivation }
        guard own.contains(.noSignal), !entry.state.boxes.isEmpty else { return reasons + own.map(\.rawValue) }
        // A box that says that it does not watch is not silent: it says why, or that it stands still.
        let said = Absence.allCases.filter { absence in
            absence != .waitingForReactivation && heard.contains { $0.unprotected.contains(absence) }
        }
        return reasons + (heard.isEmpty ? ["silent"] : said.isEmpty ? ["detectorDown"] : said.map(\.rawValue))
    }

    /// What a second box makes up for is none.
    private static func weaknesses(_ entry: Entry, _ time: Milliseconds) -> [String] {
        guard entry.choice.isOn, entry.isConsented else { return [] }
        let said = entry.state.boxes.values.filter { time - $0.received < linkSilentAfter }.map { $0.weaknesses ?? [] }
        let found = shownWeaknesses.filter { name in
            [noPosition, "noOwnMeans"].contains(name)
                ? !said.isEmpty && said.allSatisfy { $0.contains(name) } : said.contains { $0.contains(name) }
        }
        return found + (entry.waitsLonger(at: time) ? ["waitsLonger"] : [])
    }

    /// A test of the way to caregivers, contacts and control rooms, marked as one in every format; no crew hears of it (SOS-19).
    public func drill(_ person: PersonID) async throws {
        let id = randomness.id(IncidentID.self)
        try await drill(person, key: SampleKey(stream: StreamID(high: id.high, low: id.low), sequence: 0, kind: .event, index: 0))
    }
}

extension SOSService.Entry {
    /// A box that watches knows neither ``Distress/DistressSettings/strict`` nor the waits at home: it waits up to 3 minutes.
    func waitsLonger(at time: Milliseconds) -> Bool {
        state.boxes.values.contains { $0.isOld == true && !$0.isDetectorDown && time - $0.received < SOSService.linkSilentAfter }
    }
}
