import Distress
package import Vitals

/// The messages of a case, in the order in which they were decided.
extension [SOSCall] {
    // MARK: To send

    /// Adds one, unless it is an update to somebody who was told a moment ago, or there are as many as a case may have.
    package mutating func add(_ recipient: SOSCall.Recipient, _ channel: SOSCall.Channel, _ message: SOSCall.Message, due: Milliseconds) {
        if message == .update {
            let last = last { $0.recipient == recipient && $0.channel == channel && [.alert, .update].contains($0.message) }
            if let last, last.state == .waiting || due - (last.sentAt ?? last.due) < DispatchLimits.repeatPause { return }
        }
        if count >= DispatchLimits.callsMax, let old = superseded { remove(at: old) }
        guard count < DispatchLimits.callsMax else { return }
        append(SOSCall(number: (last?.number ?? 0) + 1, recipient: recipient, channel: channel, message: message, due: due))
    }

    /// Adds one by each way that there is to a contact.
    /// - Parameter hasVoice: the hub can call by telephone.
    package mutating func add(_ contact: SOSContact, _ index: Int, hasVoice: Bool, _ message: SOSCall.Message, due: Milliseconds) {
        if contact.phone != nil, contact.isTexted { add(.contact(index, contact), .text, message, due: due) }
        if contact.email != nil { add(.contact(index, contact), .mail, message, due: due) }
        // Nobody is called to the telephone for news: the alarm alone, and the question of who is there.
        let isCall = [.alert, .update, .whoIsThere].contains(message)
        if contact.phone != nil, contact.isCalled, hasVoice, isCall { add(.contact(index, contact), .voice, message, due: due) }
    }

    /// The oldest call that makes room: one that never left, or after which the same recipient was tried again by the same channel. Alerts
    /// stay, and so does what was answered: they say who is to hear the end, and who knows of it.
    private var superseded: Int? {
        var later: [(SOSCall.Recipient, SOSCall.Channel)] = [], found: Int?
        for index in indices.reversed() {
            let call = self[index], isUnheard = call.state == .dropped && call.tries == 0
            let isOld = later.contains { $0.0.isSame(as: call.recipient) && $0.1 == call.channel }
            if isOld || isUnheard, call.message != .alert, call.state != .waiting, call.state != .acknowledged { found = index }
            if !isOld, call.wasTried { later.append((call.recipient, call.channel)) }
        }
        return found
    }

    /// Each recipient and channel that was tried, and hears this message, hears it.
    /// - Parameters:
    ///   - dropping: what waits to be sent is not needed any more.
    ///   - isMeant: of recipients; what waits for others stays.
    ///   - hears: of recipients; what waits for others is dropped all the same.
    mutating func tell(
        _ message: SOSCall.Message, due: Milliseconds, dropping: Bool, to isMeant: (SOSCall.Recipient) -> Bool,
        hearing hears: (SOSCall.Recipient) -> Bool
    ) {
        var told: [(SOSCall.Recipient, SOSCall.Channel)] = []
        for index in indices where isMeant(self[index].recipient) {
            let item = self[index]
            if hears(item.recipient), item.wasTried, item.isHeard(message),
                !told.contains(where: { $0.0.isSame(as: item.recipient) && $0.1 == item.channel })
            {
                told.append((item.recipient, item.channel))
            }
            if dropping, item.state == .waiting { self[index].state = .dropped }
        }
        for (recipient, channel) in told { add(recipient, channel, message, due: due) }
    }

    /// Those to an owner by every way that there is to them.
    mutating func tell(_ owner: Owner, _ message: SOSCall.Message, due: Milliseconds) {
        var told: [(SOSCall.Recipient, SOSCall.Channel)] = []
        for item in self where item.recipient.owner == owner && !told.contains(where: { $0 == item.recipient && $1 == item.channel }) {
            told.append((item.recipient, item.channel))
        }
        for (recipient, channel) in told { add(recipient, channel, message, due: due) }
    }

    /// Somebody did not take it on the telephone: the next one who waits to be called is called now.
    private mutating func callNext(now: Milliseconds) {
        let waiting = indices.filter { self[$0].channel == .voice && self[$0].state == .waiting && self[$0].tries == 0 }
        guard let next = waiting.min(by: { self[$0].due < self[$1].due }), self[next].due > now else { return }
        self[next].due = now
    }

    // MARK: What became of them

    func place(of number: Int) -> Int? { firstIndex { $0.number == number } }

    /// - Parameter isTest: it is no alarm: nobody is rung again and again.
    mutating func end(_ number: Int, _ result: SOSCallResult, tries: Int, isSpokenTest isTest: Bool, at now: Milliseconds) {
        guard let index = place(of: number) else { return }
        let state = self[index].state
        self[index].lease = 0
        switch result {
        // Also what was not needed any more while it was on its way: it has left.
        case .left(let proof) where state == .waiting || state == .dropped:
            (self[index].state, self[index].sentAt, self[index].proof) = (.sent, now, proof)
        // A person who takes a case during the call that tells of it has acknowledged that call before it is over.
        case .left(let proof) where state == .acknowledged && self[index].sentAt == nil:
            (self[index].sentAt, self[index].proof) = (now, proof)
        case .failed(let why, let retry) where state == .waiting:
            self[index].proof = String(why.prefix(200))
            if isTest && tries >= DispatchLimits.voiceDrillTries || retry.isOver(after: tries) { self[index].state = .failed }
            self[index].due = now + Swift.min(DispatchLimits.retryMax, DispatchLimits.retryFirst << Milliseconds(Swift.min(tries - 1, 6)))
            if self[index].channel == .voice { callNext(now: now) }
        default: break
        }
    }

    /// Those to a recipient that were sent are answered.
    mutating func acknowledge(_ recipient: SOSCall.Recipient) {
        for place in indices where self[place].recipient == recipient && self[place].state == .sent { self[place].state = .acknowledged }
    }

    /// A contact answers all that was sent to them, by any way, and needs nothing that waits.
    mutating func acknowledge(contact index: Int) {
        for place in indices where self[place].isContact(index) && [.sent, .waiting].contains(self[place].state) {
            self[place].state = self[place].state == .waiting ? .dropped : .acknowledged
        }
        if !contains(where: { $0.state == .acknowledged }), let place = lastIndex(where: { $0.isContact(index) }) {
            self[place].state = .acknowledged
        }
    }

    /// A test arrived, also where its message did not leave as far as this hub knows: whoever has the link has the message.
    mutating func confirmTest(by owner: Owner, now: Milliseconds) {
        for place in indices where self[place].recipient.owner == owner && [.sent, .waiting].contains(self[place].state) {
            self[place].state = .acknowledged
            self[place].sentAt = self[place].sentAt ?? now
        }
    }

    func isAnswered(_ recipient: SOSCall.Recipient) -> Bool {
        contains { $0.recipient.isSame(as: recipient) && $0.state == .acknowledged }
    }

    /// Whether one has left, or is to be tried for the first time. What failed and waits to be tried again is none of these, and neither is
    /// what comes behind it by the same way.
    var mayReachSomebody: Bool {
        var failing: [(SOSCall.Recipient, SOSCall.Channel)] = []
        for call in self {
            let isFailing = failing.contains { $0.0.isSame(as: call.recipient) && $0.1 == call.channel }
            switch call.state {
            case .sent, .acknowledged: return true
            case .waiting where call.proof == nil && !isFailing: return true
            case .waiting, .failed: if !isFailing { failing.append((call.recipient, call.channel)) }
            case .dropped: break
            }
        }
        return false
    }

    /// Control rooms that got the alert.
    package var alertedRooms: [String] {
        compactMap { call in if case .room(let room) = call.recipient, call.message == .alert { room } else { nil } }
    }

    /// Numbers of contacts to which a text or a call has left.
    var toldNumbers: [String] {
        compactMap { call in
            guard [.text, .voice].contains(call.channel), case .contact(_, let contact) = call.recipient else { return nil }
            return call.state == .sent || call.state == .acknowledged ? contact.phone : nil
        }
    }

    // MARK: Stops of the hub

    /// Calls that were under way have so much more time.
    mutating func postpone(by missed: Milliseconds) {
        for index in indices where self[index].state == .waiting {
            self[index].due += missed
            if self[index].lease > 0 { self[index].lease += missed }
        }
    }

    /// The worker of a call is gone.
    mutating func endLeases() { for index in indices { self[index].lease = 0 } }

    /// Nothing of it is needed any more.
    mutating func dropWaiting() { for index in indices where self[index].state == .waiting { self[index].state = .dropped } }
}

extension SOSCallResult.Retry {
    fileprivate func isOver(after tries: Int) -> Bool {
        switch self {
        case .never: true
        case .mayHaveLeft: tries >= DispatchLimits.unansweredMax
        case .again: tries >= DispatchLimits.triesMax
        }
    }
}
