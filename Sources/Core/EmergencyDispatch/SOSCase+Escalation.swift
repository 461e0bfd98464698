package import Distress
package import Vitals

/// The escalation of a case as a value: who is called, in which order, who is offered it, who has it.
extension SOSCase {
    // MARK: Calls

    package mutating func begin(_ plan: SOSPlan, now: Milliseconds) {
        rounds = 1
        guard !isTest else { return }
        consent(to: plan)
        // A person who answered the box itself has it already: then only that is told, and nobody else is looked for.
        let isTaken = owner != nil
        for (index, caregiver) in plan.caregivers.enumerated() {
            let due = isTaken ? now : now + Milliseconds(index) * DispatchLimits.contactPause
            calls.add(.account(caregiver), .notice, isTaken ? .taken : .alert, due: due)
        }
        guard isConsented == true else { return }
        (links, hasVoice) = (plan.links, plan.hasVoice ? true : nil)
        for (index, contact) in plan.contacts.enumerated() {
            let message: SOSCall.Message = isTaken ? .taken : isTold(contact) ? .update : .alert
            callContact(index, contact, message, due: isTaken ? now : now + Milliseconds(index) * DispatchLimits.contactPause)
        }
        if seeksAmbulance { searchAt = searchAt ?? now }
    }

    /// Pressing "get help" is consent for this call (SOS-16), with AutomatedSOS on or off.
    private mutating func consent(to plan: SOSPlan) {
        (contacts, isConsented) = (plan.contacts, plan.isConsented || isHelp)
        ground = plan.isConsented ? .consent : isHelp ? .help : nil
    }

    /// Whether others than caregivers are called. `isConsented`: the person consented to that.
    package func callsOthers(_ isConsented: Bool) -> Bool { isHelp || self.isConsented ?? isConsented }

    /// The person's box has told this contact by its own means.
    private func isTold(_ contact: SOSContact) -> Bool { contact.phone.map { boxTold?.contains($0) == true } ?? false }

    /// Numbers to which a text has left, and those that a box of the person has told; nil for none. A box never takes one back: a text that is
    /// on its way may fail yet, and an alert that comes twice is the lesser harm.
    package var toldNumbers: [String]? {
        let all = Set(calls.toldNumbers + (boxTold ?? [])).sorted()
        return all.isEmpty ? nil : all
    }

    /// Whether nobody who can help was reached; nil while that is too early to say, or nothing is done yet.
    package func reachedNobody(at time: Milliseconds) -> Bool? {
        if isReached(at: time) { return false }
        guard !isHeld(at: time) else { return nil }
        let isAnybodyTold = calls.contains { $0.state == .waiting || $0.state == .sent } || offers.open > 0
        return time - opened >= DispatchLimits.reachTime || rounds > 0 && !isAnybodyTold ? true : nil
    }

    /// Whether it is an alert to somebody who has one from the box.
    package func isToldByBox(_ call: SOSCall) -> Bool {
        guard call.message == .alert, case .contact(_, let contact) = call.recipient else { return false }
        return isTold(contact)
    }

    /// A test of the way: caregivers, contacts and control rooms get it, marked as one. Crews are left alone.
    package mutating func drill(_ plan: SOSPlan, now: Milliseconds) {
        guard isTest, plan.isConsented else { return }
        (links, contacts, hasVoice) = (plan.links, plan.contacts, plan.hasVoice ? true : nil)
        for caregiver in plan.caregivers { calls.add(.account(caregiver), .notice, .alert, due: now) }
        for (index, contact) in plan.contacts.enumerated() { callContact(index, contact, .alert, due: now) }
        callRooms(plan.rooms, links: plan.roomLinks, now: now)
    }

    /// A later round (SOS-7): nobody has it, so contacts are told again, also those who only saw it, and the control rooms are in.
    package mutating func again(_ plan: SOSPlan, now: Milliseconds) {
        rounds += 1
        guard !isTest else { return }
        // Also those who could not be read in an earlier round.
        for caregiver in plan.caregivers where !calls.isAnswered(.account(caregiver)) {
            calls.add(.account(caregiver), .notice, .update, due: now)
        }
        guard callsOthers(plan.isConsented) else { return }
        if isConsented == false {
            // Help was asked for in a case of which only caregivers knew.
            consent(to: plan)
            links = plan.links
            for (index, contact) in plan.contacts.enumerated() {
                callContact(
                    index, contact, isTold(contact) ? .update : .alert, due: now + Milliseconds(index) * DispatchLimits.contactPause)
            }
        }
        for (index, contact) in (contacts ?? plan.contacts).enumerated() { callContact(index, contact, .update, due: now) }
        // Also one whose area the person has left: it knows of the case.
        for room in calls.alertedRooms where !calls.isAnswered(.room(room)) { calls.add(.room(room), .room, .update, due: now) }
        callRooms(plan.rooms, links: plan.roomLinks, now: now)
        searchAt = searchAt ?? now
    }

    /// The person asks for help once more while somebody has the case: that one hears it.
    package mutating func tellOwner(now: Milliseconds) {
        guard let owner else { return }
        if let crew { calls.add(.account(crew.account), .notice, .update, due: now) }
        calls.tell(owner, .update, due: now)
    }

    /// - Parameter links: a secret for each room, of the page by which it answers.
    package mutating func callRooms(_ rooms: [String], links: [String: String], now: Milliseconds) {
        for room in rooms where !calls.contains(where: { $0.recipient == .room(room) && $0.message == .alert }) {
            if roomLinks?[room] == nil, let link = links[room] { roomLinks = (roomLinks ?? [:]).merging([room: link]) { $1 } }
            calls.add(.room(room), .room, .alert, due: now)
        }
    }

    package mutating func callContact(_ index: Int, _ contact: SOSContact, _ message: SOSCall.Message, due: Milliseconds) {
        calls.add(contact, index, hasVoice: hasVoice == true, message, due: due)
    }

    /// The position came after the first message: whoever was told without it hears where the person is, unless somebody else has it.
    package mutating func tellPosition(now: Milliseconds) {
        for (index, contact) in (contacts ?? []).enumerated() where owner == nil || isOwned(by: .contact(index)) {
            let told = calls.filter { $0.isContact(index) && $0.wasTried && [.text, .mail].contains($0.channel) }
            for channel in [SOSCall.Channel.text, .mail] where told.contains(where: { $0.channel == channel }) {
                calls.add(.contact(index, contact), channel, .position, due: now)
            }
        }
    }

    /// Everybody who was told, or is about to be, hears this too (SOS-20); nobody else does.
    /// - Parameters:
    ///   - rooms: control rooms that have no word for it.
    ///   - toRooms: control rooms hear it at all, and what waits for them may be dropped.
    package mutating func tellAll(
        _ message: SOSCall.Message, now: Milliseconds, dropping: Bool, without rooms: Set<String> = [], toRooms: Bool = true
    ) {
        // A crew has its offer.
        let crews = Set(offers.map(\.account) + [crew?.account].compactMap(\.self))
        calls.tell(message, due: now, dropping: dropping) { recipient in
            switch recipient {
            case .room: toRooms
            case .account(let account): !crews.contains(account)
            case .contact: true
            }
        } hearing: {
            if case .room(let room) = $0 { !rooms.contains(room) } else { true }
        }
    }

    /// Crews who had an offer, or the case: also whose page is closed hears that it is no longer theirs.
    package mutating func tellCrews(_ crews: Set<AccountID>, _ message: SOSCall.Message, now: Milliseconds) {
        for crew in crews.sorted() { calls.add(.account(crew), .notice, message, due: now) }
    }

    package func isCrew(_ account: AccountID) -> Bool { crew?.account == account || offers.contains { $0.account == account } }

    package mutating func end(_ outcome: Outcome, now: Milliseconds) {
        (ended, self.outcome, searchAt, askAt, answerOwnerBy) = (now, outcome, nil, nil, nil)
        crew?.place = nil
        offers.release(but: crew?.account)
    }
}
