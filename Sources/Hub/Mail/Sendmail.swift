import Foundation
public import Processes

/// Hands messages to the machine's mail program: msmtp, or the `sendmail` of a mail server. Each message has a process and a thread of its
/// own, a few at a time.
public struct Sendmail: MailCarrier {
    public static let standardProgram = "/usr/sbin/sendmail"
    /// The mail program may talk to a server while it runs.
    public static let standardLimit: Int64 = 30_000
    /// A process each: this suits a small hub. A large one has a mail server (``SMTPSubmission``).
    public let alarmsAtOnce = 16

    private let program: String
    private let programs: Programs
    private let limit: Int64
    private let alarms: MailPlaces, ordinary: MailPlaces

    /// - Parameters:
    ///   - program: the path of the mail program.
    ///   - limit: how long it may take for one message, in milliseconds.
    ///   - programs: those that start it.
    public init(program: String = standardProgram, limit: Int64 = standardLimit, programs: Programs = .system) {
        (self.program, self.limit, self.programs) = (program, limit, programs)
        (alarms, ordinary) = (MailPlaces(alarmsAtOnce), MailPlaces(Self.ordinaryAtOnce))
    }

    public func limit(_ urgency: MailUrgency) -> Int64 { limit }

    /// Returns when the mail program has taken the message over. Cancelling the task does not hold the message back.
    public func send(_ message: MailMessage, as urgency: MailUrgency) async throws(MailProblem) {
        let places = urgency == .alarm ? alarms : ordinary
        try await places.enter()
        let input = message.encoded
        // -i: a line with a single dot does not end the message. -t: the headers say for whom it is.
        let outcome = await onThread("mail") { MailChild.run([program, "-i", "-t"], by: programs, input: input, limit: limit) }
        await places.leave()
        if let problem = MailProblem(outcome, program: program, limit: limit) { throw problem }
    }
}

extension MailProblem {
    /// sysexits.h: NOHOST, UNAVAILABLE, OSERR, IOERR and TEMPFAIL. msmtp ends with the first when names cannot be resolved, and with the
    /// second when the server answers "later" (4xx) as well as "no" (5xx).
    private static let temporary = [68, 69, 71, 74, 75]
    private static let linesKept = 2, lineMaximum = 200

    init?(_ outcome: MailChild.Outcome, program: String, limit: Int64) {
        switch outcome {
        case .ended(0, _): return nil
        case .ended(let status, let bytes):
            let said = Self.withoutAddresses(bytes)
            self =
                Self.temporary.contains(status)
                ? .temporary(program: program, status: status, said: said) : .refused(program: program, status: status, said: said)
        case .killed(let signal): self = .killed(program: program, signal: signal)
        case .timedOut: self = .timedOut(program: program, limit: limit)
        case .notStarted(ENOENT): self = .missing(program: program)
        case .notStarted(let code): self = .notStarted(program: program, why: String(cString: strerror(code)))
        }
    }

    /// The first lines (the server's answer is msmtp's second one), in which no word with an @ is left: this goes to a log.
    static func withoutAddresses(_ said: some Sequence<UInt8>) -> String {
        let lines = Array(said).split(separator: 0x0A).map { line in
            // Cut last: half an address has no @.
            String(decoding: line, as: UTF8.self)
                .split { $0.isWhitespace || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
                .map { $0.contains("@") ? "(address)" : String($0) }.joined(separator: " ").prefix(lineMaximum)
        }
        return lines.filter { !$0.isEmpty }.prefix(linesKept).joined(separator: "; ")
    }
}
