internal import Distress
internal import Logging
internal import Monitoring
internal import SyncProtocol
internal import Vitals

// What the person presses: on the page, on the desktop, in a terminal, or the box's own button.
extension Box {
    /// What a press is, for whom, and who else may have pressed.
    private struct Meant {
        var action: ControlRequest.Action
        var persons: [PersonID]
        var others: [PersonID] = []
    }

    func press(_ request: ControlRequest) async throws -> ControlReply {
        // Whoever is near shall come, whatever becomes of the rest.
        if request.action == .help { parts.announcer.alarm(true, saying: "prompt.sos.near-help") }
        let meant: Meant
        do throws(AgentProblem) {
            meant = try self.meant(by: request)
            if meant.persons.isEmpty {
                throw AgentProblem("This box looks after nobody", advice: "Bind it to a person on the hub, and enrol it anew")
            }
        } catch {
            if request.action != .help { quieten() }
            say(prompt: request.action == .help ? "prompt.help-failed" : "prompt.failed")
            let phone = request.action == .help ? "NOBODY WAS TOLD: phone 112 for help now. " : ""
            throw AgentProblem("Nothing was recorded: \(error.what)", advice: phone + error.advice)
        }
        let persons = meant.persons, action = meant.action, isHelp = action == .help
        logger.notice("the person pressed \(action.rawValue)")
        let event = StateEvent(time: clock.boottime(), code: action.code), recorder = parts.recorder
        let hadCase = persons.map(hasCase)
        // What the press withdraws must not end the tone that it began.
        for person in persons {
            watchings[person]?.callsNear = isHelp
            if isHelp { watchings[person]?.mayAlsoBe(meant.others) }
        }
        if action == .reactivate { reactivate(persons, isButton: request.isButton == true) }
        // The alarm acts first; its record is written beside it.
        for person in persons { watch(event, of: person) }
        // Any other word of the person ends the tone, unless it is wanted for something else.
        if !isHelp { quieten() }
        let stored = Pending<Void>.task {
            for person in persons { await recorder.take(event, of: person) }
        }
        publish()
        let results = zip(persons, hadCase).map { result(of: action, for: $0, hadCase: $1) }
        let gravest = PressResult.allCases.first { results.contains($0) } ?? .done
        say(prompt: prompt(action, persons, gravest))
        let isStored = await stored.value(within: .seconds(2)) != nil
        let message = zip(persons, results).map { answer(to: action, $1, of: $0) }.joined(separator: " ")
        var reply = ControlReply(isDone: true, message: message, status: status())
        if gravest != .done { reply.words = "reply.\(action.rawValue)\(gravest.suffix)" }
        if !isStored {
            reply.message += " The disk does not come back: it is recorded as soon as it does."
        } else if recorder.trouble != nil {
            reply.message += " Kept in memory and sent from there, because the disk takes nothing."
        }
        return reply
    }

    // MARK: - Whose press it is

    private func meant(by request: ControlRequest) throws(AgentProblem) -> Meant {
        let named = try named(request), people = named.map { [$0] } ?? identity.persons.map(\.person)
        switch request.action {
        case .ok:
            let isOpen = people.contains { watchings[$0]?.isOpen == true }
            let standing = people.filter { person in watchings[person].flatMap { $0.standing ?? elsewhere($0) } != nil }
            if request.isButton == true, !isOpen, !standing.isEmpty { return Meant(action: .reactivate, persons: standing) }
            return Meant(action: .ok, persons: one(of: people, asked ?? openCase(of: people)))
        case .falseAlarm: return Meant(action: .falseAlarm, persons: one(of: people, openCase(of: people) ?? people.first(where: hasCase)))
        case .help:
            guard people.count > 1 else { return Meant(action: .help, persons: people) }
            // One case, which names everybody: of whoever is in trouble already, else of somebody for whom others can be called.
            let first = openCase(of: people) ?? asked ?? people.first(where: canCall) ?? people.first
            return Meant(action: .help, persons: one(of: people, first), others: people.filter { $0 != first })
        default: return Meant(action: request.action, persons: people)
        }
    }

    /// nil: nobody is named. A button that is set to somebody who is not here is nobody's: it must not fail for that.
    private func named(_ request: ControlRequest) throws(AgentProblem) -> PersonID? {
        guard let name = request.person else { return nil }
        do throws(AgentProblem) { return try identity.person(name).person } catch {
            guard request.isButton == true else { throw error }
            logger.error("trackme.button.person: \(error.what). The button counts as nobody's")
            return nil
        }
    }

    private func one(of people: [PersonID], _ person: PersonID?) -> [PersonID] {
        person.flatMap { people.contains($0) ? [$0] : nil } ?? people
    }

    /// The case that was raised first, of those that nobody has taken where there is one.
    private func openCase(of people: [PersonID]) -> PersonID? {
        people.compactMap { person -> (isTaken: Bool, raised: Milliseconds, person: PersonID)? in
            guard let incident = watchings[person]?.watch.incident, let alarm = incident.alarm else { return nil }
            let isTaken = if case .taken = incident.state { true } else { false }
            return (isTaken, alarm.raisedAt, person)
        }.min { ($0.isTaken ? 1 : 0, $0.raised, $0.person) < ($1.isTaken ? 1 : 0, $1.raised, $1.person) }?.person
    }

    /// One press of the button brings watching back (SOS-21), at the person's other boxes as well. On a page each button says what it is for.
    private func reactivate(_ persons: [PersonID], isButton: Bool) {
        let now = clock.boottime()
        for person in persons {
            let isHeard = isHubHeard(person)
            watchings[person]?.askElsewhere(isHeard: isHeard, at: now)
        }
        if isButton { bringBack(persons) }
        for person in persons where watchings[person]?.broughtBack == now { tellHub(of: person, isNews: true) }
    }

    /// It ends a pause, and takes the heart rate in again.
    /// - Returns: whether there was anything to bring back.
    @discardableResult
    func bringBack(_ persons: [PersonID]) -> Bool {
        var changed = settings
        for person in persons {
            changed[person].pause = nil
            // Where AutomatedSOS is off at the hub, that would protect nobody.
            if watchings[person]?.settings.distress.isOn == true { changed[person].kinds.heartRate = true }
        }
        guard changed != settings else { return false }
        settings = changed
        let now = clock.boottime()
        for person in persons {
            let kinds = changed[person].kinds
            handle(.resume, of: person, at: now)
            handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
        }
        // Nobody waits for it; what goes wrong is logged.
        _ = settingsFile.write(settings)
        return true
    }

    // MARK: - What is said to it

    private func prompt(_ action: ControlRequest.Action, _ persons: [PersonID], _ gravest: PressResult) -> String {
        switch action {
        case .help:
            if persons.contains(where: canCall) { return "prompt.help" }
            return persons.allSatisfy(isNobodySetUp) ? "prompt.sos.nobody-set-up" : "prompt.sos.nobody"
        case .ok where persons.contains { watchings[$0]?.owner != nil && watchings[$0]?.outcome == nil }: return "prompt.sos.still-coming"
        case .reactivate where persons.allSatisfy { watchings[$0]?.settings.wasTurnedOff == true }: return "prompt.sos.remind.off"
        default: return "prompt.\(action.rawValue)\(gravest.suffix)"
        }
    }

    /// What is true now, in words: who is called, or that nobody can be.
    private func answer(to action: ControlRequest.Action, _ result: PressResult, of person: PersonID) -> String {
        switch (action, result) {
        case (.ok, _): return "Recorded: you are OK."
        case (.falseAlarm, .noAlarm): return "Recorded. No alarm was open."
        case (.falseAlarm, _): return "Recorded: it was a false alarm. Whoever was called is told."
        case (.help, _): return helpAnswer(person)
        case (_, .stillOpen): return "Recorded, but nothing is reactivated: an alarm is still open."
        case (_, .askedElsewhere): return "Recorded. Another box of the person is asked to watch again, which takes up to half a minute."
        case (_, .notWatched): return "Recorded, but heart rate is not watched now: `trackme-agent status` says why."
        default: return "Recorded: watching again."
        }
    }

    private func helpAnswer(_ person: PersonID) -> String {
        guard let watching = watchings[person], canCall(person) else {
            let why =
                isNobodySetUp(person)
                ? "NOBODY IS SET UP TO BE CALLED: there is no contact, no relative and no control room. Add contacts at the hub. "
                : "NOBODY CAN BE CALLED: the hub does not answer, and this box has neither a modem with contacts nor hooks that a test has proven. "
            return why + "Phone 112 now. The box goes on trying."
        }
        let names = Self.recipients(of: caseSettings(watching)).map(\.contact.name).joined(separator: ", ")
        let own = hasOwnMeans(person) ? "the box itself calls \(names.isEmpty ? "by its hooks" : names)" : nil
        switch watching.watch.incident.state {
        case .taken: return "Help is on the way."
        case .delivering where watching.isHandedOver: return "The hub has reached somebody who can help."
        case .delivering where !isHubHeard(person): return "The hub does not answer: \(own ?? "nobody is called by the box")."
        case .waiting: return "Recorded."
        default:
            return "You ask for help: the hub was told. "
                + (own.map { "If it reaches nobody within two seconds, \($0)." } ?? "The box itself can call nobody: in danger, phone 112.")
        }
    }

    /// There is nobody whom hub or box could call, whatever becomes of the connection.
    func isNobodySetUp(_ person: PersonID) -> Bool {
        guard let watching = watchings[person], !watching.isSettingsLost, hooksGlance.count == 0, isHubHeard(person) else { return false }
        let hubHasSomebody = watching.hub.answer?.reachesNobody.map { !$0 } ?? watching.settings.distress.isOn
        return !hubHasSomebody && caseSettings(watching).contacts.isEmpty
    }
}

extension ControlRequest.Action {
    /// As a press of the person is recorded.
    fileprivate var code: StateEvent.Code {
        switch self {
        case .ok: .ok
        case .help: .help
        case .falseAlarm: .falseAlarm
        default: .reactivated
        }
    }
}
