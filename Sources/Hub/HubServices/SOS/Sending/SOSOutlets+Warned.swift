import Alerts
import Distress
import HubStore
import Synchronization
import Vitals

/// Who hears of a warning (SOS-24), as ``SOSOwedNotices/tell()`` tells it: caregivers and contacts, no control room and no ambulance.
extension SOSOutlets {
    /// Of which warnings somebody hears by a way of this hub that works.
    /// - Parameters:
    ///   - contacts: those who may be told.
    ///   - isCared: somebody looks after the person. Then no contact is told that there is no sign of life.
    ///   - reaches: whether a notice leaves to one of them.
    func warned(_ contacts: [SOSContact], isCared: Bool, reaches: (NoticeKind) throws -> Bool) rethrows -> [Trigger] {
        let isWritten = contacts.contains { written($0).contains(true) }
        var found: [Trigger] = try reaches(.sosWarning) ? [.heartRateLow, .heartRateHigh, .temperatureLow, .temperatureHigh] : []
        if try isWritten || reaches(.sosPause) { found.append(.heartPause) }
        if try isCared ? reaches(.sosInactive) : isWritten { found.append(.inactivity) }
        return found
    }

    /// Whether a box with a modem has to text of a pause of the heart: one of these has a telephone, and no way in which this hub writes to them
    /// works.
    func leavesToBox(_ contacts: [SOSContact]) -> Bool {
        contacts.contains { $0.isTexted && $0.phone != nil && !written($0).contains(true) }
    }

    /// Whether one of these could be told, now or later: this hub has a way to them, or a box with a modem.
    func canWrite(to contacts: [SOSContact], hasModem: Bool) -> Bool {
        contacts.contains { !written($0).isEmpty || hasModem && $0.isTexted && $0.phone != nil }
    }

    /// Whether each way in which this hub writes to a contact works: nobody is called by telephone outside of a case.
    private func written(_ contact: SOSContact) -> [Bool] { works(for: contact).filter { $0.key != .voice }.map(\.value) }
}

extension SOSWatchState {
    /// A box of the person that was heard of in the last day can text.
    func hasModem(at time: Milliseconds) -> Bool {
        boxes.values.contains { time - $0.received < SOSTimings.awayAfter && $0.means?.contains("text") == true }
    }
}
