import Alerts
import Distress
import HubStore
import Synchronization
import Vitals

/// Of which warnings of a person somebody hears by the hub (SOS-24).
struct WarningsTold: Sendable, Hashable {
    var all: [Trigger] = []
    /// Of those, what contacts are to hear of.
    var toContacts: [Trigger] = []

    /// - Parameter isLeft: a box texts a contact to whom the hub writes in no way that works.
    func but(leftToBox isLeft: Bool) -> [Trigger] { isLeft ? all.filter { !toContacts.contains($0) } : all }
}

/// The recipients of a warning (SOS-24), as ``SOSOwedNotices/tell()`` tells it: caregivers and contacts, no control room and no ambulance.
extension SOSOutlets {
    /// Of which warnings somebody hears by a way of this hub that works.
    /// - Parameters:
    ///   - contacts: those who may be told.
    ///   - isCared: somebody looks after the person. Then no contact is told that there is no sign of life.
    ///   - reaches: whether a notice leaves to one of them.
    func warned(_ contacts: [SOSContact], isCared: Bool, reaches: (NoticeKind) throws -> Bool) rethrows -> WarningsTold {
        let isWritten = contacts.contains { written($0).contains(true) }
        var found: [Trigger] = try reaches(.sosWarning) ? [.heartRateLow, .heartRateHigh, .temperatureLow, .temperatureHigh] : []
        if try isWritten || reaches(.sosPause) { found.append(.heartPause) }
        if try isCared ? reaches(.sosInactive) : isWritten { found.append(.inactivity) }
        return WarningsTold(all: found, toContacts: found.filter { $0 == .heartPause || $0 == .inactivity && !isCared })
    }

    /// Whether a box with a modem has to text of what contacts are to hear of: one of these has a telephone, and no way in which this hub writes to them
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
