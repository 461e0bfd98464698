package import Distress
package import Vitals

/// The life of a case, event by event. A value without a clock: whoever runs it feeds events in the order in which they happen, and carries
/// the effects out.
extension SOSCase {
    /// Decides what follows from an event at a time.
    /// - Parameter crews: how crews stand to all cases. ``SOSCases`` says it; an event that is about no crew needs none.
    package mutating func handle(
        _ event: DispatchEvent, beside crews: CrewBoard = CrewBoard(), at now: Milliseconds
    ) -> [DispatchEffect] {
        // Each case is ticked five times a second: it says itself whether it changed.
        if case .hub(.tick) = event { return tick(at: now) }
        let before = self
        let effects: [DispatchEffect]
        switch event {
        case .detector(let event): effects = handle(event, at: now)
        case .crew(let event): effects = handle(event, beside: crews, at: now)
        case .helper(let act, let helper, let speaks): effects = handle(act, by: helper, speaksForPerson: speaks, at: now)
        case .call(let event): effects = handle(event, at: now)
        case .box(let event): effects = handle(event, at: now)
        case .hub(let event): effects = handle(event, beside: crews, at: now)
        }
        return self == before ? effects : [.store] + effects
    }

    /// Offers that nobody answered go to the next; crews who did not look are notified.
    private mutating func tick(at now: Milliseconds) -> [DispatchEffect] {
        guard isOpen else { return [] }
        var effects: [DispatchEffect] = []
        let gone = expireOffers(now: now)
        if !gone.isEmpty { effects += [.store, .showCrews(Set(gone))] }
        if offers.isAnyToTell(now: now) { effects.append(.notify([])) }
        if seeksAmbulance, let searchAt, searchAt <= now { effects.append(.search) }
        return effects
    }

    // MARK: The detector

    private mutating func handle(_ event: DispatchEvent.Detector, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .alarm(let alarm): take(alarm, at: now)
        case .help(let alarm):
            guard isOpen, isConsented == false else { return [] }
            var asked = self
            asked.take(alarm, at: now)
            guard asked.isHelp else { return [] }
            self = asked
            return [.plan]
        case .announced(let announcement, let name, let isHandedOver, let rooms):
            return take(announcement, named: name, isHandedOver: isHandedOver, without: rooms, at: now)
        case .wasOver(let outcome):
            end(outcome, now: now)
            tellAll(outcome.ending, now: now, dropping: true)
        case .corrected(let outcome): return correct(outcome, at: now)
        }
        return []
    }

    private mutating func take(
        _ announcement: Announcement, named name: String?, isHandedOver: Bool, without rooms: Set<String>, at now: Milliseconds
    ) -> [DispatchEffect] {
        let asked = offers.asked
        var effects: [DispatchEffect] = [.show]
        switch announcement {
        case .taken(let alarm, let owner):
            take(alarm, at: now)
            take(by: owner, named: name, now: now, without: rooms)
        case .refused: break
        case .released: release(isHandedOver: isHandedOver, now: now, without: rooms)
        case .personAnswered: tellAll(.personAnswered, now: now, dropping: false, without: rooms)
        case .over(_, let outcome):
            end(outcome, now: now)
            tellAll(outcome.ending, now: now, dropping: true)
            tellCrews(asked.union([crew?.account].compactMap(\.self)), outcome.ending, now: now)
            effects.append(.over(outcome))
        }
        return effects + [.showCrews(asked.union([crew?.account].compactMap(\.self)))]
    }

    /// Everybody who was on the way or was told hears that it was a false alarm.
    private mutating func correct(_ outcome: Outcome, at now: Milliseconds) -> [DispatchEffect] {
        guard outcome == .falseAlarm, !isTest, self.outcome != outcome else { return [] }
        let crews = calls.compactMap { call -> AccountID? in
            guard call.message == .over, case .account(let account) = call.recipient, isCrew(account) else { return nil }
            return account
        }
        self.outcome = outcome
        tellAll(.falseAlarm, now: now, dropping: true)
        tellCrews(Set(crews), .falseAlarm, now: now)
        return [.showCrews(Set(crews))]
    }

    // MARK: Boxes

    private mutating func handle(_ event: DispatchEvent.Box, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .tried(let tries, let told, let yes):
            guard boxTries != tries else { return [] }
            func answered(_ tries: [SOSBoxTry]) -> Int { tries.count { $0.state == SOSCall.State.acknowledged.rawValue } }
            // Somebody answered the box itself.
            if answered(tries) > answered(boxTries ?? []) { reachedAt = now }
            boxTries = tries
            if let yes, yes.owner == owner { ownerAnsweredBox(at: min(now, yes.at)) }
            if !told.isEmpty { boxTold = Array(Set((boxTold ?? []) + told).sorted().prefix(DispatchLimits.boxToldMax)) }
        case .others(let people): if !people.isEmpty { others = people }
        case .named(let owner): if goneOwner != nil, goneOwner != owner { goneOwner = nil }
        case .spoke:
            guard heldUntil != nil else { return [] }
            heldUntil = nil
            return [.plan]
        case .joined(let what): join(what)
        }
        return []
    }
}

extension Outcome {
    /// How everybody hears of it.
    package var ending: SOSCall.Message { self == .falseAlarm ? .falseAlarm : .over }
}
