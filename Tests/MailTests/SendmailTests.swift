import Foundation
import Mail
import Synchronization
import TestSupport
import Testing

/// A real program each time: what a mail system's `sendmail` is to the hub. One test after the other: a script that is just written cannot
/// be run while another test starts a program, which has the file open for a moment ("Text file busy").
@Suite("Handing mail over", .serialized, .timeLimit(.minutes(2)))
struct SendmailTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String) -> String { directory.url.appendingPathComponent(name).path }

    private func program(_ script: String) throws -> String {
        let path = file("sendmail")
        try "#!/bin/sh\n\(script)\n".write(toFile: path, atomically: false, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    private func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    private func problem(_ sendmail: Sendmail, _ message: MailMessage) async -> MailProblem? {
        do { try await sendmail.send(message) } catch { return error }
        return nil
    }

    @Test("ACC-5: the program gets the message as it is, with -i -t, and the end of it")
    func message() async throws {
        let path = try program("echo \"$@\" > '\(file("arguments"))'; cat > '\(file("message"))'")
        let message = try MailMessageTests.message(text: String(repeating: "È una riga.\n.\n", count: 10_000))
        try await Sendmail(program: path).send(message)
        #expect(try read("message") == message.encoded)
        #expect(message.encoded.count > 1 << 17, "more than a pipe takes at once")
        #expect(try read("arguments") == Array("-i -t\n".utf8))
    }

    @Test(
        "ACC-5: a program that says try later is told from one that refuses",
        arguments: [(75, true), (69, true), (68, true), (64, false), (65, false), (67, false), (77, false), (78, false), (1, false)])
    func statuses(status: Int, isTemporary: Bool) async throws {
        let path = try program(
            "cat > /dev/null; echo; echo 'no mail today' >&2; echo 'the server says 451' >&2; echo more >&2; exit \(status)")
        let said = "no mail today; the server says 451"
        let found = try #require(await problem(Sendmail(program: path), MailMessageTests.message()))
        #expect(
            found
                == (isTemporary
                    ? .temporary(program: path, status: status, said: said) : .refused(program: path, status: status, said: said)))
        #expect(found.retries == isTemporary)
    }

    @Test("ACC-5: what goes to a log names nobody")
    func addresses() async throws {
        let path = try program("echo \"sendmail: <anna@example.org>: unknown\tuser; to=anna@example.org\u{1B}[31m\" >&2; exit 67")
        let found = try #require(await problem(Sendmail(program: path), MailMessageTests.message()))
        #expect(found == .refused(program: path, status: 67, said: "sendmail: (address) unknown user; (address) [31m"))
        #expect(!found.description.contains("example"))
        let long = try program("echo \"\(String(repeating: "x ", count: 95)) a.very.long.name@example.org\" >&2; exit 67")
        let other = try #require(await problem(Sendmail(program: long), MailMessageTests.message()))
        #expect(other.what.hasSuffix("x (address)"))
    }

    @Test("ACC-5: a program that hangs is ended after its limit, with what it has started")
    func hanging() async throws {
        let path = try program("sleep 600 & echo $! > '\(file("pid"))'; wait")
        let found = await problem(Sendmail(program: path, limit: 2000), try MailMessageTests.message())
        #expect(found == .timedOut(program: path, limit: 2000))
        let child = try #require(Int32(String(decoding: read("pid"), as: UTF8.self).trimmingCharacters(in: .newlines)))
        for _ in 0..<500 where isAlive(child) { usleep(10_000) }
        #expect(!isAlive(child))
    }

    /// A child that waits for somebody to ask for its end has ended.
    private func isAlive(_ process: Int32) -> Bool {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
        return !status.contains(") Z ")
    }

    @Test("ACC-5: one that never ends talking, or reads nothing, is ended too", arguments: ["exec yes >&2", "exec sleep 600 <&-"])
    func unwilling(script: String) async throws {
        let path = try program(script)
        let message = try MailMessageTests.message(text: String(repeating: "A long text.\n", count: 10_000))
        #expect(await problem(Sendmail(program: path, limit: 1000), message) == .timedOut(program: path, limit: 1000))
    }

    @Test("ACC-5: a program that ends before it has read all does not end the hub")
    func closed() async throws {
        let message = try MailMessageTests.message(text: String(repeating: "A long text.\n", count: 19_000))
        let path = try program("exec <&-; sleep 0.3; exit 78")
        #expect(await problem(Sendmail(program: path), message) == .refused(program: path, status: 78, said: ""))
        #expect(await problem(Sendmail(program: "/bin/true"), message) == nil, "its status is what counts")
    }

    @Test("ACC-5: a program that is killed, missing or no program is told, and the mail may leave later")
    func failures() async throws {
        let message = try MailMessageTests.message()
        let path = try program("kill -9 $$")
        #expect(await problem(Sendmail(program: path), message) == .killed(program: path, signal: 9))
        let missing = file("nothing")
        #expect(await problem(Sendmail(program: missing), message) == .missing(program: missing))
        try "".write(toFile: missing, atomically: false, encoding: .utf8)
        let found = try #require(await problem(Sendmail(program: missing), message))
        #expect(found == .notStarted(program: missing, why: "Permission denied"))
        for problem in [found, .missing(program: missing), .killed(program: path, signal: 9)] {
            #expect(problem.retries && !problem.advice.isEmpty && problem.what.contains(file("")))
        }
    }

    @Test("ACC-5: messages at the same time go to few programs at once, and all arrive")
    func manyAtOnce() async throws {
        let folder = file("running")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let path = try program("mkdir '\(folder)/'$$; ls '\(folder)' | wc -l >> '\(file("counts"))'; sleep 0.05; rmdir '\(folder)/'$$")
        let sendmail = Sendmail(program: path), message = try MailMessageTests.message()
        try await withThrowingTaskGroup { group in
            for _ in 0..<30 { group.addTask { try await sendmail.send(message) } }
            try await group.waitForAll()
        }
        let counts = String(decoding: try read("counts"), as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        #expect(counts.count == 30)
        #expect((counts.max() ?? 0) <= 4)
    }

    @Test("ACC-5: more than 200 waiting messages are refused, and told")
    func full() async throws {
        let path = try program("cat > /dev/null; while [ ! -e '\(file("go"))' ]; do sleep 0.05; done")
        let sendmail = Sendmail(program: path), message = try MailMessageTests.message()
        let found = await withTaskGroup(of: MailProblem?.self) { group in
            for _ in 0..<205 { group.addTask { await problem(sendmail, message) } }
            let first = await group.next() ?? nil
            group.addTask {
                // The others are let go, and would wait for their limit.
                _ = FileManager.default.createFile(atPath: file("go"), contents: nil)
                return nil
            }
            return first
        }
        #expect(found == .busy(waiting: 200))
    }

    @Test("ACC-5: a mail program gets neither the hub's descriptors nor its secrets")
    func nothingElse() async throws {
        setenv("TRACKME_TEST_SECRET", "x", 1)
        let descriptor = open("/dev/null", O_RDONLY)
        defer { close(descriptor) }
        let path = try program("cat > /dev/null; env > '\(file("environment"))'; ls /proc/$$/fd > '\(file("descriptors"))'")
        try await Sendmail(program: path).send(MailMessageTests.message())
        let environment = String(decoding: try read("environment"), as: UTF8.self)
        #expect(environment.contains("PATH=") && !environment.contains("SECRET"))
        let descriptors = String(decoding: try read("descriptors"), as: UTF8.self).split(separator: "\n").compactMap { Int($0) }
        // 10 and above are the shell's own, for its script.
        #expect(descriptors.filter { $0 < 10 } == [0, 1, 2])
        #expect(!descriptors.contains(Int(descriptor)) || descriptor >= 10)
    }
}
