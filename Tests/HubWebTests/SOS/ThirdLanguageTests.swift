import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// A third language, tried with a made-up one: the English texts with a mark before each.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct ThirdLanguageTests {
    private static let mark = "¤"

    /// The three files of the language `eo`, but for one text of the pages.
    private func write(to folder: URL) throws {
        let language = folder.appendingPathComponent("eo")
        try FileManager.default.createDirectory(at: language, withIntermediateDirectories: true)
        for (part, path) in [("alarms", "Core/Alerts"), ("box", "Agent/AgentKit"), ("pages", "Hub/HubWeb")] {
            let english = try Data(contentsOf: Repository.url("Sources/\(path)/Assets/en.json"))
            let file = language.appendingPathComponent("\(part).json")
            if let texts = try? JSONDecoder().decode([String: String].self, from: english) {
                try JSONEncoder().encode(texts.mapValues { Self.mark + $0 }).write(to: file)
            } else {
                var sections = try JSONDecoder().decode([String: [String: String]].self, from: english)
                for section in sections.keys { sections[section] = sections[section]?.mapValues { Self.mark + $0 } }
                sections["logIn"]?["button"] = nil
                try JSONEncoder().encode(sections).write(to: file)
            }
        }
    }

    /// What a reader sees of a page.
    private func words(_ page: String) -> [String] {
        let body = page.split(separator: "<body", maxSplits: 1).last.map(String.init) ?? page
        return body.replacing(/<(script|style|svg)[\s\S]*?<\/\1>/, with: "").replacing(/^[^>]*>/, with: "").split(separator: /<[^>]*>/)
            .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }.filter { $0.contains { $0.isLetter } }
    }

    @Test(
        "ACC-12: a third language is a folder of files: pages, the box's page, a contact's mail and text are in it, and what it lacks is said"
    )
    func folder() async throws {
        let pagePort = 30_000 + Int(ProcessInfo.processInfo.processIdentifier) % 2000
        let world = try await SOSProcesses(contactLanguage: "eo")
        try write(to: URL(fileURLWithPath: world.path("languages")))
        world.more = ["TRACKME_LANGUAGES": world.path("languages"), "TRACKME_LANGUAGE": "eo", "TRACKME_PAGE_PORT": "\(pagePort)"]
        try await world.startHub()
        #expect(
            world.log("hub").contains("eo/pages.json: 1 text not translated, English stands there: logIn.button"), "\(world.log("hub"))")

        let page = try await world.send(.GET, "/log-in", language: "eo, en;q=0.5").body
        #expect(page.contains(#"<html lang="eo""#) && !page.contains(#"value="eo""#), "\(page)")
        let strange = words(page).filter { !$0.hasPrefix(Self.mark) }
        #expect(words(page).count > 8 && Set(strange).isSubset(of: ["TrackMe", "English", "Italiano", "Log in"]), "\(strange)")
        #expect(try await world.send(.GET, "/log-in", language: "fr").body.contains(#"<html lang="en""#))

        try world.enrol()
        try await world.startBox()
        try await world.settled()
        try world.command("trackme-agent", ["help", "--state", world.path("box")])
        try await world.until("the contact has a mail and a text: \(world.log("hub"))") {
            try world.left("mails").contains { $0.contains(SOSProcesses.contactMail) } && !world.left("texts").isEmpty
        }
        let text = try #require(try world.left("texts").first)
        #expect(text.contains("\(Self.mark)the person asks for help") && text.contains("\(Self.mark)To help"), "\(text)")
        let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: "http://127.0.0.1:\(pagePort)/"), timeout: .seconds(20))
        let shown = String(buffer: try await answer.body.collect(upTo: 1 << 20))
        let own = words(shown).filter { !$0.hasPrefix(Self.mark) }
        #expect(shown.contains(#"hreflang="eo""#) && Set(own).isSubset(of: ["TrackMe", "English", "Italiano"]), "\(own)")
        try await world.end()
    }
}
