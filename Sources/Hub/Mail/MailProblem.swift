/// Why a message was not handed over, in words for the operator. It names nobody: addresses are taken out.
public enum MailProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The part of a message that can be unfit.
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
    /// The number of messages that wait already.
    case busy(waiting: Int)
    /// The mail server cannot be reached, or stopped talking before it had the message.
    case unreachable(server: String, why: String)
    /// What the server shows is not what was asked for: its certificate, or no TLS at all.
    case insecure(server: String, why: String)
    /// The server does not know this hub: user, password, sender or address. It concerns every message.
    case barred(server: String, code: Int, said: String)
    /// The server takes it later (4xx).
    case deferred(server: String, code: Int, said: String)
    /// The server takes this message, or its reader, never (5xx).
    case rejected(server: String, code: Int, said: String)
    /// The server had all of the message and did not say whether it takes it: it may have left.
    case unanswered(server: String, why: String)
    /// The hub stops. Nothing left.
    case stopped

    /// Whether the same message may leave later: the machine failed, and not the message.
    public var retries: Bool {
        switch self {
        case .unfit, .refused, .rejected: false
        case .missing, .notStarted, .temporary, .killed, .timedOut, .busy, .unreachable, .insecure, .barred, .deferred, .unanswered,
            .stopped:
            true
        }
    }

    /// Whether the reader may have the message although it failed: sending it again may double it.
    public var mayHaveLeft: Bool { if case .unanswered = self { true } else { false } }

    /// The problem.
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
        case .unreachable(let server, let why): "No mail leaves: \(server) cannot be reached: \(why)"
        case .insecure(let server, let why): "No mail leaves: the line to \(server) is not secure: \(why)"
        case .barred(let server, let code, let said): "No mail leaves: \(server) answered \(code)\(told(said))"
        case .deferred(let server, let code, let said): "A message has to wait: \(server) answered \(code)\(told(said))"
        case .rejected(let server, let code, let said): "A message was refused: \(server) answered \(code)\(told(said))"
        case .unanswered(let server, let why):
            "A message may have left or not: \(server) had all of it and did not say whether it takes it: \(why)"
        case .stopped: "A message was not sent: the hub stops"
        }
    }

    /// The remedy.
    public var advice: String {
        switch self {
        case .unfit: "Look at what it was made of: control characters, or too long"
        case .missing: "Install a program for mail: apt-get install msmtp-mta, and describe your mail server in /etc/msmtprc"
        case .notStarted, .killed: "Try it by hand: echo | sendmail -i -t"
        case .temporary, .timedOut: "It is tried again; if that lasts, look whether the mail server can be reached"
        case .refused: "Look at the mail system's log, and at its settings (msmtp: /etc/msmtprc)"
        case .busy: "It is tried again; if that lasts, look why the mail server is slow"
        case .unreachable: "Look at hub.mail.server, and whether the server runs and no firewall stands between; it is tried again"
        case .insecure:
            "Name the server as in its certificate in hub.mail.server, its authority's file in hub.mail.authority, or, on this machine alone, set hub.mail.tls: false"
        case .barred: "Compare hub.mail.user, hub.mail.passwordFile and hub.mail.sender with what the server knows; it is tried again"
        case .deferred: "It is tried again; if that lasts, look at the mail server's log"
        case .rejected: "Look at the address, and at the mail server's log"
        case .unanswered: "Look why the mail server is slow. An alarm is sent again, and may come twice; other mails are not"
        case .stopped: "It leaves when the hub runs again"
        }
    }

    public var description: String { "\(what). \(advice)." }
}
