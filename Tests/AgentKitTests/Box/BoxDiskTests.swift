import BlueZ
import Dispatch
import Foundation
import Glibc
import Logging
import Monitoring
import Sensing
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

/// A box whose disk hangs, or refuses what people chose: the box goes on, and says so.
@Suite(.timeLimit(.minutes(2)))
struct BoxDiskTests {
    @Test("EDGE-1, SOS-18: while the disk hangs the box ticks, shows its state and answers, and what was pressed is stored afterwards")
    func hangs() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        await fixture.beat(70)
        let disk = DispatchSemaphore(value: 0), recorder = fixture.parts.recorder
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task { await recorder.hang(disk, began: begin) }
        for await _ in began {}
        await fixture.box.chain.lookAtBuffer()
        for _ in 0..<3 { await fixture.beat(70) }
        #expect(await fixture.box.chain.isAlive())
        let status = await fixture.box.perform(ControlRequest(.status))
        #expect(status.isDone && status.status?.persons.first?.heartRate == 70)
        let sync = await fixture.box.perform(ControlRequest(.sync))
        #expect(!sync.isDone && sync.message.contains("disk") && sync.words == "problem.diskFails", "\(sync.message)")
        let help = await fixture.box.perform(ControlRequest(.help))
        // Whoever asks for help wants to know first what becomes of that; the disk comes behind it.
        #expect(help.isDone && help.message.contains("the box itself calls by its hooks."), "\(help.message)")
        #expect(help.message.hasSuffix("The disk does not come back: it is recorded as soon as it does."), "\(help.message)")
        let pause = await fixture.box.perform(ControlRequest(.pause, minutes: 5))
        #expect(pause.isDone && pause.message.hasPrefix("Paused for 5 minutes"), "\(pause.message)")
        fixture.clock.advance(DeliveryChain.stuckAfter + 1000)
        await fixture.box.tick()
        let link = await fixture.box.status().persons[0].links.first { $0.name == .buffer }
        #expect(link?.condition == .broken)
        disk.signal()
        await hanging.value
        #expect(try await fixture.stored()[fixture.person]?.events.map(\.code).contains(.help) == true)
    }

    @Test("EDGE-5: of a box whose disk hangs the watchdog hears that it lives; of one whose uploader is stuck by itself it hears nothing")
    func watchdog() async throws {
        // Takes what is sent and says nothing.
        let hub = try await ScriptedServer(nil, closes: false)
        let fixture = try BoxFixture(hub: "http://127.0.0.1:\(hub.port)"), (box, parts) = (fixture.box, fixture.parts)
        func wait(until condition: () -> Bool) async throws {
            while !condition() { try await Task.sleep(for: .milliseconds(10)) }
        }
        try await parts.recorder.store(token: "token", newStream: false)
        let sending = Task { try await parts.sync.run() }
        try await wait { parts.sync.snapshot.isDone && parts.sync.snapshot.busySince == nil }
        let disk = DispatchSemaphore(value: 0)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task { await parts.recorder.hang(disk, began: begin) }
        for await _ in began {}
        parts.nudges.signal(.urgent)
        try await wait { parts.sync.snapshot.busySince != nil }
        await box.chain.lookAtBuffer()
        fixture.clock.advance(600_000)
        #expect(await box.chain.isAlive())
        let contact = await box.chain.hubContact()
        if case .unreachable(let problem) = contact { #expect(problem.what.contains("disk")) } else { Issue.record("\(contact)") }
        disk.signal()
        await hanging.value
        try await wait { parts.sync.snapshot.busySince == nil }
        await parts.recorder.take(
            HeartRateEvent.measurement(HeartRateSample(time: fixture.clock.now, beatsPerMinute: 70)), of: fixture.person)
        // The suite's time limit ends it.
        while await box.chain.isAlive() {
            fixture.clock.advance(60_000)
            await box.chain.lookAtBuffer()
            await box.chain.awaitBuffer()
            try await Task.sleep(for: .milliseconds(20))
        }
        sending.cancel()
        _ = await sending.result
        await hub.stop()
        #expect(try await fixture.stored()[fixture.person]?.heartRates.count == 1)
    }

    @Test(
        "EDGE-5: after half an hour the watchdog hears that the box lives only as long as a small file does not come back from the disk",
        arguments: [true, false])
    func stuckByItself(isDisk: Bool) async throws {
        let fixture = try BoxFixture(), (box, parts) = (fixture.box, fixture.parts), path = fixture.directory.url.path
        // Whoever opens this to write waits for somebody who reads.
        let file = path + "/disk-test.new"
        if isDisk { try #require(mkfifo(file, 0o600) == 0) }
        let stuck = DispatchSemaphore(value: 0)
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let hanging = Task { await parts.recorder.hang(stuck, began: begin) }
        for await _ in began {}
        await box.chain.lookAtBuffer()
        fixture.clock.advance(DeliveryChain.hangTestedAfter - 1000)
        #expect(await box.chain.isAlive())
        var isTested = await box.chain.diskTest != nil
        #expect(!isTested)
        fixture.clock.advance(1000)
        if isDisk {
            for _ in 0..<20 {
                #expect(await box.chain.isAlive())
                try await Task.sleep(for: .milliseconds(10))
            }
            // Lets the thread go, which takes what it could not sync away as well. What it tries again is a file.
            let reader = open(file, O_RDONLY | O_NONBLOCK)
            var byte: UInt8 = 1
            try #require(reader >= 0)
            unlink(file)
            while read(reader, &byte, 1) != 1 { try await Task.sleep(for: .milliseconds(10)) }
            close(reader)
        } else {
            // The suite's time limit ends it.
            while await box.chain.isAlive() { try await Task.sleep(for: .milliseconds(10)) }
            while try FileManager.default.contentsOfDirectory(atPath: path).contains(where: { $0.hasPrefix("disk-test") }) {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        stuck.signal()
        await hanging.value
        await box.chain.awaitBuffer()
        #expect(await box.chain.isAlive())
        isTested = await box.chain.diskTest != nil
        #expect(!isTested)
    }

    @Test("EDGE-1: a disk that refuses the test may hang all the same: it is tried again, and only what was written says that it answers")
    func testRefused() async throws {
        let fixture = try BoxFixture(), file = fixture.directory.url.path + "/disk-test.new"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let test = DiskTest(fixture.state, every: .milliseconds(5), logger: Logger(label: "test") { _ in ToldLog(continuation) })
        var line = lines.makeAsyncIterator()
        #expect(await line.next()?.contains("cannot be tested") == true)
        try await Task.sleep(for: .milliseconds(50))
        #expect(!test.isBack)
        try FileManager.default.removeItem(atPath: file)
        #expect(await line.next()?.contains("the disk answers") == true, "the refusal is said once")
        #expect(test.isBack)
    }

    @Test("EDGE-7, EDGE-8: what the disk refuses holds until the restart, and the answer says that")
    func refuses() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let draft = fixture.directory.url.path + "/settings.json.new"
        try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
        let pause = await fixture.box.perform(ControlRequest(.pause, minutes: 5))
        #expect(pause.isDone && pause.message.contains("until the agent restarts") && pause.advice != nil, "\(pause.message)")
        #expect(pause.caution == "reply.unkept", "and for the page")
        #expect(await fixture.box.status().persons[0].pausedUntil != nil)
        let resume = await fixture.box.perform(ControlRequest(.resume))
        #expect(resume.message.contains("until the agent restarts"))
        #expect(await fixture.box.status().persons[0].pausedUntil == nil)
        let choice = await fixture.box.perform(ControlRequest(.kinds, kinds: KindsChoice(heartRate: false)))
        #expect(choice.isDone && choice.caution == "reply.unkept")
        await fixture.beat(70)
        _ = await fixture.box.perform(ControlRequest(.forget))
        #expect(await fixture.box.sensors.addresses[fixture.person] == nil)
        #expect(try await fixture.stored()[fixture.person]?.heartRates.isEmpty ?? true)
    }
}

extension Recorder {
    /// As on a disk that does not come back; `began` is told before.
    func hang(_ disk: DispatchSemaphore, began: AsyncStream<Void>.Continuation) {
        began.finish()
        disk.wait()
    }
}
