public import HubStore
import Synchronization
public import Vitals

/// Tells whoever runs a service that a person's consent to it ended, wherever it was revoked.
public final class ServiceEnds: Sendable {
    private let listener = Mutex<(@Sendable (BuiltInService, PersonID) -> Void)?>(nil)

    public init() {}

    /// - Parameter body: called after the commit, on whichever thread revoked it.
    public func tell(_ body: @escaping @Sendable (BuiltInService, PersonID) -> Void) { listener.withLock { $0 = body } }

    func ended(_ service: BuiltInService, of person: PersonID) { listener.withLock { $0 }?(service, person) }
}
