internal import Distress
internal import Logging
internal import SyncProtocol
internal import Vitals

/// A detector of falls or seizures beside the agent reports what it noticed, over the control socket (SOS-2, SOS-24).
@BoxActor
final class FlagRequests {
    /// The same flag again within this is the same event, milliseconds.
    private static let sameFlag: Milliseconds = 10_000

    private let context: BoxContext
    private let stations: SOSStations
    private let sos: AutomatedSOS
    private let recorder: Recorder
    private let publisher: StatusPublisher

    init(_ context: BoxContext, _ stations: SOSStations, _ sos: AutomatedSOS, _ recorder: Recorder, _ publisher: StatusPublisher) {
        (self.context, self.stations, self.sos, self.recorder, self.publisher) = (context, stations, sos, recorder, publisher)
    }

    func perform(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard let word = request.flag, let flag = Flag(rawValue: word) else {
            throw AgentProblem(
                request.flag.map { "There is no event \"\($0.prefix(40))\" that a detector could report" }
                    ?? "The request does not say what was noticed",
                advice: "Give one of: \(Flag.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        // Nobody is asked about somebody else's fall: where several people are bound, the detector has to say whose it is.
        let bound = try context.identity.person(request.person), person = bound.person, now = context.clock.boottime()
        guard let before = stations.all[person] else { throw AgentProblem.notEnrolled(context.directory.path) }
        let isSame = before.flagged[flag].map { now - $0 < Self.sameFlag } ?? false
        let isPaused = before.watch.protection.reasons.contains(.paused)
        context.logger.notice("a program beside the agent reports a \(flag.rawValue)")
        if !isSame {
            let event = StateEvent(time: now, code: flag.code)
            stations.all[person]?.flagged[flag] = now
            sos.watch(event, of: person)
            publisher.publish()
            // In a pause nothing is collected. What the disk does not take now is kept in memory.
            if !isPaused {
                _ = await Pending<Void>.task(on: context.clock.machine) { [recorder] in
                    await recorder.take(event, of: person)
                }.value(within: .seconds(2))
            }
        }
        guard let outcome = stations.all[person]?.watch.flagOutcome else { throw AgentProblem.notEnrolled(context.directory.path) }
        if case .unheard(let why) = outcome, !isSame { tellUnheard(why, of: person) }
        var reply = ControlReply(isDone: true, message: Self.message(flag, outcome, name: bound.name, at: now), status: publisher.status())
        if case .unheard(let why) = outcome {
            reply.isDone = false
            reply.advice = Self.advice(why)
        }
        return reply
    }

    /// People nearby hear why nobody is asked: the detector may show no answer.
    private func tellUnheard(_ why: Absence, of person: PersonID) {
        context.logger.warning("nobody is asked about it: \(why.rawValue)")
        if let watching = stations.all[person] { sos.protection.sayUnwatched(why, watching) }
    }

    private static func message(_ flag: Flag, _ outcome: FlagOutcome, name: String, at now: Milliseconds) -> String {
        switch outcome {
        case .asked(let until):
            "\(name) is asked \"are you OK?\". Without an answer in \(max(0, until - now + 999) / 1000) s help is called."
        case .open: "An alarm of \(name) is open already, and goes on. No second one begins."
        case .answered, .late: "\(name) has answered already. Nothing new begins."
        case .unheard: "Nobody is asked or called about the \(flag.rawValue) of \(name)"
        }
    }

    private static func advice(_ why: Absence) -> String {
        switch why {
        case .paused: "Monitoring is paused. End the pause: trackme-agent resume. Whoever needs help presses the button, or phones 112"
        case .waitingForReactivation:
            "A case is over, and monitoring waits. Bring it back: trackme-agent reactivate. Whoever needs help presses the button, or phones 112"
        default: "AutomatedSOS is off. Turn it on at the hub. Whoever needs help presses the button, or phones 112"
        }
    }
}
