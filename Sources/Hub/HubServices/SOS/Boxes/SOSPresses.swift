import Distress
import EmergencyDispatch
import HubStore
public import SyncProtocol
public import Vitals

/// Buttons on pages of the hub.
public struct SOSPresses: SOSSubject {
    let sos: SOSService

    /// A button on a page of the hub: it counts here at once, and travels to the person's box.
    public func press(_ button: SOSAnswer.Pressed.Button, for person: PersonID) async throws -> Bool {
        guard let code = button.code, try sos.prepare(person) else { return false }
        let (press, work) = sos.state.withLock { state -> (ButtonPress, SOSWork?) in
            let press = state.cases.press(code, by: person, own: state.entries[person]?.open)
            guard let id = press.saysOK, let item = state.cases[id] else { return (press, nil) }
            return (press, sos.dispatch(.hub(.saidOK(person)), to: id, &state).showing(item.people))
        }
        var isDurable = true
        if let work { isDurable = await sos.finish(work) }
        guard let heardBy = press.heardBy else { return isDurable }
        return await pressed(button, code, for: heardBy)
    }

    private func pressed(_ button: SOSAnswer.Pressed.Button, _ code: StateEvent.Code, for person: PersonID) async -> Bool {
        let time = now()
        let work = sos.state.withLock { state -> SOSWork in
            guard var entry = state.entries[person] else { return SOSWork() }
            let number = entry.state.note(button, at: time)
            if button == .reactivate { entry.state.reactivated = time }
            entry.noteLife { $0.noteSign(at: time) }
            entry.isDirty = true
            state.entries[person] = entry
            let key = SOSAnswer.Pressed.key(of: person, number: number)
            var work = sos.handle([(.state(StateEvent(time: time, code: code), key), time)], of: person, &state)
            work.topics.insert(person)
            return work
        }
        return await sos.finish(work)
    }
}

extension SOSWatchState {
    /// A press that goes to the person's boxes. Returns its number.
    @discardableResult
    mutating func note(_ button: SOSAnswer.Pressed.Button, at time: Milliseconds) -> UInt64 {
        // By the clock: a hub whose database was restored counts no number again that a box has taken.
        pressNumber = max(pressNumber + 1, UInt64(clamping: time))
        presses = (presses.filter { time - $0.at < SOSTimings.pressLifetime }).suffix(SOSTimings.pressesMax - 1)
        presses.append(.init(number: pressNumber, button: button.rawValue, at: time))
        return pressNumber
    }
}

extension SOSWatchState.Press {
    /// As boxes hear of it; nil for a button of another version.
    func pressed(at time: Milliseconds) -> SOSAnswer.Pressed? {
        guard let button = SOSAnswer.Pressed.Button(rawValue: button) else { return nil }
        var pressed = SOSAnswer.Pressed(button: button, number: number, ago: time - at)
        pressed.bringsBack = bringsBack
        return pressed
    }
}
