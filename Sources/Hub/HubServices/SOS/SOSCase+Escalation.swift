import Distress
import HubStore
import Vitals

/// Who is to be told of a person's distress, as it stands when it is looked up.
struct SOSPlan: Sendable, Hashable {
    var contacts: [SOSContact] = []
    /// Caregivers, and the parents of a minor.
    var caregivers: [AccountID] = []
    var rooms: [String] = []
    /// The person consented to calls: without that, and without their own call for help, only caregivers are told.
    var isConsented = false
    /// The hub can call by telephone.
    var hasVoice = false
}

/// The escalation of a case as a value: who is called, in which order, who is offered it, who has it.
extension SOSCase {
    /// One contact after the other, milliseconds: the first has this long before the next is called too.
    static let contactPause: Milliseconds = 20_000
    /// A telephone rings so long at most, and is given up so long after the answer without a key, milliseconds: a mailbox takes no alarm.
    static let ringTime: Milliseconds = 30_000, keyTime: Milliseconds = 60_000
    /// Nobody gets the same again within this.
    static let repeatPause: Milliseconds = 60_000
    /// A crew has so long to answer (SOS-11).
    static let offerTime: Milliseconds = 15_000
    static let crewsAtOnce = 3
    /// A crew whose page is open has so long to see an offer before it is notified as well, and whoever notifies it has as long.
    static let seenWithin: Milliseconds = 2000
    /// A crew that did not answer is asked again after this, when there is nobody else.
    static let askAgainAfter: Milliseconds = 60_000

    // MARK: Calls

    mutating func begin(_ plan: SOSPlan, links newLinks: [String], now: Milliseconds) {
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
        (links, hasVoice) = (newLinks, plan.hasVoice ? true : nil)
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
    func callsOthers(_ isConsented: Bool) -> Bool { isHelp || self.isConsented ?? isConsented }

    /// The person's box has told this contact by its own means.
    private func isTold(_ contact: SOSContact) -> Bool { contact.phone.map { boxTold?.contains($0) == true } ?? false }

    /// Numbers to which a text has left, and those that a box of the person has told; nil for none. A box never takes one back: a text that is
    /// on its way may fail yet, and an alert that comes twice is the lesser harm.
    var toldNumbers: [String]? {
        let texted = calls.compactMap { call -> String? in
            guard [.text, .voice].contains(call.channel), case .contact(_, let contact) = call.recipient else { return nil }
            return call.state == .sent || call.state == .acknowledged ? contact.phone : nil
        }
        let all = Set(texted + (boxTold ?? [])).sorted()
        return all.isEmpty ? nil : all
    }

    /// Whoever was told has so long to answer before the person's box calls as well, milliseconds.
    static let reachTime: Milliseconds = 10_000

    /// Whether nobody who can help was reached; nil while that is too early to say, or nothing is done yet.
    func reachedNobody(at time: Milliseconds) -> Bool? {
        if isReached(at: time) { return false }
        guard !isHeld(at: time) else { return nil }
        let isAnybodyTold = calls.contains { $0.state == .waiting || $0.state == .sent } || openOffers > 0
        return time - opened >= Self.reachTime || rounds > 0 && !isAnybodyTold ? true : nil
    }

    /// Whether it is an alert to somebody who has one from the box.
    func isToldByBox(_ call: SOSCall) -> Bool {
        guard call.message == .alert, case .contact(_, let contact) = call.recipient else { return false }
        return isTold(contact)
    }

    /// A test of the way: caregivers, contacts and control rooms get it, marked as one. Crews are left alone.
    mutating func drill(_ plan: SOSPlan, links newLinks: [String], now: Milliseconds) {
        guard isTest, plan.isConsented else { return }
        (links, contacts, hasVoice) = (newLinks, plan.contacts, plan.hasVoice ? true : nil)
        for caregiver in plan.caregivers { call(.account(caregiver), .notice, .alert, due: now) }
        for (index, contact) in plan.contacts.enumerated() { callContact(index, contact, .alert, due: now) }
        callRooms(plan.rooms, now: now, link: SOSService.makeLink)
    }

    /// A later round (SOS-7): nobody has it, so contacts are told again, also those who only saw it, and the control rooms are in.
    mutating func again(_ plan: SOSPlan, now: Milliseconds) {
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
            links = plan.contacts.map { _ in SOSService.makeLink() }
            for (index, contact) in plan.contacts.enumerated() {
                callContact(index, contact, isTold(contact) ? .update : .alert, due: now + Milliseconds(index) * Self.contactPause)
            }
        }
        for (index, contact) in (contacts ?? plan.contacts).enumerated() { callContact(index, contact, .update, due: now) }
        // Also one whose area the person has left: it knows of the case.
        for room in alertedRooms where !isAnswered(.room(room)) { call(.room(room), .room, .update, due: now) }
        callRooms(plan.rooms, now: now, link: SOSService.makeLink)
        searchAt = searchAt ?? now
    }

    var alertedRooms: [String] {
        calls.compactMap { call in if case .room(let room) = call.recipient, call.message == .alert { room } else { nil } }
    }

    /// The person asks for help once more while somebody has the case: that one hears it.
    mutating func tellOwner(now: Milliseconds) {
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

    /// - Parameter link: makes a secret, for the page by which a room answers.
    mutating func callRooms(_ rooms: [String], now: Milliseconds, link: () -> String) {
        for room in rooms where !calls.contains(where: { $0.recipient == .room(room) && $0.message == .alert }) {
            if roomLinks?[room] == nil { roomLinks = (roomLinks ?? [:]).merging([room: link()]) { $1 } }
            call(.room(room), .room, .alert, due: now)
        }
    }

    mutating func callContact(_ index: Int, _ contact: SOSContact, _ message: SOSCall.Message, due: Milliseconds) {
        if contact.phone != nil, contact.isTexted { call(.contact(index, contact), .text, message, due: due) }
        if contact.email != nil { call(.contact(index, contact), .mail, message, due: due) }
        // Nobody is called to the telephone for news: the alarm alone, and the question of who is there.
        let isCall = [.alert, .update, .whoIsThere].contains(message)
        if contact.phone != nil, contact.isCalled, hasVoice == true, isCall { call(.contact(index, contact), .voice, message, due: due) }
    }

    /// The position came after the first message: whoever was told without it hears where the person is, unless somebody else has it.
    mutating func tellPosition(now: Milliseconds) {
        for (index, contact) in (contacts ?? []).enumerated() where owner == nil || isOwned(by: .contact(index)) {
            let told = calls.filter { $0.isContact(index) && $0.wasTried && [.text, .mail].contains($0.channel) }
            for channel in [SOSCall.Channel.text, .mail] where told.contains(where: { $0.channel == channel }) {
                call(.contact(index, contact), channel, .position, due: now)
            }
        }
    }

    mutating func call(_ recipient: SOSCall.Recipient, _ channel: SOSCall.Channel, _ message: SOSCall.Message, due: Milliseconds) {
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
    mutating func tellAll(
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
    mutating func tellCrews(_ crews: Set<AccountID>, _ message: SOSCall.Message, now: Milliseconds) {
        for crew in crews.sorted() { call(.account(crew), .notice, message, due: now) }
    }

    func isCrew(_ account: AccountID) -> Bool { crew?.account == account || offers.contains { $0.account == account } }

    /// What a message that is about to leave says of its time.
    mutating func note(said time: Milliseconds, in number: Int) {
        guard let index = calls.firstIndex(where: { $0.number == number }) else { return }
        calls[index].said = time
    }

    mutating func acknowledge(room name: String, now: Milliseconds) {
        reachedAt = now
        for place in calls.indices where calls[place].recipient == .room(name) && calls[place].state == .sent {
            calls[place].state = .acknowledged
        }
    }

    mutating func acknowledge(contact index: Int, now: Milliseconds) {
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

    mutating func acknowledge(account: AccountID, now: Milliseconds) {
        reachedAt = now
        for place in calls.indices where calls[place].recipient == .account(account) && calls[place].state == .sent {
            calls[place].state = .acknowledged
        }
    }

    // MARK: Offers

    var openOffers: Int { offers.count { $0.state == .open } }

    /// Crews that must not be asked (again) now.
    func isExcluded(_ account: AccountID, now: Milliseconds) -> Bool {
        guard let last = offers.last(where: { $0.account == account }) else { return false }
        switch last.state {
        case .open, .accepted, .rejected, .released: return true
        case .expired: return now - last.answerBy < Self.askAgainAfter
        }
    }

    /// - Parameters:
    ///   - watched: whose page is open. A line that is open shows nothing on a phone whose screen is dark: whoever has not seen the offer
    ///     soon is notified all the same; everybody else at once.
    ///   - turnMax: how long pages wait for their turn at most, milliseconds.
    mutating func offer(_ found: [CrewIndex.Found], toHome: Bool, watched: Set<AccountID>, turnMax: Milliseconds, now: Milliseconds) {
        for item in found where offers.count < Self.offersMax || offers.contains(where: { $0.state == .expired }) {
            if offers.count >= Self.offersMax, let old = offers.firstIndex(where: { $0.state == .expired }) { offers.remove(at: old) }
            offers.append(
                SOSOffer(
                    account: item.crew.account, ambulance: item.crew.ambulance, made: now, answerBy: now + Self.offerTime,
                    tellAt: watched.contains(item.crew.account) ? now + Self.seenWithin + turnMax : now, distance: item.metres,
                    isToHome: toHome))
        }
    }

    /// Offers that nobody answered in time go to the next nearest. Returns whose they were.
    mutating func expire(now: Milliseconds) -> [AccountID] {
        var gone: [AccountID] = []
        for index in offers.indices where offers[index].state == .open && offers[index].answerBy <= now {
            offers[index].state = .expired
            gone.append(offers[index].account)
        }
        if !gone.isEmpty, seeksAmbulance { searchAt = now }
        return gone
    }

    /// Whom to notify of their offers now. Until somebody says that it was done they come again.
    mutating func takeCrewsToTell(now: Milliseconds) -> [AccountID] {
        guard isOpen, !isHeld(at: now) else { return [] }
        return offers.indices.compactMap { index in
            guard offers[index].state == .open, offers[index].seen == nil, let due = offers[index].tellAt, due <= now else { return nil }
            offers[index].tellAt = now + Self.seenWithin
            return offers[index].account
        }
    }

    /// Whether a crew is still to be notified of its offer: also late, where nobody has the case. It can be accepted all the same.
    func isToTell(_ account: AccountID, now: Milliseconds) -> Bool {
        guard isOpen, !isHeld(at: now), let offer = offers.last(where: { $0.account == account }) else { return false }
        return offer.seen == nil && offer.tellAt != nil && (offer.state == .open || offer.state == .expired && seeksAmbulance)
    }

    mutating func told(_ account: AccountID) {
        guard let index = offers.lastIndex(where: { $0.account == account }) else { return }
        offers[index].tellAt = nil
    }

    /// Everybody but the one who has it is released.
    mutating func releaseOffers(but account: AccountID?) {
        for index in offers.indices where offers[index].state == .open || offers[index].state == .accepted {
            if offers[index].account != account { offers[index].state = .released }
        }
    }

    /// It was given back: whoever was released for the one who had it may be asked again, at once.
    mutating func reopenOffers(now: Milliseconds) {
        for index in offers.indices where offers[index].state == .released {
            offers[index].state = .expired
            offers[index].answerBy = min(offers[index].answerBy, now - Self.askAgainAfter)
        }
    }

    mutating func setOffer(of account: AccountID, _ state: SOSOffer.State) {
        guard let index = offers.lastIndex(where: { $0.account == account }) else { return }
        offers[index].state = state
    }

    mutating func end(_ outcome: Outcome, now: Milliseconds) {
        (ended, self.outcome, searchAt, askAt, answerOwnerBy) = (now, outcome, nil, nil, nil)
        releaseOffers(but: crew?.account)
    }
}

extension SOSCall {
    /// Its recipient may know of it.
    var wasTried: Bool { state == .sent || state == .acknowledged || tries > 0 }
    /// A telephone rings for an end alone, and only for whoever took the case on it.
    func isHeard(_ message: SOSCall.Message) -> Bool {
        guard channel == .voice else { return true }
        return [.falseAlarm, .over].contains(message) && (state == .sent || state == .acknowledged)
    }
    func isContact(_ index: Int) -> Bool { if case .contact(index, _) = recipient { true } else { false } }
}

extension SOSCall.Recipient {
    /// How they are called when they have the case.
    var owner: Owner {
        switch self {
        case .contact(let index, _): .contact(index)
        case .account(let account): .account(account)
        case .room(let name): .room(name)
        }
    }

    func isSame(as other: Self) -> Bool {
        switch (self, other) {
        case (.contact(let a, _), .contact(let b, _)): a == b
        default: self == other
        }
    }
}
