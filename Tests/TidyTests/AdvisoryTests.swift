import Foundation
import Testing

/// `packaging/advisories`, with made-up lists of parts and made-up advisories of a folder.
@Suite("Advisories", .timeLimit(.minutes(2)))
struct AdvisoryTests {
    private struct Said {
        let status: Int32
        let output: String, errors: String
        /// The list of parts, as it is afterwards.
        let list: [String: Any]
    }

    private static let parts = """
        {"components": [
            {"bom-ref": "nio", "name": "swift-nio", "version": "2.90.1", "purl": "pkg:swift/github.com/apple/swift-nio@2.90.1"},
            {"bom-ref": "curl", "name": "libcurl4", "version": "7.88.1-10+deb12u9", "purl": "pkg:deb/debian/libcurl4@7.88.1-10+deb12u9",
             "properties": [{"name": "trackme:source", "value": "curl"}]},
            {"bom-ref": "swift", "name": "swift", "version": "6.2", "purl": "pkg:generic/swift@6.2"}]}
        """

    private func advisory(_ id: String, _ ecosystem: String, _ name: String, _ events: String) -> String {
        """
        {"id": "\(id)", "affected": [{"package": {"ecosystem": "\(ecosystem)", "name": "\(name)"},
            "ranges": [{"type": "ECOSYSTEM", "events": [\(events)]}]}]}
        """
    }

    private func look(_ advisories: [String], allow: String = "") throws -> Said {
        let folder = FileManager.default.temporaryDirectory.appending(path: "advisories-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder.appending(path: "known"), withIntermediateDirectories: true)
        for (index, text) in advisories.enumerated() {
            try text.write(to: folder.appending(path: "known/\(index).json"), atomically: true, encoding: .utf8)
        }
        let list = folder.appending(path: "list.json"), allowed = folder.appending(path: "allow")
        try Self.parts.write(to: list, atomically: true, encoding: .utf8)
        try allow.write(to: allowed, atomically: true, encoding: .utf8)
        let process = Process(), output = Pipe(), errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
            ["python3", SourceTree.root.appending(path: "packaging/advisories").path, "--from", folder.appending(path: "known").path]
            + ["--allow", allowed.path, list.path]
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        let said = (output.fileHandleForReading.readDataToEndOfFile(), errors.fileHandleForReading.readDataToEndOfFile())
        process.waitUntilExit()
        let after = try JSONSerialization.jsonObject(with: Data(contentsOf: list)) as? [String: Any]
        return Said(
            status: process.terminationStatus, output: String(decoding: said.0, as: UTF8.self),
            errors: String(decoding: said.1, as: UTF8.self), list: after ?? [:])
    }

    private let nio = "https://github.com/apple/swift-nio.git"
    private let mended = #"{"introduced": "2.0.0"}, {"fixed": "2.90.2"}"#

    @Test("DATA-11: a part with a known weakness and an update fails the look-up, and stands in the list of parts")
    func update() throws {
        let said = try look([
            advisory("GHSA-1", "SwiftURL", nio, mended),
            advisory("DEBIAN-1", "Debian:12", "curl", #"{"introduced": "0"}, {"fixed": "7.88.1-10+deb12u10"}"#),
        ])
        #expect(said.status == 1 && said.output.contains("2 to be updated"), "\(said.errors)")
        #expect(said.output.contains("UPDATE GHSA-1: github.com/apple/swift-nio 2.90.1, mended in 2.90.2"))
        #expect(said.output.contains("UPDATE DEBIAN-1: curl 7.88.1-10+deb12u9, mended in 7.88.1-10+deb12u10"))
        let found = try #require(said.list["vulnerabilities"] as? [[String: Any]])
        #expect(found.compactMap { $0["id"] as? String } == ["DEBIAN-1", "GHSA-1"])
        #expect((found[1]["affects"] as? [[String: String]])?.compactMap { $0["ref"] } == ["nio"])
    }

    @Test(
        "DATA-11: what was mended before, came later, is of another part, or has no update yet fails nothing",
        arguments: [
            ("SwiftURL", "https://github.com/apple/swift-nio.git", #"{"introduced": "0"}, {"fixed": "2.9.0"}"#, false),
            ("SwiftURL", "https://github.com/apple/swift-nio.git", #"{"introduced": "2.90.2"}"#, false),
            ("SwiftURL", "https://github.com/apple/swift-log.git", #"{"introduced": "0"}"#, false),
            ("Debian:11", "curl", #"{"introduced": "0"}"#, false), ("Debian:12", "curl", #"{"introduced": "0"}"#, true),
            ("Debian:12", "curl", #"{"introduced": "0"}, {"fixed": "7.88.1-9"}"#, false),
        ] as [(String, String, String, Bool)])
    func nothing(ecosystem: String, name: String, events: String, isListed: Bool) throws {
        let said = try look([advisory("ID-1", ecosystem, name, events)])
        #expect(said.status == 0 && said.output.contains("ID-1") == isListed, "\(said.output)\(said.errors)")
    }

    @Test("DATA-11: what does not concern us says why, and a reason that is missing is told")
    func allowed() throws {
        let said = try look([advisory("GHSA-1", "SwiftURL", nio, mended)], allow: "# a comment\nGHSA-1 the server part is not linked\n")
        #expect(said.status == 0 && said.output.contains("GHSA-1") && said.output.contains("the server part is not linked"))
        let wrong = try look([advisory("GHSA-1", "SwiftURL", nio, mended)], allow: "GHSA-1\n")
        #expect(wrong.status == 1 && wrong.errors.contains("why it does not concern us"))
    }
}
