import Foundation
import TestSupport
import Testing
import Vitals

@testable import SampleBuffer

/// The real program on a disk that fails. `TRACKME_SEED` repeats a run, `TRACKME_FAULTS` sets how many calls fail (24; 0: each one).
@Suite(.enabled(if: FaultState.program != nil, "trackme-agent was not built"))
struct FaultDiskTests {
    private static let environment = ProcessInfo.processInfo.environment

    /// One run, and what fails in it.
    private struct Fault: Sendable, CustomStringConvertible {
        var call: Int
        var count: Int
        var error: Int32

        var description: String { "\(count) calls from \(call) on, error \(error)" }
    }

    @Test(
        "EDGE-5: whichever call on the buffer's files fails, the agent ends by itself, says why, and every sample is there once",
        .enabled(if: FaultShim.isAvailable, "there is no \(FaultShim.compiler)"))
    func eachCall() async throws {
        let seed = Self.environment["TRACKME_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        let wanted = Self.environment["TRACKME_FAULTS"].flatMap { Int($0) } ?? 24
        var random = SeededGenerator(seed: seed)
        let fresh = try FaultState(), whole = try fresh.copy()
        let run = try await whole.replay(environment: whole.withShim([:]))
        #expect(run.succeeded, "\(run)")
        let calls = try #require(Int(String(decoding: try whole.takeOut(), as: UTF8.self)))
        let expected = try whole.stored()
        #expect(expected.times.count == FaultState.seconds - 20 && calls > 50, "\(calls) calls")
        // Opening makes most of them; each seal the same few.
        let all = Array(1...calls)
        let chosen = wanted == 0 || wanted >= calls ? all : Array(all.shuffled(using: &random).prefix(wanted))
        var faults = chosen.map { call in
            Fault(
                call: call, count: [1, 1, 8].randomElement(using: &random) ?? 1,
                error: [EIO, EIO, ENOSPC].randomElement(using: &random) ?? EIO)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                if let fault = faults.popLast() { group.addTask { try await Self.survive(fault, fresh, expected, seed) } }
            }
            while try await group.next() != nil {
                if let fault = faults.popLast() { group.addTask { try await Self.survive(fault, fresh, expected, seed) } }
            }
        }
    }

    private static func survive(_ fault: Fault, _ fresh: FaultState, _ expected: FaultStored, _ seed: UInt64) async throws {
        let state = try fresh.copy()
        let environment = try state.withShim(["FAULT_FROM": fault.call, "FAULT_COUNT": fault.count, "FAULT_ERROR": Int(fault.error)])
        let run = try await state.replay(environment: environment)
        let failed = String(decoding: try state.takeOut(), as: UTF8.self)
        let what = "seed \(seed), \(fault): \(run)\nfailed: \(failed)"
        #expect(!run.wasKilled && !run.timedOut, "\(what)")
        if run.succeeded {
            #expect(run.text.contains("Replayed to the end."), "\(what)")
        } else {
            // The person reads what is wrong and where.
            #expect(run.text.contains(state.path), "\(what)")
            let again = try await state.replay()
            #expect(again.succeeded, "\(what)\nagain: \(again)")
        }
        let stored = try state.stored(), (times, isOrdered) = (stored.times, stored.isOrdered)
        let isClean = stored.samples.gaps.isEmpty && stored.notices.isEmpty
        #expect(isClean, "nothing was damaged: \(what)")
        #expect(Set(times) == Set(expected.times), "nothing is missing: \(what)")
        #expect(isOrdered, "nothing is there twice: \(what)")
    }

    /// In a mount namespace of its own.
    static func mounting(_ script: String, _ state: FaultState) -> [String] {
        // $0 is the state's directory.
        ["unshare", "-rm", "sh", "-c", script, state.path]
    }

    static let canMount: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(
        "EDGE-5: on a disk that is full for a while, or stays full of what the hub has, or is read-only first, every sample is stored once",
        .enabled(if: canMount, "mounting is not permitted"),
        arguments: [
            ("full", "dd if=/dev/zero of=$d/filler bs=512 2>/dev/null; truncate -s -12288 $d/filler", "rm $d/filler"),
            ("full of what the hub has", "dd if=/dev/zero of=$d/filler bs=512 2>/dev/null; truncate -s -32768 $d/filler", ":"),
            ("read-only", "mount -o remount,ro $d", "mount -o remount,rw $d"),
        ])
    func realDisk(kind: String, breaking: String, mending: String) async throws {
        let fresh = try FaultState(), state = try fresh.copy()
        let whole = try await fresh.replay()
        #expect(whole.succeeded, "\(whole)")
        let expected = try fresh.stored()
        let isDelivered = kind == "full of what the hub has"
        if isDelivered { try state.deliver(400) }
        // The buffer is made before the fault, because a box has one.
        let buffer = try FaultStored(directory: state.path)
        #expect(buffer.sequences.isEmpty)
        let script = """
            d=$0.disk; mkdir $d && mount -t tmpfs -o size=400k none $d && cp -p $0/* $d || exit 70
            \(breaking)
            "$@" --state $d & sleep 4; echo MENDED; \(mending)
            wait $!; status=$?; rm -f $d/filler; cp -p $d/* $0; exit $status
            """
        var command = Self.mounting(script, state)
        command += [try #require(FaultState.program)] + fresh.arguments().dropLast(2)
        var run = try await FaultRun.of(command, limit: .seconds(40))
        rmdir(state.path + ".disk")
        // A recording that cannot be kept is told and ended, for another try.
        if !run.succeeded, kind == "read-only" {
            #expect(run.text.contains("cannot be written"), "\(run)")
            run = try await state.replay()
        } else {
            let before = run.text.components(separatedBy: "MENDED").first ?? ""
            #expect(before.contains("cannot be written") != isDelivered, "the person is told: \(run)")
        }
        #expect(run.succeeded, "\(run)")
        let stored = try state.stored()
        #expect(stored.times == expected.times && stored.samples.gaps.isEmpty && stored.notices.isEmpty, "\(run)")
        let left = try BufferStatus(ofBufferIn: state.path).acknowledgedSegments
        #expect(isDelivered ? (1..<400).contains(left) : left == 0)
    }
}
