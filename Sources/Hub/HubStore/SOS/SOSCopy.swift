public import Distress
import Foundation
public import Vitals

/// Settings of a person as a box has them, of a change that this hub does not know: it was restored from a backup. Until somebody decides, they
/// hold beside the hub's own.
public struct SOSCopy: Sendable, Hashable, Codable {
    public var origin: SettingsOrigin
    /// When a box handed them back, UTC milliseconds.
    public var at: Milliseconds
    public var distress: DistressSettings
    public var reminders: ReminderPlan?
    /// Those with a telephone: a box knows no mail addresses.
    public var contacts: [SOSContact]
    /// E.164.
    public var phone: String?
    /// Where the person lives.
    public var address: String?

    public init(
        origin: SettingsOrigin, at: Milliseconds, distress: DistressSettings, reminders: ReminderPlan?, contacts: [SOSContact],
        phone: String?, address: String?
    ) {
        (self.origin, self.at, self.distress, self.reminders) = (origin, at, distress, reminders)
        (self.contacts, self.phone, self.address) = (contacts, phone, address)
    }
}

extension SOSChoice {
    /// One for each life of a hub.
    public static let copiesMax = 4
    private static let acceptedMax = 16

    /// The decision about ``copies``.
    public enum Decision: Sendable, Hashable {
        /// The hub's own hold.
        case hub
        /// Those of the copy at this place.
        case copy(Int)
        /// All contacts hold, and AutomatedSOS is on where one has it on.
        case all
    }

    /// Takes what a box handed back. Within a life of a hub the higher version wins.
    public mutating func take(_ copy: SOSCopy) {
        let others = (copies ?? []).filter { !copy.origin.covers($0.origin) }
        guard !others.contains(where: { $0.origin.covers(copy.origin) }) else { return }
        copies = Array((others + [copy]).suffix(Self.copiesMax))
    }

    /// A change of another life of the hub counts as known from now on.
    public mutating func accept(_ origin: SettingsOrigin) {
        accepted = Array(((accepted ?? []).filter { !origin.covers($0) } + [origin]).suffix(Self.acceptedMax))
        copies = copies?.filter { !origin.covers($0.origin) }
        if copies?.isEmpty == true { copies = nil }
    }

    /// The person turned it off here after the last change that the copy has: the hub was restored in between.
    private func isOff(since copy: SOSCopy) -> Bool { !isOn && offSince.map { $0 > copy.origin.time ?? copy.at } ?? false }

    /// On by what a box has alone. The consent to calls was given then: nobody turns it on without.
    public var isOnByCopy: Bool { (copies ?? []).contains { $0.distress.isOn && !isOff(since: $0) } }

    /// The settings that hold until somebody decides: all contacts, and "on" before "off" unless the person turned it off since. Itself without copies.
    public var inForce: SOSChoice {
        guard let copies, !copies.isEmpty else { return self }
        var all = self
        for contact in copies.flatMap(\.contacts) where !all.contacts.contains(where: { $0.phone == contact.phone }) {
            all.contacts.append(contact)
        }
        if isOnByCopy { (all.isOn, all.offSince) = (true, nil) }
        all.inactivity = inactivity ?? copies.compactMap(\.distress.inactivity).first
        return all
    }

    /// The settings that hold after a decision.
    public func decided(_ decision: Decision, now: Milliseconds) -> SOSChoice {
        var after = self
        switch decision {
        case .hub: break
        case .all: (after.contacts, after.isOn, after.inactivity) = (inForce.contacts, inForce.isOn, inForce.inactivity)
        case .copy(let place):
            guard let copy = copies?.indices.contains(place) == true ? copies?[place] : nil else { return self }
            after.contacts =
                copy.contacts.map { contact in
                    var contact = contact
                    contact.email = contacts.first { $0.phone == contact.phone }?.email
                    return contact
                } + contacts.filter { $0.phone == nil }
            (after.isOn, after.asksFirst, after.strict) = (copy.distress.isOn, copy.distress.asksFirst, copy.distress.strict)
            (after.overrides, after.reminders) = (copy.distress.overrides, copy.reminders ?? reminders)
            after.inactivity = copy.distress.inactivity
        }
        after.offSince = after.isOn ? nil : inForce.isOn ? now : offSince
        for copy in copies ?? [] { after.accept(copy.origin) }
        return after
    }
}
