/// Why a message was not handed over, in words for the operator. It names nobody: addresses are taken out.
public enum MailProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What of a message can be unfit.
    public enum Part: String, Sendable, Hashable, CaseIterable {
        case address, name, subject, text, date, id, unsubscribe
    }

    /// A part cannot stand in a message: control characters, too long, or no address.
    case unfit(Part)
    /// There is no such program.
    case missing(program: String)
    case notStarted(program: String, why: String)
    /// The program says that it may work later (EX_TEMPFAIL), or that the server cannot be reached or does not take it now.
    case temporary(program: String, status: Int, said: String)
    /// The program refuses the message, or is set up wrongly.
    case refused(program: String, status: Int, said: String)
    case killed(program: String, signal: Int)
    /// It was ended after so many milliseconds. The message may have left all the same.
    case timedOut(program: String, limit: Int64)
    /// So many messages wait already.
    case busy(waiting: Int)

    /// Whether the same message may leave later: the machine failed, and not the message.
    public var retries: Bool {
        switch self {
        case .unfit, .refused: false
        case .missing, .notStarted, .temporary, .killed, .timedOut, .busy: true
        }
    }

    /// What is wrong.
    public var what: String {
        func told(_ said: String) -> String { said.isEmpty ? "" : ": \(said)" }
        return switch self {
        case .unfit(let part): "A message cannot be written: its \(part.rawValue) does not fit"
        case .missing(let program): "No mail leaves: there is no \(program)"
        case .notStarted(let program, let why): "No mail leaves: \(program) cannot be started: \(why)"
        case .temporary(let program, let status, let said): "A message has to wait: \(program) ended with \(status)\(told(said))"
        case .refused(let program, let status, let said): "A message was refused: \(program) ended with \(status)\(told(said))"
        case .killed(let program, let signal): "A message was not sent: \(program) was ended by signal \(signal)"
        case .timedOut(let program, let limit): "A message was not sent: \(program) took more than \(limit / 1000) s and was ended"
        case .busy(let waiting): "A message was not sent: \(waiting) others wait already"
        }
    }

    /// What to do about it.
    public var advice: String {
        switch self {
        case .unfit: "Look at what it was made of: control characters, or too long"
        case .missing: "Install a program for mail: apt-get install msmtp-mta, and describe your mail server in /etc/msmtprc"
        case .notStarted, .killed: "Try it by hand: echo | sendmail -i -t"
        case .temporary, .timedOut: "It is tried again; if that lasts, look whether the mail server can be reached"
        case .refused: "Look at the mail system's log, and at its settings (msmtp: /etc/msmtprc)"
        case .busy: "It is tried again; if that lasts, look why the mail server is slow"
        }
    }

    public var description: String { "\(what). \(advice)." }
}
