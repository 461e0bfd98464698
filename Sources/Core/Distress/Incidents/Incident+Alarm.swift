import Vitals

/// The alarm: raised, delivered until somebody takes it, over.
extension Incident {
    private typealias Limit = DistressConstants

    // MARK: - Raising

    mutating func raise(_ suspicion: Suspicion, _ reasons: [Reason], _ circumstances: Circumstances) -> [DistressEffect] {
        var alarm = Alarm(
            id: suspicion.question.id, person: person, provenance: provenance, raisedAt: now, abnormalities: suspicion.abnormalities,
            readings: circumstances.readings(for: suspicion.abnormalities), history: circumstances.history,
            position: circumstances.position, aliases: [])
        if suspicion.isAsked { alarm.wasAsked = true }
        let withdrawn: [DistressEffect] = suspicion.isAsked ? [.withdraw(suspicion.question, .raised)] : []
        return withdrawn + raise(alarm, reasons)
    }

    private mutating func raise(_ alarm: Alarm, _ reasons: [Reason]) -> [DistressEffect] {
        answered = nil
        guard !alarm.isTest, provenance == .live else {
            // The same detector, and nobody is called (design rule 11). It goes on: a recording may hold another episode.
            state = .calm
            return [.test(alarm), decided(.test, reasons + [.provenance(alarm.isTest ? alarm.provenance : provenance)])]
        }
        let effects = withdrawWarnings(.raised) + [.report(alarm), decided(.raised, reasons)]
        guard side == .box, otherSide != .unreachable else {
            return effects + deliver(alarm, attempts: 0, side == .box ? [.hubUnreachable] : [])
        }
        state = .raised(Raised(alarm: alarm, deliverAt: now + Limit.hubWord))
        return effects
    }

    mutating func help(_ reading: Reading, _ circumstances: () -> Circumstances) -> [DistressEffect] {
        let asked = Abnormality(
            trigger: .help, tier: .critical, limit: nil, context: .unknown, first: reading, latest: reading, worst: 0, count: 1,
            isLost: false,
            answerTime: 0)
        switch state {
        case .calm, .waiting:
            let id = IncidentID(person: person, first: reading.key)
            guard !closed.contains(id) else { return [decided(.ignored, [.incidentOpen(id)])] }
            let question = Question(id: id, tier: .critical, trigger: .help, askedAt: now, answerBy: now)
            return raise(Suspicion(question: question, isAsked: false, abnormalities: [asked]), [.help], circumstances())
        case .suspecting(var suspicion):
            suspicion.abnormalities.append(asked)
            return raise(suspicion, [.help], circumstances())
        case .raised, .delivering, .taken: return addHelp(asked)
        }
    }

    /// "Help" while a case is open. Whoever has it, or was called for it, must hear of it: its state stays, and another round goes out.
    private mutating func addHelp(_ asked: Abnormality) -> [DistressEffect] {
        guard let before = alarm else { return [] }
        let last = before.abnormalities.first { $0.trigger == .help }
        // Repeated presses are heard once in the time of a round.
        if let last, asked.latest.time - last.latest.time < Limit.repeatAfter {
            return [decided(.ignored, [.help, .incidentOpen(before.id)])]
        }
        change { $0.abnormalities = $0.abnormalities.filter { $0.trigger != .help } + [asked] }
        guard let alarm else { return [] }
        let attempt: Int
        switch state {
        case .taken(var taken):
            taken.attempts += 1
            attempt = taken.attempts
            state = .taken(taken)
        case .delivering(var delivering) where delivering.nextAt == nil:
            delivering.attempts += 1
            attempt = delivering.attempts
            state = .delivering(delivering)
        // It is being called about anyway, and the next round says it.
        default: return [.report(alarm), decided(.ignored, [.help, .incidentOpen(alarm.id)])]
        }
        return [
            .report(alarm), .deliver(Delivery(alarm: alarm, attempt: attempt, message: .update)),
            decided(.delivering, [.help, .attempt(attempt)]),
        ]
    }

    /// A later round says where the person is now, not where they were when it was raised.
    mutating func refresh(_ effects: [DistressEffect], _ circumstances: () -> Circumstances) -> [DistressEffect] {
        guard effects.contains(where: { if case .deliver = $0 { true } else { false } }), let position = circumstances().position,
            let alarm, alarm.position.map({ $0.time < position.time }) ?? true
        else { return effects }
        change { $0.position = position }
        return effects.map { effect in
            guard case .deliver(var delivery) = effect else { return effect }
            delivery.alarm.position = position
            return .deliver(delivery)
        }
    }

    // MARK: - Delivering

    /// A later round is an update of the first one (SOS-7).
    mutating func deliver(_ alarm: Alarm, attempts: Int, isUpdate: Bool = false, _ reasons: [Reason]) -> [DistressEffect] {
        let attempt = attempts + 1
        let wait = attempt <= Limit.repeatsQuick ? Limit.repeatAfter : Limit.repeatSlow
        state = .delivering(Delivering(alarm: alarm, attempts: attempt, nextAt: now + wait))
        let message: Delivery.Message = attempt == 1 && !isUpdate ? .alert : .update
        return [
            .deliver(Delivery(alarm: alarm, attempt: attempt, message: message)), decided(.delivering, reasons + [.attempt(attempt)]),
        ]
    }

    mutating func take(_ other: OtherSide) -> [DistressEffect] {
        otherSide = other == .nobodyReached ? .reachable : other
        guard side == .box else { return [] }
        switch (state, other) {
        case (.raised(let raised), .addresseeReached): return handOver(raised.alarm, attempts: 0)
        case (.delivering(let delivering), .addresseeReached): return handOver(delivering.alarm, attempts: delivering.attempts)
        case (.raised(let raised), .unreachable): return deliver(raised.alarm, attempts: 0, [.hubUnreachable])
        case (.delivering(let delivering), .unreachable), (.delivering(let delivering), .nobodyReached):
            guard delivering.nextAt == nil else { return [] }
            let reason: Reason = other == .unreachable ? .hubUnreachable : .hubReachedNobody
            return deliver(delivering.alarm, attempts: delivering.attempts, isUpdate: true, [reason])
        default: return []
        }
    }

    private mutating func handOver(_ alarm: Alarm, attempts: Int) -> [DistressEffect] {
        if case .delivering(let delivering) = state, delivering.nextAt == nil { return [] }
        state = .delivering(Delivering(alarm: alarm, attempts: attempts, nextAt: nil))
        return [decided(.handedOver, [.hubReached])]
    }

    /// The other side raised it.
    mutating func take(_ other: Alarm) -> [DistressEffect] {
        guard !closed.contains(other.id), other.person == person else { return [decided(.ignored, [.reported(other.id)])] }
        // A drill, or a recording: it must not touch a case that may be real.
        guard !other.isTest, provenance == .live else {
            return [.test(other), decided(.test, [.reported(other.id), .provenance(other.isTest ? other.provenance : provenance)])]
        }
        let other = other.notLater(than: now)
        switch state {
        case .calm: return adopt(other)
        case .suspecting(let suspicion):
            var effects: [DistressEffect] = suspicion.isAsked ? [.withdraw(suspicion.question, .raised)] : []
            var adopted = other
            if !other.has(suspicion.question.id) {
                adopted.addAlias(suspicion.question.id)
                effects.append(.sameEpisode(suspicion.question.id, as: other.id))
            }
            effects += adopt(adopted)
            return effects
        case .waiting:
            // The box is the authority: it has been reactivated, and the word of that has not come yet.
            return side == .hub ? adopt(other) : [decided(.ignored, [.reported(other.id), .absent(.waitingForReactivation)])]
        case .raised, .delivering, .taken: return join(other)
        }
    }

    private mutating func adopt(_ other: Alarm) -> [DistressEffect] {
        answered = nil
        let withdrawn = withdrawWarnings(.raised)
        if side == .hub { return withdrawn + [decided(.raised, [.reported(other.id)])] + deliver(other, attempts: 0, []) }
        state = .delivering(Delivering(alarm: other, attempts: 0, nextAt: nil))
        return withdrawn + [decided(.handedOver, [.reported(other.id)])]
    }

    private mutating func join(_ other: Alarm) -> [DistressEffect] {
        let help = other.abnormalities.first { $0.trigger == .help }
        let known = alarm?.abnormalities.first { $0.trigger == .help }
        if let help, help.first.key != known?.first.key { return joinID(other) + addHelp(help) }
        return joinID(other)
    }

    private mutating func joinID(_ other: Alarm) -> [DistressEffect] {
        guard let alarm, !alarm.has(other.id) else { return [] }
        change { $0.addAlias(other.id) }
        return [.sameEpisode(other.id, as: alarm.id), decided(.ignored, [.reported(other.id), .incidentOpen(alarm.id)])]
    }

    private mutating func change(_ body: (inout Alarm) -> Void) {
        switch state {
        case .calm, .suspecting, .waiting: break
        case .raised(var raised):
            body(&raised.alarm)
            state = .raised(raised)
        case .delivering(var delivering):
            body(&delivering.alarm)
            state = .delivering(delivering)
        case .taken(var taken):
            body(&taken.alarm)
            state = .taken(taken)
        }
    }

    // MARK: - Taking

    mutating func take(_ owner: Owner) -> [DistressEffect] {
        switch state {
        case .calm, .suspecting, .waiting: return [decided(.ignored, [.owner(owner.id)])]
        case .raised(let raised): return give(raised.alarm, to: owner, attempts: 0)
        case .delivering(let delivering): return give(delivering.alarm, to: owner, attempts: delivering.attempts)
        case .taken(let taken):
            if taken.owner == owner { return [] }
            return [.tell(.refused(taken.alarm, to: owner, has: taken.owner)), decided(.ignored, [.owner(taken.owner.id)])]
        }
    }

    private mutating func give(_ alarm: Alarm, to owner: Owner, attempts: Int) -> [DistressEffect] {
        state = .taken(Taken(alarm: alarm, owner: owner, attempts: attempts))
        return [.tell(.taken(alarm, by: owner)), decided(.taken, [.owner(owner.id)])]
    }

    mutating func release(_ owner: Owner) -> [DistressEffect] {
        guard case .taken(let taken) = state, taken.owner == owner else { return [decided(.ignored, [.owner(owner.id)])] }
        return [.tell(.released(taken.alarm, by: owner)), decided(.released, [.owner(owner.id)])]
            + deliver(taken.alarm, attempts: taken.attempts, isUpdate: true, [])
    }

    // MARK: - Ending

    mutating func finish(_ owner: Owner, _ withAuthority: Bool) -> [DistressEffect] {
        switch state {
        case .calm, .suspecting, .waiting: return [decided(.ignored, [.owner(owner.id)])]
        case .raised(let raised): return close(raised.alarm, .finished(owner), owner: owner)
        case .delivering(let delivering): return close(delivering.alarm, .finished(owner), owner: owner)
        case .taken(let taken):
            guard taken.owner == owner || withAuthority else { return [decided(.ignored, [.owner(taken.owner.id)])] }
            return close(taken.alarm, .finished(owner), owner: taken.owner)
        }
    }

    mutating func falseAlarm(at time: Milliseconds) -> [DistressEffect] {
        switch state {
        case .calm:
            guard let correction = corrected(answered, at: time) else { return [decided(.ignored, [.outcome(.falseAlarm)])] }
            answered = correction.closed
            return correction.effects
        case .suspecting: return answer(at: time)
        case .raised, .delivering, .taken:
            guard let alarm, time >= alarm.startedAt else { return [decided(.ignored, [.answerBeforeQuestion])] }
            var owner: Owner?
            if case .taken(let taken) = state { owner = taken.owner }
            return close(alarm, .falseAlarm, owner: owner)
        case .waiting(let closed):
            guard let correction = corrected(closed, at: time) else { return [decided(.ignored, [.outcome(closed.outcome)])] }
            state = .waiting(correction.closed)
            return correction.effects
        }
    }

    /// It was a false alarm, said behind its end; nil where that is no news.
    private func corrected(_ closed: Closed?, at time: Milliseconds) -> (closed: Closed, effects: [DistressEffect])? {
        guard var closed, closed.outcome != .falseAlarm, time >= closed.alarm.startedAt else { return nil }
        closed.outcome = .falseAlarm
        return (closed, [.tell(.over(closed.alarm, .falseAlarm)), decided(.over, [.outcome(.falseAlarm)])])
    }

    /// - Parameter owner: who had it; nil: nobody was sent, and monitoring goes on.
    mutating func close(_ alarm: Alarm, _ outcome: Outcome, owner: Owner?) -> [DistressEffect] {
        let ended = Closed(alarm: alarm, outcome: outcome, owner: owner, at: now)
        if owner == nil { (state, answered) = (.calm, ended) } else { state = .waiting(ended) }
        closed = (closed + [alarm.id] + alarm.aliases).suffix(Self.closedMax)
        return [.tell(.over(alarm, outcome)), decided(.over, [.outcome(outcome)])]
    }

    mutating func reactivate(at time: Milliseconds) -> [DistressEffect] {
        guard case .waiting(let closed) = state, time >= closed.alarm.startedAt else { return [] }
        state = .calm
        return [decided(.reactivated, [])]
    }

    /// A state that release 0.3.0 stored: it waited also where the person had answered and nobody had taken the case.
    mutating func watchOnWhereNobodyWasSent() {
        guard case .waiting(let closed) = state, closed.owner == nil else { return }
        (state, answered) = (.calm, closed)
    }
}

extension Alarm {
    /// On this side's axis nothing has happened in the future: otherwise the person's answers would be older than the trouble.
    func notLater(than now: Milliseconds) -> Alarm {
        var alarm = self
        alarm.raisedAt = min(raisedAt, now)
        for place in alarm.abnormalities.indices {
            alarm.abnormalities[place].first.time = min(alarm.abnormalities[place].first.time, now)
            alarm.abnormalities[place].latest.time = min(alarm.abnormalities[place].latest.time, now)
        }
        if let time = position?.time { alarm.position?.time = min(time, now) }
        return alarm
    }

    mutating func addAlias(_ id: IncidentID) {
        if !has(id) { aliases = (aliases + [id]).suffix(Self.aliasesMax) }
    }
}
