package import Distress
package import Vitals

/// The escalation of a case as a value: who is called, in which order, who is offered it, who has it.
extension SOSCase {
    /// One contact after the other, milliseconds: the first has this long before the next is called too.
    package static let contactPause: Milliseconds = 20_000
    /// A telephone rings so long at most, and is given up so long after the answer without a key, milliseconds: a mailbox takes no alarm.
    package static let ringTime: Milliseconds = 30_000, keyTime: Milliseconds = 60_000
    /// Nobody gets the same again within this.
    package static let repeatPause: Milliseconds = 60_000
    /// A crew has so long to answer (SOS-11).
    package static let offerTime: Milliseconds = 15_000
    package static let crewsAtOnce = 3
    /// A crew whose page is open has so long to see an offer before it is notified as well, and whoever notifies it has as long.
    package static let seenWithin: Milliseconds = 2000
    /// A crew that did not answer is asked again after this, when there is nobody else.
    package static let askAgainAfter: Milliseconds = 60_000

    // MARK: Calls

    package mutating func begin(_ plan: SOSPlan, now: Milliseconds) {
        rounds = 1
        guard !isTest else { return }
        consent(to: plan)
        // Whoever answered the box itself has it already: then that is what there is to tell, and nobody else is looked for.
        let isTaken = owner != nil
        for (index, caregiver) in plan.caregivers.enumerated() {
            let due = isTaken ? now : now + Milliseconds(index) * Self.contactPause
            call(.account(caregiver), .notice, isTaken ? .taken : .alert, due: due)
        }
        guard isConsented == true else { return }
        (links, hasVoice) = (plan.links, plan.hasVoice ? true : nil)
        for (index, contact) in plan.contacts.enumerated() {
            let message: SOSCall.Message = isTaken ? .taken : isTold(contact) ? .update : .alert
            callContact(index, contact, message, due: isTaken ? now : now + Milliseconds(index) * Self.contactPause)
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
        let texted = calls.compactMap { call -> String? in
            guard [.text, .voice].contains(call.channel), case .contact(_, let contact) = call.recipient else { return nil }
            return call.state == .sent || call.state == .acknowledged ? contact.phone : nil
        }
        let all = Set(texted + (boxTold ?? [])).sorted()
        return all.isEmpty ? nil : all
    }

    /// Whoever was told has so long to answer before the person's box calls as well, milliseconds.
    package static let reachTime: Milliseconds = 10_000

    /// Whether nobody who can help was reached; nil while that is too early to say, or nothing is done yet.
    package func reachedNobody(at time: Milliseconds) -> Bool? {
        if isReached(at: time) { return false }
        guard !isHeld(at: time) else { return nil }
        let isAnybodyTold = calls.contains { $0.state == .waiting || $0.state == .sent } || openOffers > 0
        return time - opened >= Self.reachTime || rounds > 0 && !isAnybodyTold ? true : nil
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
        for caregiver in plan.caregivers { call(.account(caregiver), .notice, .alert, due: now) }
        for (index, contact) in plan.contacts.enumerated() { callContact(index, contact, .alert, due: now) }
        callRooms(plan.rooms, links: plan.roomLinks, now: now)
    }

    /// A later round (SOS-7): nobody has it, so contacts are told again, also those who only saw it, and the control rooms are in.
    package mutating func again(_ plan: SOSPlan, now: Milliseconds) {
        rounds += 1
        guard !isTest else { return }
        // Also those who could not be read in an earlier round.
        for caregiver in plan.caregivers where !isAnswered(.account(caregiver)) {
            call(.account(caregiver), .notice, .update, due: now)
        }
        guard callsOthers(plan.isConsented) else { return }
        if isConsented == false {
            // Help was asked for in a case of which only caregivers knew.
            consent(to: plan)
            links = plan.links
            for (index, contact) in plan.contacts.enumerated() {
                callContact(index, contact, isTold(contact) ? .update : .alert, due: now + Milliseconds(index) * Self.contactPause)
            }
        }
        for (index, contact) in (contacts ?? plan.contacts).enumerated() { callContact(index, contact, .update, due: now) }
        // Also one whose area the person has left: it knows of the case.
        for room in alertedRooms where !isAnswered(.room(room)) { call(.room(room), .room, .update, due: now) }
        callRooms(plan.rooms, links: plan.roomLinks, now: now)
        searchAt = searchAt ?? now
    }

    package var alertedRooms: [String] {
        calls.compactMap { call in if case .room(let room) = call.recipient, call.message == .alert { room } else { nil } }
    }

    /// The person asks for help once more while somebody has the case: that one hears it.
    package mutating func tellOwner(now: Milliseconds) {
        guard let owner else { return }
        if let crew { call(.account(crew.account), .notice, .update, due: now) }
        for (recipient, channel) in Set(calls.map { Way(recipient: $0.recipient, channel: $0.channel) }).map({ ($0.recipient, $0.channel) })
        {
            if recipient.owner == owner { call(recipient, channel, .update, due: now) }
        }
    }

    private struct Way: Hashable {
        let recipient: SOSCall.Recipient
        let channel: SOSCall.Channel
    }

    /// - Parameter links: a secret for each room, of the page by which it answers.
    package mutating func callRooms(_ rooms: [String], links: [String: String], now: Milliseconds) {
        for room in rooms where !calls.contains(where: { $0.recipient == .room(room) && $0.message == .alert }) {
            if roomLinks?[room] == nil, let link = links[room] { roomLinks = (roomLinks ?? [:]).merging([room: link]) { $1 } }
            call(.room(room), .room, .alert, due: now)
        }
    }

    package mutating func callContact(_ index: Int, _ contact: SOSContact, _ message: SOSCall.Message, due: Milliseconds) {
        if contact.phone != nil, contact.isTexted { call(.contact(index, contact), .text, message, due: due) }
        if contact.email != nil { call(.contact(index, contact), .mail, message, due: due) }
        // Nobody is called to the telephone for news: the alarm alone, and the question of who is there.
        let isCall = [.alert, .update, .whoIsThere].contains(message)
        if contact.phone != nil, contact.isCalled, hasVoice == true, isCall { call(.contact(index, contact), .voice, message, due: due) }
    }

    /// The position came after the first message: whoever was told without it hears where the person is, unless somebody else has it.
    package mutating func tellPosition(now: Milliseconds) {
        for (index, contact) in (contacts ?? []).enumerated() where owner == nil || isOwned(by: .contact(index)) {
            let told = calls.filter { $0.isContact(index) && $0.wasTried && [.text, .mail].contains($0.channel) }
            for channel in [SOSCall.Channel.text, .mail] where told.contains(where: { $0.channel == channel }) {
                call(.contact(index, contact), channel, .position, due: now)
            }
        }
    }

    package mutating func call(_ recipient: SOSCall.Recipient, _ channel: SOSCall.Channel, _ message: SOSCall.Message, due: Milliseconds) {
        if message == .update {
            let last = calls.last { $0.recipient == recipient && $0.channel == channel && [.alert, .update].contains($0.message) }
            if let last, last.state == .waiting || due - (last.sentAt ?? last.due) < Self.repeatPause { return }
        }
        if calls.count >= Self.callsMax, let old = superseded { calls.remove(at: old) }
        guard calls.count < Self.callsMax else { return }
        calls.append(
            SOSCall(number: (calls.last?.number ?? 0) + 1, recipient: recipient, channel: channel, message: message, due: due))
    }

    /// The oldest call that makes room: one that never left, or after which the same recipient was tried again by the same channel. Alerts
    /// stay, and so does what was answered: they say who is to hear the end, and who knows of it.
    private var superseded: Int? {
        var later: [(SOSCall.Recipient, SOSCall.Channel)] = [], found: Int?
        for index in calls.indices.reversed() {
            let call = calls[index], isUnheard = call.state == .dropped && call.tries == 0
            let isOld = later.contains { $0.0.isSame(as: call.recipient) && $0.1 == call.channel }
            if isOld || isUnheard, call.message != .alert, call.state != .waiting, call.state != .acknowledged { found = index }
            if !isOld, call.wasTried { later.append((call.recipient, call.channel)) }
        }
        return found
    }

    private func isAnswered(_ recipient: SOSCall.Recipient) -> Bool {
        calls.contains { $0.recipient.isSame(as: recipient) && $0.state == .acknowledged }
    }

    /// Whoever was told, or is about to be, hears this too (SOS-20); whoever was not yet, hears nothing.
    /// - Parameters:
    ///   - rooms: control rooms that have no word for it.
    ///   - toRooms: control rooms hear it at all, and what waits for them may be dropped.
    package mutating func tellAll(
        _ message: SOSCall.Message, now: Milliseconds, dropping: Bool, without rooms: Set<String> = [], toRooms: Bool = true
    ) {
        var told: [(SOSCall.Recipient, SOSCall.Channel)] = []
        for index in calls.indices {
            let item = calls[index]
            if !toRooms, case .room = item.recipient { continue }
            if case .account(let account) = item.recipient, isCrew(account) { continue }
            let hears = if case .room(let room) = item.recipient { !rooms.contains(room) } else { true }
            if hears, item.wasTried, item.isHeard(message),
                !told.contains(where: { $0.0.isSame(as: item.recipient) && $0.1 == item.channel })
            {
                told.append((item.recipient, item.channel))
            }
            if dropping, item.state == .waiting { calls[index].state = .dropped }
        }
        for (recipient, channel) in told { call(recipient, channel, message, due: now) }
    }

    /// Crews who had an offer, or the case: also whose page is closed hears that it is no longer theirs.
    package mutating func tellCrews(_ crews: Set<AccountID>, _ message: SOSCall.Message, now: Milliseconds) {
        for crew in crews.sorted() { call(.account(crew), .notice, message, due: now) }
    }

    package func isCrew(_ account: AccountID) -> Bool { crew?.account == account || offers.contains { $0.account == account } }

    /// What a message that is about to leave says of its time.
    package mutating func note(said time: Milliseconds, in number: Int) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        calls[index].said = time
    }

    package mutating func acknowledge(room name: String, now: Milliseconds) {
        reachedAt = now
        for place in calls.indices where calls[place].recipient == .room(name) && calls[place].state == .sent {
            calls[place].state = .acknowledged
        }
    }

    package mutating func acknowledge(contact index: Int, now: Milliseconds) {
        reachedAt = now
        for place in calls.indices {
            if case .contact(index, _) = calls[place].recipient, [.sent, .waiting].contains(calls[place].state) {
                calls[place].state = calls[place].state == .waiting ? .dropped : .acknowledged
            }
        }
        if !calls.contains(where: { $0.state == .acknowledged }), let place = calls.lastIndex(where: { $0.isContact(index) }) {
            calls[place].state = .acknowledged
        }
    }

    package mutating func acknowledge(account: AccountID, now: Milliseconds) {
        reachedAt = now
        for place in calls.indices where calls[place].recipient == .account(account) && calls[place].state == .sent {
            calls[place].state = .acknowledged
        }
    }

    package mutating func end(_ outcome: Outcome, now: Milliseconds) {
        (ended, self.outcome, searchAt, askAt, answerOwnerBy) = (now, outcome, nil, nil, nil)
        releaseOffers(but: crew?.account)
    }
}
