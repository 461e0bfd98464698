import Distress
import HubStore
import Logging
import Privacy
import Seams
import Synchronization
import Vitals

/// Who is to be told of somebody's distress, as the store says now.
extension SOSService {
    /// Whom to tell of a person. Where a part cannot be read, the rest is told: an alarm does not wait for a database.
    /// - Parameter position: chooses the control rooms (SOS-6).
    func plan(for person: PersonID, at position: LastPosition? = nil) -> SOSPlan {
        var plan = SOSPlan()
        let entry = state.withLock { $0.entries[person] }
        (plan.contacts, plan.isConsented) = (entry?.choice.contacts ?? [], entry?.isConsented ?? false)
        plan.hasVoice = outlets.hasVoice
        plan.rooms = roomsCalled(for: position)
        do {
            plan.caregivers = Self.ordered(try caregivers(of: person), by: entry?.choice.caregiverOrder ?? [])
        } catch {
            logger.critical("who looks after somebody in distress cannot be read", metadata: ["error": "\(error)"])
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

    var machine: Machine { accounts.machine }
    var randomness: Randomness { machine.randomness }

    func makeLink() -> String { randomness.id(StreamID.self).description }

    func links(for rooms: [String]) -> [String: String] {
        Dictionary(rooms.map { ($0, makeLink()) }, uniquingKeysWith: { first, _ in first })
    }
}

extension SOSPlan {
    /// With secrets of the pages by which contacts and rooms answer.
    func withLinks(of service: SOSService) -> SOSPlan {
        var plan = self
        (plan.links, plan.roomLinks) = (contacts.map { _ in service.makeLink() }, service.links(for: rooms))
        return plan
    }
}
