public import Vitals

/// The question and what becomes of it.
extension Incident {
    private typealias Limit = DistressConstants

    mutating func take(_ finding: Finding) -> [DistressEffect] {
        switch finding {
        case .decided(let decision): [.decided(decision)]
        case .suspicion(let found): suspect(found)
        case .qualified(let found): qualify(found)
        case .lost(let found): lose(found)
        case .cleared(let trigger): clear(trigger)
        case .ended(let absence): end(absence)
        case .warning(let found): warn(found)
        case .warningOver(let trigger): withdrawWarnings(.backInside) { $0.abnormality.trigger == trigger }
        }
    }

    private func question(for found: Abnormality) -> Question {
        Question(
            id: IncidentID(person: person, first: found.first.key), tier: found.tier, trigger: found.trigger, askedAt: now,
            answerBy: now + found.answerTime)
    }

    private mutating func suspect(_ found: Abnormality) -> [DistressEffect] {
        switch state {
        case .calm: break
        case .suspecting(var suspicion):
            // The same trouble seen in another way: one case, one question.
            if !suspicion.abnormalities.contains(where: { $0.trigger == found.trigger }) { suspicion.abnormalities.append(found) }
            return askAgain(&suspicion, found)
        case .raised, .delivering, .taken:
            return [decided(.ignored, alarm.map { [.incidentOpen($0.id)] } ?? [])]
        case .waiting: return [decided(.ignored, [.absent(.waitingForReactivation)])]
        }
        var effects = hideWarning()
        let question = question(for: found)
        let asks = asksFirst || found.isAskedAlways
        state = .suspecting(Suspicion(question: question, isAsked: asks, abnormalities: [found]))
        if asks { effects += [.ask(question), decided(.asked, [])] }
        return effects
    }

    /// More trouble while a question is open: asked where it was not, and anew where nobody could answer in time any more.
    private mutating func askAgain(_ suspicion: inout Suspicion, _ found: Abnormality) -> [DistressEffect] {
        let isOver = suspicion.isAsked && suspicion.raiseAt == nil && suspicion.question.answerBy <= now
        let isNew = !suspicion.isAsked && found.isAskedAlways
        defer { state = .suspecting(suspicion) }
        guard isOver || isNew else { return [] }
        let old = suspicion.question
        suspicion.question.askedAt = now
        suspicion.question.answerBy = now + found.answerTime
        suspicion.isAsked = true
        return (isOver ? [.withdraw(old, .replaced)] : []) + [.ask(suspicion.question), decided(.asked, [])]
    }

    /// A question whose time ran out while the machine slept is asked again: nobody is called about what nobody could answer. A machine that
    /// stands still again and again calls all the same.
    mutating func askAfterSleep(_ missed: Milliseconds) -> [DistressEffect] {
        let warned = postponeWarnings(missed)
        guard case .suspecting(var suspicion) = state, suspicion.isAsked, suspicion.askedAgain ?? 0 < Limit.askedAgainMax else {
            return warned
        }
        let old = suspicion.question, isOver = old.answerBy <= now || suspicion.raiseAt.map { $0 <= now } ?? false
        guard isOver else { return warned }
        let until = now + Limit.answerTime
        (suspicion.question.askedAt, suspicion.question.answerBy) = (now, until)
        suspicion.raiseAt = suspicion.raiseAt.map { _ in until }
        suspicion.askedAgain = (suspicion.askedAgain ?? 0) + 1
        state = .suspecting(suspicion)
        return warned + [.withdraw(old, .replaced), .ask(suspicion.question), decided(.asked, [.slept(milliseconds: missed)])]
    }

    private mutating func qualify(_ found: Abnormality) -> [DistressEffect] {
        guard case .suspecting(var suspicion) = state else { return [] }
        let wasLost = suspicion.abnormalities.contains(where: \.isLost)
        suspicion.update(found)
        let asks = suspicion.isAsked && (asksFirst || found.isAskedAlways)
        let due = asks ? max(now, suspicion.question.askedAt + found.answerTime) : now
        // The lost source is back: its own time counts again.
        let isBack = wasLost && !suspicion.abnormalities.contains(where: \.isLost) && suspicion.abnormalities.count == 1
        suspicion.raiseAt = isBack ? due : min(suspicion.raiseAt ?? due, due)
        if suspicion.isAsked { suspicion.question.answerBy = min(suspicion.question.answerBy, due) }
        state = .suspecting(suspicion)
        return []
    }

    private mutating func lose(_ found: Abnormality) -> [DistressEffect] {
        guard case .suspecting(var suspicion) = state else { return [] }
        suspicion.update(found)
        // A suspicion that may be an effort stays so when the strap gets loose.
        let wait = max(Limit.answerTimeLost, min(found.answerTime, Limit.answerTimeLostGradual))
        // Never longer than with the signal, but for what every loss is given.
        // A person who was asked again after a sleep has the time to answer.
        let answer = suspicion.isAsked ? suspicion.question.askedAt + Limit.answerTime : now
        let due = max(
            now, answer, min(found.latest.time + wait, max(found.first.time + found.answerTime, found.latest.time + Limit.answerTimeLost)))
        suspicion.raiseAt = min(suspicion.raiseAt ?? due, due)
        // One or two readings and then nothing: asked also where the question is switched off.
        let isNew = !suspicion.isAsked
        suspicion.isAsked = true
        suspicion.question.answerBy = suspicion.raiseAt ?? due
        state = .suspecting(suspicion)
        return isNew ? [.ask(suspicion.question), decided(.asked, [])] : []
    }

    private mutating func clear(_ trigger: Trigger) -> [DistressEffect] {
        guard case .suspecting(var suspicion) = state else { return [] }
        suspicion.abnormalities.removeAll { $0.trigger == trigger || (trigger.isHeartRate && $0.trigger.isHeartRate) }
        guard suspicion.abnormalities.isEmpty else {
            state = .suspecting(suspicion)
            return []
        }
        return clearSuspicion(.backInside, nil)
    }

    private mutating func end(_ absence: Absence) -> [DistressEffect] {
        let reason: Withdrawal = absence == .paused ? .paused : .switchedOff
        let effects = withdrawWarnings(reason)
        return clearSuspicion(reason, [.absent(absence)]) + effects
    }

    /// - Parameter reasons: nil where the detector has told them.
    mutating func clearSuspicion(_ withdrawal: Withdrawal, _ reasons: [Reason]?) -> [DistressEffect] {
        guard case .suspecting(let suspicion) = state else { return [] }
        state = .calm
        return (suspicion.isAsked ? [.withdraw(suspicion.question, withdrawal)] : [])
            + [decided(withdrawal == .answered ? .answered : .withdrawn, reasons ?? [])]
            + (withdrawal == .answered ? withdrawWarnings(.answered) : showWarning())
    }

    mutating func answer(at time: Milliseconds) -> [DistressEffect] {
        switch state {
        case .calm, .waiting:
            func isBefore(_ open: OpenWarning) -> Bool { time >= open.abnormality.first.time }
            guard !openWarnings.isEmpty else { return [] }
            guard openWarnings.contains(where: isBefore) else { return [decided(.ignored, [.answerBeforeQuestion])] }
            return [decided(.answered, [.answered])] + withdrawWarnings(.answered, where: isBefore)
        case .suspecting(let suspicion):
            guard time >= suspicion.first.time else { return [decided(.ignored, [.answerBeforeQuestion])] }
            return clearSuspicion(.answered, [.answered])
        case .raised, .delivering:
            guard let alarm, time >= alarm.startedAt else { return [decided(.ignored, [.answerBeforeQuestion])] }
            return close(alarm, .answeredLate, owner: nil)
        case .taken(let taken):
            return [.tell(.personAnswered(taken.alarm, owner: taken.owner)), decided(.answered, [.answered, .owner(taken.owner.id)])]
        }
    }

    // MARK: - Behind a restart

    /// The question of a machine that was off for so long that nobody could answer: the person has the whole time again. No reading repeats a
    /// fall or a pause. A rate or a temperature asks by its next reading, unless its readings had sufficed: then nothing else may follow.
    /// - Parameter difference: between the clocks of both machines, milliseconds.
    mutating func askAgain(what kept: Incident, shiftedBy difference: Milliseconds) -> [DistressEffect] {
        guard case .calm = state else { return [] }
        // A machine that goes off again and again tells, or calls, all the same.
        for open in kept.openWarnings where open.abnormality.trigger != .inactivity {
            var open = open
            open.abnormality = open.abnormality.shifted(by: difference)
            let times = open.askedAgain ?? 0, time = times < Limit.askedAgainMax ? open.abnormality.answerTime : 0
            (open.question.askedAt, open.question.answerBy, open.isAsked, open.askedAgain) = (now, now + time, false, times + 1)
            if warning == nil { warning = open } else { otherWarnings = (otherWarnings ?? []) + [open] }
        }
        guard case .suspecting(var suspicion) = kept.state, suspicion.isToBeAskedAgain else { return showWarning() }
        suspicion.abnormalities = suspicion.abnormalities.map { $0.shifted(by: difference) }
        let isLast = suspicion.askedAgain ?? 0 >= Limit.askedAgainMax
        let until = isLast ? now : now + (suspicion.abnormalities.map(\.answerTime).max() ?? Limit.answerTime)
        suspicion.askedAgain = (suspicion.askedAgain ?? 0) + 1
        (suspicion.question.askedAt, suspicion.question.answerBy, suspicion.raiseAt) = (now, until, until)
        state = .suspecting(suspicion)
        return [.ask(suspicion.question), decided(.asked, [])]
    }

    // MARK: - Warnings

    private mutating func warn(_ found: Abnormality) -> [DistressEffect] {
        let isFree: Bool
        switch state {
        case .calm, .suspecting: isFree = !isWarned(of: found.trigger)
        case .raised, .delivering, .taken, .waiting: isFree = false
        }
        guard isFree else { return [decided(.ignored, alarm.map { [.incidentOpen($0.id)] } ?? [])] }
        var open = OpenWarning(question: question(for: found), abnormality: found, isAsked: false)
        if !isAsking(about: open) { open.question.answerBy = now }
        // Of several the one whose time ends first is on the screen.
        if let shown = warning, shown.question.answerBy <= open.question.answerBy {
            otherWarnings = (otherWarnings ?? []) + [open]
            return []
        }
        let hidden = hideWarning()
        otherWarnings = warning.map { [$0] + (otherWarnings ?? []) } ?? otherWarnings
        warning = open
        return hidden + showWarning()
    }

    /// A person who chose to be asked where there is no sign of life is asked.
    private func isAsking(about open: OpenWarning) -> Bool { asksFirst || open.abnormality.trigger == .inactivity }

    /// The person has the time that was left when the machine fell asleep. What is on the screen is said again where its time ran out.
    private mutating func postponeWarnings(_ missed: Milliseconds) -> [DistressEffect] {
        guard let shown = warning else { return [] }
        func postponed(_ open: OpenWarning) -> OpenWarning {
            var open = open
            open.question.answerBy += missed
            return open
        }
        let question = postponed(shown).question
        warning = postponed(shown)
        otherWarnings = otherWarnings?.map(postponed)
        guard shown.isAsked, shown.question.answerBy <= now, question.answerBy > now else { return [] }
        return [.withdraw(shown.question, .replaced), .ask(question), decided(.asked, [.slept(milliseconds: missed)])]
    }

    /// A graver question takes its place on the screen. It is not forgotten: nobody has answered it.
    private mutating func hideWarning() -> [DistressEffect] {
        guard let open = warning, open.isAsked else { return [] }
        warning?.isAsked = false
        return [.withdraw(open.question, .replaced)]
    }

    private mutating func showWarning() -> [DistressEffect] {
        guard case .calm = state, let open = warning, !open.isAsked, isAsking(about: open) else { return [] }
        warning?.isAsked = true
        return [.ask(open.question), decided(.asked, [])]
    }

    mutating func actOnWarnings() -> [DistressEffect] {
        let due = openWarnings.filter { now >= unanswered($0.question.answerBy) }
        guard !due.isEmpty else { return [] }
        var effects = withdrawWarnings(.warningTold, isNextShown: false) { due.contains($0) }
        for open in due {
            let reasons: [Reason] = [.noAnswer(milliseconds: now - open.question.askedAt)]
            if provenance == .live {
                effects += [.warn(Warning(id: open.question.id, abnormality: open.abnormality, at: now)), decided(.warned, reasons)]
            } else {
                effects.append(decided(.test, reasons + [.provenance(provenance)]))
            }
        }
        return effects + showWarning()
    }

    /// The remaining ones are shown in their place.
    mutating func withdrawWarnings(
        _ reason: Withdrawal, isNextShown: Bool = true, where isMeant: (OpenWarning) -> Bool = { _ in true }
    ) -> [DistressEffect] {
        let meant = openWarnings.filter(isMeant), left = openWarnings.filter { !isMeant($0) }
        guard !meant.isEmpty else { return [] }
        warning = left.min { $0.question.answerBy < $1.question.answerBy }
        let others = left.filter { $0 != warning }
        otherWarnings = others.isEmpty ? nil : others
        return meant.filter(\.isAsked).map { .withdraw($0.question, reason) } + (isNextShown ? showWarning() : [])
    }
}

extension Incident.Suspicion {
    mutating func update(_ found: Abnormality) {
        if let place = abnormalities.firstIndex(where: { $0.first.key == found.first.key && $0.trigger.isOfOneRun(with: found.trigger) }) {
            abnormalities[place] = found
        } else if !abnormalities.contains(where: { $0.trigger == found.trigger }) {
            abnormalities.append(found)
        }
    }
}

extension Incident.Suspicion {
    fileprivate var isToBeAskedAgain: Bool {
        isAsked && abnormalities.contains { !$0.trigger.isMeasured || raiseAt != nil && $0.answerTime <= DistressConstants.answerTime }
    }
}

extension Trigger {
    /// The next reading shows it again.
    fileprivate var isMeasured: Bool {
        switch self {
        case .heartRateLow, .heartRateHigh, .temperatureLow, .temperatureHigh: true
        case .heartPause, .fall, .seizure, .inactivity, .help, .unknown: false
        }
    }
}

extension Abnormality {
    fileprivate func shifted(by difference: Milliseconds) -> Abnormality {
        var found = self
        found.first.time += difference
        found.latest.time += difference
        return found
    }
}

extension Abnormality {
    /// A possible effort, or a device's mistake, is asked about also where the question is switched off.
    var isAskedAlways: Bool { answerTime > DistressConstants.answerTime }
}

extension Alarm {
    /// When the episode began.
    public var startedAt: Milliseconds { abnormalities.first?.first.time ?? raisedAt }

    func has(_ id: IncidentID) -> Bool { self.id == id || aliases.contains(id) }
}
