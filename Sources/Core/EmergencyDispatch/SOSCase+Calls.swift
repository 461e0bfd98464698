import Distress
import Vitals

/// Outcomes of messages, and events of the hub's clock and its readings.
extension SOSCase {
    mutating func handle(_ event: DispatchEvent.Call, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .hasRoom(let number, let lease): return start(number, lease: lease, at: now)
        case .said(let number, let time): if let place = calls.place(of: number) { calls[place].said = time }
        case .ended(let number, let result, let tries, let isSpoken):
            calls.end(number, result, tries: tries, isSpokenTest: isTest && isSpoken, at: now)
        case .arrivedAtRoom(let message): if !isTest, message == .alert || message == .update { reachedAt = now }
        case .confirmed(let helper): calls.confirmTest(by: helper.owner, now: now)
        case .confirmedByAccount(let account):
            calls.acknowledge(.account(account))
            reachedAt = now
        }
        return []
    }

    /// Much may have happened while it waited for room.
    private mutating func start(_ number: Int, lease: Milliseconds, at now: Milliseconds) -> [DispatchEffect] {
        guard !isHeld(at: now), let index = calls.place(of: number), calls[index].isDue(now) else { return [] }
        // The box was quicker, after this was planned.
        if isToldByBox(calls[index]) { calls[index].message = .update }
        calls[index].lease = now + lease
        calls[index].tries += 1
        return [.deliver(calls[index])]
    }

    // MARK: The hub

    mutating func handle(_ event: DispatchEvent.Hub, beside crews: CrewBoard, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .tick: return []
        case .began(let isConsented): return offerFirst(isConsented, at: now)
        case .planned(let plan): return beginRound(plan, at: now)
        case .tested(let plan):
            drill(plan, now: now)
            end(.test, now: now)
            return [.send]
        case .searches(let isConsented): return search(isConsented, beside: crews, at: now)
        case .ownerDue(let sight): return ownerIsDue(sight, at: now)
        case .notifies:
            let crews = isOpen && !isHeld(at: now) ? offers.takeCrewsToTell(now: now) : []
            return crews.isEmpty ? [] : [.notify(crews)]
        case .saidOK(let person):
            guard mayMeanOthers(than: person) else { return [.refused(.notAllowed)] }
            saidOK = (saidOK ?? []).filter { $0 != person } + [person]
            return [.show, .showCrews(offers.asked)]
        case .moved(let position, let metres, let metresTold, let rooms):
            return move(to: position, metres, metresTold, without: rooms, at: now)
        case .lookedForPlace:
            guard isOpen, isPlaceLookedFor != true else { return [] }
            isPlaceLookedFor = true
            if alarm.position == nil, searchAt != nil { searchAt = now }
            return [.search]
        case .homeSet:
            isPlaceLookedFor = true
            if seeksAmbulance, searchAt != nil { searchAt = now }
            return [.search]
        case .missed(let missed, let stepped):
            postpone(by: missed)
            if isOpen, stepped > 0 { self.stepped = (self.stepped ?? 0) + stepped }
        case .restarted, .held, .holdIsOver, .forgot: return resume(event, at: now)
        }
        return []
    }

    /// Behind a stop of the hub.
    private mutating func resume(_ event: DispatchEvent.Hub, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .restarted:
            // The worker of a call is gone: its lease is over.
            calls.endLeases()
            // Nobody could answer a hub that was down.
            answerOwnerBy = answerOwnerBy.map { max($0, now + DispatchLimits.answerTime) }
        case .held(let until): heldUntil = until
        case .holdIsOver:
            guard isOpen, !isTest, owner == nil, let heldUntil, heldUntil <= now else { return [] }
            self.heldUntil = nil
            return [.plan]
        case .forgot:
            calls.dropWaiting()
            end(.finished(.hub), now: now)
        default: break
        }
        return []
    }

    private mutating func offerFirst(_ isConsented: Bool, at now: Milliseconds) -> [DispatchEffect] {
        if isOpen, !isTest, rounds == 0, seeksAmbulance, searchAt == nil, callsOthers(isConsented) { searchAt = now }
        return [.search]
    }

    private mutating func beginRound(_ plan: SOSPlan, at now: Milliseconds) -> [DispatchEffect] {
        if isOpen, heldUntil.map({ $0 <= now }) ?? true {
            if owner != nil, rounds > 0 { tellOwner(now: now) } else if rounds == 0 { begin(plan, now: now) } else { again(plan, now: now) }
        }
        return [.search, .send]
    }

    private mutating func search(_ isConsented: Bool, beside crews: CrewBoard, at now: Milliseconds) -> [DispatchEffect] {
        // People about whom the chain may be told.
        guard isOpen, !isTest, seeksAmbulance, let due = searchAt, due <= now, !isHeld(at: now), callsOthers(isConsented) else { return [] }
        // A position that the hub keeps leads better than the home, and a control room asks for none that the hub has.
        if alarm.position == nil, isPlaceLookedFor != true, now - opened < DispatchLimits.lookTime {
            searchAt = opened + DispatchLimits.lookTime
            return []
        }
        return [.findCrews(CrewSearch(for: self, beside: crews, at: now))]
    }

    /// The owner is asked whether somebody is with the person; without an answer it goes on to the next (SOS-20).
    private mutating func ownerIsDue(_ sight: CrewSight?, at now: Milliseconds) -> [DispatchEffect] {
        guard let owner, let due = ownerDue, due <= now else { return [] }
        guard answerOwnerBy != nil else {
            askOwner(now: now)
            return [.send]
        }
        // A crew that drives presses nothing: its place says that it is on the way.
        if let crew, let sight, sight.shows(crew, coming: now) {
            answerOwner(isThere: false, now: now)
            self.crew?.place = sight.place
            return []
        }
        noteGone()
        return [.lostOwner, .tell([.released(by: owner, of: alarm.id)], isHandedOver: false), .search, .send]
    }

    /// A newer position than it has.
    private mutating func move(
        to found: LastPosition, _ metres: Double?, _ metresTold: Double?, without rooms: Set<String>, at now: Milliseconds
    ) -> [DispatchEffect] {
        // A position that claims to be of the future is of now: of a phone whose clock is ahead.
        var position = found
        position.time = min(position.time, now)
        guard isOpen, alarm.position.map({ position.isBetter(than: $0, at: now) }) ?? true else { return [] }
        let before = alarm.position
        alarm.position = position
        if metresTold.map({ $0 > DispatchLimits.farMetres }) ?? true, updateRooms(now: now, without: rooms) { toldPosition = position }
        // Crews can be looked for from now on.
        if before == nil, seeksAmbulance, searchAt != nil { searchAt = now }
        // Everybody who was sent to a place of long ago, or to that of a box, hears where the person was found since.
        let isElsewhere = before.map { $0.isOld(at: position.time) && (metres ?? 0) > DispatchLimits.farMetres }
        if isElsewhere ?? true, !isTest { tellPosition(now: now) }
        return [.show, .showCrews(offers.asked)]
    }
}

extension CrewSight {
    /// Whether a crew is nearer to the person than before, or beside them. One that stands still has to answer as everybody has, and so has
    /// one of which nobody can tell, as nobody knows where the person is. A crew of which the place before is not known counts once.
    fileprivate func shows(_ crew: SOSCrew, coming now: Milliseconds) -> Bool {
        guard now - at < DispatchLimits.comingAgeMax, let metres else { return false }
        let beside = min(max(DispatchLimits.besideMetres, personAccuracy ?? 0), DispatchLimits.besideMetresMax)
        guard metres > beside, let metresBefore else { return true }
        return metresBefore - metres >= max(DispatchLimits.nearerMetres, place.accuracy ?? 0, crew.place?.accuracy ?? 0)
    }
}

extension LastPosition {
    /// Nobody was found there a moment ago: it is of long ago, or was set for a box, whatever its time says.
    fileprivate func isOld(at time: Milliseconds) -> Bool {
        isAgeUnknown == true || source == .fixed || time - self.time > Self.foundFor
    }
}
