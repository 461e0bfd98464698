import Sensing
import Synchronization

/// Effects to adapters, and their events back. Everything here runs on the caller's queue.
extension LocalCaller {
    func begin(_ attempt: LocalAlarm.Attempt, _ id: UInt64, _ message: Message) {
        switch attempt.channel {
        case .sound:
            voice.alarm(true, by: holder, saying: message.announcement) { [weak self] problem in self?.later { $0.heard(id, problem) } }
        case .hooks:
            let variables = ["TRACKME_SOS": attempt.content.word, "TRACKME_SOS_TEST": attempt.isTest ? "yes" : "no"]
            guard let hooks = hooks.withLock({ $0 }) else { return fail(id, Self.missing("hooks", .noHooks)) }
            hooks.run(id, input: message.json, variables: variables)
        case .text(let recipient):
            guard let modem = modem.withLock({ $0 }), let number = number(recipient) else {
                return fail(id, Self.missing("modem", .noModem))
            }
            modem.text(id, to: number, message.text)
        case .call(let recipient):
            guard let modem = modem.withLock({ $0 }), let number = number(recipient) else {
                return fail(id, Self.missing("modem", .noModem))
            }
            modem.call(id, to: number, saying: message.speech)
        }
    }

    private func number(_ recipient: Int) -> PhoneNumber? {
        state.withLock { state in
            guard let recipients = state.alarm?.plan.recipients, recipients.indices.contains(recipient) else { return nil }
            return recipients[recipient].number
        }
    }

    private static func missing(_ what: String, _ kind: SourceProblem.Kind) -> SourceProblem {
        SourceProblem(
            what: "The box calls nobody this way: it was started without \(what)", advice: "Set it up and start the agent again",
            retries: true, kind: kind)
    }

    private func attempt(_ id: UInt64) -> LocalAlarm.Attempt? { state.withLock { $0.attempts[id] } }

    /// Behind what is being handled.
    private func fail(_ id: UInt64, _ problem: SourceProblem) { later { $0.fail(id, problem, mayHaveArrived: false) } }

    private func fail(_ id: UInt64, _ problem: SourceProblem, mayHaveArrived: Bool) {
        guard let attempt = attempt(id) else { return }
        sink(.failed(attempt, problem))
        handle(.failed(attempt.id, mayHaveArrived: mayHaveArrived))
    }

    private func succeed(_ id: UInt64) {
        guard let attempt = attempt(id) else { return }
        sink(.sent(attempt))
        handle(.sent(attempt.id))
    }

    private func heard(_ id: UInt64, _ problem: SourceProblem?) {
        if let problem { return fail(id, problem, mayHaveArrived: false) }
        // Once is enough: it is heard again and again.
        guard state.withLock({ $0.alarm?.running.contains { $0.channel == .sound } == true }), let attempt = attempt(id) else { return }
        state.withLock { $0.attempts[id] = nil }
        sink(.sent(attempt))
        handle(.sent(attempt.id))
    }

    func take(_ event: Hooks.Event) {
        switch event {
        case .ended(let id, let report): if let attempt = attempt(id) { sink(.hook(attempt, report)) }
        case .finished(let id, let succeeded, let count):
            if succeeded > 0 { return succeed(id) }
            let problem = SourceProblem(
                what: count == 0 ? "There is no hook to run" : "None of \(count) hooks succeeded",
                advice: "See what they said, and try them with a drill", retries: true)
            fail(id, problem, mayHaveArrived: count > 0)
        }
    }

    func take(_ event: ModemCaller.Event) {
        switch event {
        case .modems(let modems, let problem):
            let canCall = modems.contains { $0.canText || $0.canCall }
            let isBack = state.withLock { state in
                defer { state.hasModem = canCall }
                return canCall && !state.hasModem
            }
            sink(.modems(modems, problem: problem))
            if isBack { handle(.returned) }
        case .textSent(let id) where id & Self.noticeMark != 0: endNotice(id, nil, isLost: false)
        case .textFailed(let id, let failure) where id & Self.noticeMark != 0:
            endNotice(id, failure.problem, isLost: !failure.mayHaveArrived)
        case .textSent(let id): succeed(id)
        case .textDelivered(let id): if let attempt = attempt(id) { sink(.delivered(attempt)) }
        case .textFailed(let id, let failure): fail(id, failure.problem, mayHaveArrived: failure.mayHaveArrived)
        case .ringing, .answered: break
        case .acknowledged(let id): if case .call(let who)? = attempt(id)?.channel { acknowledge(who) }
        case .silent(let id, let problem): if let attempt = attempt(id) { sink(.silent(attempt, problem)) }
        case .ended(let id, let end):
            switch end {
            case .acknowledged: succeed(id)
            // A mailbox answers, too: the key alone counts.
            case .answered: fail(id, Self.noKey, mayHaveArrived: true)
            case .notAnswered, .busy, .cancelled: fail(id, Self.notTaken, mayHaveArrived: false)
            case .failed(let problem): fail(id, problem, mayHaveArrived: false)
            }
        case .reply(let number, let text, let sentAt, let wasThere):
            let (alarm, raisedAt, isUpdate) = state.withLock { ($0.alarm, $0.raisedAt, $0.isUpdate) }
            guard Self.isYes(text), let alarm, alarm.ending == nil || alarm.asked != nil,
                let who = alarm.plan.recipients.firstIndex(where: { $0.number.isSameLine(as: number) })
            else { return }
            let isOld = wasThere ? !isUpdate || !Self.isSince(sentAt, raisedAt) : Self.isOld(sentAt, raisedAt: raisedAt)
            guard !isOld else { return sink(.oldAnswer(who, Self.oldAnswer(number))) }
            acknowledge(who)
        }
    }

    private func acknowledge(_ who: Int) {
        let isDrill = state.withLock {
            $0.alarm?.mode == .drill && $0.alarm?.ending == nil && $0.alarm?.acknowledged.contains(who) == false
        }
        if isDrill { sink(.confirmed(who)) }
        handle(.acknowledged(by: who))
    }

    private static func oldAnswer(_ number: PhoneNumber) -> SourceProblem {
        SourceProblem(
            what: "An answer of \(number) was sent before this alarm, and does not count",
            advice: "Whoever comes answers once more. Where that is no old text, look at the box's clock", retries: true, kind: .oldAnswer)
    }

    private static let notTaken = SourceProblem(what: "Nobody took the call", advice: "It is tried again", retries: true, kind: .notTaken)

    private static let noKey = SourceProblem(
        what: "The call was answered and nobody pressed 1: perhaps by a mailbox", advice: "The next one is called, then this one again",
        retries: true, kind: .notTaken)

    /// Only where the whole text is the word: "OK but I cannot come" is no yes, and phones answer by themselves that somebody drives.
    static func isYes(_ text: String) -> Bool {
        func isInside(_ character: Character) -> Bool { character.isLetter || character.isNumber }
        guard let first = text.firstIndex(where: isInside), let last = text.lastIndex(where: isInside) else { return false }
        return ["1", "ok", "okay", "yes", "si", "sì"].contains(text[first...last].lowercased())
    }

    /// An answer to an alarm of before, which the network kept while the modem was off. Clocks may differ by two minutes.
    static func isOld(_ sentAt: Int64?, raisedAt: Int64) -> Bool { sentAt.map { $0 < raisedAt - 120_000 } ?? false }

    /// Of a text that lay there: surely an answer to this case. A clock that was never set (before 2025) makes nothing sure.
    static func isSince(_ sentAt: Int64?, _ raisedAt: Int64) -> Bool {
        raisedAt > 1_735_689_600_000 && sentAt.map { $0 >= raisedAt } ?? false
    }
}

extension LocalAlarm.Content {
    /// As hooks see it.
    var word: String {
        switch self {
        case .alert: "alert"
        case .update: "update"
        case .standDown: "stand-down"
        case .question: "question"
        }
    }
}
