internal import Distress
internal import Logging
internal import Monitoring
internal import SyncProtocol
internal import Vitals

/// Presses of the person: on the page, on the desktop, in a terminal, or the box's own button.
@BoxActor
final class PressRequests {
    /// A press, its person, and others who may have pressed.
    private struct Meant {
        var action: ControlRequest.Action
        var persons: [PersonID]
        var others: [PersonID] = []
    }

    private let context: BoxContext
    private let monitors: PersonMonitors
    private let stations: SOSStations
    private let means: LocalMeans
    private let sos: AutomatedSOS
    private let monitoring: MonitorRunner
    private let recorder: Recorder
    private let publisher: StatusPublisher

    init(
        _ context: BoxContext, _ monitors: PersonMonitors, _ stations: SOSStations, _ means: LocalMeans, _ sos: AutomatedSOS,
        _ monitoring: MonitorRunner, _ recorder: Recorder, _ publisher: StatusPublisher
    ) {
        (self.context, self.monitors, self.stations, self.means) = (context, monitors, stations, means)
        (self.sos, self.monitoring, self.recorder, self.publisher) = (sos, monitoring, recorder, publisher)
    }

    func perform(_ request: ControlRequest) async throws -> ControlReply {
        // People nearby are called in any case.
        if request.action == .help { context.announcer.alarm(true, saying: "prompt.sos.near-help") }
        let meant: Meant
        do throws(AgentProblem) {
            meant = try self.meant(by: request)
            if meant.persons.isEmpty {
                throw AgentProblem("This box looks after nobody", advice: "Bind it to a person on the hub, and enrol it anew")
            }
        } catch {
            if request.action != .help { sos.quieten() }
            context.say(prompt: request.action == .help ? "prompt.help-failed" : "prompt.failed")
            let phone = request.action == .help ? "NOBODY WAS TOLD: phone 112 for help now. " : ""
            throw AgentProblem("Nothing was recorded: \(error.what)", advice: phone + error.advice)
        }
        let persons = meant.persons, action = meant.action, isHelp = action == .help
        context.logger.notice("the person pressed \(action.rawValue)")
        let event = StateEvent(time: context.clock.boottime(), code: action.code)
        let hadCase = persons.map(stations.hasCase)
        // What the press withdraws must not end the tone that it began.
        for person in persons {
            stations.all[person]?.callsNear = isHelp
            if isHelp { stations.all[person]?.mayAlsoBe(meant.others) }
        }
        if action == .reactivate { reactivate(persons, isButton: request.isButton == true) }
        // The alarm acts first; its record is written beside it.
        for person in persons { sos.watch(event, of: person) }
        // Any other word of the person ends the tone, unless it is wanted for something else.
        if !isHelp { sos.quieten() }
        let stored = Pending<Void>.task(on: context.clock.machine) { [recorder] in
            for person in persons { await recorder.take(event, of: person) }
        }
        publisher.publish()
        let results = zip(persons, hadCase).map { result(of: action, for: $0, hadCase: $1) }
        let gravest = PressResult.allCases.first { results.contains($0) } ?? .done
        context.say(prompt: prompt(action, persons, gravest))
        let isStored = await stored.value(within: .seconds(2)) != nil
        let message = zip(persons, results).map { answer(to: action, $1, of: $0) }.joined(separator: " ")
        var reply = ControlReply(isDone: true, message: message, status: publisher.status())
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
        let named = try named(request), people = named.map { [$0] } ?? context.people
        switch request.action {
        case .ok:
            let isOpen = people.contains { stations.all[$0]?.isOpen == true }
            let standing = people.filter { person in stations.all[person].flatMap { $0.standing ?? stations.elsewhere($0) } != nil }
            if request.isButton == true, !isOpen, !standing.isEmpty { return Meant(action: .reactivate, persons: standing) }
            return Meant(action: .ok, persons: one(of: people, stations.asked ?? stations.openCase(of: people)))
        case .falseAlarm:
            let first = stations.openCase(of: people) ?? people.first(where: stations.hasCase)
            return Meant(action: .falseAlarm, persons: one(of: people, first))
        case .help:
            guard people.count > 1 else { return Meant(action: .help, persons: people) }
            // One case, which names everybody: of whoever is in trouble already, else of somebody for whom others can be called.
            let first = stations.openCase(of: people) ?? stations.asked ?? people.first(where: means.canCall) ?? people.first
            return Meant(action: .help, persons: one(of: people, first), others: people.filter { $0 != first })
        default: return Meant(action: request.action, persons: people)
        }
    }

    /// nil: nobody is named. A button that is set to somebody who is not here is nobody's: it must not fail for that.
    private func named(_ request: ControlRequest) throws(AgentProblem) -> PersonID? {
        guard let name = request.person else { return nil }
        do throws(AgentProblem) { return try context.identity.person(name).person } catch {
            guard request.isButton == true else { throw error }
            context.logger.error("trackme.button.person: \(error.what). The button counts as nobody's")
            return nil
        }
    }

    private func one(of people: [PersonID], _ person: PersonID?) -> [PersonID] {
        person.flatMap { people.contains($0) ? [$0] : nil } ?? people
    }

    /// One press of the button brings watching back (SOS-21), at the person's other boxes as well. On a page each button says what it is for.
    private func reactivate(_ persons: [PersonID], isButton: Bool) {
        let now = context.clock.boottime()
        for person in persons {
            let isHeard = stations.isHubHeard(person)
            stations.all[person]?.askElsewhere(isHeard: isHeard, at: now)
        }
        if isButton { monitoring.bringBack(persons) }
        for person in persons where stations.all[person]?.broughtBack == now { sos.reports.tell(of: person, isNews: true) }
    }

    // MARK: - What is said to it

    /// - Parameter hadCase: before the press.
    private func result(of action: ControlRequest.Action, for person: PersonID, hadCase: Bool) -> PressResult {
        switch action {
        case .falseAlarm: return hadCase ? .done : .noAlarm
        case .reactivate:
            if stations.all[person]?.watch.incident.alarm != nil { return .stillOpen }
            if stations.all[person]?.isAskedElsewhere(at: context.clock.boottime()) == true { return .askedElsewhere }
            return monitors[person]?.summary.isWatched == true ? .done : .notWatched
        default: return .done
        }
    }

    private func prompt(_ action: ControlRequest.Action, _ persons: [PersonID], _ gravest: PressResult) -> String {
        switch action {
        case .help:
            if persons.contains(where: means.canCall) { return "prompt.help" }
            return persons.allSatisfy(means.isNobodySetUp) ? "prompt.sos.nobody-set-up" : "prompt.sos.nobody"
        case .ok where persons.contains { stations.all[$0]?.owner != nil && stations.all[$0]?.outcome == nil }:
            return "prompt.sos.still-coming"
        case .reactivate where persons.allSatisfy { stations.all[$0]?.settings.wasTurnedOff == true }: return "prompt.sos.remind.off"
        default: return "prompt.\(action.rawValue)\(gravest.suffix)"
        }
    }

    /// The present state, in words: who is called, or that nobody can be.
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
        guard let watching = stations.all[person], means.canCall(person) else {
            let why =
                means.isNobodySetUp(person)
                ? "NOBODY IS SET UP TO BE CALLED: there is no contact, no relative and no control room. Add contacts at the hub. "
                : "NOBODY CAN BE CALLED: the hub does not answer, and this box has neither a modem with contacts nor hooks that a test has proven. "
            return why + "Phone 112 now. The box goes on trying."
        }
        let names = stations.caseSettings(watching).recipients.map(\.contact.name).joined(separator: ", ")
        let own = means.hasOwnMeans(person) ? "the box itself calls \(names.isEmpty ? "by its hooks" : names)" : nil
        switch watching.watch.incident.state {
        case .taken: return "Help is on the way."
        case .delivering where watching.isHandedOver: return "The hub has reached somebody who can help."
        case .delivering where !stations.isHubHeard(person): return "The hub does not answer: \(own ?? "nobody is called by the box")."
        case .waiting: return "Recorded."
        default:
            return "You ask for help: the hub was told. "
                + (own.map { "If it reaches nobody within two seconds, \($0)." } ?? "The box itself can call nobody: in danger, phone 112.")
        }
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
