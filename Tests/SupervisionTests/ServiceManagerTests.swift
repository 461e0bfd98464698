import Glibc
import Supervision
import Testing

/// One test for everything: the environment belongs to the whole process.
@Suite(.timeLimit(.minutes(1)))
struct ServiceManagerTests {
    @Test("OPS-4: systemd's socket hears ready, status, watchdog and stopping; without systemd nothing happens")
    func words() throws {
        unsetenv("NOTIFY_SOCKET")
        unsetenv("WATCHDOG_USEC")
        #expect(!ServiceManager.isUnderSystemd)
        #expect(ServiceManager.watchdogInterval == nil)
        try ServiceManager.ready()

        let socket = try NotifySocket()
        setenv("NOTIFY_SOCKET", socket.name, 1)
        setenv("WATCHDOG_USEC", "30000000", 1)
        defer {
            unsetenv("NOTIFY_SOCKET")
            unsetenv("WATCHDOG_USEC")
        }
        #expect(ServiceManager.watchdogInterval == 15_000)
        try ServiceManager.ready(status: "collecting")
        #expect(socket.next() == "READY=1\nSTATUS=collecting")
        try ServiceManager.status("strap lost\nMAINPID=1\r\nREADY=1" + String(repeating: "x", count: 500))
        let status = try #require(socket.next())
        #expect(status.hasPrefix("STATUS=strap lost MAINPID=1 READY=1xxx") && !status.contains("\n"))
        #expect(status.count == 207)
        try ServiceManager.watchdog()
        #expect(socket.next() == "WATCHDOG=1")
        try ServiceManager.stopping()
        #expect(socket.next() == "STOPPING=1")
        #expect(ServiceManager.isUnderSystemd)
        #expect(socket.next() == nil)

        setenv("NOTIFY_SOCKET", "@trackme-test-nobody", 1)
        let problem = #expect(throws: ServiceManagerProblem.self) { try ServiceManager.watchdog() }
        #expect(problem?.description.contains("Connection refused") == true)
    }
}
