import Foundation
import TestSupport
import Testing

/// `trackme-hub doctor` and `trackme-hub serve --check` as scripts see them.
@Suite struct DoctorCommandTests {
    private let programs: InstalledPrograms

    init() throws { programs = try InstalledPrograms() }

    @Test("OPS-6: the doctor prints JSON, and ends with the status that it says; what it mends is mended on the disk")
    func doctor() throws {
        let hub = programs.path("hub")
        try FileManager.default.createDirectory(atPath: hub, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
        let before = try programs.run("trackme-hub", ["doctor", "--json", "--directory", hub])
        let found = try #require(try JSONSerialization.jsonObject(with: Data(before.output.utf8)) as? [String: Any])
        #expect(before.status == 2 && found["status"] as? Int == 2)
        let items = try #require(found["findings"] as? [[String: Any]]), codes = items.compactMap { $0["code"] as? String }
        #expect(codes.contains("permissions.folder") && codes.contains("backups.none"))
        let after = try programs.run("trackme-hub", ["doctor", "--fix", "--directory", hub])
        #expect(after.output.contains("mended  permissions.folder: \(hub)") && !after.output.contains("FAULT   permissions"))
        #expect(try FileManager.default.attributesOfItem(atPath: hub)[.posixPermissions] as? Int == 0o700)
    }

    @Test("OPS-6: a look at the settings tells all mistakes and ends with 1, with 0 where there are none, and starts nothing")
    func check() throws {
        let file = programs.path("hub.yaml"), hub = programs.path("other")
        try "hub:\n  quota: 1\n  imports:\n    max: 1\n  quotas: 2\n".write(toFile: file, atomically: true, encoding: .utf8)
        let wrong = try programs.run("trackme-hub", ["serve", "--check", "--config", file, "--directory", hub])
        #expect(wrong.status == 1)
        for words in ["hub.quota is 1", "hub.imports.max is 1", "line 5: hub.quotas is no setting"] {
            #expect(wrong.output.contains(words), "\(words): \(wrong.output)")
        }
        try "hub:\n  quota: 10000000\n".write(toFile: file, atomically: true, encoding: .utf8)
        let right = try programs.run("trackme-hub", ["serve", "--check", "--config", file, "--directory", hub])
        #expect(right.status == 0 && right.output.contains("in order"), "\(right.output)")
        #expect(!FileManager.default.fileExists(atPath: hub))
    }
}
