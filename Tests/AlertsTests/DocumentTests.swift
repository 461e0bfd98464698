import Alerts
import Foundation
import Languages
import TestSupport
import Testing

/// The examples of docs/alerts.md. They are written with TRACKME_WRITE_TABLES set, and compared otherwise.
@Suite struct DocumentTests {
    private static let examples: [(name: String, text: String)] = [
        ("cap", cap), ("scaip", string(SCAIPRequest(.sample(), settings: .init(controllerID: "TM000123"), language: .english).xml)),
        ("sms", SMSText.text(.sample(), in: .english)), ("sms-it", SMSText.text(.sample(), in: .italian)),
        ("sms-test", SMSText.text(.sample(status: .test), in: .english)), ("aml", AMLText.text(.sample()) ?? ""),
        ("speech", SpokenText.sentences(.sample(), in: .english).joined(separator: "\n")),
        ("json", string(HookJSON.json(.sample(), language: .english))), ("pidf", string(PIDFLO.xml(.sample()) ?? [])),
    ]

    /// Up to the end of the first block.
    private static var cap: String {
        let text = string(CAPAlert.xml(.sample(), language: .english))
        return text.components(separatedBy: "</info>")[0] + "</info>\n…"
    }

    @Test("SOS-6, SOS-17: the examples of docs/alerts.md are what is sent")
    func examples() throws {
        let url = Repository.url("docs/alerts.md")
        let page = try String(decoding: Data(contentsOf: url), as: UTF8.self)
        var written = page
        for (name, text) in Self.examples {
            let mark = try #require(written.range(of: "<!-- example: \(name) -->\n"), "\(name)")
            let open = try #require(written.range(of: "\n", range: mark.upperBound..<written.endIndex))
            let close = try #require(written.range(of: "```", range: open.upperBound..<written.endIndex))
            written.replaceSubrange(open.upperBound..<close.lowerBound, with: text.trimmingCharacters(in: .newlines) + "\n")
        }
        if ProcessInfo.processInfo.environment["TRACKME_WRITE_TABLES"] != nil { try Data(written.utf8).write(to: url) }
        #expect(written == page, "docs/alerts.md is not what is sent now: run this test with TRACKME_WRITE_TABLES set")
    }
}
