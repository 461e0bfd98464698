import Credentials
import Distress
import Foundation
import HubStore
import Logging
import Privacy
import Seams
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What happened, with the time of day in milliseconds since the start.
private final class Trace: Sendable {
    private let lines = Mutex<[String]>([])
    private let clock: ManualClock, start: Milliseconds

    init(_ clock: ManualClock) { (self.clock, start) = (clock, clock.now) }

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append("\(clock.now - start) \(line)") } }
}

/// A hub of services and stores on one thread, in virtual time, with databases in memory.
private struct VirtualHub {
    let hub: ServicesFixture, town: SOSTown, own: OwnDataFixture, trace: Trace
    private let running: [Task<Void, Never>]

    init(_ virtual: VirtualMachine, _ trace: Trace) async throws {
        hub = try ServicesFixture(clock: virtual.clock, databases: .inMemory, machine: virtual.machine)
        self.trace = trace
        town = try await SOSTown(hub)
        own = try OwnDataFixture(hub, sos: town.sos.store)
        trace.add("enrolled box \(town.box.id) of \(town.person.id) with \(town.box.token), hub \(hub.accounts.incarnation)")
        town.outbox.before.withLock { $0 = { trace.add("to \($0)") } }
        let sos = town.sos, clock = virtual.clock
        let maintenance = Maintenance(
            accounts: hub.accounts, merger: hub.series.merger, rollups: hub.series.rollups, authenticator: hub.authenticator,
            deletion: own.deletion,
            quota: Quota(accounts: hub.accounts, space: hub.series.space, audit: own.audit), audit: own.audit, logger: own.logger,
            now: { clock.now })
        running = [
            virtual.machine.start { try? await sos.run() }, virtual.machine.start { try? await maintenance.run() },
        ]
    }

    func stop() async {
        for task in running { task.cancel() }
        for task in running { await task.value }
    }

    func samples() async throws {
        let stream: StreamID = hub.accounts.randomness.id(), machine = hub.accounts.machine
        for sequence: UInt64 in 1...10 {
            try await machine.sleep(for: .seconds(1))
            let segment = hub.segment(
                sequence, stream: stream, person: town.person.id.person, rate: 60 + UInt16(sequence), time: hub.clock.now)
            trace.add("samples \(try await hub.send([segment], token: town.box.token).streams)")
        }
    }

    func alarm() async throws {
        let machine = hub.accounts.machine, alarm = try town.helpAlarm()
        trace.add("alarm \(try await town.send(town.report(1, alarm)))")
        try await machine.sleep(for: .seconds(300))
        for sent in town.outbox.all { trace.add("\(sent.to) reads \(sent.text)") }
        trace.add(
            "cases \(try town.sos.store.cases(of: town.person.id.person).map { "\($0.id) \($0.links) \($0.rounds) \($0.calls.map(\.tries))" })"
        )
    }

    func deletion() async throws {
        trace.add("kept \(try kept())")
        try own.deletion.deletePerson(town.person.id.person, by: town.person.id, now: hub.clock.now)
        try await hub.accounts.machine.sleep(for: .seconds(10))
        trace.add("left \(try kept())")
    }

    /// Samples and cases of the person, whether there is one, and rows of the audit log.
    private func kept() throws -> String {
        let person = town.person.id.person
        let samples = try hub.series.reader.read(.maintenance(of: person), from: .min / 2, to: .max / 2, now: 0)?.heartRates.count ?? 0
        return try "\(samples) \(town.sos.store.counts().all) \(hub.accounts.person(person) != nil) \(own.audit.verify().rows)"
    }
}

@Suite struct VirtualTimeTests {
    /// - Returns: what happened, and how often another thread took part.
    private func run(seed: UInt64) async throws -> (trace: [String], strangers: Int) {
        try await withCheckedThrowingContinuation { continuation in
            // A thread of its own: the run blocks it.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let virtual = VirtualMachine(seed: seed), trace = Trace(virtual.clock)
                        let strangers = try virtual.run {
                            let hub = try await VirtualHub(virtual, trace)
                            try await hub.samples()
                            try await hub.alarm()
                            try await hub.deletion()
                            let strangers = virtual.strangers
                            await hub.stop()
                            return strangers
                        }
                        return (trace.all, strangers)
                    })
            }
        }
    }

    @Test(
        "enrolment, ten samples, an alarm and a deletion run on one thread in virtual time: twice the same with one seed, otherwise with another",
        .timeLimit(.minutes(1)))
    func twice() async throws {
        let first = try await run(seed: 7), second = try await run(seed: 7), other = try await run(seed: 8)
        #expect(second.trace == first.trace)
        #expect(other.trace != first.trace && other.trace.count == first.trace.count)
        #expect([first, second, other].allSatisfy { $0.strangers == 0 }, "another thread took part")
        let text = first.trace.joined(separator: "\n")
        #expect(first.trace.filter { $0.contains(" samples ") }.count == 10 && text.contains("to +3902"))
        #expect(text.contains("310000 kept 10 1 true 0") && first.trace.last == "320000 left 0 0 false 2")
    }

    @Test("ACC-6: a password is hashed on the machine's threads: here on the one thread, with the same salt for one seed")
    func password() throws {
        func hash(seed: UInt64) throws -> (text: String, strangers: Int) {
            let virtual = VirtualMachine(seed: seed), pepper = try #require(Pepper([UInt8](repeating: 7, count: 32)))
            let hasher = try PasswordHasher(pepper: pepper, cost: PasswordCost(kibibytes: 8, passes: 1), machine: virtual.machine)
            let text = try virtual.run { try await hasher.hash("three ducks swim to Bergamo") }
            return (text, virtual.strangers)
        }
        let first = try hash(seed: 7)
        #expect(try first == hash(seed: 7) && first.strangers == 0 && first.text != hash(seed: 8).text)
    }
}
