import Alerts
import Mail

extension WayFailure {
    /// sysexits.h: DATAERR and NOUSER are about one message and one recipient.
    fileprivate static let statusesOfRecipient = [65, 67]

    /// A transport error's meaning for the way: nothing where one message or its recipient is to blame.
    init(_ error: any Error) {
        switch error {
        case let failure as WayFailure: self = failure
        case MailProblem.unfit(let part): self.init("a message's \(part.rawValue) does not fit", isOfWay: false)
        case let problem as MailProblem: self.init("\(problem.what). \(problem.advice)", isOfWay: !problem.isOfRecipient)
        default: self.init(String("\(error)".prefix(300)))
        }
    }
}

extension MailProblem {
    fileprivate var isOfRecipient: Bool {
        switch self {
        case .refused(_, let status, _): WayFailure.statusesOfRecipient.contains(status)
        // The server takes mails, and not this one; a hub that stops says nothing of its ways.
        case .rejected, .stopped: true
        default: false
        }
    }
}
