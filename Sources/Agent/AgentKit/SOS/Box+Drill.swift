internal import Distress
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// SOS-19: the alarm's whole way, asked for by the person, with "test" in front of everything and nobody who comes.
extension Box {
    func drill(_ request: ControlRequest) throws(AgentProblem) -> ControlReply {
        let person = try identity.person(request.person).person
        try beginDrill(of: person)
        let message = watchings[person].map(drillMessage) ?? ""
        return ControlReply(isDone: true, message: message, status: status())
    }

    /// A planned test of the hub, which is done by this box's own means as well. While an alarm is open it waits for the hub's next word.
    func take(_ planned: SOSAnswer.Drill, of person: PersonID) {
        guard let watching = watchings[person], planned.number > watching.drilled else { return }
        do throws(AgentProblem) {
            try beginDrill(of: person)
            watchings[person]?.drilled = planned.number
        } catch { logger.notice("the planned test waits: \(error)") }
    }

    private func beginDrill(of person: PersonID) throws(AgentProblem) {
        let now = clock.boottime()
        guard let watching = watchings[person] else { throw AgentProblem.notEnrolled(directory.path) }
        guard !watching.isOpen else {
            throw AgentProblem("A question or an alarm is open: no test now", advice: "Answer it first", kind: .drillWhileOpen)
        }
        if let drill = watching.drill, !drill.isOver {
            throw AgentProblem("A test goes on already", advice: "Wait until it is over: trackme-agent status", kind: .drillGoesOn)
        }
        // The same machine, told that this is no live stream: what would have called somebody ends as a test.
        var watch = DistressWatch(person: person, provenance: .drill, side: .box, settings: watching.settings.distress, at: now)
        let key = SampleKey(stream: clock.machine.randomness.id(), sequence: 0, kind: .event, index: 0)
        let effects = watch.handle(.state(StateEvent(time: now, code: .help), key), at: now)
        guard var alarm = effects.lazy.compactMap({ if case .test(let alarm) = $0 { alarm } else { nil } }).first else {
            throw AgentProblem("The test could not be made", advice: "Report this as an error of trackme-agent")
        }
        alarm.position = lastPlace(of: person).flatMap { $0.isAgeUnknown == true ? nil : $0 }
        changePlan(of: person)
        watchings[person]?.drill = BoxStatus.Drill(startedAt: now, isOver: false, calls: [])
        watchings[person]?.drillAlarm = alarm
        logger.notice("AutomatedSOS: a test was asked for", metadata: ["incident": "\(alarm.id)"])
        setFacts(alarm, of: person)
        callers[person]?.raise(mode: .drill, isUpdate: false, since: nil)
        tellHub(ofDrill: alarm, of: person)
        publish()
    }

    /// What became of each way.
    func endDrill(of person: PersonID) {
        watchings[person]?.drill?.isOver = true
        if let alarm = watchings[person]?.drillAlarm { tellHub(ofDrill: alarm, of: person) }
    }

    private func drillMessage(_ watching: SOSStation) -> String {
        let names = Self.recipients(of: watching.settings).map(\.contact.name)
        var parts = ["the hub"]
        if hooksGlance.count > 0 { parts.append("\(hooksGlance.count) hooks") }
        if !names.isEmpty { parts.append(names.joined(separator: ", ")) }
        if configuration.voice.isEnabled { parts.append("the loudspeaker") }
        let alone = hasOwnMeans(watching.person) ? "" : " Without the hub this box could call NOBODY."
        return "TEST of the alarm's way: \(parts.joined(separator: "; ")). Everything that goes out says that it is a test.\(alone)"
    }

    private func tellHub(ofDrill alarm: Alarm, of person: PersonID) {
        guard let watching = watchings[person] else { return }
        let now = clock.boottime(), revision = max(watching.hub.revision + 1, UInt64(clamping: now)), hub = parts.sos.hub
        watchings[person]?.hub.revision = revision
        let report = SOSReport(
            person: person, boot: boot, revision: revision, sentAt: now, provenance: .drill, isDrill: true,
            unprotected: watching.watch.protection.reasons, alarm: alarm, calls: watching.drill?.calls ?? [])
        clock.machine.start(priority: .medium) { [weak self] in
            let answer = await hub.report(report)
            await self?.heardOfDrill(answer, of: person)
        }
    }

    private func heardOfDrill(_ result: Result<SOSAnswer, SourceProblem>, of person: PersonID) {
        switch result {
        case .success(let answer):
            take(answer.pressed, of: person, at: clock.boottime())
            watchings[person]?.drill?.hub = answer.isDurable ? .stored : .notStored
        case .failure(let problem):
            watchings[person]?.drill?.hub = .failed
            watchings[person]?.drill?.hubProblem = "\(problem)"
        }
        publish()
    }

    /// Channels that never say a word do not hold a test open for ever.
    func endOldDrills() {
        for (person, watching) in watchings {
            guard let drill = watching.drill, !drill.isOver, clock.boottime() - drill.startedAt > 900_000 else { continue }
            watchings[person]?.drill?.isOver = true
            callers[person]?.stop()
        }
    }
}
