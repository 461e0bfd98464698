import Accounts
import Distress
import EmergencyDispatch
public import HubStore
import Logging
import SyncProtocol
public import Vitals

/// A hub that was restored from a backup has older settings than the boxes. It sees that by changes that a box holds and that this hub does not
/// know, takes them back as copies, and asks whoever may decide (docs/decisions/0015-restored-settings.md).
public struct SOSRestoredSettings: SOSSubject {
    let sos: SOSService

    // MARK: What a box holds

    /// Whether this hub has a change in its own history.
    /// - Parameter people: of the box that holds it.
    private func knows(_ origin: SettingsOrigin, of person: PersonID, with people: [PersonID]) -> Bool {
        let (choice, version) = sos.state.withLock { state in
            (state.entries[person]?.choice, people.compactMap { state.entries[$0]?.choice.version }.max() ?? 0)
        }
        return choice.map { store.knows(origin, $0, versionOfBox: version) } ?? true
    }

    /// The settings that the box of this report holds of the person, as this hub sees them; nil for a box that does not say.
    private func compared(_ agent: AgentStore.Agent, _ person: PersonID) -> SOSSettings.Compared? {
        guard let held = sos.state.withLock({ $0.entries[person]?.state.boxes[agent.id.description]?.holds }) else { return nil }
        return .init(with: held, isKnown: knows(held, of: person, with: Array(agent.people.keys)))
    }

    /// Looks at what the box holds, and keeps what it hands back.
    /// - Returns: as ``SOSAnswer/wantsSettings``.
    func takeHeld(_ report: SOSReport, from agent: AgentStore.Agent) async -> Bool? {
        guard let held = report.holds, report.isLive, let choice = sos.state.withLock({ $0.entries[report.person]?.choice }),
            !knows(held, of: report.person, with: Array(agent.people.keys))
        else { return nil }
        if let copy = choice.copies?.first(where: { $0.origin.covers(held) }) {
            await tellDispute(copy.origin, of: report.person)
            return false
        }
        guard let settings = report.settings, settings.person == report.person, settings.origin?.isSame(as: held) ?? (held.hub == nil)
        else {
            return true
        }
        do { try await take(settings, held) } catch {
            logger.critical(
                "settings that a box holds and this hub has lost cannot be kept; the box goes on with them",
                metadata: ["person": "\(report.person)", "error": "\(error)"])
            return true
        }
        return knows(held, of: report.person, with: Array(agent.people.keys)) ? nil : false
    }

    private func take(_ settings: SOSSettings.Person, _ origin: SettingsOrigin) async throws {
        let person = settings.person, time = now(), copy = SOSCopy(settings, origin, at: time)
        let account = try accounts.account(AccountID(person)), isConsented = try store.consent(of: person) != nil
        let after = try store.change(person, by: nil, now: time) { choice in
            if copy.isSame(as: choice, isOn: choice.isOn && isConsented, account) {
                // Nothing was lost but the count, and figures that the hub computes by itself.
                choice.accept(origin)
                let computed = settings.distress.personal
                if computed?.computedAt ?? 0 > choice.personal?.computedAt ?? 0 { choice.personal = computed }
            } else {
                choice.take(copy)
            }
            return []
        }
        try await sos.reload(person)
        pages.changed(person)
        guard after.copies?.contains(copy) == true else { return }
        logger.critical(
            "a box has settings of AutomatedSOS that this hub has lost: it was restored from a backup; both hold until somebody decides",
            metadata: ["person": "\(person)"])
        await tellDispute(origin, of: person)
    }

    /// Once; by the next report of the box where a hub was killed before that was written down.
    private func tellDispute(_ origin: SettingsOrigin, of person: PersonID) async {
        await tell(.sosSettingsDiffer, [:], about: person) { state in
            guard state.toldDisputes?.contains(where: { $0.covers(origin) }) != true else { return false }
            state.toldDisputes = Array(((state.toldDisputes ?? []) + [origin]).suffix(SOSChoice.copiesMax))
            return true
        }
    }

    /// - Parameter isNew: whether it is to be told at all; what it changes is stored with the notice.
    private func tell(
        _ kind: NoticeKind, _ arguments: [String: String], about person: PersonID,
        _ isNew: (inout SOSWatchState) -> Bool = { _ in true }
    ) async {
        let isTold = sos.state.withLock { state in
            guard var entry = state.entries[person], isNew(&entry.state) else { return false }
            owedNotices.owe(kind, arguments, about: person, &entry, &state)
            return true
        }
        if isTold { await owedNotices.tell() }
    }

    /// Which change the settings are for a box, and how it stands to what that box holds.
    func tellOrigin(in settings: inout SOSSettings.Person, _ choice: SOSChoice, to agent: AgentStore.Agent) throws {
        settings.origin = store.origin(of: choice, by: try choice.changedBy.flatMap { try accounts.account($0)?.name })
        settings.offSince = choice.offSince
        settings.compared = compared(agent, settings.person)
        guard choice.copies != nil else { return }
        let own = try store.choice(of: settings.person)
        settings.atHub = .init(isOn: own.isOn, contacts: own.contacts.map(\.name))
    }

    // MARK: The decision

    /// Ends the disagreement: the person, or a minor's parent, says which settings hold.
    /// - Parameters:
    ///   - version: of the settings that were shown.
    ///   - consented: to calls; needed where AutomatedSOS is on from here on and was not on at this hub.
    /// - Throws: ``SOSSettingProblem``. Then nothing was changed.
    public func decide(
        _ decision: SOSChoice.Decision, of person: PersonID, shown version: Int, consented: Bool, by account: AccountID
    ) async throws {
        guard try addressees.decides(account, for: person) else { throw SOSSettingProblem.notAllowed }
        let before = try store.choice(of: person), time = now()
        guard before.copies != nil else { return }
        guard before.version == version else { throw SOSSettingProblem.changedMeanwhile }
        let after = before.decided(decision, now: time), isConsented = try store.consent(of: person) != nil
        guard after.copies == nil else { throw SOSSettingProblem.changedMeanwhile }
        guard after.contacts.count <= SOSChoice.contactsMax else { throw SOSSettingProblem.tooManyContacts }
        let age = DistressSettings(of: after, isConsented: true, account: try accounts.account(AccountID(person)), now: time).age
        if after.overrides != before.overrides, let problem = after.overrides.problem(age: age) { throw SOSSettingProblem.limits(problem) }
        if after.isOn {
            guard isConsented || consented else { throw SOSSettingProblem.noConsent }
            guard try reachability.canDeliver(after, of: person) else { throw SOSSettingProblem.nobodyToCall }
        }
        if after.isOn != isConsented {
            let consent = SOSConsent(giver: account, document: SOSChoices.consentDocument, given: time)
            try store.setConsent(after.isOn ? consent : nil, of: person, now: time)
        }
        try store.change(person, by: account, now: time) { choice in
            guard choice == before else { throw SOSSettingProblem.changedMeanwhile }
            choice = after
            return ["settings: \(decision.name)"]
        }
        if case .copy(let place) = decision, let copy = before.copies?[place] { try restoreProfile(of: person, from: copy) }
        try await sos.reload(person)
        pages.changed(person)
        await tell(.sosSettingsDecided, ["owner": try accounts.account(account)?.name ?? ""], about: person)
    }

    /// Telephone and address, which the hub has lost with the settings.
    private func restoreProfile(of person: PersonID, from copy: SOSCopy) throws {
        guard let account = try accounts.account(AccountID(person)), !copy.hasProfile(of: account) else { return }
        var details = account.details
        details[Field.phone.rawValue] = copy.phone ?? details[Field.phone.rawValue]
        details[Field.residence.rawValue] = copy.address ?? details[Field.residence.rawValue]
        _ = try accounts.setDetails(details, of: account, now: now())
    }

    /// Whether what a page shows of a person is in dispute: what the hub itself has, beside what boxes handed back.
    public func dispute(of person: PersonID) throws -> (hub: SOSChoice, by: String?)? {
        guard sos.state.withLock({ $0.entries[person]?.choice.copies }) != nil else { return nil }
        let choice = try store.choice(of: person)
        return choice.copies == nil ? nil : (choice, try choice.changedBy.flatMap { try accounts.account($0)?.name })
    }
}

extension SOSChoice.Decision {
    /// As it stands in the log of changes.
    fileprivate var name: String {
        switch self {
        case .hub: "hub"
        case .copy: "box"
        case .all: "both"
        }
    }
}

extension SOSCopy {
    fileprivate init(_ settings: SOSSettings.Person, _ origin: SettingsOrigin, at time: Milliseconds) {
        let contacts = settings.contacts.prefix(2 * SOSChoice.contactsMax).compactMap { contact -> SOSContact? in
            guard let phone = try? PhoneNumber(contact.phone) else { return nil }
            return SOSContact(
                name: String(contact.name.prefix(100)), phone: phone.e164, email: nil, language: String(contact.language.prefix(35)),
                isTexted: contact.isTexted, isCalled: contact.isCalled)
        }
        self.init(
            origin: origin, at: time, distress: settings.distress, reminders: settings.reminders, contacts: contacts,
            phone: settings.phone.map { String($0.prefix(40)) }, address: settings.address.map { String($0.prefix(400)) })
        self.origin.by = origin.by.map { String($0.prefix(200)) }
    }

    /// Whether nothing that somebody chose is lost: figures that the hub computes by itself do not count.
    fileprivate func isSame(as choice: SOSChoice, isOn: Bool, _ account: StoredAccount?) -> Bool {
        var own = choice.contacts.filter { $0.phone != nil }
        for index in own.indices { own[index].email = nil }
        return own == contacts && isOn == distress.isOn && choice.asksFirst == distress.asksFirst && choice.strict == distress.strict
            && choice.overrides == distress.overrides && choice.inactivity == distress.inactivity
            && choice.reminders ?? ReminderPlan() == reminders ?? ReminderPlan()
            && (account.map(hasProfile) ?? true)
    }

    fileprivate func hasProfile(of account: StoredAccount) -> Bool {
        account[.phone] == phone ?? "" && account[.residence] == address ?? ""
    }
}
