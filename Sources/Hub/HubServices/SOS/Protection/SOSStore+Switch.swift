public import HubStore
public import Vitals

extension SOSStore {
    /// Whether AutomatedSOS is on for a person and may tell whom it tells: what other pages than that of protection say of it.
    public func isOn(for person: PersonID) throws -> Bool {
        let choice = try choice(of: person).inForce
        return try choice.isOn && (consent(of: person) != nil || choice.isOnByCopy)
    }
}
