public import Vitals

/// How the box calls for help by its own means, as a value: events in, effects out, the time handed in (any clock that only goes forward).
///
/// Sound, hooks and all texts start at once and side by side, calls go one after the other on each line. None waits for another. What fails is
/// tried again and again, what goes out is repeated, until a recipient acknowledges or the person stops it; nothing else ends a live alarm.
public struct LocalAlarm: Sendable {
    public let plan: Plan
    public let mode: Mode
    /// nil while it calls.
    public private(set) var ending: Ending?
    /// The contacts who have acknowledged.
    public private(set) var acknowledged: Set<Int> = []
    /// The owner who is asked whether somebody is with the person.
    public private(set) var asked: Int?
    private var lanes: [Lane]
    private var lastID: UInt64 = 0
    private static let drillTries = 3
    /// A stand-down is news of the past soon.
    private static let standDownTries = 5

    /// - Parameter isUpdate: the same incident was told before, by the hub or before a restart.
    public init(_ plan: Plan, mode: Mode, isUpdate: Bool = false, at now: Milliseconds) {
        self.plan = plan
        self.mode = mode
        var lanes: [Lane] = []
        if plan.hasSound { lanes.append(Lane([.sound], due: now)) }
        if plan.hasHooks { lanes.append(Lane([.hooks], due: now)) }
        let indices = plan.recipients.indices
        lanes += indices.filter { plan.recipients[$0].isTexted }.map { Lane([.text($0)], due: now) }
        let called = indices.filter { plan.recipients[$0].isCalled }
        let lines = min(max(plan.lines, 1), called.count)
        for line in 0..<lines {
            lanes.append(Lane(stride(from: line, to: called.count, by: lines).map { .call(called[$0]) }, due: now))
        }
        if isUpdate { for index in lanes.indices { lanes[index].told = Set(lanes[index].channels) } }
        self.lanes = lanes
        tell(Set(plan.recipients.filter(\.isTold).map(\.number)))
    }

    /// One that a recipient has taken already, otherwise than by this box or before a restart: nobody is called.
    init(_ plan: Plan, takenBy recipient: Int) {
        (self.plan, mode, lanes, ending) = (plan, .live, [], .acknowledged(by: recipient))
    }

    /// When ``Event/tick`` is due; nil for never.
    public var deadline: Milliseconds? { lanes.compactMap(\.deadline).min() }

    /// The attempts that go on now.
    public var running: [Attempt] { lanes.compactMap(\.running) }

    /// The first call is a ``Event/tick``, which starts everything.
    public mutating func handle(_ event: Event, at now: Milliseconds) -> [Effect] {
        var effects: [Effect] = []
        switch event {
        case .sent(let id): sent(id, now, &effects)
        case .failed(let id, let mayHaveArrived): failed(id, mayHaveArrived: mayHaveArrived, now)
        case .acknowledged(let recipient):
            if let recipient { acknowledged.insert(recipient) }
            if let recipient, asked == recipient { answer(recipient, &effects) }
            // A drill goes on: the other channels are still to be tried.
            if mode == .live { end(.acknowledged(by: recipient), now, &effects) }
        case .ask(let recipient): ask(recipient, now)
        case .stopped:
            endQuestion(&effects)
            end(.stopped, now, &effects)
        case .returned: retry(now)
        case .changed: if ending == nil, mode == .live { hurry(now) }
        case .told(let numbers): tell(numbers)
        case .tick: break
        }
        expire(now, &effects)
        start(now, &effects)
        finishDrill(&effects)
        return effects
    }

    private mutating func sent(_ id: UInt64, _ now: Milliseconds, _ effects: inout [Effect]) {
        guard let lane = lanes.firstIndex(where: { $0.running?.id == id }), let attempt = lanes[lane].running else { return }
        lanes[lane].told.insert(attempt.channel)
        lanes[lane].worked.insert(attempt.channel)
        lanes[lane].failures = 0
        // A sound goes on until it is cancelled.
        if attempt.channel == .sound, mode == .live { return }
        if attempt.channel == .sound { effects.append(.cancel(attempt)) }
        lanes[lane].running = nil
        lanes[lane].count += 1
        plan(lane, after: attempt, hasFailed: false, now)
    }

    private mutating func failed(_ id: UInt64, mayHaveArrived: Bool, _ now: Milliseconds) {
        guard let lane = lanes.firstIndex(where: { $0.last?.id == id }), let attempt = lanes[lane].last else { return }
        // The network's report can still come when it counted as sent already, and before the next one is on its way.
        guard lanes[lane].running == nil || lanes[lane].running?.id == id else { return }
        lanes[lane].running = nil
        lanes[lane].last = nil
        if mayHaveArrived { lanes[lane].told.insert(attempt.channel) }
        lanes[lane].worked.remove(attempt.channel)
        lanes[lane].failures += 1
        plan(lane, after: attempt, hasFailed: true, now)
    }

    /// What goes out to these from here on is an update.
    private mutating func tell(_ numbers: Set<PhoneNumber>) {
        guard ending == nil, mode == .live, !numbers.isEmpty else { return }
        for index in lanes.indices {
            let told = lanes[index].channels.filter { channel in
                switch channel {
                case .sound, .hooks: false
                case .text(let who), .call(let who): numbers.contains(plan.recipients[who].number)
                }
            }
            lanes[index].told.formUnion(told)
        }
    }

    /// When the lane is due again.
    private mutating func plan(_ index: Int, after attempt: Attempt, hasFailed: Bool, _ now: Milliseconds) {
        let size = lanes[index].channels.count
        lanes[index].tries[attempt.channel, default: 0] += 1
        if ending != nil || mode == .drill {
            let most = ending != nil ? Self.standDownTries : Self.drillTries
            let tries = lanes[index].tries
            lanes[index].channels.removeAll { $0 == attempt.channel && (!hasFailed || tries[$0, default: 0] >= most) }
            if lanes[index].channels.count == size { lanes[index].turn += 1 }
            lanes[index].due = lanes[index].channels.isEmpty ? nil : now + retry(max(1, lanes[index].failures))
            return
        }
        lanes[index].turn += 1
        if case .call = attempt.channel {
            let rounds = lanes[index].turn / size, isRoundOver = lanes[index].turn.isMultiple(of: size)
            lanes[index].due = now + (isRoundOver ? retry(rounds) : plan.callPause)
        } else if hasFailed {
            lanes[index].due = now + retry(lanes[index].failures)
        } else {
            let pause = lanes[index].isOld ? plan.shortestRepeat : Self.doubled(plan.firstRepeat, lanes[index].count, plan.longestRepeat)
            lanes[index].due = now + pause
        }
        lanes[index].isOld = false
    }

    private func retry(_ failures: Int) -> Milliseconds { Self.doubled(plan.firstRetry, failures, plan.longestRetry) }

    /// `first` for the first time, twice that for the second, and so on.
    private static func doubled(_ first: Milliseconds, _ times: Int, _ longest: Milliseconds) -> Milliseconds {
        min(longest, first << Milliseconds(min(20, max(0, times - 1))))
    }

    /// What waits only to be repeated goes out soon, what goes out now is followed by another.
    private mutating func hurry(_ now: Milliseconds) {
        for index in lanes.indices {
            guard lanes[index].running == nil else {
                lanes[index].isOld = true
                continue
            }
            guard lanes[index].failures == 0, let due = lanes[index].due else { continue }
            lanes[index].due = min(due, max(now, lanes[index].started + plan.shortestRepeat))
        }
    }

    /// What waits after failures in writing or by telephone does not wait any longer.
    private mutating func retry(_ now: Milliseconds) {
        for index in lanes.indices {
            guard lanes[index].running == nil, lanes[index].failures > 0, let due = lanes[index].due else { continue }
            switch lanes[index].next {
            case .text, .call: lanes[index].due = min(due, now)
            case .sound, .hooks, nil: break
            }
        }
    }

    /// Attempts that say nothing in time have failed.
    private mutating func expire(_ now: Milliseconds, _ effects: inout [Effect]) {
        for lane in lanes {
            guard let attempt = lane.running, let until = lane.until, until <= now else { continue }
            effects.append(.cancel(attempt))
            failed(attempt.id, mayHaveArrived: true, now)
        }
    }

    private mutating func start(_ now: Milliseconds, _ effects: inout [Effect]) {
        for index in lanes.indices {
            guard lanes[index].running == nil, let due = lanes[index].due, due <= now, let channel = lanes[index].next else { continue }
            lastID += 1
            let content: Content =
                lanes[index].isQuestion ? .question : ending != nil ? .standDown : lanes[index].told.contains(channel) ? .update : .alert
            let attempt = Attempt(id: lastID, channel: channel, content: content, isTest: mode == .drill)
            lanes[index].begin(attempt, now, until: limit(channel).map { now + $0 })
            effects.append(.start(attempt))
        }
    }

    private func limit(_ channel: Channel) -> Milliseconds? {
        switch channel {
        case .sound: mode == .drill ? plan.hooksLimit : nil
        case .hooks: plan.hooksLimit
        case .text: plan.textLimit * Milliseconds(min(5, max(1, plan.recipients.count(where: \.isTexted))))
        case .call: plan.callLimit
        }
    }
}

extension LocalAlarm {
    /// Silence, no more calls, and word to everybody who was told. A call with who has taken it goes on: they hear the details.
    private mutating func end(_ how: Ending, _ now: Milliseconds, _ effects: inout [Effect]) {
        guard ending == nil else { return }
        ending = how
        effects.append(.ended(how))
        for index in lanes.indices {
            if let attempt = lanes[index].running {
                // A text that is on its way is told to be over, too.
                if case .text = attempt.channel { lanes[index].told.insert(attempt.channel) }
                if attempt.channel == .hooks { lanes[index].told.insert(.hooks) }
                if attempt.channel != Self.call(of: how) { effects.append(.cancel(attempt)) }
            }
            lanes[index].standDown(now)
        }
        lanes.removeAll(where: \.channels.isEmpty)
        silence(&effects)
        if mode == .drill { lanes = [] }
    }

    /// By text and by telephone, some times each: whoever has taken it gave no answer otherwise.
    private mutating func ask(_ recipient: Int, _ now: Milliseconds) {
        guard mode == .live, case .acknowledged = ending, plan.recipients.indices.contains(recipient), asked != recipient else { return }
        asked = recipient
        let channels: [(Channel, Bool)] = [
            (.text(recipient), plan.recipients[recipient].isTexted), (.call(recipient), plan.recipients[recipient].isCalled),
        ]
        for (channel, isOpen) in channels where isOpen {
            var lane = Lane([channel], due: now)
            lane.isQuestion = true
            lanes.append(lane)
        }
    }

    private mutating func answer(_ recipient: Int, _ effects: inout [Effect]) {
        asked = nil
        lanes.removeAll(where: \.isQuestion)
        effects.append(.answered(recipient))
    }

    private mutating func endQuestion(_ effects: inout [Effect]) {
        asked = nil
        for lane in lanes where lane.isQuestion { if let attempt = lane.running { effects.append(.cancel(attempt)) } }
        lanes.removeAll(where: \.isQuestion)
    }

    /// Also where the sound counts as failed: the loudspeaker goes on trying by itself until it is told to stop.
    private func silence(_ effects: inout [Effect]) {
        let isCancelled = effects.contains { if case .cancel(let attempt) = $0 { attempt.channel == .sound } else { false } }
        guard plan.hasSound, !isCancelled else { return }
        effects.append(.cancel(Attempt(id: 0, channel: .sound, content: .alert, isTest: mode == .drill)))
    }

    private static func call(of ending: Ending) -> Channel? {
        if case .acknowledged(let recipient?) = ending { return .call(recipient) }
        return nil
    }

    private mutating func finishDrill(_ effects: inout [Effect]) {
        guard mode == .drill, ending == nil, lanes.allSatisfy({ $0.channels.isEmpty }) else { return }
        let worked = lanes.reduce(into: Set<Channel>()) { $0.formUnion($1.worked) }
        let results = lanes.flatMap(\.tries.keys).map { ($0, worked.contains($0)) }
        let how = Ending.drillOver(Dictionary(results) { first, _ in first })
        ending = how
        silence(&effects)
        effects.append(.ended(how))
    }
}
