import Foundation
import TestSupport
import Testing

@testable import HubWeb

@Suite("What the doctor says")
struct DoctorReportTests {
    private static let warning = DoctorFinding(.warning, .mail, "sender", "Nobody can answer.", at: "hub.mail.sender", "Set it.")
    private static let fault = DoctorFinding(
        .permissions, "secret", "Others can read it.", at: "/hub/audit.key", "sudo chmod",
        mending: .take(rights: 0o044, path: "/hub/audit.key"))

    @Test("OPS-6: the status says whether there are faults, warnings alone, or nothing")
    func status() {
        #expect(DoctorReport(findings: []).status == 0)
        #expect(DoctorReport(findings: [Self.warning]).status == 1)
        #expect(DoctorReport(findings: [Self.warning, Self.fault]).status == 2)
    }

    @Test("OPS-6: for people the report says what, where and what to do; what is in order is named")
    func text() {
        let lines = DoctorReport(findings: [Self.warning], mended: [Self.fault]).lines
        #expect(lines[0] == "mended  permissions.secret: /hub/audit.key")
        #expect(lines[1...3] == ["warning mail.sender: Nobody can answer.", "        where: hub.mail.sender", "        to do: Set it."])
        #expect(lines[4].hasPrefix("in order: settings, certificate, texts, disk") && !lines[4].contains("mail,"))
        #expect(lines[5] == "Faults: 0, warnings: 1.")
    }

    @Test("OPS-6: for programs the report is JSON with codes that stay")
    func json() throws {
        let text = try DoctorReport(findings: [Self.fault, Self.warning]).json()
        let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(root["status"] as? Int == 2 && (root["checked"] as? [String])?.count == 12)
        let items = try #require(root["findings"] as? [[String: Any]])
        #expect(items.map { $0["code"] as? String } == ["permissions.secret", "mail.sender"])
        #expect(items[0]["where"] as? String == "/hub/audit.key" && items[0]["severity"] as? String == "fault")
        #expect(items[0]["mending"] as? String == "chmod go-r '/hub/audit.key'" && items[1]["mending"] == nil)
    }

    @Test("OPS-6: settings that cannot be read at all are a finding, too")
    func unreadable() async throws {
        let folder = try TemporaryDirectory(), file = folder.url.appending(path: "hub.yaml")
        try Data("hub: [\n".utf8).write(to: file)
        var said: [String] = []
        let wish = HubDoctorCommand.Wish(file: file.path, directory: folder.url.path, isJSON: false, fixes: false)
        #expect(try await HubDoctorCommand.run(wish, ask: nil, say: { said.append($0) }) == 2)
        #expect(said.first?.contains("settings.unreadable") == true)
    }
}
