internal import Distress
internal import EmergencyDispatch
internal import Logging
internal import Peripherals
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// The outcomes of attempts to reach somebody by the box's own means.
@BoxActor
final class CallOutcomes {
    private let context: BoxContext
    private let stations: SOSStations
    private let means: LocalMeans
    private let sos: AutomatedSOS
    private let calls: LocalCalls
    private let reports: SOSReports
    private let notices: SOSNotices
    private let drills: SOSDrills
    private let publisher: StatusPublisher
    private var listening: Task<Void, Never>?

    init(
        _ context: BoxContext, _ stations: SOSStations, _ means: LocalMeans, _ sos: AutomatedSOS, _ notices: SOSNotices,
        _ drills: SOSDrills, _ publisher: StatusPublisher
    ) {
        (self.context, self.stations, self.means, self.sos) = (context, stations, means, sos)
        (calls, reports) = (sos.calls, sos.reports)
        (self.notices, self.drills, self.publisher) = (notices, drills, publisher)
    }

    func begin() {
        listening = context.clock.machine.start { [weak self, events = calls.events] in
            for await word in events.stream { await self?.called(word.event, about: word.incident, of: word.person) }
        }
    }

    func stop() { listening?.cancel() }

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
                means.succeeded(hook: report.name, at: context.wayTime)
                return publisher.publish()
            }
            let said = report.output.prefix(200)
            let problem = SourceProblem(
                what: "The hook \(report.name) did not succeed (\(report.outcome)): \(said)", advice: "Try it with a drill", retries: true,
                kind: .hook)
            note(attempt, .failed, problem, of: person)
        case .ended(.acknowledged(by: let index?)):
            guard let contact = calls.contact(index, of: person) else { break }
            let call = SOSReport.LocalCall(channel: .call, recipient: contact.phone, state: .acknowledged, at: context.clock.boottime())
            stations.all[person]?.note(call)
            sos.feed(.taken(by: Owner(contact: contact), of: incident), of: person)
            // Somebody else has it already: they are not called any more all the same.
            guard stations.all[person]?.alarm?.id == incident else { break }
            stations.all[person]?.endCalls()
            sos.quieten()
        case .confirmed(let who):
            guard let contact = calls.contact(who, of: person) else { break }
            stations.all[person]?.drill?.calls.append(
                .init(channel: .text, recipient: contact.phone, state: .acknowledged, at: context.clock.boottime()))
        case .oldAnswer(let who, let problem):
            context.logger.warning("AutomatedSOS: \(problem)")
            guard stations.all[person]?.isCalling == true, let contact = calls.contact(who, of: person) else { break }
            stations.all[person]?.note(
                .init(
                    channel: .text, recipient: contact.phone, state: .sent, at: context.clock.boottime(), problem: "\(problem)",
                    why: problem.kind?.rawValue))
        case .ended(.acknowledged(by: nil)), .ended(.stopped): break
        case .answered:
            stations.all[person]?.held.answered(at: context.clock.boottime())
            guard let phone = stations.all[person]?.owner?.phone else { break }
            // The hub hears it as well, and leaves the case to them.
            stations.all[person]?.note(.init(channel: .call, recipient: phone, state: .acknowledged, at: context.clock.boottime()))
            reports.tell(of: person, isNews: true)
        case .ended(.drillOver): drills.end(of: person)
        case .noticed(let index, let problem):
            let contacts = stations.all[person].map { $0.settings.recipients.map(\.contact) } ?? []
            guard contacts.indices.contains(index) else { break }
            means.attempted(to: contacts[index].phone, problem, at: context.clock.boottime())
            if let problem { context.logger.warning("\(problem)") } else { notices.noteTexted(of: person) }
        case .modems(let modems, let problem): calls.take(modems, problem)
        }
        publisher.publish()
    }

    private func note(
        _ attempt: LocalAlarm.Attempt, _ state: SOSReport.LocalCall.State, _ problem: SourceProblem? = nil, isDelivered: Bool? = nil,
        of person: PersonID
    ) {
        let call = SOSReport.LocalCall(
            channel: attempt.channel.reported, recipient: recipient(of: attempt.channel, person), state: state,
            at: context.clock.boottime(), problem: problem.map { "\($0)" }, why: problem?.kind?.rawValue, isDelivered: isDelivered)
        if [.text, .call].contains(call.channel), state != .started {
            means.attempted(to: call.recipient, state == .failed ? problem : nil, at: call.at)
        }
        // Each try has the same problem for hours: it stands in the log once, until that way works or has another one.
        if stations.all[person]?.isNewProblem(of: call) == true, let problem { context.logger.warning("AutomatedSOS: \(problem)") }
        if attempt.isTest {
            stations.all[person]?.noteDrill(call)
        } else {
            stations.all[person]?.note(call)
            reports.tell(of: person, isNews: true)
        }
    }

    private func recipient(of channel: LocalAlarm.Channel, _ person: PersonID) -> String {
        switch channel {
        case .sound: ""
        case .hooks: "sos.d"
        case .text(let index), .call(let index): calls.contact(index, of: person)?.phone ?? ""
        }
    }
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
