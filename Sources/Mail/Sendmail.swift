import Foundation

/// Hands messages to the machine's mail program: msmtp, or the `sendmail` of a mail server. A few at a time, each on a thread of its own,
/// and the others wait in order.
public actor Sendmail {
    public static let standardProgram = "/usr/sbin/sendmail"
    /// The mail program may talk to a server while it runs.
    public static let standardLimit: Int64 = 30_000
    private static let atOnce = 4
    private static let waitingMaximum = 200

    private let program: String
    private let limit: Int64
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - program: the path of the mail program.
    ///   - limit: how long it may take for one message, in milliseconds.
    public init(program: String = standardProgram, limit: Int64 = standardLimit) {
        (self.program, self.limit) = (program, limit)
    }

    /// Returns when the mail program has taken the message over. Cancelling the task does not hold the message back.
    public func send(_ message: MailMessage) async throws(MailProblem) {
        try await enter()
        let outcome = await Self.run(program, message.encoded, limit)
        leave()
        if let problem = MailProblem(outcome, program: program, limit: limit) { throw problem }
    }

    private func enter() async throws(MailProblem) {
        if running < Self.atOnce {
            running += 1
            return
        }
        guard waiting.count < Self.waitingMaximum else { throw .busy(waiting: waiting.count) }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// The next one takes the place over, so that nobody can come between.
    private func leave() {
        if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
    }

    private static func run(_ program: String, _ input: [UInt8], _ limit: Int64) async -> MailChild.Outcome {
        await withCheckedContinuation { continuation in
            // -i: a line with a single dot does not end the message. -t: the headers say for whom it is.
            let thread = Thread { continuation.resume(returning: MailChild.run([program, "-i", "-t"], input: input, limit: limit)) }
            thread.name = "mail"
            thread.start()
        }
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
    private static func withoutAddresses(_ said: [UInt8]) -> String {
        let lines = said.split(separator: 0x0A).map { line in
            // Cut last: half an address has no @.
            String(decoding: line, as: UTF8.self)
                .split { $0.isWhitespace || $0.unicodeScalars.contains { $0.properties.generalCategory == .control } }
                .map { $0.contains("@") ? "(address)" : String($0) }.joined(separator: " ").prefix(lineMaximum)
        }
        return lines.filter { !$0.isEmpty }.prefix(linesKept).joined(separator: "; ")
    }
}
