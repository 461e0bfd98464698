public import Processes

/// Hands short text messages to a program of the operator's, as `sendmail` takes mails: it is called with the number as its one argument and
/// reads the text, in UTF-8, from its standard input. Status 0 says that the message is on its way.
public struct MessageProgram: Sendable {
    /// An absolute path.
    public let program: String
    /// How long it may take for one message, in milliseconds.
    public let limit: Int64
    private let programs: Programs
    /// So many processes at a time are no burden: they wait for a gateway or a modem.
    public static let atOnce = 64

    /// - Parameters:
    ///   - limit: how long it may take for one message, in milliseconds.
    ///   - programs: those that start it.
    public init(_ program: String, limit: Int64 = 20_000, programs: Programs = .system) {
        (self.program, self.limit, self.programs) = (program, limit, programs)
    }

    /// Returns when the program has taken the message over.
    /// - Parameter number: E.164: a plus sign and digits.
    public func send(_ text: String, to number: String) async throws(MailProblem) {
        guard number.hasPrefix("+"), number.utf8.dropFirst().allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            throw .unfit(.address)
        }
        let outcome = await onThread("message") { MailChild.run([program, number], by: programs, input: Array(text.utf8), limit: limit) }
        if let problem = MailProblem(outcome, program: program, limit: limit) { throw problem }
    }
}
