internal import Distress
internal import Logging
internal import SyncProtocol
internal import Vitals

/// Presses of the person on a page of the hub, or at another of their boxes.
@BoxActor
final class HubPresses {
    private let context: BoxContext
    private let stations: SOSStations
    private let sos: AutomatedSOS
    private let monitoring: MonitorRunner

    init(_ context: BoxContext, _ stations: SOSStations, _ sos: AutomatedSOS, _ monitoring: MonitorRunner) {
        (self.context, self.stations, self.sos, self.monitoring) = (context, stations, sos, monitoring)
    }

    func take(_ pressed: [SOSAnswer.Pressed], of person: PersonID, at now: Milliseconds) {
        for press in pressed.sorted(by: { $0.number < $1.number }) {
            guard stations.all[person]?.hub.isNew(press.number) == true else { continue }
            guard let code = press.button.code else {
                context.logger.warning(
                    "somebody pressed a button of the hub that this version does not know: nothing is done. Update trackme-agent")
                continue
            }
            context.logger.notice("the person pressed \(press.button.rawValue) on a page of the hub, or at another of their boxes")
            let event = StateEvent(time: now - max(0, press.ago), code: code)
            // Asked for before the last case was over, and on its way since: it was about that one.
            if press.button == .help, let over = stations.all[person]?.watch.incident.over, event.time <= over.at { continue }
            if stations.all[person]?.isBroughtBack(by: press, at: now) == true, monitoring.bringBack([person]) {
                context.say(prompt: "prompt.reactivate")
            }
            sos.feed(.state(event, SOSAnswer.Pressed.key(of: person, number: press.number)), of: person)
        }
    }
}
