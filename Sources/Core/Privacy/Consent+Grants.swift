public import Vitals

extension Consent {
    /// The grant that a reader has by this consent: nothing before the acceptance, from the end on, for another reader, or for a service that
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
        switch grant.ground {
        case .delivered: repeatedGrant(to: request.scope.asker, at: now) == grant
        case .run: runGrant(to: request.scope.asker, at: now) == grant
        case .runPublic: runPublicGrant(at: now) == grant
        case .own, .guardian, .caregiver, .consent, .named, .friend, .link, .system, .sos, .sosLastPosition:
            self.grant(to: request.scope.asker, for: request.scope.service, at: now) == grant
        }
    }

    /// For so long after the yes a "once" that is over is downloaded again (CONS-9), milliseconds: 30 days.
    public static let repeatsFor: Milliseconds = 30 * 86_400_000

    /// The data that a finished "once" let its asker read, to be downloaded again: everything up to ``Access/since``. nil for every other one, after
    /// ``repeatsFor``, and from the moment on in which the person takes it back.
    public func repeated(at now: Milliseconds) -> Access? {
        guard request.scope.term == .once, case .over(let end) = state, end.ending == .fulfilled || end.ending == .ranOut,
            let access = end.access, now >= end.at, now < access.since.later(by: Self.repeatsFor)
        else { return nil }
        return access
    }

    /// The permission for that. The caller asks for nothing newer than ``Access/since``, and whether there was a delivery.
    public func repeatedGrant(to reader: Reader, at now: Milliseconds) -> Grant? {
        guard let person, reader == request.scope.asker, case .organisation = reader, repeated(at: now) != nil else { return nil }
        return Grant(person: person, kinds: request.scope.kinds, ground: .delivered(id))
    }
}
