public import HubStore
public import Logging
import Privacy
import Seams
import Synchronization
public import Vitals

/// Tells whoever runs a service that a person's consent to it ended, wherever it was revoked.
public final class ServiceEnds: Sendable {
    private let listener = Mutex<(@Sendable (BuiltInService, PersonID, AccountID) -> Void)?>(nil)

    public init() {}

    /// - Parameter body: called after the commit, on whichever thread revoked it, with the account that did.
    public func tell(_ body: @escaping @Sendable (BuiltInService, PersonID, AccountID) -> Void) { listener.withLock { $0 = body } }

    /// Wherever the consent to AutomatedSOS is revoked, nobody believes to be watched who is not; where the one to Track4Run is, nobody goes
    /// on being followed (CONS-8).
    public func turnOff(_ choices: SOSChoices, _ track4Run: Track4Run, _ logger: Logger) {
        tell { service, person, account in
            switch service {
            case .automatedSOS:
                choices.machine.start {
                    do { try await choices.turnOff(person, by: AccountID(person)) } catch {
                        logger.critical("AutomatedSOS was revoked and cannot be turned off", metadata: ["error": "\(error)"])
                    }
                }
            case .track4Run:
                do { try track4Run.end(person, by: account) } catch {
                    logger.error("Track4Run was revoked and goes on in part", metadata: ["error": "\(error)"])
                }
            }
        }
    }

    func ended(_ service: BuiltInService, of person: PersonID, by account: AccountID) {
        listener.withLock { $0 }?(service, person, account)
    }
}
