internal import Alerts
internal import Distress
internal import EmergencyDispatch
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// By its own means: whom the box calls, and what becomes of each try.
extension Box {
    /// What the local channels of one person tell, in its order.
    struct CallEvents: Sendable {
        /// What happened to whose case; nil while there is none.
        typealias Word = (person: PersonID, incident: IncidentID?, event: LocalCaller.Event)
        let stream: AsyncStream<Word>
        let sink: AsyncStream<Word>.Continuation
        init() { (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024)) }
    }

    func makeCallers() {
        for (person, watching) in watchings {
            let told = SOSMessages(box: (identity.name, identity.agent.description), clock: clock)
            told.set(Self.recipients(of: watching.settings).map(\.contact))
            messages[person] = told
            let sink = callEvents.sink
            let plan = plan(of: watching.settings)
            plans[person] = plan
            callers[person] = parts.sos.calling(
                plan, { told.message($0) },
                { event in
                    // Before the first word that says so goes out.
                    if case .ended(.acknowledged(by: let who?)) = event { told.take(by: who) }
                    sink.yield((person, told.incident, event))
                })
        }
    }

    /// Contacts whose numbers can be dialled.
    static func recipients(of settings: SOSSettings.Person) -> [(contact: SOSSettings.Contact, number: PhoneNumber)] {
        settings.contacts.compactMap { contact in PhoneNumber(contact.phone).map { (contact, $0) } }
    }

    /// - Parameter told: whom the hub has told of the present case.
    func plan(of settings: SOSSettings.Person, told: Set<String> = []) -> LocalAlarm.Plan {
        let told = Set(told.compactMap { PhoneNumber($0) })
        var plan = LocalAlarm.Plan(
            recipients: Self.recipients(of: settings).map {
                LocalAlarm.Recipient(
                    name: $0.contact.name, number: $0.number, isTexted: $0.contact.isTexted, isCalled: $0.contact.isCalled,
                    isTold: told.contains($0.number))
            }, hasSound: configuration.voice.isEnabled, hasHooks: hooksGlance.count > 0)
        plan.lines = max(1, modem.lines)
        return plan
    }

    /// The settings, or what stands in the folder of hooks, changed.
    func changePlan(of person: PersonID) {
        guard let watching = watchings[person] else { return }
        // Those who are being called keep their places: an answer must not count as another's.
        let isBusy = watching.isCalling || watching.drill?.isOver == false, settings = caseSettings(watching)
        if !isBusy { messages[person]?.set(Self.recipients(of: settings).map(\.contact)) }
        let new = plan(of: settings, told: watching.hub.told)
        callers[person]?.change(new)
        let wasHelpless = plans[person]?.reachesNobody ?? true
        plans[person] = new
        // It called with nobody to call, and now there is somebody.
        guard watching.isCalling, wasHelpless, !new.reachesNobody else { return }
        messages[person]?.set(Self.recipients(of: settings).map(\.contact))
        callers[person]?.stop()
        callers[person]?.raise(mode: .live, isUpdate: false, since: nil)
    }

    /// From time to time: in an emergency nobody looks. Not here, as the disk may hang.
    func lookAtHooks() {
        endOldDrills()
        guard !isLookingAtHooks else { return }
        isLookingAtHooks = true
        let look = parts.sos.hooks
        clock.machine.start(priority: .medium) { [weak self] in
            guard let hooks = try? await BlockingWork.run(named: "hooks", look) else { return }
            await self?.found(hooks)
        }
    }

    private func found(_ hooks: HooksGlance) {
        isLookingAtHooks = false
        let isChanged = (hooks.count > 0) != (hooksGlance.count > 0)
        for problem in hooks.problems where !hooksGlance.problems.contains(problem) { logger.error("\(problem)") }
        hooksGlance = hooks
        if isChanged { for person in watchings.keys { changePlan(of: person) } }
    }

    /// Somebody who is not beside the box could be reached by the box itself.
    func hasOwnMeans(_ person: PersonID) -> Bool {
        if hasProvenHook { return true }
        guard modem.name != nil, let watching = watchings[person] else { return false }
        return Self.recipients(of: caseSettings(watching)).contains {
            ($0.contact.isTexted && modem.canText || $0.contact.isCalled && modem.canCall) && !ways.modem.isFailing(for: $0.contact.phone)
        }
    }

    private var hasProvenHook: Bool { !ways.proven(among: hooksGlance.names, at: wayTime).isEmpty }

    /// ``SOSReport/means``. A modem that refuses everybody whom it is to reach is none, a hook that no test has proven neither.
    func means(_ watching: SOSStation) -> [String] {
        let phones = Self.recipients(of: caseSettings(watching)).map(\.contact.phone)
        let refuses = ways.modem.isFailing || !phones.isEmpty && phones.allSatisfy { ways.modem.isFailing(for: $0) }
        return [modem.canText && !refuses ? "text" : nil, modem.canCall && !refuses ? "call" : nil, hasProvenHook ? "hook" : nil]
            .compactMap(\.self)
    }

    /// With the looks of the box: a modem that is only there, and one that is not, are seen by that.
    func lookAtModem() {
        ways.looked(modem: modem.name != nil, modem.problem, at: clock.boottime())
        if ways.confirm(at: wayTime) { hookProofsFile.write(ways.kept(at: wayTime)) }
    }

    var wayTime: BoxWays.Now { .init(utc: confirmedUTC ?? clock.utc(), isConfirmed: confirmedUTC != nil, boottime: clock.boottime()) }

    /// The hub answers and has somebody to tell, or the box has means of its own.
    func canCall(_ person: PersonID) -> Bool { hubCanCall(person) || hasOwnMeans(person) }

    /// For a person who has AutomatedSOS off only where the hub says so: release 0.3.0 calls nobody for them.
    func hubCanCall(_ person: PersonID) -> Bool {
        guard isHubHeard(person), let watching = watchings[person] else { return false }
        let reachesNobody = watching.hub.answer?.reachesNobody
        return watching.settings.distress.isOn ? reachesNobody != true : reachesNobody == false
    }

    /// As the present case is told: with the names and the contacts of everybody who may be meant.
    func caseSettings(_ watching: SOSStation) -> SOSSettings.Person {
        var settings = watching.settings
        let others = watching.others.compactMap { watchings[$0]?.settings }
        guard !others.isEmpty else { return settings }
        settings.name = ([settings.name] + others.map(\.name)).joined(separator: ", ")
        // Whose they would be is not known.
        (settings.birthYear, settings.phone, settings.distress.age) = (nil, nil, nil)
        for contact in others.flatMap(\.contacts) where !settings.contacts.contains(where: { $0.phone == contact.phone }) {
            settings.contacts.append(contact)
        }
        return settings
    }

    // MARK: - What becomes of it

    /// - Parameter incident: the case that it was about when it happened.
    func called(_ event: LocalCaller.Event, about incident: IncidentID?, of person: PersonID) {
        switch event {
        case .started(let attempt): note(attempt, .started, of: person)
        case .sent(let attempt): note(attempt, .sent, of: person)
        case .delivered(let attempt): note(attempt, .sent, isDelivered: true, of: person)
        case .failed(let attempt, let problem): note(attempt, .failed, problem, of: person)
        case .silent(let attempt, let problem): note(attempt, .started, problem, of: person)
        case .hook(let attempt, let report):
            guard report.outcome != .succeeded else {
                ways.succeeded(hook: report.name, at: wayTime)
                hookProofsFile.write(ways.kept(at: wayTime))
                return publish()
            }
            let said = report.output.prefix(200)
            let problem = SourceProblem(
                what: "The hook \(report.name) did not succeed (\(report.outcome)): \(said)", advice: "Try it with a drill", retries: true,
                kind: .hook)
            note(attempt, .failed, problem, of: person)
        case .ended(.acknowledged(by: let index?)):
            guard let contact = messages[person]?.contact(index) else { break }
            let call = SOSReport.LocalCall(channel: .call, recipient: contact.phone, state: .acknowledged, at: clock.boottime())
            watchings[person]?.note(call)
            feed(.taken(by: Owner(contact: contact), of: incident), of: person)
            // Somebody else has it already: they are not called any more all the same.
            guard watchings[person]?.alarm?.id == incident else { break }
            watchings[person]?.isCalling = false
            watchings[person]?.callsNear = false
            quieten()
        case .confirmed(let who):
            guard let contact = messages[person]?.contact(who) else { break }
            watchings[person]?.drill?.calls.append(
                .init(channel: .text, recipient: contact.phone, state: .acknowledged, at: clock.boottime()))
        case .oldAnswer(let who, let problem):
            logger.warning("AutomatedSOS: \(problem)")
            guard watchings[person]?.isCalling == true, let contact = messages[person]?.contact(who) else { break }
            watchings[person]?.note(
                .init(
                    channel: .text, recipient: contact.phone, state: .sent, at: clock.boottime(), problem: "\(problem)",
                    why: problem.kind?.rawValue))
        case .ended(.acknowledged(by: nil)), .ended(.stopped): break
        case .answered:
            watchings[person]?.held.answered(at: clock.boottime())
            guard let phone = watchings[person]?.owner?.phone else { break }
            // The hub hears it as well, and leaves the case to them.
            watchings[person]?.note(.init(channel: .call, recipient: phone, state: .acknowledged, at: clock.boottime()))
            tellHub(of: person, isNews: true)
        case .ended(.drillOver): endDrill(of: person)
        case .noticed(let index, let problem):
            let contacts = watchings[person].map { Self.recipients(of: $0.settings).map(\.contact) } ?? []
            guard contacts.indices.contains(index) else { break }
            ways.attempted(to: contacts[index].phone, problem, at: clock.boottime())
            if let problem { logger.warning("\(problem)") } else { noteTexted(of: person) }
        case .modems(let modems, let problem): take(modems, problem)
        }
        publish()
    }

    private func note(
        _ attempt: LocalAlarm.Attempt, _ state: SOSReport.LocalCall.State, _ problem: SourceProblem? = nil, isDelivered: Bool? = nil,
        of person: PersonID
    ) {
        let call = SOSReport.LocalCall(
            channel: attempt.channel.reported, recipient: recipient(of: attempt.channel, person), state: state, at: clock.boottime(),
            problem: problem.map { "\($0)" }, why: problem?.kind?.rawValue, isDelivered: isDelivered)
        if [.text, .call].contains(call.channel), state != .started {
            ways.attempted(to: call.recipient, state == .failed ? problem : nil, at: call.at)
        }
        // Each try has the same problem for hours: it stands in the log once, until that way works or has another one.
        if watchings[person]?.isNewProblem(of: call) == true, let problem { logger.warning("AutomatedSOS: \(problem)") }
        if attempt.isTest {
            guard watchings[person]?.drill != nil else { return }
            watchings[person]?.drill?.calls.append(call)
            if (watchings[person]?.drill?.calls.count ?? 0) > SOSStation.callsMax { watchings[person]?.drill?.calls.removeFirst() }
        } else {
            watchings[person]?.note(call)
            tellHub(of: person, isNews: true)
        }
    }

    private func recipient(of channel: LocalAlarm.Channel, _ person: PersonID) -> String {
        switch channel {
        case .sound: ""
        case .hooks: "sos.d"
        case .text(let index), .call(let index): messages[person]?.contact(index)?.phone ?? ""
        }
    }

    private func take(_ modems: [ModemStatus], _ problem: SourceProblem?) {
        let good = modems.filter { $0.canText || $0.canCall }, before = modem.lines
        modem = ModemSnapshot(
            name: good.first.map { $0.network.isEmpty ? $0.name : "\($0.name), \($0.network)" }, canText: modems.contains(where: \.canText),
            canCall: modems.contains(where: \.canCall), problem: (problem ?? modems.compactMap(\.problem).first).map { "\($0)" })
        modem.lines = modems.count(where: \.canCall)
        if modem.lines != before { for person in watchings.keys { changePlan(of: person) } }
    }
}

/// What the box last knew of its modems.
struct ModemSnapshot: Sendable, Hashable {
    /// Of one that could text or call now.
    var name: String?
    var canText = false
    var canCall = false
    var problem: String?
    /// How many could call now: each is a line.
    var lines = 0
}

extension LocalAlarm.Channel {
    fileprivate var reported: SOSReport.LocalCall.Channel {
        switch self {
        case .sound: .sound
        case .hooks: .hook
        case .text: .text
        case .call: .call
        }
    }
}
