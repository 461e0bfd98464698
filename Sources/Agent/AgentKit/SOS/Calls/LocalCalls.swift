internal import Alerts
internal import Distress
internal import Languages
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// By its own means: whom the box calls, and what it says to them. What becomes of each try is for ``CallOutcomes``.
@BoxActor
final class LocalCalls {
    /// The events of one person's local channels, in order.
    struct CallEvents: Sendable {
        /// What happened to whose case; nil while there is none.
        typealias Word = (person: PersonID, incident: IncidentID?, event: LocalCaller.Event)
        let stream: AsyncStream<Word>
        let sink: AsyncStream<Word>.Continuation
        init() { (stream, sink) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1024)) }
    }

    private let context: BoxContext
    private let choices: BoxChoices
    private let stations: SOSStations
    private let means: LocalMeans
    private let places: LastPlaces
    private let make: LocalCallingMaker
    private let look: @Sendable () -> HooksGlance
    private var callers: [PersonID: any LocalCalling] = [:]
    /// With which they call.
    private var plans: [PersonID: LocalAlarm.Plan] = [:]
    private var messages: [PersonID: SOSMessages] = [:]
    let events = CallEvents()
    private var isLookingAtHooks = false

    init(
        _ context: BoxContext, _ choices: BoxChoices, _ stations: SOSStations, _ means: LocalMeans, _ places: LastPlaces, _ parts: SOSParts
    ) {
        (self.context, self.choices, self.stations, self.means, self.places) = (context, choices, stations, means, places)
        (make, look) = (parts.calling, parts.hooks)
    }

    /// Before anything is called.
    func begin() {
        means.begin(look())
        makeCallers()
    }

    private func makeCallers() {
        for (person, watching) in stations.all {
            let told = SOSMessages(box: (context.identity.name, context.identity.agent.description), clock: context.clock)
            told.set(watching.settings.recipients.map(\.contact))
            messages[person] = told
            let sink = events.sink
            let plan = plan(of: watching.settings)
            plans[person] = plan
            callers[person] = make(
                plan, { told.message($0) },
                { event in
                    // Before the first word that says so goes out.
                    if case .ended(.acknowledged(by: let who?)) = event { told.take(by: who) }
                    sink.yield((person, told.incident, event))
                })
        }
    }

    func caller(of person: PersonID) -> (any LocalCalling)? { callers[person] }

    func contact(_ index: Int, of person: PersonID) -> SOSSettings.Contact? { messages[person]?.contact(index) }

    /// The place of a contact who has taken the case.
    func index(of owner: Owner, _ person: PersonID) -> Int? { messages[person]?.index(of: owner) }

    // MARK: - Whom

    /// - Parameter told: whom the hub has told of the present case.
    private func plan(of settings: SOSSettings.Person, told: Set<String> = []) -> LocalAlarm.Plan {
        let told = Set(told.compactMap { PhoneNumber($0) })
        var plan = LocalAlarm.Plan(
            recipients: settings.recipients.map {
                LocalAlarm.Recipient(
                    name: $0.contact.name, number: $0.number, isTexted: $0.contact.isTexted, isCalled: $0.contact.isCalled,
                    isTold: told.contains($0.number))
            }, hasSound: context.configuration.voice.isEnabled, hasHooks: means.hooks.count > 0)
        plan.lines = max(1, means.modem.lines)
        return plan
    }

    /// The settings, or what stands in the folder of hooks, changed.
    func changePlan(of person: PersonID) {
        guard let watching = stations.all[person] else { return }
        // Those who are being called keep their places: an answer must not count as another's.
        let isBusy = watching.isCalling || watching.drill?.isOver == false, settings = stations.caseSettings(watching)
        if !isBusy { messages[person]?.set(settings.recipients.map(\.contact)) }
        let new = plan(of: settings, told: watching.hub.told)
        callers[person]?.change(new)
        let wasHelpless = plans[person]?.reachesNobody ?? true
        plans[person] = new
        // It called with nobody to call, and now there is somebody.
        guard watching.isCalling, wasHelpless, !new.reachesNobody else { return }
        messages[person]?.set(settings.recipients.map(\.contact))
        callers[person]?.stop()
        callers[person]?.raise(mode: .live, isUpdate: false, since: nil)
    }

    func changePlans() { for person in stations.all.keys { changePlan(of: person) } }

    /// From time to time: in an emergency nobody looks. Not here, as the disk may hang.
    func lookAtHooks() {
        guard !isLookingAtHooks else { return }
        isLookingAtHooks = true
        context.clock.machine.start(priority: .medium) { [weak self, look, machine = context.clock.machine] in
            guard let hooks = try? await machine.wait(named: "hooks", look) else { return }
            await self?.found(hooks)
        }
    }

    private func found(_ hooks: HooksGlance) {
        isLookingAtHooks = false
        if means.found(hooks) { changePlans() }
    }

    func take(_ modems: [ModemStatus], _ problem: SourceProblem?) {
        if means.take(modems, problem) { changePlans() }
    }

    // MARK: - What is said

    func setFacts(_ alarm: Alarm, of person: PersonID, outcome: Outcome? = nil) {
        guard let watching = stations.all[person] else { return }
        let facts = SOSMessages.Facts(
            alarm: alarm, position: places.place(of: alarm, person),
            noPosition: choices[person].kinds.position ? .noFix : .switchedOff, person: stations.caseSettings(watching), outcome: outcome,
            takenBy: stations.ownerName(watching),
            utcOffset: context.clock.utc() - context.clock.boottime(), isClockTrusted: context.trust != .unconfirmed)
        messages[person]?.set(facts)
        let told = places.lastPlace(of: person)
        stations.all[person]?.toldPosition = told
    }

    /// In each contact's own language.
    func text(_ key: String, _ values: [String: String], of person: PersonID, _ watching: SOSStation) {
        let values = values.merging(["name": watching.settings.name]) { $1 }
        textContacts(of: person, watching) { Wording($0)(key, values) }
    }

    /// Outside of any alarm, each in their language.
    func textContacts(of person: PersonID, _ watching: SOSStation, _ text: @escaping @Sendable (Language) -> String) {
        let contacts = watching.settings.recipients.map(\.contact)
        callers[person]?.notify { index in
            text(Language(tag: contacts.indices.contains(index) ? contacts[index].language : watching.settings.language))
        }
    }
}
