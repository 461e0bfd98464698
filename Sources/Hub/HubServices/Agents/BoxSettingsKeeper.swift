public import HubStore
import Privacy
public import SyncProtocol
import Synchronization
public import Vitals

/// Keeps what boxes are set to, sealed, and offers it with the enrolment of the same person's next box.
///
/// Only of boxes of one person who can see and forget it on the page Boxes. Of a gateway of several people nothing is kept: its settings are
/// nobody's alone. Of a child's box nothing either, as long as a parent acts in the child's place, nor of people without an account.
public final class BoxSettingsKeeper: Sendable {
    /// Settings that a person can look at.
    public typealias Kept = StoredBoxSettings<BoxSettingsCopy>

    private let accounts: AccountStore
    /// The stored settings, as a hash: boxes say the same every five minutes.
    private let stored = Mutex<[AgentID: Int]>([:])

    public init(accounts: AccountStore) { self.accounts = accounts }

    /// Takes what a box says of itself. The same as before, and settings that nobody may keep, change nothing.
    /// - Parameter settings: within their bounds (``SyncProtocol/BoxSettingsCopy/isPlausible``); nil from a box that says none.
    public func take(_ settings: BoxSettingsCopy?, from box: AgentStore.Agent, now: Milliseconds) throws {
        guard let settings, box.people.count == 1, let person = box.people.keys.first else { return }
        let hash = settings.hashValue
        guard stored.withLock({ $0[box.id] }) != hash, try isOwner(person, now: now) else { return }
        let before = try accounts.agents.keptSettings(as: BoxSettingsCopy.self, for: person).first { $0.box == box.id }
        // A new box, which has nothing to hand on.
        let isNews = before?.settings != settings && (before != nil || !settings.isEmpty)
        if isNews { try accounts.agents.keep(settings, of: box, for: person, now: now) }
        stored.withLock { stored in
            if stored.count < BoxConditions.countMax || stored[box.id] != nil { stored[box.id] = hash }
        }
    }

    /// Whether the person acts for themself, with an account.
    private func isOwner(_ person: PersonID, now: Milliseconds) throws -> Bool {
        let authority = try accounts.consents.authority(over: person)
        return authority.account != nil && !authority.isMinor(at: now)
    }

    /// The kept settings of a person, the newest first, and their connected boxes of which they want nothing kept.
    public func kept(for person: PersonID) throws -> [Kept] {
        try Self.kept(for: person, accounts)
    }

    private static func kept(for person: PersonID, _ accounts: AccountStore) throws -> [Kept] {
        try accounts.agents.keptSettings(as: BoxSettingsCopy.self, for: person).filter { kept in
            kept.settings.map { !$0.isEmpty } ?? kept.isConnected
        }
    }

    /// The settings that an enrolling box of a person may take over; nil for nothing, and where it cannot be read: no enrolment fails by it.
    static func offer(to person: PersonID, _ accounts: AccountStore) -> KeptSettingsList? {
        let all = (try? Self.kept(for: person, accounts)) ?? []
        let list = KeptSettingsList(
            all.compactMap { kept in kept.settings.map { KeptSettings(box: kept.name, changed: kept.changed, settings: $0) } })
        return list.items.isEmpty ? nil : list
    }

    /// Forgets what is kept of a person's box; of one that is connected nothing is kept any more.
    /// - Returns: false where the box is none of the person's.
    public func forget(_ box: AgentID, of person: PersonID) throws -> Bool {
        try accounts.agents.forgetSettings(of: box, for: person)
    }

    /// Keeps a box's settings again, from when the box says them next, within five minutes.
    /// - Returns: false where the box is none of the person's.
    public func allow(_ box: AgentID, of person: PersonID) throws -> Bool {
        defer { stored.withLock { _ = $0.removeValue(forKey: box) } }
        return try accounts.agents.allowSettings(of: box, for: person)
    }
}
