public import Vitals

extension Consent {
    /// What a reader may read by this consent: nothing before the acceptance, from the end on, for another reader, or for a service that
    /// the consent does not count for. A clock behind the acceptance shows nothing either.
    /// - Parameters:
    ///   - service: for which service the data is read; nil when it is the reader's direct request.
    ///   - now: UTC milliseconds.
    public func grant(to reader: Reader, for service: ServiceID? = nil, at now: Milliseconds) -> Grant? {
        guard let person, reader == request.scope.asker, service == request.scope.service, access(at: now) != nil else { return nil }
        return Grant(person: person, kinds: request.scope.kinds, ground: reader.ground(id))
    }

    /// Whether a grant that this consent gave holds at `now`: the store asks with the consent that it finds in the reading transaction.
    public func upholds(_ grant: Grant, at now: Milliseconds) -> Bool {
        self.grant(to: request.scope.asker, for: request.scope.service, at: now) == grant
    }
}
