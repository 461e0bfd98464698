import Alerts
import Distress
import EmergencyDispatch
import Foundation
import HubStore
import Languages
import Logging
import Mail
import Seams
import Vitals

/// Due messages leave in the order of their urgency, each by its own lane.
struct SOSSending: SOSSubject {
    let sos: SOSService

    /// A lease lasts so much longer than the longest try, milliseconds.
    static let leaseMargin: Milliseconds = 15_000
    /// Notices take turns at a database; a lease has an end all the same.
    static let noticeLease: Milliseconds = 3_600_000

    /// For how long a try is nobody else's. It outlives the try, which ``SendPool/limit`` ends.
    func lease(by lane: SendLane) -> Milliseconds { outlets.pool(of: lane).limit.map { $0 + Self.leaseMargin } ?? Self.noticeLease }

    /// Starts what is due, as far as its lanes have room; the rest as others end.
    /// - Parameter id: of this case alone.
    func sendDue(of id: IncidentID? = nil) {
        let time = now()
        let started = sos.state.withLock { state in
            if let id {
                if let item = state.cases[id] { queue(item, &state, time) }
            } else {
                for item in state.cases.values { queue(item, &state, time) }
            }
            return start(&state)
        }
        send(started)
    }

    private struct Started: Sendable {
        let item: SOSCase
        let call: SOSCall
        let key: SendQueue.Key
        let lane: SendLane
    }

    /// Puts what is due of a case into the queue. Under the lock.
    private func queue(_ item: SOSCase, _ state: inout State, _ time: Milliseconds) {
        guard !item.isHeld(at: time) else { return }
        for call in item.calls where call.isDue(time) {
            state.queue.add(
                .init(incident: item.id, call: call.number), by: outlets.lane(of: call), urgency: item.urgency(of: call), due: call.due)
        }
    }

    /// Takes what has room. Under the lock.
    private func start(_ state: inout State) -> [Started] {
        var started: [Started] = []
        while let (key, lane) = state.queue.next(width: { outlets.pool(of: $0).width }) {
            let work = sos.dispatch(.call(.hasRoom(key.call, lease: lease(by: lane))), to: key.incident, &state)
            guard let call = work.call, let item = state.cases[key.incident] else {
                state.queue.end(key)
                continue
            }
            started.append(Started(item: item, call: call, key: key, lane: lane))
        }
        return started
    }

    private func send(_ started: [Started]) {
        for one in started { machine.start(priority: .high) { [self] in await send(one) } }
    }

    /// Who waited for room has it now, and not with the next look: that is late when a thousand wait.
    private func end(_ key: SendQueue.Key) {
        let next = sos.state.withLock { state in
            state.queue.end(key)
            return start(&state)
        }
        send(next)
    }

    private func send(_ started: Started) async {
        let (call, item) = (started.call, started.item)
        let outcome: Result<String, any Error>
        do {
            outcome = .success(
                try await SendTime.within(outlets.pool(of: started.lane).limit, on: machine) { [self] in try await deliver(call, of: item) }
            )
        } catch { outcome = .failure(error) }
        ended(call, of: item, by: started.lane, outcome)
        end(started.key)
        pages.changed(item.person)
        _ = await writer.flush()
        if item.isTest { tellOfFailedDrill(item.id) }
    }

    /// The outcome of one try to send by one lane. Everything that leaves a case comes by here.
    private func ended(_ call: SOSCall, of item: SOSCase, by lane: SendLane, _ outcome: Result<String, any Error>) {
        reachability.note(call, outcome)
        let result: SOSCallResult =
            switch outcome {
            case .success(let proof): .left(proof: proof)
            case .failure(let error): .failed(why: "\(error)", Self.retry(after: error))
            }
        sos.dispatch(.call(.ended(call.number, result, tries: call.tries, isSpoken: lane == .voice)), to: item.id)
        guard case .failure(let error) = outcome else { return }
        logger.error(
            "a message about somebody in distress did not leave",
            metadata: ["channel": "\(call.channel.rawValue)", "error": "\(error)"])
    }

    /// An error's meaning for another try.
    private static func retry(after error: any Error) -> SOSCallResult.Retry {
        if error is NoSuchWay { return .never }
        guard let problem = error as? MailProblem else { return .again }
        return !problem.retries ? .never : problem.mayHaveLeft ? .mayHaveLeft : .again
    }

    /// A test that is over and did not reach everybody is a broken link of the chain.
    private func tellOfFailedDrill(_ id: IncidentID) {
        guard let item = sos.state.withLock({ $0.cases[id] }) ?? ((try? store.incident(id)) ?? nil),
            !item.calls.contains(where: { $0.state == .waiting }),
            let failed = item.calls.first(where: { $0.state == .failed })
        else { return }
        sos.state.withLock { state in
            guard var entry = state.entries[item.person] else { return }
            let name =
                switch failed.recipient {
                case .contact(_, let contact): contact.name
                case .room(let name): name
                case .account: ""
                }
            owedNotices.owe(.sosUnprotected, ["reason": "drill", "owner": name], about: item.person, &entry, &state)
        }
    }

    /// This hub has no such way: trying again does not help.
    struct NoSuchWay: Error, CustomStringConvertible {
        let description: String
    }

    private func deliver(_ call: SOSCall, of item: SOSCase) async throws -> String {
        let account = sos.account(of: item.person)
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
            case .voice:
                guard let voice = outlets.voice, let number = contact.phone else {
                    throw NoSuchWay(description: "this hub has no hub.voice.account")
                }
                guard voice.mayCall(number) else { throw NoSuchWay(description: "hub.voice.prefixes allows no call to that number") }
                return try await voice.tell(
                    record, to: number, language: Language(tag: contact.language),
                    answering(call, of: item, .contact(index, name: contact.name)))
            case .notice, .room: throw NoSuchWay(description: "a contact is reached by text, mail or telephone alone")
            }
        case .account(let id):
            try await notices.run { [self] in try notify(id, call.message, item, account) }
            return "notice"
        case .room(let name):
            guard let room = outlets.rooms.first(where: { $0.name == name }) else { throw NoSuchWay(description: "no such control room") }
            let link = item.roomLinks?[name].map { "\(outlets.site())/sos/\($0)" }
            let record = record(item, call, account, .init(name: name, address: name), web: link)
            sos.dispatch(.call(.said(call.number, record.sentAt.utc)), to: item.id)
            let proof = try await room.send(
                record, language: room.language ?? Language(tag: account?.language ?? "en"),
                answering: answering(call, of: item, .room(name: name)))
            // A control room whose own side said that it has it is somebody who can help, but does not own the case. A mail that left is none.
            if room.answers { sos.dispatch(.call(.arrivedAtRoom(call.message)), to: item.id) }
            return proof
        }
    }

    /// A question of a call to its case.
    private func answering(_ call: SOSCall, of item: SOSCase, _ helper: SOSHelper) -> SOSAnswering {
        SOSAnswering(
            isWanted: { [self] in
                sos.state.withLock { state in
                    state.cases[item.id]?.calls.first { $0.number == call.number }.map { $0.state == .waiting } ?? false
                }
            },
            // Nobody takes a test; that it was answered is what is to be known.
            take: { [self] in item.isTest ? true : await helpers.act(call.message == .whoIsThere ? .arrived : .take, helper, on: item.id) })
    }

    /// A contact's text: of an alarm what every format says, of the rest the hub's own words. The number that it comes from takes no answers:
    /// the page does.
    private func short(_ message: SOSCall.Message, _ record: SOSRecord, _ item: SOSCase, _ language: String) -> String {
        guard let phrase = outlets.phrase(message, item, language) else {
            return SMSText.text(
                record, in: Language(tag: language), partsMax: 3, answer: record.web.map(AnswerWay.page), withValues: tellsValues(item))
        }
        let isAnswered = message == .whoIsThere || message == .released
        return "SOS \(record.person.name): \(phrase)" + (isAnswered ? record.web.map { " \($0)" } ?? "" : "")
    }

    /// A contact's mail. Times are those of the hub's time zone, which is named: nobody knows where a contact is.
    private func letter(_ message: SOSCall.Message, _ record: SOSRecord, _ item: SOSCase, _ language: String) -> LetterText.Letter {
        if record.ending != nil {
            // Nobody is asked for help by the mail that stands them down.
            let words = SMSText.text(record, in: Language(tag: language), partsMax: 3)
            return LetterText.news(words, record, subject: "SOS \(record.person.name)", in: Language(tag: language))
        }
        guard let phrase = outlets.phrase(message, item, language) else {
            var record = record
            let offset = TimeZone.current.offset(at: record.sentAt.utc)
            record.sentAt = SOSTime(utc: record.sentAt.utc, offsetMinutes: Int(offset / 60_000))
            return LetterText.letter(
                record, in: Language(tag: language), isAboutPlace: message == .position, withValues: tellsValues(item))
        }
        let subject = "SOS \(record.person.name)"
        return LetterText.news("\(subject): \(phrase)", record, subject: subject, in: Language(tag: language))
    }

    /// Whether contacts learn what was measured: only where the person chose so.
    private func tellsValues(_ item: SOSCase) -> Bool { sos.state.withLock { $0.entries[item.person] }?.choice.mailsValues ?? false }

    func record(_ item: SOSCase, _ call: SOSCall, _ account: StoredAccount?, _ recipient: SOSRecord.Party, web: String?) -> SOSRecord {
        let entry = sos.state.withLock { $0.entries[item.person] }
        var record = SOSRecord(
            item, account, call: call, recipient: recipient, sender: .init(name: "TrackMe", address: outlets.site()), web: web,
            asksFirst: entry?.choice.asksFirst ?? true, isPositionOff: entry?.state.isPositionOff ?? false, now: now())
        // It may be any of them: no age, birthday or telephone is said to be theirs.
        if item.others != nil {
            record.person = SOSPerson(name: sos.name(of: item, account), languages: record.person.languages, address: record.person.address)
        }
        return record
    }

    // MARK: Notices

    /// A crew or a caregiver.
    private func notify(_ id: AccountID, _ message: SOSCall.Message, _ item: SOSCase, _ account: StoredAccount?) throws {
        guard let reader = try accounts.account(id) else { throw NoSuchWay(description: "the account is gone") }
        if item.isCrew(id) {
            let kind: NoticeKind = [.alert, .update].contains(message) ? .sosOffer : message == .whoIsThere ? .sosAsked : .sosOver
            // A crew's page names nobody, and neither does its notice. Also where a page is open: on a phone whose screen is dark nobody sees it.
            return try accounts.notices.addNotice(
                kind, ["person": "", "owner": "", "link": outlets.site(), "path": "/duty/alarms"], to: reader, now: now())
        }
        // A consent that ended meanwhile: nothing more is told.
        guard let cared = try addressees.cared(in: item, by: id) else {
            throw NoSuchWay(description: "looks after the person no more")
        }
        if item.isTest, try !accounts.notices.goesOut(.sosTest, to: reader) {
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
            "person": sos.name(of: item, account), "owner": item.ownerName ?? "", "link": outlets.site(),
            "path": "/care/person/\(cared)/protection",
        ]
        try accounts.notices.addNotice(kind, arguments, to: reader, now: now())
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
            try accounts.notices.addNotice(
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
            try accounts.notices.addNotice(
                kind, arguments.merging(["person": account.name, "link": outlets.site(), "path": "/protection"]) { $1 }, to: account,
                now: now())
        } catch { logger.error("a person cannot be notified", metadata: ["error": "\(error)"]) }
    }
}

extension SOSCase {
    /// Real before test, alarm before update.
    func urgency(of call: SOSCall) -> SendUrgency { isTest ? .drill : call.message == .alert ? .alarm : .news }
}
