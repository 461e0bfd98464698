import Foundation
import Logging
import Processes
import Seams
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@testable import HubWeb

@Suite("The hub under systemd", .timeLimit(.minutes(1)))
struct HubSupervisionTests {
    private final class Heard: Sendable {
        private let words = Mutex<[HubSupervision.Word]>([])
        var all: [HubSupervision.Word] { words.withLock { $0 } }
        func add(_ word: HubSupervision.Word) { words.withLock { $0.append(word) } }
    }

    @Test("OPS-6: systemd hears that the hub is ready once it listens, that it is alive once its threads have moved, and that it ends")
    func words() async throws {
        let (addresses, address) = AsyncStream.makeStream(of: String.self), (turns, turn) = AsyncStream.makeStream(of: Void.self)
        let (asked, ask) = AsyncStream.makeStream(of: Void.self), (moved, move) = AsyncStream.makeStream(of: Void.self)
        let (said, tell) = AsyncStream.makeStream(of: HubSupervision.Word.self), heard = Heard()
        let service = HubSupervision(
            address: { await addresses.first { _ in true } },
            pause: { if await turns.first(where: { _ in true }) == nil { throw CancellationError() } },
            moves: {
                ask.yield()
                _ = await moved.first { _ in true }
            },
            say: { word in
                heard.add(word)
                tell.yield(word)
            })
        let group = ServiceGroup(services: [service], logger: Logger(label: "test"))
        async let running: Void = group.run()
        var words = said.makeAsyncIterator(), asks = asked.makeAsyncIterator()
        turn.yield()
        #expect(heard.all.isEmpty)
        address.yield("https://hub.example:8443")
        #expect(await words.next() == .ready("listening on https://hub.example:8443"))
        _ = await asks.next()
        #expect(heard.all.count == 1, "its threads have not moved yet")
        move.yield()
        #expect(await words.next() == .alive)
        await group.triggerGracefulShutdown()
        #expect(await words.next() == .stopping)
        try await running
        #expect(heard.all.count == 3)
    }

    @Test("OPS-6: the programs of calls and of messages are started by their helpers, where there are some, and all others by the hub")
    func helpers() throws {
        var machine = Machine.system, configuration = HubConfiguration(directory: URL(fileURLWithPath: "/nonexistent"))
        machine.programs = MadeUpPrograms { _ in .exits(0) }.programs
        configuration.sms.command = "/usr/local/bin/text"
        func started(_ program: String) -> Int32? {
            do throws(Programs.Failure) {
                return try configuration.machine(machine).programs.start([program], environment: [], .init()).wait() == .exited(0) ? 0 : nil
            } catch { return error.code }
        }
        let lines = ["/usr/bin/baresip", "/usr/bin/espeak-ng"], messages = ["/usr/sbin/sendmail", "/usr/local/bin/text"]
        for program in lines + messages { #expect(started(program) == 0) }
        configuration.helpers.lines = "/nonexistent/lines"
        for program in lines { #expect(started(program) == ECONNREFUSED) }
        for program in messages { #expect(started(program) == 0) }
        (configuration.helpers.lines, configuration.helpers.messages) = (nil, "/nonexistent/messages")
        for program in messages { #expect(started(program) == ECONNREFUSED) }
        for program in lines + ["/usr/bin/env"] { #expect(started(program) == 0) }
    }
}
