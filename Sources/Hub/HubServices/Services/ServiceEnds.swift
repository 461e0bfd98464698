public import HubStore
public import Logging
import Privacy
import Seams
import Synchronization
public import Vitals

/// Tells whoever runs a service that a person's consent to it ended, wherever it was revoked.
public final class ServiceEnds: Sendable {
    private let listener = Mutex<(@Sendable (BuiltInService, PersonID) -> Void)?>(nil)

    public init() {}

    /// - Parameter body: called after the commit, on whichever thread revoked it.
    public func tell(_ body: @escaping @Sendable (BuiltInService, PersonID) -> Void) { listener.withLock { $0 = body } }

    /// Wherever the consent to AutomatedSOS is revoked, nobody believes to be watched who is not (CONS-8).
    public func turnOff(_ choices: SOSChoices, _ logger: Logger) {
        tell { service, person in
            guard service == .automatedSOS else { return }
            choices.machine.start {
                do { try await choices.turnOff(person, by: AccountID(person)) } catch {
                    logger.critical("AutomatedSOS was revoked and cannot be turned off", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    func ended(_ service: BuiltInService, of person: PersonID) { listener.withLock { $0 }?(service, person) }
}
