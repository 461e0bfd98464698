import Accounts
public import HubStore
import Privacy
public import Vitals

/// A relative prepares AutomatedSOS for somebody who does not do this alone: contacts, and that it is turned on. Nothing of it holds before the
/// person says yes; for a minor their parent does.
public struct SOSPreparation: SOSSubject {
    let sos: SOSService

    /// Proposes a contact.
    /// - Throws: ``SOSSettingProblem``.
    public func propose(_ contact: SOSContact, for person: PersonID, by account: AccountID) async throws {
        guard contact.isValid else { throw SOSSettingProblem.contact }
        try await propose(for: person, by: account) { choice, prepared in
            guard choice.contacts.count + prepared.contacts.count < SOSChoice.contactsMax else { throw SOSSettingProblem.tooManyContacts }
            prepared.contacts.append(contact)
        }
    }

    /// Proposes that it is turned on, with the contacts that there are and those that are proposed.
    /// - Throws: ``SOSSettingProblem``.
    public func proposeTurnOn(for person: PersonID, by account: AccountID) async throws {
        var choice = try store.choice(of: person)
        choice.contacts += choice.prepared?.contacts ?? []
        guard try reachability.canDeliver(choice, of: person) else { throw SOSSettingProblem.nobodyToCall }
        try await propose(for: person, by: account) { $1.turnsOn = true }
    }

    private func propose(
        for person: PersonID, by account: AccountID, _ change: (SOSChoice, inout SOSPrepared) throws -> Void
    ) async throws {
        guard try addressees.caregivers(of: person).contains(account) else { throw SOSSettingProblem.notAllowed }
        let time = now(), before = try store.choice(of: person).prepared
        let after = try store.change(person, by: account, now: time) { choice in
            var prepared = choice.prepared ?? SOSPrepared(by: account, at: time)
            try change(choice, &prepared)
            // Each one has an instant of its own, by which a yes names it.
            (prepared.by, prepared.at) = (account, max(time, (choice.prepared?.at ?? .min / 2) + 1))
            choice.prepared = prepared
            return ["prepared"]
        }.prepared
        try await sos.reload(person)
        pages.changed(person)
        // Once for several contacts, and again where it is about turning it on.
        guard before == nil || before?.turnsOn != after?.turnsOn else { return }
        let name = try accounts.account(account)?.name ?? ""
        sos.state.withLock { state in
            guard var entry = state.entries[person] else { return }
            owedNotices.owe(.sosPrepared, ["owner": name], isForCaregivers: false, about: person, &entry, &state)
        }
        await owedNotices.tell()
    }

    /// The person's yes to all that was prepared.
    /// - Parameters:
    ///   - seen: ``HubStore/SOSPrepared/at`` of what the person was shown; nil for what is not known, and then it is no yes.
    ///   - consented: to calls; needed where it is to be turned on.
    ///   - strict: SOS-4 to the letter, or not; needed where it is to be turned on.
    ///   - testWeeks: as ``SOSChoices/turnOn(_:consented:strict:testWeeks:by:)`` has it.
    /// - Throws: ``SOSSettingProblem``. Then nothing was changed, but for contacts that were agreed to.
    public func confirm(
        of person: PersonID, seen: Milliseconds?, consented: Bool, strict: Bool?, testWeeks: Int? = nil, by account: AccountID
    ) async throws {
        guard try addressees.decides(account, for: person) else { throw SOSSettingProblem.notAllowed }
        guard let prepared = try store.choice(of: person).prepared else { return }
        // What was prepared since the page was shown is not agreed to.
        guard prepared.at == seen else { throw SOSSettingProblem.changedMeanwhile }
        if prepared.turnsOn {
            guard consented else { throw SOSSettingProblem.noConsent }
            guard strict != nil else { throw SOSSettingProblem.strictNotChosen }
        }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.prepared == prepared else { throw SOSSettingProblem.changedMeanwhile }
            choice.contacts = Array((choice.contacts + prepared.contacts).prefix(SOSChoice.contactsMax))
            choice.prepared = nil
            return prepared.contacts.map { _ in "contact +" }
        }
        try await sos.reload(person)
        if prepared.turnsOn { try await choices.turnOn(person, consented: consented, strict: strict, testWeeks: testWeeks, by: account) }
        pages.changed(person)
    }

    /// The person's no, or the relative takes it back: all that was prepared is gone.
    public func drop(of person: PersonID, by account: AccountID) async throws {
        guard try addressees.decides(account, for: person) || addressees.caregivers(of: person).contains(account) else {
            throw SOSSettingProblem.notAllowed
        }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.prepared != nil else { return [] }
            choice.prepared = nil
            return ["prepared -"]
        }
        try await sos.reload(person)
        pages.changed(person)
    }
}

extension SOSContact {
    var isValid: Bool { (1...100).contains(name.count) && (phone != nil || email != nil) }
}
