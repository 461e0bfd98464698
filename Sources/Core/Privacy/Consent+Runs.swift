public import Vitals

/// The readings that a check-in lets others see (RUN-5). The check-in is a consent for the organiser up to the end of the run; a public heart rate is a consent
/// of its own, about nothing else.
extension Consent {
    /// For so long after its end a run's organiser, and who looks at the results, read what was recorded during it, milliseconds: 30 days.
    /// Data of a dead spot comes late (RUN-14), and the organiser downloads afterwards (RUN-9).
    public static let runReadFor: Milliseconds = 30 * 86_400_000

    /// When the organiser was let read: while that runs, and until ``runReadFor`` after it ended by time or with the run. nil for every other
    /// consent, and from the moment on in which the person takes it back.
    public func runAccess(at now: Milliseconds) -> Access? {
        guard case .organiser = request.scope.asker else { return nil }
        switch state {
        case .awaitingOperator, .pending: return nil
        // However late the timer comes that closes it.
        case .accepted(let access): return now >= access.since && now < (access.until ?? .max).later(by: Self.runReadFor) ? access : nil
        case .over(let end):
            guard end.ending == .ranOut || end.ending == .endedByAsker, now >= end.at, now < end.at.later(by: Self.runReadFor) else {
                return nil
            }
            return end.access
        }
    }

    /// The organiser's grant. The caller asks for nothing that was recorded before ``Access/since`` or after the run.
    public func runGrant(to reader: Reader, at now: Milliseconds) -> Grant? {
        guard let person, reader == request.scope.asker, runAccess(at: now) != nil else { return nil }
        return Grant(person: person, kinds: request.scope.kinds, ground: .run(id))
    }

    /// The public's grant: of a check-in the position alone; the heart rate of a consent that is about the heart rate alone. The caller leaves
    /// out what lies near the runner's home, and what is younger than their delay (RUN-15).
    public func runPublicGrant(at now: Milliseconds) -> Grant? {
        guard let person, runAccess(at: now) != nil else { return nil }
        let kinds = request.scope.kinds
        if kinds.contains(.position) { return Grant(person: person, kinds: [.position], ground: .runPublic(id)) }
        return Set(kinds.map(\.column)) == [.heartRate] ? Grant(person: person, kinds: kinds, ground: .runPublic(id)) : nil
    }
}
