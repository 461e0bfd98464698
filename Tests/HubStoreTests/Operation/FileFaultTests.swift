import Crypto
import Foundation
import Glibc
import Seams
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite("The hub's small files on a disk that is full, is killed at any step, or loses its power")
struct FileFaultTests {
    private static func machine(_ files: MemoryFiles) -> Machine {
        var machine = Machine.system
        machine.files = files
        return machine
    }

    @Test("DATA-11: killed at any step, a key's file holds the whole old key or the whole new one, and a first one is whole or not there")
    func keys() throws {
        let (old, new): ([UInt8], [UInt8]) = (Array(repeating: 1, count: 32), Array(repeating: 2, count: 32))
        for step in 0..<12 {
            let files = MemoryFiles(), machine = Self.machine(files)
            files.kill(after: step)
            let isMade = (try? KeyFile.makeIfMissing("/h/master.key", old, machine)) != nil
            files.cutPower()
            let first = KeyFile.read("/h/master.key", machine)
            #expect(isMade ? first == old : first == nil || first == old, "\(step)")
            try KeyFile.makeIfMissing("/h/master.key", old, machine)
            files.kill(after: step)
            let isReplaced = (try? KeyFile.replace("/h/master.key", new, machine)) != nil
            files.cutPower()
            #expect(KeyFile.read("/h/master.key", machine) == (isReplaced ? new : old), "\(step)")
        }
    }

    @Test("DATA-11: a checkpoint that a full disk refuses is told, one that a kill tears was never there, and those before stay")
    func checkpoints() throws {
        let files = MemoryFiles(), file = AuditCheckpointFile(path: "/h/audit.jsonl", files: files), key = Curve25519.Signing.PrivateKey()
        let made = try (1...3).map { try AuditCheckpoint.signed(row: Int64($0), hash: [UInt8($0)], time: 0, by: key) }
        try file.append(made[0])
        let size = try #require(files.facts("/h/audit.jsonl")?.size)
        files.limit(to: size + 20)
        let problem = #expect(throws: HubStoreError.self) { try file.append(made[1]) }
        #expect(problem?.description.contains("/h/audit.jsonl") == true && problem?.description.contains("No space left") == true)
        #expect(try file.read() == [made[0]])
        files.limit(to: .max)
        files.kill(after: 0)
        #expect(throws: HubStoreError.self) { try file.append(made[1]) }
        files.cutPower()
        #expect(try files.read("/h/audit.jsonl").map(\.count) ?? 0 > size, "a part of the line is there")
        #expect(try file.read() == [made[0]])
        try file.append(made[2])
        #expect(try file.read() == [made[0], made[2]])
    }
}
