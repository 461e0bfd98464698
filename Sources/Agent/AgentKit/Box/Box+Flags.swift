internal import Distress
internal import Logging
internal import SyncProtocol
internal import Vitals

// A detector of falls or seizures beside the agent reports what it noticed, over the control socket (SOS-2, SOS-24).
extension Box {
    /// The same flag again within this is the same event, milliseconds.
    static let sameFlag: Milliseconds = 10_000

    func flag(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard let word = request.flag, let flag = Flag(rawValue: word) else {
            throw AgentProblem(
                request.flag.map { "There is no event \"\($0.prefix(40))\" that a detector could report" }
                    ?? "The request does not say what was noticed",
                advice: "Give one of: \(Flag.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        // Nobody is asked about somebody else's fall: where several people are bound, the detector has to say whose it is.
        let bound = try identity.person(request.person), person = bound.person, now = clock.boottime()
        guard let before = watchings[person] else { throw AgentProblem.notEnrolled(directory.path) }
        let isSame = before.flagged[flag].map { now - $0 < Self.sameFlag } ?? false
        let isPaused = before.watch.protection.reasons.contains(.paused)
        logger.notice("a program beside the agent reports a \(flag.rawValue)")
        if !isSame {
            let event = StateEvent(time: now, code: flag.code), recorder = parts.recorder
            watchings[person]?.flagged[flag] = now
            watch(event, of: person)
            publish()
            // In a pause nothing is collected. What the disk does not take now is kept in memory.
            if !isPaused { _ = await Pending<Void>.task { await recorder.take(event, of: person) }.value(within: .seconds(2)) }
        }
        guard let outcome = watchings[person]?.watch.flagOutcome else { throw AgentProblem.notEnrolled(directory.path) }
        if case .unheard(let why) = outcome, !isSame { tellUnheard(why, of: person) }
        var reply = ControlReply(isDone: true, message: Self.message(flag, outcome, name: bound.name, at: now), status: status())
        if case .unheard(let why) = outcome {
            reply.isDone = false
            reply.advice = Self.advice(why)
        }
        return reply
    }

    /// What others reported to the hub, which asks about it: the person may be near this box, and the telephone in another room.
    func ask(about flagged: [SOSAnswer.Flagged], of person: PersonID) {
        for one in flagged {
            guard let flag = Flag(rawValue: one.flag) else {
                logger.warning("the hub asks about an event that this version does not know: nothing is asked here. Update trackme-agent")
                continue
            }
            // Each answer of the hub says it again: by its key it is taken once.
            feed(.flagged(flag, one.key), of: person)
        }
    }

    /// Whoever is near hears why nobody is asked: the detector may show no answer.
    private func tellUnheard(_ why: Absence, of person: PersonID) {
        logger.warning("nobody is asked about it: \(why.rawValue)")
        if let watching = watchings[person] { sayUnwatched(why, watching) }
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
