import Glibc
import Testing

@testable import Processes

/// Real programs, started by a helper through a real socket.
@Suite(.timeLimit(.minutes(1)))
struct ProgramHelperTests {
    @Test("OPS-4: a program that a helper starts reads, speaks, complains and ends as one of the hub's own, with its environment alone")
    func streams() throws {
        let helper = try HelperFixture(allowed: ["/bin/sh"])
        let given = try #require(Programs.pipe(keeping: .write)), taken = try #require(Programs.pipe())
        let errors = try #require(Programs.pipe())
        let program = try helper.programs.start(
            ["/bin/sh", "-c", "cat; echo \"$ONE-$HOME\" >&2; exit 7"], environment: ["ONE=1"],
            .init(input: given.read, output: taken.write, errors: errors.write))
        for end in [given.read, taken.write, errors.write] { close(end) }
        #expect(program.id > 1 && program.id != getpid())
        #expect(program.ending == nil)
        #expect(write(given.write, "hello\n", 6) == 6)
        close(given.write)
        #expect(whole(of: taken.read) == "hello\n")
        #expect(whole(of: errors.read) == "1-\n")
        #expect(program.wait() == .exited(7))
        #expect(program.ending == .exited(7))
        for end in [taken.read, errors.read] { close(end) }
    }

    @Test("OPS-4: nothing is started that the helper's unit does not name; what is missing, and what is too long, is said with its reason")
    func refusals() throws {
        let helper = try HelperFixture(allowed: ["/nonexistent/program", "/bin/true"])
        func failure(_ command: [String], by programs: Programs? = nil) -> Int32? {
            do throws(Programs.Failure) {
                _ = try (programs ?? helper.programs).start(command, environment: [], .init())
                return nil
            } catch { return error.code }
        }
        #expect(failure(["/bin/sh", "-c", "true"]) == EPERM)
        #expect(failure(["/bin/../bin/true"]) == EPERM)
        #expect(helper.refused == ["/bin/sh", "/bin/../bin/true"])
        #expect(failure(["/nonexistent/program"]) == ENOENT)
        #expect(failure(["/bin/true", String(repeating: "x", count: HelperMessage.max)]) == E2BIG)
        #expect(failure(["/bin/true", "a\0b"]) == E2BIG)
        #expect(failure(["/bin/true"]) == nil)
        #expect(failure(["/bin/true"], by: .helper(at: "/nonexistent/socket")) == ECONNREFUSED, "no missing program")
    }

    @Test("OPS-4: a signal reaches a helper's program and what that has started; its handle tells the end")
    func signals() throws {
        let helper = try HelperFixture(allowed: ["/bin/sh"]), taken = try #require(Programs.pipe())
        let program = try helper.programs.start(
            ["/bin/sh", "-c", "sleep 600 & echo begun; wait"], environment: ["PATH=/usr/bin:/bin"], .init(output: taken.write))
        close(taken.write)
        var polled = pollfd(fd: taken.read, events: Int16(POLLIN), revents: 0)
        #expect(poll(&polled, 1, 30_000) == 1)
        let handle = program.makeHandle()
        defer { close(handle) }
        var ended = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        #expect(poll(&ended, 1, 0) == 0)
        program.send(SIGTERM)
        // Nobody holds the pipe any more, neither the shell nor its child.
        #expect(whole(of: taken.read) == "begun\n")
        #expect(poll(&ended, 1, 30_000) == 1)
        #expect(program.wait() == .killed(signal: SIGTERM))
        program.send(SIGKILL)
        close(taken.read)
    }

    @Test("OPS-4: a program ends when whoever asked for it is gone, and is lost when its helper is")
    func gone() throws {
        let helper = try HelperFixture(allowed: ["/bin/sleep"])
        let first = try #require(Programs.pipe()), second = try #require(Programs.pipe())
        do { _ = try helper.programs.start(["/bin/sleep", "600"], environment: [], .init(output: first.write)) }
        close(first.write)
        #expect(whole(of: first.read) == "")
        let program = try helper.programs.start(["/bin/sleep", "600"], environment: [], .init(output: second.write))
        close(second.write)
        helper.end()
        #expect(whole(of: second.read) == "")
        #expect(program.wait() == .lost(ECONNRESET))
        for end in [first.read, second.read] { close(end) }
    }

    @Test("OPS-4: requests and words come back from their bytes as they were, and nothing else is taken for one")
    func messages() throws {
        let request = HelperMessage.Request(command: ["/bin/x", "", "è"], environment: ["A=", "B=2"], streams: 5)
        let bytes = try #require(request.bytes)
        #expect(HelperMessage.Request(bytes[...]) == request)
        for count in 0..<4 { #expect(HelperMessage.Request(bytes[..<count]) == nil) }
        #expect(HelperMessage.Request(bytes.dropLast()) == nil)
        #expect(HelperMessage.Request([0, 0, 0, 65, 0]) == nil, "no program")
        #expect(HelperMessage.Request([0, 2, 0, 65, 0]) == nil, "fewer words than it says")
        #expect(HelperMessage.Request([8, 1, 0, 65, 0]) == nil, "a fourth stream")
        for word in [HelperMessage.Word.started(70_000), .failed(2), .exited(255), .killed(9), .signal(-1)] {
            #expect(HelperMessage.Word(word.bytes[...]) == word)
            #expect(HelperMessage.Word(word.bytes.dropLast()) == nil)
        }
        #expect(HelperMessage.Word([6, 0, 0, 0, 0]) == nil)
    }
}
