internal import Distress
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// SOS-19: the alarm's whole way, asked for by the person, with "test" in front of everything and nobody who comes.
@BoxActor
final class SOSDrills {
    private let context: BoxContext
    private let stations: SOSStations
    private let means: LocalMeans
    private let places: LastPlaces
    private let calls: LocalCalls
    private let presses: HubPresses
    private let publisher: StatusPublisher
    private let hub: any SOSHub

    init(
        _ context: BoxContext, _ stations: SOSStations, _ means: LocalMeans, _ places: LastPlaces, _ calls: LocalCalls,
        _ presses: HubPresses, _ publisher: StatusPublisher, _ hub: any SOSHub
    ) {
        (self.context, self.stations, self.means, self.places, self.calls) = (context, stations, means, places, calls)
        (self.presses, self.publisher, self.hub) = (presses, publisher, hub)
    }

    func perform(_ request: ControlRequest) throws(AgentProblem) -> ControlReply {
        let person = try context.identity.person(request.person).person
        try beginDrill(of: person)
        let message = stations.all[person].map(drillMessage) ?? ""
        return ControlReply(isDone: true, message: message, status: publisher.status())
    }

    /// A planned test of the hub, which is done by this box's own means as well. While an alarm is open it waits for the hub's next word.
    func take(_ planned: SOSAnswer.Drill, of person: PersonID) {
        guard let watching = stations.all[person], planned.number > watching.drilled else { return }
        do throws(AgentProblem) {
            try beginDrill(of: person)
            stations.all[person]?.drilled = planned.number
        } catch { context.logger.notice("the planned test waits: \(error)") }
    }

    private func beginDrill(of person: PersonID) throws(AgentProblem) {
        let now = context.clock.boottime()
        guard let watching = stations.all[person] else { throw AgentProblem.notEnrolled(context.directory.path) }
        guard !watching.isOpen else {
            throw AgentProblem("A question or an alarm is open: no test now", advice: "Answer it first", kind: .drillWhileOpen)
        }
        if let drill = watching.drill, !drill.isOver {
            throw AgentProblem("A test goes on already", advice: "Wait until it is over: trackme-agent status", kind: .drillGoesOn)
        }
        // The same machine, told that this is no live stream: what would have called somebody ends as a test.
        var watch = DistressWatch(person: person, provenance: .drill, side: .box, settings: watching.settings.distress, at: now)
        let key = SampleKey(stream: context.clock.machine.randomness.id(), sequence: 0, kind: .event, index: 0)
        let effects = watch.handle(.state(StateEvent(time: now, code: .help), key), at: now)
        guard var alarm = effects.lazy.compactMap({ if case .test(let alarm) = $0 { alarm } else { nil } }).first else {
            throw AgentProblem("The test could not be made", advice: "Report this as an error of trackme-agent")
        }
        alarm.position = places.lastPlace(of: person).flatMap { $0.isAgeUnknown == true ? nil : $0 }
        calls.changePlan(of: person)
        stations.all[person]?.drill = BoxStatus.Drill(startedAt: now, isOver: false, calls: [])
        stations.all[person]?.drillAlarm = alarm
        context.logger.notice("AutomatedSOS: a test was asked for", metadata: ["incident": "\(alarm.id)"])
        calls.setFacts(alarm, of: person)
        calls.caller(of: person)?.raise(mode: .drill, isUpdate: false, since: nil)
        tellHub(ofDrill: alarm, of: person)
        publisher.publish()
    }

    /// The outcome of each way.
    func end(of person: PersonID) {
        stations.all[person]?.drill?.isOver = true
        if let alarm = stations.all[person]?.drillAlarm { tellHub(ofDrill: alarm, of: person) }
    }

    private func drillMessage(_ watching: SOSStation) -> String {
        let names = watching.settings.recipients.map(\.contact.name)
        var parts = ["the hub"]
        if means.hooks.count > 0 { parts.append("\(means.hooks.count) hooks") }
        if !names.isEmpty { parts.append(names.joined(separator: ", ")) }
        if context.configuration.voice.isEnabled { parts.append("the loudspeaker") }
        let alone = means.hasOwnMeans(watching.person) ? "" : " Without the hub this box could call NOBODY."
        return "TEST of the alarm's way: \(parts.joined(separator: "; ")). Everything that goes out says that it is a test.\(alone)"
    }

    private func tellHub(ofDrill alarm: Alarm, of person: PersonID) {
        guard let watching = stations.all[person] else { return }
        let now = context.clock.boottime()
        guard let revision = stations.all[person]?.hub.nextRevision(at: now) else { return }
        let report = SOSReport(
            person: person, boot: context.boot, revision: revision, sentAt: now, provenance: .drill, isDrill: true,
            unprotected: watching.watch.protection.reasons, alarm: alarm, calls: watching.drill?.calls ?? [])
        context.clock.machine.start(priority: .medium) { [weak self, hub] in
            let answer = await hub.report(report)
            await self?.heardOfDrill(answer, of: person)
        }
    }

    private func heardOfDrill(_ result: Result<SOSAnswer, SourceProblem>, of person: PersonID) {
        switch result {
        case .success(let answer):
            presses.take(answer.pressed, of: person, at: context.clock.boottime())
            stations.all[person]?.drill?.hub = answer.isDurable ? .stored : .notStored
        case .failure(let problem):
            stations.all[person]?.drill?.hub = .failed
            stations.all[person]?.drill?.hubProblem = "\(problem)"
        }
        publisher.publish()
    }

    /// Channels that never say a word do not hold a test open for ever.
    func endOld() {
        for (person, watching) in stations.all {
            guard let drill = watching.drill, !drill.isOver, context.clock.boottime() - drill.startedAt > 900_000 else { continue }
            stations.all[person]?.drill?.isOver = true
            calls.caller(of: person)?.stop()
        }
    }
}
