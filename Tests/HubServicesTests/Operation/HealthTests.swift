import Alerts
import Foundation
import HubStore
import Logging
import Seams
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What is looked at to say whether a hub is well.
struct HealthTests {
    private static let minute: Milliseconds = 60_000, day: Milliseconds = 86_400_000

    private static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    @Test("OPS-3: a look that hangs is a finding, holds up no other, and is over when it comes back")
    func hangs() throws {
        let virtual = VirtualMachine(seed: 1), machine = virtual.machine
        let watch = HealthWatch(
            [
                HealthLook(.disk) { .disk(DiskRoom(free: 90, size: 100)) },
                HealthLook(.sync) {
                    try? await machine.sleep(for: .seconds(100))
                    return .sync(.success(.milliseconds(3)))
                },
            ], machine: machine, logger: Self.quiet)
        @Sendable func states() -> [HealthFinding.State] { watch.findings.map(\.finding.state) }
        try virtual.run {
            let running = machine.start { try? await watch.run() }
            try await machine.sleep(for: .seconds(20))
            #expect(states() == [.ok, .warning] && watch.faults.isEmpty, "it may come back")
            try await machine.sleep(for: .seconds(20))
            #expect(states() == [.ok, .failing] && watch.faults == [.sync])
            #expect(watch.findings.last?.finding.text.contains("hangs") == true)
            #expect(!watch.samples.contains { $0.metric == .diskSync }, "what was not measured is not there")
            try await machine.sleep(for: .seconds(65))
            #expect(states() == [.ok, .ok] && watch.faults.isEmpty)
            #expect(watch.samples.contains(MetricSample(.diskSync, 0.003)) && watch.samples.contains(MetricSample(.checkState, 0, "sync")))
            running.cancel()
            await running.value
        }
    }

    @Test("OPS-3: room is told before it is gone, on a small disk and on a large one")
    func disk() {
        let gigabyte = HealthFinding.gigabyte
        func state(_ free: Int64, _ size: Int64) -> HealthFinding.State { HealthFinding.disk(DiskRoom(free: free, size: size)).state }
        #expect(state(400 * gigabyte, 4000 * gigabyte) == .ok && state(11 * gigabyte, 4000 * gigabyte) == .ok)
        #expect(state(9 * gigabyte, 4000 * gigabyte) == .warning && state(gigabyte / 3, 4000 * gigabyte) == .failing)
        #expect(state(20_000_000, 64_000_000) == .ok && state(6_000_000, 64_000_000) == .warning)
        #expect(state(1_000_000, 64_000_000) == .failing && HealthFinding.disk(nil).state == .ok)
        #expect(HealthFinding.disk(DiskRoom(free: 9 * gigabyte, size: 500 * gigabyte)).text.contains("make room"))
    }

    @Test("OPS-3: a disk that is slow or refuses, and a database that cannot be written, are told with what to do")
    func stored() {
        #expect(HealthFinding.sync(.success(.milliseconds(20))).state == .ok)
        #expect(HealthFinding.sync(.success(.milliseconds(1500))).state == .warning)
        #expect(HealthFinding.sync(.success(.seconds(11))).state == .failing)
        let full = HealthFinding.sync(.failure(FileProblem(.written, "/hub/health-probe", code: ENOSPC)))
        #expect(full.state == .failing && full.text.contains("No space left"))
        func written(_ name: String, _ wait: Duration = .zero, _ problem: String? = nil) -> HealthFinding.Written {
            .init(name: name, wait: wait, problem: problem, bytes: nil)
        }
        #expect(HealthFinding.databases([written("accounts"), written("sos")]).state == .ok)
        #expect(HealthFinding.databases([written("accounts", .seconds(3)), written("sos")]).state == .warning)
        let locked = HealthFinding.databases([written("accounts"), written("sos", .seconds(10), "locked")])
        #expect(locked.state == .failing && locked.text.contains("sos (locked)"))
        #expect(locked.figures.contains(MetricSample(.databaseWritable, 0, "sos")))
        #expect(locked.figures.contains(MetricSample(.databaseWritable, 1, "accounts")))
    }

    @Test("OPS-3: what waits too long is told, and what waits as it should is not")
    func backlogs() {
        let now: Milliseconds = 1_800_000_000_000
        func ago(_ minutes: Milliseconds) -> Milliseconds { now - minutes * Self.minute }
        #expect(
            HealthFinding.merges(9, oldest: ago(11), now: now).state == .ok && HealthFinding.merges(0, oldest: nil, now: now).state == .ok)
        #expect(HealthFinding.merges(9, oldest: ago(31), now: now).state == .warning)
        #expect(HealthFinding.merges(9, oldest: ago(121), now: now).state == .failing)
        #expect(
            HealthFinding.mails(1, oldest: ago(14), now: now).state == .ok && HealthFinding.mails(0, oldest: nil, now: now).state == .ok)
        #expect(HealthFinding.mails(1, oldest: ago(16), now: now).state == .warning)
        #expect(HealthFinding.mails(1, oldest: ago(61), now: now).state == .failing)
        #expect(HealthFinding.mails(7, oldest: ago(16), now: now).figures == [MetricSample(.mails, 7), MetricSample(.mailsAge, 960)])
        // A receiver that fails is tried later: its webhook is due in the future.
        #expect(HealthFinding.webhooks(5000, due: now + 3_600_000, now: now).state == .ok)
        #expect(HealthFinding.webhooks(1, due: ago(2), now: now).state == .warning)
        #expect(HealthFinding.webhooks(1, due: ago(11), now: now).state == .failing)
        #expect(HealthFinding.timers(late: 0, veryLate: 0).state == .ok && HealthFinding.timers(late: 2, veryLate: 0).state == .warning)
        #expect(HealthFinding.timers(late: 2, veryLate: 1).state == .failing)
    }

    @Test("OPS-3: a clock that was set back or is not kept, and a certificate that ends, are told")
    func clockAndCertificate() {
        let now: Milliseconds = 1_800_000_000_000
        #expect(HealthFinding.clock(lead: 0, isSynchronized: nil).state == .ok)
        #expect(HealthFinding.clock(lead: 0, isSynchronized: true).state == .ok)
        #expect(HealthFinding.clock(lead: 0, isSynchronized: false).state == .warning)
        let back = HealthFinding.clock(lead: 5000, isSynchronized: true)
        #expect(back.state == .failing && back.figures.contains(MetricSample(.clockLead, 5)))
        #expect(HealthFinding.certificate(end: now + 15 * Self.day, now: now).state == .ok)
        #expect(HealthFinding.certificate(end: now + 13 * Self.day, now: now).state == .warning)
        #expect(HealthFinding.certificate(end: now + Self.day, now: now).state == .failing)
        #expect(HealthFinding.certificate(end: now - 1, now: now).text.contains("ended"))
        #expect(HealthFinding.certificate(end: nil, now: now).figures.isEmpty)
    }

    @Test("OPS-3, SOS-22: ways of a kind that all fail are told apart from one of several")
    func ways() {
        var bad = WayHealth(hasOneRecipient: true), good = bad
        bad.attempted(to: "a", .failure(WayFailure("refused")), at: 1)
        good.attempted(to: "a", .success("taken"), at: 1)
        func state(_ all: [(way: Way, health: WayHealth)]) -> HealthFinding.State {
            HealthFinding.ways("room", "Rooms", none: "None.", all).state
        }
        #expect(state([]) == .ok && state([(.mail, bad)]) == .ok, "another kind")
        #expect(state([(.room("a"), bad), (.room("b"), good)]) == .warning && state([(.room("a"), bad)]) == .failing)
        #expect(
            !HealthFinding.ways("room", "Rooms", none: "None.", [(.room("a"), bad)]).text.contains("refused"), "it may name a recipient")
    }
}
