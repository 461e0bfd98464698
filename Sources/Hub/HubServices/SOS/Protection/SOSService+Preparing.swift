import Accounts
public import HubStore
import Privacy
import Synchronization
public import Vitals

/// A relative prepares AutomatedSOS for somebody who does not do this alone: contacts, and that it is turned on. Nothing of it holds before the
/// person says yes; for a minor their parent does.
extension SOSService {
    /// Proposes a contact.
    /// - Throws: ``SettingProblem``.
    public func prepare(_ contact: SOSContact, for person: PersonID, by account: AccountID) async throws {
        guard contact.isValid else { throw SettingProblem.contact }
        try await propose(for: person, by: account) { choice, prepared in
            guard choice.contacts.count + prepared.contacts.count < SOSChoice.contactsMax else { throw SettingProblem.tooManyContacts }
            prepared.contacts.append(contact)
        }
    }

    /// Proposes that it is turned on, with the contacts that there are and those that are proposed.
    /// - Throws: ``SettingProblem``.
    public func prepareTurnOn(for person: PersonID, by account: AccountID) async throws {
        var choice = try store.choice(of: person)
        choice.contacts += choice.prepared?.contacts ?? []
        guard try canDeliver(choice, of: person) else { throw SettingProblem.nobodyToCall }
        try await propose(for: person, by: account) { $1.turnsOn = true }
    }

    private func propose(
        for person: PersonID, by account: AccountID, _ change: (SOSChoice, inout SOSPrepared) throws -> Void
    ) async throws {
        guard try caregivers(of: person).contains(account) else { throw SettingProblem.notAllowed }
        let time = now(), before = try store.choice(of: person).prepared
        let after = try store.change(person, by: account, now: time) { choice in
            var prepared = choice.prepared ?? SOSPrepared(by: account, at: time)
            try change(choice, &prepared)
            // Each one has an instant of its own, by which a yes names it.
            (prepared.by, prepared.at) = (account, max(time, (choice.prepared?.at ?? .min / 2) + 1))
            choice.prepared = prepared
            return ["prepared"]
        }.prepared
        try await reload(person)
        pages.changed(person)
        // Once for several contacts, and again where it is about turning it on.
        guard before == nil || before?.turnsOn != after?.turnsOn else { return }
        let name = try accounts.account(account)?.name ?? ""
        state.withLock { state in
            guard var entry = state.entries[person] else { return }
            owe(.sosPrepared, ["owner": name], isForCaregivers: false, about: person, &entry, &state)
        }
        await tellOwed()
    }

    /// Whether an account says yes or no for a person: the person, and a minor's parents.
    public func decides(_ account: AccountID, for person: PersonID) throws -> Bool {
        if account.person == person { return true }
        let authority = try accounts.consents.authority(over: person)
        return authority.isMinor(at: now()) && authority.guardians.contains(account)
    }

    /// The person's yes to all that was prepared.
    /// - Parameters:
    ///   - seen: ``HubStore/SOSPrepared/at`` of what the person was shown; nil for what is not known, and then it is no yes.
    ///   - consented: to calls; needed where it is to be turned on.
    ///   - strict: SOS-4 to the letter, or not; needed where it is to be turned on.
    /// - Throws: ``SettingProblem``. Then nothing was changed, but for contacts that were agreed to.
    public func confirmPrepared(
        of person: PersonID, seen: Milliseconds?, consented: Bool, strict: Bool?, by account: AccountID
    ) async throws {
        guard try decides(account, for: person) else { throw SettingProblem.notAllowed }
        guard let prepared = try store.choice(of: person).prepared else { return }
        // What was prepared since the page was shown is not agreed to.
        guard prepared.at == seen else { throw SettingProblem.changedMeanwhile }
        if prepared.turnsOn {
            guard consented else { throw SettingProblem.noConsent }
            guard strict != nil else { throw SettingProblem.strictNotChosen }
        }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.prepared == prepared else { throw SettingProblem.changedMeanwhile }
            choice.contacts = Array((choice.contacts + prepared.contacts).prefix(SOSChoice.contactsMax))
            choice.prepared = nil
            return prepared.contacts.map { _ in "contact +" }
        }
        try await reload(person)
        if prepared.turnsOn { try await turnOn(person, consented: consented, strict: strict, by: account) }
        pages.changed(person)
    }

    /// The person's no, or the relative takes it back: all that was prepared is gone.
    public func dropPrepared(of person: PersonID, by account: AccountID) async throws {
        guard try decides(account, for: person) || caregivers(of: person).contains(account) else { throw SettingProblem.notAllowed }
        try store.change(person, by: account, now: now()) { choice in
            guard choice.prepared != nil else { return [] }
            choice.prepared = nil
            return ["prepared -"]
        }
        try await reload(person)
        pages.changed(person)
    }

    /// Relatives are told in this order, one after the other.
    public func moveCaregiverUp(_ caregiver: AccountID, of person: PersonID, by account: AccountID) async throws {
        let all = try caregivers(of: person)
        try store.change(person, by: account, now: now()) { choice in
            var order = Self.ordered(all, by: choice.caregiverOrder ?? [])
            guard let place = order.firstIndex(of: caregiver), place > 0 else { return [] }
            order.swapAt(place, place - 1)
            choice.caregiverOrder = order
            return ["contact order"]
        }
        try await reload(person)
    }

    /// Those who look after the person, in the order in which they are told.
    public func caregiversInOrder(of person: PersonID) throws -> [AccountID] {
        Self.ordered(try caregivers(of: person), by: try store.choice(of: person).caregiverOrder ?? [])
    }
}

extension SOSContact {
    var isValid: Bool { (1...100).contains(name.count) && (phone != nil || email != nil) }
}
