import Crypto
import Foundation
import Glibc
import Seams
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

@Suite("Design rules 1, 3 and 6: files on a disk that is full, refuses, is killed at any step, or loses its power")
struct FileSystemTests {
    private static let old = Array("what was kept before".utf8), new = Array("what is kept from now on".utf8)

    /// Those of the machine, and those that tests bring: both do the same.
    private static func both(_ body: (any FileSystem, _ folder: String) throws -> Void) throws {
        let directory = try TemporaryDirectory()
        try body(Machine.system.files, directory.url.path)
        try body(MemoryFiles(), "/made-up")
    }

    @Test("files of the system and files in memory answer the same")
    func alike() throws {
        try Self.both { files, folder in
            let path = folder + "/a", other = folder + "/b"
            #expect(try files.read(path) == nil && !files.exists(path))
            try files.replace(path, with: Self.old)
            #expect(try files.read(path) == Self.old && files.facts(path)?.size == Self.old.count)
            let before = files.facts(path)
            try files.replace(path, with: Self.new)
            #expect(try files.read(path) == Self.new && files.facts(path) != before, "whoever looks sees that it is another file")
            #expect(try files.names(in: folder) == ["a"], "no draft is left")
            #expect(try !files.make(path, with: Self.old, draft: other) && files.read(path) == Self.new, "there is one already")
            #expect(try files.make(other, with: Self.old, draft: folder + "/c") && files.names(in: folder).sorted() == ["a", "b"])
            try files.append(Array("1\n2".utf8), to: folder + "/log") { $0.count }
            try files.append(Array("3\n".utf8), to: folder + "/log") { ($0.lastIndex(of: 10) ?? -1) + 1 }
            #expect(try files.read(folder + "/log") == Array("1\n3\n".utf8), "a torn line is cut")
            try files.move(other, to: path)
            try files.sync(path)
            #expect(try files.read(path) == Self.old && !files.exists(other))
            try files.remove(path)
            try files.remove(path)
            #expect(!files.exists(path))
            #expect(throws: FileProblem(.renamed, path, code: ENOENT)) { try files.move(path, to: other) }
            #expect("\(FileProblem(.written, "/x", code: ENOSPC))" == "/x cannot be written (No space left on device)")
        }
    }

    @Test("killed at any step, and without power after it, a file is the old one or the new one; what returned is on the disk")
    func replaced() throws {
        func disk() throws -> MemoryFiles {
            let files = MemoryFiles()
            try files.replace("/s/a", with: Self.old)
            return files
        }
        let whole = try disk(), before = whole.steps
        try whole.replace("/s/a", with: Self.new)
        let steps = whole.steps - before
        #expect(steps == 3, "written, renamed, and the name")
        whole.cutPower()
        #expect(try whole.read("/s/a") == Self.new)
        for step in 0..<steps {
            let files = try disk()
            files.kill(after: step)
            #expect(throws: FileProblem.self) { try files.replace("/s/a", with: Self.new) }
            files.cutPower()
            #expect(try files.read("/s/a") == Self.old, "\(step)")
        }
    }

    @Test("EDGE-14: killed at any step of a new enrolment, a box has the whole old identity or the whole new one, with its key")
    func enrolled() throws {
        let keys = (0..<2).map { _ in Identity.newKey() }
        let identities = try (0..<2).map { number in
            Identity(
                agent: AgentID(high: 1, low: UInt64(number)), name: "box", hub: try HubAddress("https://hub.example"),
                certificateAuthority: nil, persons: [])
        }
        var steps = 0
        repeat {
            let files = MemoryFiles(), place = try TemporaryDirectory()
            var machine = Machine.system
            machine.files = files
            let directory = try StateDirectory(place.url.path, machine: machine)
            try identities[0].save(key: keys[0], to: directory)
            files.kill(after: steps)
            let isSaved = (try? identities[1].save(key: keys[1], to: directory)) != nil
            files.cutPower()
            let found = try #require(try Identity.load(from: directory.path, machine: machine))
            let number = try #require(identities.firstIndex(of: found))
            #expect(try found.key(in: directory.path, machine: machine).rawRepresentation == keys[number].rawRepresentation)
            if isSaved {
                #expect(number == 1)
                break
            }
            steps += 1
        } while steps < 50
        #expect(steps > 5 && steps < 50)
    }

    @Test("EDGE-7: a disk that is full, or refuses, is told with the file's path, and what was kept stays; later it takes the settings")
    func told() throws {
        let files = MemoryFiles(), place = try TemporaryDirectory(), person = PersonID(high: 0, low: 7)
        var machine = Machine.system
        machine.files = files
        let directory = try StateDirectory(place.url.path, machine: machine)
        var settings = BoxSettings()
        settings[person].sensorName = "before"
        try settings.save(to: directory)
        settings[person].sensorName = "after"
        for isFull in [true, false] {
            if isFull { files.limit(to: 10) } else { files.refuse { act, _ in act == .renamed ? EIO : nil } }
            let problem = #expect(throws: AgentProblem.self) { try settings.save(to: directory) }
            #expect(problem?.what.hasPrefix("\(directory.path)/settings.json cannot be written (") == true)
            #expect(BoxSettings.load(from: directory).settings[person].sensorName == "before")
            files.limit(to: .max)
            files.refuse(nil)
        }
        try settings.save(to: directory)
        files.cutPower()
        #expect(BoxSettings.load(from: directory).settings[person].sensorName == "after")
    }
}
