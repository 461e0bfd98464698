import Distress
import EmergencyDispatch
public import HubStore
import Logging
import Privacy
import Seams
public import Vitals

/// The people to tell of somebody's distress, as the store says now.
public struct SOSAddressees: SOSSubject {
    let sos: SOSService

    /// The people to tell of a person. Where a part cannot be read, the rest is told: an alarm does not wait for a database.
    /// - Parameter position: chooses the control rooms (SOS-6).
    func plan(for person: PersonID, at position: LastPosition? = nil) -> SOSPlan {
        var plan = SOSPlan()
        let entry = sos.state.withLock { $0.entries[person] }
        (plan.contacts, plan.isConsented) = (entry?.choice.contacts ?? [], entry?.isConsented ?? false)
        plan.hasVoice = outlets.hasVoice
        plan.rooms = reachability.roomsCalled(for: position)
        do {
            plan.caregivers = Self.ordered(try caregivers(of: person), by: entry?.choice.caregiverOrder ?? [])
        } catch {
            logger.critical("who looks after somebody in distress cannot be read", metadata: ["error": "\(error)"])
        }
        return plan
    }

    /// Of a case: also who belongs to others who may be meant.
    func plan(for item: SOSCase) -> SOSPlan {
        var plan = plan(for: item.person, at: item.alarm.position)
        for other in item.others ?? [] {
            let theirs = self.plan(for: other)
            for contact in theirs.contacts where !plan.contacts.contains(where: { $0.phone == contact.phone && $0.email == contact.email })
            {
                plan.contacts.append(contact)
            }
            plan.caregivers += theirs.caregivers.filter { !plan.caregivers.contains($0) && !item.people.contains($0.person) }
        }
        return plan
    }

    /// Relatives with a consent that runs, and the parents of a minor.
    func caregivers(of person: PersonID) throws -> [AccountID] {
        let time = now(), authority = try accounts.consents.authority(over: person)
        let parents = authority.isMinor(at: time) ? authority.guardians.sorted() : []
        let relatives = try accounts.consents.consents(of: person).items.compactMap { item -> AccountID? in
            guard case .caregiver(let account) = item.consent.request.scope.asker,
                item.consent.grant(to: item.consent.request.scope.asker, at: time) != nil
            else { return nil }
            return account
        }
        return parents + relatives.filter { !parents.contains($0) }
    }

    /// Those who look after the person, in the order in which they are told.
    public func caregiversInOrder(of person: PersonID) throws -> [AccountID] {
        Self.ordered(try caregivers(of: person), by: try store.choice(of: person).caregiverOrder ?? [])
    }

    /// Relatives in the person's order, and behind them whoever is not in it.
    static func ordered(_ caregivers: [AccountID], by order: [AccountID]) -> [AccountID] {
        order.filter(caregivers.contains) + caregivers.filter { !order.contains($0) }
    }

    /// The first whom an account looks after of those who may be meant by a case; nil for none.
    func cared(in item: SOSCase, by account: AccountID) throws -> PersonID? {
        try item.people.first { try caregivers(of: $0).contains(account) }
    }

    // MARK: Who decides for a person

    /// Whether an account says yes or no for a person: the person, and a minor's parents.
    public func decides(_ account: AccountID, for person: PersonID) throws -> Bool {
        if account.person == person { return true }
        let authority = try accounts.consents.authority(over: person)
        return authority.isMinor(at: now()) && authority.guardians.contains(account)
    }

    /// Whether an account says yes or no for everybody who may be meant by a case.
    public func mayEnd(_ item: SOSCase, _ account: AccountID) throws -> Bool {
        try !item.meant.isEmpty && item.meant.allSatisfy { try decides(account, for: $0) }
    }

    // MARK: Their pages

    /// A secret of its own for each page.
    func makeLink() -> String { randomness.id(StreamID.self).description }

    func links(for rooms: [String]) -> [String: String] {
        Dictionary(rooms.map { ($0, makeLink()) }, uniquingKeysWith: { first, _ in first })
    }
}

extension SOSPlan {
    /// With secrets of the pages by which contacts and rooms answer.
    func withLinks(of addressees: SOSAddressees) -> SOSPlan {
        var plan = self
        (plan.links, plan.roomLinks) = (contacts.map { _ in addressees.makeLink() }, addressees.links(for: rooms))
        return plan
    }
}
