import Alerts
import Distress
import HubStore
import Synchronization
import Vitals

/// Who hears of a warning (SOS-24): caregivers and contacts, no control room and no ambulance.
extension SOSService {
    /// Of which warnings somebody hears by a way of this hub that works, as ``tellOwed()`` tells them.
    func warned(of person: PersonID, _ choice: SOSChoice) throws -> [Trigger] {
        let caregivers = try caregivers(of: person)
        func reaches(_ kind: NoticeKind) throws -> Bool {
            try caregivers.contains { caregiver in
                guard let reader = try accounts.account(caregiver) else { return false }
                return try isReached(reader, accounts.notices.outWays(kind, to: reader))
            }
        }
        let isConsented = state.withLock { $0.entries[person]?.isConsented ?? false }
        let isWritten = isConsented && choice.contacts.contains { written($0).contains(true) }
        var found: [Trigger] = try reaches(.sosWarning) ? [.heartRateLow, .heartRateHigh, .temperatureLow, .temperatureHigh] : []
        if try isWritten || reaches(.sosPause) { found.append(.heartPause) }
        if try caregivers.isEmpty ? isWritten : reaches(.sosInactive) { found.append(.inactivity) }
        return found
    }

    /// Whether each way in which this hub writes to a contact outside of a case works; none where it has no way to them.
    private func written(_ contact: SOSContact) -> [Bool] {
        let isTexted = contact.isTexted && outlets.text != nil
        return [
            contact.email.map { !ways.isFailing(.mail, for: $0) },
            contact.phone.flatMap { isTexted ? !ways.isFailing(.text, for: $0) : nil },
        ].compactMap(\.self)
    }

    /// Whether somebody could be told that there is no sign of life: a caregiver, or a contact to whom the hub has a way, or a box of the person that
    /// was heard of in the last day.
    func canWarn(_ choice: SOSChoice, of person: PersonID) throws -> Bool {
        guard try caregivers(of: person).isEmpty else { return true }
        let time = now(), boxes = state.withLock { Array(($0.entries[person]?.state.boxes ?? [:]).values) }
        let hasModem = boxes.contains { time - $0.received < Self.awayAfter && $0.means?.contains("text") == true }
        return choice.contacts.contains { !written($0).isEmpty || hasModem && $0.isTexted && $0.phone != nil }
    }
}
