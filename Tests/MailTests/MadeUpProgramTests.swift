import TestSupport
import Testing

@testable import Mail

@Suite("Programs that take mails and messages, made up: without a process, and without a shell")
struct MadeUpProgramTests {
    /// What became of a mail.
    private func problem(_ script: MadeUpPrograms.Script, limit: Int64 = 20_000) async -> MailProblem? {
        let made = MadeUpPrograms { _ in script }
        do throws(MailProblem) {
            try await Sendmail(program: "/mail", limit: limit, programs: made.programs).send(MailMessageTests.message())
            return nil
        } catch { return error }
    }

    @Test("ACC-5: a program that takes the mail gets all of it, with its arguments")
    func takes() async throws {
        let made = MadeUpPrograms { _ in .exits(0) }, message = try MailMessageTests.message()
        try await Sendmail(program: "/mail", programs: made.programs).send(message)
        let input = String(decoding: message.encoded, as: UTF8.self)
        #expect(made.starts == [MadeUpPrograms.Start(command: ["/mail", "-i", "-t"], input: input)])
        try await MessageProgram("/text", programs: made.programs).send("Ciao", to: "+39333")
        #expect(made.starts.last == MadeUpPrograms.Start(command: ["/text", "+39333"], input: "Ciao"))
    }

    @Test("ACC-5: how a program ends is told apart: later, never, by a signal, too late, saying too much, and not at all")
    func ends() async {
        #expect(
            await problem(.exits(75, complains: "later, a@b.example\n"))
                == .temporary(program: "/mail", status: 75, said: "later, (address)"))
        #expect(await problem(.exits(78, complains: "no")) == .refused(program: "/mail", status: 78, said: "no"))
        #expect(await problem(.dies(signal: 11)) == .killed(program: "/mail", signal: 11))
        #expect(await problem(.hangs, limit: 50) == .timedOut(program: "/mail", limit: 50))
        #expect(await problem(.floods, limit: 50) == .timedOut(program: "/mail", limit: 50))
        #expect(await problem(.missing) == .missing(program: "/mail"))
    }
}
