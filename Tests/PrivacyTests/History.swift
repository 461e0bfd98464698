import Privacy
import Vitals

/// What was done to one consent, in the order in which it was done, and what must follow from it: read off the history, not stepped.
struct History {
    enum Deed: Equatable {
        case sent, refused, yes, no, revoked, ended, delivered, nothing
    }

    let scope: ConsentScope
    let authority: Authority
    let parameters: ConsentParameters
    /// The asker was blocked, or the person unknown, when it left.
    var reached = false
    var deeds: [(deed: Deed, at: Milliseconds)] = []

    /// The instants between which there may be a grant; nil when there must be none at all.
    var window: (since: Milliseconds, until: Milliseconds)? {
        guard reached, let sent = deeds.firstIndex(where: { $0.deed == .sent }) else { return nil }
        let expires: Milliseconds =
            switch parameters.expiry {
            case .after(let wait): deeds[sent].at + wait
            case .at(let instant): instant
            }
        let before = deeds[sent...].prefix { $0.at < expires && ![.no, .ended].contains($0.deed) }
        guard let yes = before.firstIndex(where: { $0.deed == .yes }) else { return nil }
        let since = deeds[yes].at
        let until: Milliseconds =
            switch scope.term {
            case .once: since + parameters.deliveryWait
            case .lasting(let duration): since + duration
            case .until(let end): end
            case .untilRevoked: noon + 100_000 * day
            }
        let isClosed = deeds[(yes + 1)...].contains {
            $0.at >= until || $0.deed == .revoked || $0.deed == .ended || ($0.deed == .delivered && scope.term == .once)
        }
        return isClosed ? nil : (since, until)
    }
}
