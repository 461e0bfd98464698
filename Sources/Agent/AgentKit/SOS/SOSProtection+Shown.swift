internal import Alerts
internal import Distress
internal import SyncProtocol
internal import Vitals

// The case and the test, as they are shown.
extension SOSProtection {
    func shownCase(of watching: SOSStation, _ person: PersonID) -> BoxStatus.Case? {
        // Where AutomatedSOS is off nothing is silent, as nothing is watched.
        let answered = watching.settings.distress.isOn ? watching.answered(at: context.clock.boottime()) : nil
        guard let alarm = watching.alarm ?? answered?.alarm else { return nil }
        let phase: BoxStatus.Case.Phase =
            switch watching.watch.incident.state {
            case .taken: .taken
            case .waiting: .over
            case .raised: .raised
            case .delivering where watching.isHandedOver:
                watching.isAdopted && watching.hub.answer?.addresseeReached != true ? .atHub : .handedOver
            case .delivering: .calling
            case .calm, .suspecting: .answered
            }
        let isWithoutHelp = phase == .raised || phase == .calling
        return BoxStatus.Case(
            id: alarm.id, phase: phase,
            trigger: (alarm.abnormalities.first { $0.trigger != .help } ?? alarm.abnormalities.first)?.trigger ?? .help,
            raisedAt: alarm.raisedAt, owner: stations.ownerName(watching),
            coming: watching.hub.answer?.coming, comingAt: watching.hub.answered,
            outcome: watching.outcome ?? answered?.outcome, calls: named(watching.calls, watching),
            reachesNobody: isWithoutHelp && !means.canCall(person),
            isNobodySetUp: isWithoutHelp && means.isNobodySetUp(person) ? true : nil,
            others: watching.others.isEmpty ? nil : watching.others.compactMap { stations.all[$0]?.settings.name },
            silentUntil: phase == .answered ? answered.map { $0.at + DistressConstants.silence } : nil)
    }

    func shownDrill(of watching: SOSStation) -> BoxStatus.Drill? {
        guard var drill = watching.drill else { return nil }
        drill.calls = named(drill.calls, watching)
        return drill
    }

    /// By their names: numbers are nobody's business on a page.
    private func named(_ calls: [SOSReport.LocalCall], _ watching: SOSStation) -> [SOSReport.LocalCall] {
        calls.map { call in
            var call = call
            call.recipient = stations.caseSettings(watching).contacts.first { $0.phone == call.recipient }?.name ?? call.recipient
            return call
        }
    }
}
