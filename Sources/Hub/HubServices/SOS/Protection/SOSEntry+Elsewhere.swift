import Distress
import HubStore
import SyncProtocol
import Vitals

/// News of one box of a person for the other one, through the hub (SOS-21).
extension SOSEntry {
    /// Why nobody watches the person, as another of their boxes says, where that lasts until somebody ends it; nil where somebody watches, and
    /// for anything else.
    /// - Parameter agent: the box that hears it. What it says itself it knows.
    func elsewhere(notOf agent: String, at time: Milliseconds) -> Absence? {
        // That AutomatedSOS is off, each box has in its settings.
        guard choice.isOn, isConsented, open == nil else { return nil }
        let heard = state.boxes.filter { time - $0.value.received < SOSTimings.linkSilentAfter }
        guard !heard.values.contains(where: { !$0.isDetectorDown && $0.unprotected.isEmpty }), !isHeartWatchedHere(at: time) else {
            return nil
        }
        let said = heard.filter { $0.key != agent }.values.flatMap { box in
            // One without a sensor would not watch without its pause either.
            box.isDetectorDown ? box.unprotected.filter { $0 == .switchedOff } : box.unprotected
        }
        return [.waitingForReactivation, .paused, .switchedOff].first(where: said.contains)
    }

    /// No box can watch, and the hub has a heart rate of the person.
    private func isHeartWatchedHere(at time: Milliseconds) -> Bool {
        guard state.boxes.values.allSatisfy({ $0.isDetectorDown || time - $0.received >= SOSTimings.boxSilentAfter }) else { return false }
        var watch = state.watch
        _ = watch.handle(.tick, at: time)
        return watch.protection.isProtected
    }

    /// The person pressed at a box that showed what keeps another one from watching: that one hears of it with its next report.
    /// - Parameter known: the box before this report.
    /// - Returns: what the press is for the hub's own watch.
    mutating func bringBack(by report: SOSReport, _ known: SOSWatchState.Box?, at time: Milliseconds) -> DistressEvent? {
        guard let pressed = report.broughtBack, known?.boot != report.boot || known?.broughtBack != pressed,
            (0..<SOSTimings.pressLifetime).contains(report.sentAt - pressed)
        else { return nil }
        let at = time - (report.sentAt - pressed), number = state.note(.reactivate, at: at)
        state.presses[state.presses.count - 1].bringsBack = true
        (state.reactivated, isDirty) = (at, true)
        noteLife { $0.noteSign(at: at) }
        return .state(StateEvent(time: at, code: .reactivated), SOSAnswer.Pressed.key(of: report.person, number: number))
    }
}
