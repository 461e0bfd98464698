/// Which mails and push messages leave first, the highest before all others. The raw values stand in the columns `urgent`: rows that were
/// stored before ``alarm`` was told apart from ``protection`` have 1 for both.
enum NoticeUrgency: Int64, Sendable, CaseIterable {
    case ordinary = 0
    /// About AutomatedSOS, and about nobody in distress: tests, protection, ways out of the hub.
    case protection = 1
    /// Somebody is or may be in distress now, or was until now.
    case alarm = 2

    /// - Parameter kind: the name of a notice or of a mail.
    init(_ kind: String) {
        guard kind.hasPrefix("sos.") else {
            self = .ordinary
            return
        }
        switch NoticeKind(rawValue: kind) {
        case .sosRaised, .sosTaken, .sosOver, .sosAsked, .sosQuestion, .sosOffer, .sosWarning, .sosPause, .sosInactive, .sosActive:
            self = .alarm
        default: self = .protection
        }
    }
}
