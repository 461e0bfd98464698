import Foundation
import TestSupport
import Testing
import Vitals

/// Power cuts in what the real program wrote, in the order in which it wrote and synced it.
@Suite(
    .enabled(if: FaultState.program != nil, "trackme-agent was not built"),
    .enabled(if: FaultShim.isAvailable, "there is no \(FaultShim.compiler)"))
struct FaultPowerCutTests {
    private enum Change {
        case write(offset: Int, bytes: Data)
        case cut(length: Int)
    }

    private struct Call {
        enum What {
            case change(Change)
            case sync
        }
        var file: Int
        var what: What
    }

    private static let sector = 512

    /// A file as its disk has it, and what was asked of the disk since the last sync.
    private struct Disk {
        var durable = Data()
        var waiting: [Change] = []

        mutating func sync() {
            for change in waiting { Self.apply(change, to: &durable) }
            waiting = []
        }

        /// A file that was removed whole stays so, with everything that was written to it before.
        mutating func removals() {
            guard let last = waiting.lastIndex(where: { if case .cut(0) = $0 { true } else { false } }) else { return }
            (durable, waiting) = (Data(), Array(waiting[(last + 1)...]))
        }

        static func apply(_ change: Change, to content: inout Data) {
            switch change {
            case .cut(let length):
                content = content.count > length ? Data(content.prefix(length)) : content + Data(count: length - content.count)
            case .write(let offset, let bytes):
                if content.count < offset + bytes.count { content += Data(count: offset + bytes.count - content.count) }
                content.replaceSubrange(offset..<offset + bytes.count, with: bytes)
            }
        }

        /// Of what waits, each sector of each write arrived, did not, or in part.
        func torn(_ random: inout SeededGenerator) -> Data {
            var content = durable
            for change in waiting {
                guard case .write(let offset, let bytes) = change else {
                    if Bool.random(using: &random) { Self.apply(change, to: &content) }
                    continue
                }
                for start in stride(from: 0, to: bytes.count, by: FaultPowerCutTests.sector) {
                    let whole = min(FaultPowerCutTests.sector, bytes.count - start)
                    let length = [0, whole, whole, Int.random(in: 0...whole, using: &random)].randomElement(using: &random) ?? 0
                    guard length > 0 else { continue }
                    let part = Data(bytes[bytes.startIndex + start..<bytes.startIndex + start + length])
                    Self.apply(.write(offset: offset + start, bytes: part), to: &content)
                }
            }
            return content
        }
    }

    private static func calls(_ log: Data) -> [Call] {
        var calls: [Call] = [], at = log.startIndex
        func number() -> Int {
            defer { at += 8 }
            return Int(log[at..<at + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
        }
        while at < log.endIndex {
            let (what, file, offset, length) = (number(), number(), number(), number())
            switch what {
            case 0:
                calls.append(Call(file: file, what: .change(.write(offset: offset, bytes: log[at..<at + length]))))
                at += length
            case 1: calls.append(Call(file: file, what: .sync))
            default: calls.append(Call(file: file, what: .change(.cut(length: offset))))
            }
        }
        return calls
    }

    /// The buffer as the next start finds it.
    private static func start(_ files: [Int: Data]) throws -> FaultStored {
        let directory = try TemporaryDirectory()
        for (file, ending) in [1: "", 2: "-wal", 3: "-journal"] {
            guard let content = files[file], !content.isEmpty else { continue }
            try content.write(to: directory.url.appendingPathComponent("buffer.sqlite" + ending))
        }
        return try FaultStored(directory: directory.url.path)
    }

    @Test("EDGE-5: whenever the power fails, what was synced is there, and of the rest each seal is there wholly or not at all")
    func anywhere() async throws {
        let seed = ProcessInfo.processInfo.environment["TRACKME_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let state = try FaultState()
        let run = try await state.replay(environment: state.withShim(["FAULT_RECORDS": 1]))
        #expect(run.succeeded, "\(run)")
        let calls = Self.calls(try state.takeOut()), whole = try state.stored()
        // The database, its log, and the journal that stands behind the database's first page, before there is a log.
        var disks = [1: Disk(), 2: Disk(), 3: Disk()]
        // Of the buffer at the last sync.
        var synced = 0
        var growths = 0
        for (index, call) in calls.enumerated() {
            if case .change(let change) = call.what {
                disks[call.file]?.waiting.append(change)
            } else {
                disks[call.file]?.sync()
                // A file system's own journal is in order: what was removed before a sync of another file is gone after it.
                disks[3]?.removals()
                let there = try Self.start(disks.mapValues(\.durable))
                #expect(there.sequences == Array(whole.sequences.prefix(there.sequences.count)), "seed \(seed), call \(index)")
                #expect((0...1).contains(there.sequences.count - synced), "each seal has a sync of its own: seed \(seed), call \(index)")
                growths += there.sequences.count - synced
                synced = there.sequences.count
            }
            guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
            var torn: [Int: Data] = [:]
            for file in disks.keys.sorted() { torn[file] = disks[file]?.torn(&random) }
            let found = try Self.start(torn)
            #expect(found.notices.isEmpty, "seed \(seed), call \(index): nothing is damaged")
            #expect(found.sequences == Array(whole.sequences.prefix(found.sequences.count)), "seed \(seed), call \(index)")
            #expect(found.sequences.count >= synced, "seed \(seed), call \(index)")
            #expect(found.times == Array(whole.times.prefix(found.times.count)), "seed \(seed), call \(index)")
        }
        #expect(synced == whole.sequences.count && growths > 5, "seed \(seed)")
    }
}
