import Alerts
import Distress
import Foundation
import HubStore
import Logging
import Synchronization
import Vitals

/// What is due to be sent leaves side by side; what became of it stands in the case.
extension SOSService {
    /// Somebody who works at a call is given up after this, milliseconds.
    static let lease: Milliseconds = 45_000
    /// A call that failed is tried again after this, the first time and at most.
    static let retryFirst: Milliseconds = 5000, retryMax: Milliseconds = 60_000
    static let triesMax = 40

    /// So many leave at a time: a mail program is a process, and a thousand of them would leave nothing of the machine to the offers.
    static let sendingMax = 48

    /// Starts what is due, as far as there is room; the rest as room comes.
    /// - Parameters:
    ///   - id: of this case alone.
    ///   - inAll: goes on where the room is full, for the notices of the other cases. Each look does so, and not each message that leaves.
    func sendDue(of id: IncidentID? = nil, inAll: Bool = false) {
        let time = now()
        let due = state.withLock { state -> [(SOSCase, SOSCall)] in
            var due: [(SOSCase, SOSCall)] = []
            func start(_ known: SOSCase) {
                guard known.calls.contains(where: { $0.isDue(time) }), !known.isHeld(at: time) else { return }
                var item = known
                for index in item.calls.indices where item.calls[index].isDue(time) {
                    if item.calls[index].channel == .notice {
                        // It takes nobody's room, and comes once: it may wait for a disk that hangs.
                        let key = NoticeKey(incident: item.id, call: item.calls[index].number)
                        guard state.noticing.insert(key).inserted else { continue }
                    } else if state.sending < Self.sendingMax {
                        state.sending += 1
                    } else {
                        state.hasUnsent = true
                        continue
                    }
                    // The box was quicker, after this was planned.
                    if item.isToldByBox(item.calls[index]) { item.calls[index].message = .update }
                    item.calls[index].lease = time + Self.lease
                    item.calls[index].tries += 1
                    due.append((item, item.calls[index]))
                }
                guard item != known else { return }
                state.cases[item.id] = item
                writer.add(item.person, state: nil, cases: [item])
            }
            if let id {
                state.cases[id].map(start)
            } else {
                state.hasUnsent = false
                for item in state.cases.values where inAll || !state.hasUnsent { start(item) }
            }
            return due
        }
        for (item, call) in due { Task(priority: .medium) { await send(call, of: item) } }
    }

    /// Who waited for room has it now, and not with the next look: that is late when a thousand wait.
    private func sent(_ call: SOSCall, of item: SOSCase) {
        let isMore = state.withLock { state in
            if call.channel == .notice {
                state.noticing.remove(NoticeKey(incident: item.id, call: call.number))
            } else {
                state.sending -= 1
            }
            return state.hasUnsent
        }
        if isMore { sendDue() }
    }

    private func send(_ call: SOSCall, of item: SOSCase) async {
        let outcome: Result<String, any Error>
        do { outcome = .success(try await deliver(call, of: item)) } catch { outcome = .failure(error) }
        note(call, outcome)
        let time = now()
        change(item.id) { item in
            guard let index = item.calls.firstIndex(where: { $0.number == call.number }) else { return }
            let state = item.calls[index].state
            switch outcome {
            // Also what was not needed any more while it was on its way: it has left.
            case .success(let proof) where state == .waiting || state == .dropped:
                (item.calls[index].state, item.calls[index].sentAt, item.calls[index].proof) = (.sent, time, proof)
            case .failure(let error) where state == .waiting:
                item.calls[index].proof = String("\(error)".prefix(200))
                item.calls[index].lease = 0
                let isLast = error is NoSuchWay || call.tries >= Self.triesMax
                if isLast { item.calls[index].state = .failed }
                item.calls[index].due = time + min(Self.retryMax, Self.retryFirst << Milliseconds(min(call.tries - 1, 6)))
            default: break
            }
        }
        sent(call, of: item)
        if case .failure(let error) = outcome {
            logger.error(
                "a message about somebody in distress did not leave",
                metadata: ["channel": "\(call.channel.rawValue)", "error": "\(error)"])
        }
        pages.changed(item.person)
        _ = await writer.flush()
        if item.isTest { tellOfFailedDrill(item.id) }
    }

    /// A test that is over and did not reach everybody is a broken link of the chain.
    private func tellOfFailedDrill(_ id: IncidentID) {
        guard let item = state.withLock({ $0.cases[id] }) ?? ((try? store.incident(id)) ?? nil),
            !item.calls.contains(where: { $0.state == .waiting }),
            let failed = item.calls.first(where: { $0.state == .failed })
        else { return }
        state.withLock { state in
            guard var entry = state.entries[item.person] else { return }
            let name =
                switch failed.recipient {
                case .contact(_, let contact): contact.name
                case .room(let name): name
                case .account: ""
                }
            entry.state.owe(.sosUnprotected, ["reason": "drill", "owner": name], isForPerson: true, isForCaregivers: true, now: now())
            state.owing.insert(item.person)
            entry.isDirty = true
            store(item.person, &entry, [], &state)
        }
    }

    /// This hub has no such way: trying again does not help.
    struct NoSuchWay: Error, CustomStringConvertible {
        let description: String
    }

    private func deliver(_ call: SOSCall, of item: SOSCase) async throws -> String {
        let account = account(of: item.person)
        switch call.recipient {
        case .contact(let index, let contact):
            let link = item.links.indices.contains(index) ? "\(outlets.site())/sos/\(item.links[index])" : nil
            let record = record(item, call, account, .init(name: contact.name, address: contact.phone ?? contact.email ?? ""), web: link)
            switch call.channel {
            case .text:
                guard let number = contact.phone, let text = outlets.text else {
                    throw NoSuchWay(description: "this hub has no hub.sms.command")
                }
                try await text(short(call.message, record, item, contact.language), number)
                return "taken by hub.sms.command"
            case .mail:
                guard let email = contact.email else { throw NoSuchWay(description: "no address") }
                let letter = letter(call.message, record, item, contact.language)
                try await outlets.mail(email, letter.subject, letter.text)
                return "taken by the mail program"
            case .voice, .notice, .room: throw NoSuchWay(description: "this hub has no telephone line")
            }
        case .account(let id):
            try await notices.run { [self] in try notify(id, call.message, item, account) }
            return "notice"
        case .room(let name):
            guard let room = outlets.rooms.first(where: { $0.name == name }) else { throw NoSuchWay(description: "no such control room") }
            let link = item.roomLinks?[name].map { "\(outlets.site())/sos/\($0)" }
            let record = record(item, call, account, .init(name: name, address: name), web: link)
            change(item.id) { $0.note(said: record.sentAt.utc, in: call.number) }
            let proof = try await room.send(record, language: room.language ?? SOSLanguage(tag: account?.language ?? "en"))
            // A control room whose own side said that it has it is somebody who can help, but does not own the case. A mail that left is none.
            if room.answers, !item.isTest, call.message == .alert || call.message == .update {
                let time = now()
                change(item.id) { $0.reachedAt = time }
            }
            return proof
        }
    }

    /// A contact's text: of an alarm what every format says, of the rest the hub's own words. The number that it comes from takes no answers:
    /// the page does.
    private func short(_ message: SOSCall.Message, _ record: SOSRecord, _ item: SOSCase, _ language: String) -> String {
        guard let phrase = outlets.phrase(message, item, language) else {
            return SMSText.text(record, in: SOSLanguage(tag: language), partsMax: 3, answer: record.web.map(AnswerWay.page))
        }
        let isAnswered = message == .whoIsThere || message == .released
        return "SOS \(record.person.name): \(phrase)" + (isAnswered ? record.web.map { " \($0)" } ?? "" : "")
    }

    /// A contact's mail. Times are those of the hub's time zone, which is named: nobody knows where a contact is.
    private func letter(_ message: SOSCall.Message, _ record: SOSRecord, _ item: SOSCase, _ language: String) -> LetterText.Letter {
        guard let phrase = outlets.phrase(message, item, language) else {
            var record = record
            let zone = TimeZone.current.secondsFromGMT(for: Date(timeIntervalSince1970: Double(record.sentAt.utc) / 1000))
            record.sentAt = SOSTime(utc: record.sentAt.utc, offsetMinutes: zone / 60)
            return LetterText.letter(record, in: SOSLanguage(tag: language), isAboutPlace: message == .position)
        }
        let subject = "SOS \(record.person.name)"
        return LetterText.news("\(subject): \(phrase)", record, subject: subject, in: SOSLanguage(tag: language))
    }

    func record(_ item: SOSCase, _ call: SOSCall, _ account: StoredAccount?, _ recipient: SOSRecord.Party, web: String?) -> SOSRecord {
        let entry = state.withLock { $0.entries[item.person] }
        var record = SOSRecord(
            item, account, call: call, recipient: recipient, sender: .init(name: "TrackMe", address: outlets.site()), web: web,
            asksFirst: entry?.choice.asksFirst ?? true, isPositionOff: entry?.state.isPositionOff ?? false, now: now())
        // It may be any of them: no age, birthday or telephone is said to be theirs.
        if item.others != nil {
            record.person = SOSPerson(name: name(of: item, account), languages: record.person.languages, address: record.person.address)
        }
        return record
    }

    /// The person's name, or those of everybody who may be meant.
    func name(of item: SOSCase, _ account: StoredAccount?) -> String {
        let others = (item.others ?? []).compactMap { self.account(of: $0)?.name }
        return ([account?.name ?? ""] + others).filter { !$0.isEmpty }.joined(separator: ", ")
    }

    /// Who it is; as it was known last, where the accounts cannot be read.
    func account(of person: PersonID) -> StoredAccount? {
        do { return try accounts.account(AccountID(person)) } catch {
            logger.critical("somebody in distress cannot be looked up; what was known is told", metadata: ["error": "\(error)"])
            return state.withLock { $0.entries[person]?.account }
        }
    }

    // MARK: Notices

    /// A crew or a caregiver.
    private func notify(_ id: AccountID, _ message: SOSCall.Message, _ item: SOSCase, _ account: StoredAccount?) throws {
        guard let reader = try accounts.account(id) else { throw NoSuchWay(description: "the account is gone") }
        if item.isCrew(id) {
            let kind: NoticeKind = [.alert, .update].contains(message) ? .sosOffer : message == .whoIsThere ? .sosAsked : .sosOver
            // A crew's page names nobody, and neither does its notice. Also where a page is open: on a phone whose screen is dark nobody sees it.
            return try accounts.addNotice(
                kind, ["person": "", "owner": "", "link": outlets.site(), "path": "/duty/alarms"], to: reader, now: now())
        }
        // A consent that ended meanwhile: nothing more is told.
        guard try item.people.contains(where: { try caregivers(of: $0).contains(id) }) else {
            throw NoSuchWay(description: "looks after the person no more")
        }
        if item.isTest, try !accounts.goesOut(.sosTest, to: reader) {
            throw NoSuchWay(description: "has neither mail nor push for alarms")
        }
        let kind: NoticeKind =
            switch message {
            case _ where item.isTest: .sosTest
            case .alert, .update, .released, .personAnswered, .position: .sosRaised
            case .whoIsThere: .sosAsked
            case .taken: .sosTaken
            case .falseAlarm, .over: .sosOver
            case .warning: .sosWarning
            }
        let arguments = [
            "person": name(of: item, account), "owner": item.ownerName ?? "", "link": outlets.site(),
            "path": "/care/person/\(item.person)/protection",
        ]
        try accounts.addNotice(kind, arguments, to: reader, now: now())
    }

    /// - Returns: those who are told, or are gone; the others are to be tried again.
    func tellCrews(_ crews: Set<AccountID>) -> Set<AccountID> {
        var told: [StoredAccount] = [], known = crews
        for crew in crews {
            do { if let account = try accounts.account(crew) { told.append(account) } } catch {
                known.remove(crew)
                logger.error("a crew cannot be looked up; it is tried again", metadata: ["error": "\(error)"])
            }
        }
        do {
            try accounts.addNotice(
                .sosOffer, ["person": "", "owner": "", "link": outlets.site(), "path": "/duty/alarms"], to: told, now: now())
            return known
        } catch {
            logger.error("crews cannot be notified; it is tried again", metadata: ["count": "\(told.count)", "error": "\(error)"])
            return []
        }
    }

    func tell(_ person: PersonID, _ kind: NoticeKind, _ arguments: [String: String]) {
        do {
            guard let account = try accounts.account(AccountID(person)) else { return }
            try accounts.addNotice(
                kind, arguments.merging(["person": account.name, "link": outlets.site(), "path": "/protection"]) { $1 }, to: account,
                now: now())
        } catch { logger.error("a person cannot be notified", metadata: ["error": "\(error)"]) }
    }
}

extension SOSCase {
    func isHeld(at time: Milliseconds) -> Bool { isOpen && (heldUntil.map { $0 > time } ?? false) }
}

extension SOSCall {
    /// Waits, and nobody works at it.
    fileprivate func isDue(_ time: Milliseconds) -> Bool { state == .waiting && due <= time && lease <= time }
}
