import Accounts
import Foundation
import HubServices
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// Importing files, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ImportPagesTests {
    private static let gpx = """
        <?xml version="1.0"?><gpx version="1.1" creator="made up" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>
        <trkpt lat="45.1" lon="9.1"><time>2024-05-01T10:00:00Z</time></trkpt>
        <trkpt lat="45.101" lon="9.1"><time>2024-05-01T10:00:10Z</time></trkpt>
        </trkseg></trk></gpx>
        """

    private func form(_ files: [(name: String, text: String)]) -> [UInt8] {
        let parts = files.map { name, text in
            "--made-up\r\nContent-Disposition: form-data; name=\"importFiles\"; filename=\"\(name)\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n\(text)\r\n"
        }
        return Array((parts.joined() + "--made-up--\r\n").utf8)
    }

    private func upload(
        _ web: WebFixture, _ files: [(name: String, text: String)], to path: String = "/data/import", _ cookie: String
    ) async throws -> WebFixture.Answer {
        try await web.send(
            .POST, path, cookie: cookie, headers: [("content-type", "multipart/form-data; boundary=made-up")], body: form(files))
    }

    /// The page of an import when it has ended.
    private func ended(_ web: WebFixture, _ answer: WebFixture.Answer, _ cookie: String) async throws -> (path: String, body: String) {
        #expect(answer.status == 303)
        let path = try #require(answer.headers.first(name: "location"))
        while true {
            let page = try await web.send(.GET, path, cookie: cookie)
            #expect(page.status == 200)
            if page.headers.first(name: "refresh") == nil { return (path, page.body) }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    @Test("DATA-2, ACC-12: several files are imported without a script; the page says what became of each, in both languages")
    func imports() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("href=\"/data/import\""))
            let empty = try await web.send(.GET, "/data/import", cookie: person.cookie).body
            #expect(empty.contains("multiple") && empty.contains("takeout.google.com"))
            let files = [("way.gpx", Self.gpx), ("notes.txt", "hello")]
            let first = try await ended(web, try await upload(web, files, person.cookie), person.cookie)
            #expect(first.body.contains("3 values were added.") && first.body.contains("1 file is of no kind that is imported."))
            #expect(first.body.contains("Position: 2 added") && first.body.contains("way.gpx") && first.body.contains("notes.txt"))
            let stored = try web.hub.series.reader.read(.maintenance(of: person.account.id.person), from: 0, to: .max / 2, now: 0)
            #expect(stored?.positions.count == 2 && stored?.provenance == .import)
            let second = try await ended(web, try await upload(web, files, person.cookie), person.cookie)
            #expect(second.body.contains("0 values were added.") && second.body.contains("Position: 2 there already"))
            #expect(try await web.send(.GET, first.path, cookie: other.cookie).status == 404)
            #expect(try await web.post(first.path + "/undo", [:], cookie: other.cookie).status == 404)
            _ = try await web.post("/language", ["language": "it", "back": "/data/import"], cookie: person.cookie)
            #expect(try await web.send(.GET, first.path, cookie: person.cookie).body.contains("Sono stati aggiunti 3 valori."))
        }
    }

    @Test("DATA-2, DATA-10: an import is taken back on its page, and what it added is gone; nothing and too much are refused in words")
    func undo() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            let page = try await ended(web, try await upload(web, [("way.gpx", Self.gpx)], person.cookie), person.cookie)
            #expect(page.body.contains("Take this import back") && !page.body.contains("stays in the plots"))
            // What cannot be taken back is told before.
            let gone = Overwritten(person: id, bytes: 1, until: 1_700_000_000_000)
            _ = try web.hub.accounts.noteOverwritten(gone, pause: 1, now: 1)
            #expect(try await web.send(.GET, page.path, cookie: person.cookie).body.contains("stays in the plots"))
            #expect(try await web.post(page.path + "/undo", [:], cookie: person.cookie).status == 303)
            #expect(try await web.send(.GET, page.path, cookie: person.cookie).body.contains("This import was taken back"))
            while try web.hub.series.reader.read(.maintenance(of: id), from: 0, to: .max / 2, now: 0)?.positions.isEmpty == false {
                try await Task.sleep(for: .milliseconds(50))
            }
            let nothing = try await upload(web, [("", "")], person.cookie)
            #expect(nothing.status == 422 && nothing.body.contains("No file was chosen."))
            let cut = Array(form([("way.gpx", Self.gpx)]).dropLast(40))
            let type = [("content-type", "multipart/form-data; boundary=made-up")]
            #expect(try await web.send(.POST, "/data/import", cookie: person.cookie, headers: type, body: cut).status == 400)
            #expect(try await web.send(.GET, "/data/import", cookie: person.cookie).body.contains("type=\"file\""), "nothing goes on")
        }
    }

    @Test("DATA-2: all imports that can be taken back are listed")
    func many() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), store = ImportStore(web.hub.series)
            for number in 0..<ImportStore.countMax + 1 {
                _ = try store.begin(.random(), of: person.account.id.person, result: ["made up"], now: Milliseconds(number))
            }
            let page = try await web.send(.GET, "/data/import", cookie: person.cookie).body
            #expect(page.matches(of: /href="\/data\/import\/[0-9a-f]+"/).count == ImportStore.countMax)
        }
    }

    @Test("DATA-2, ACC-17: a parent imports files for a child, and nobody else does")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), path = "/care/person/\(kid.id)/data/import"
            #expect(try await web.send(.GET, path, cookie: parent.cookie).body.contains("Import files for Kid Example"))
            #expect(try await upload(web, [("way.gpx", Self.gpx)], to: path, other.cookie).status == 403)
            _ = try await ended(web, try await upload(web, [("way.gpx", Self.gpx)], to: path, parent.cookie), parent.cookie)
            let stored = try web.hub.series.reader.read(.maintenance(of: kid.id.person), from: 0, to: .max / 2, now: 0)
            #expect(stored?.positions.count == 2 && stored?.provenance == .import)
        }
    }

    @Test("DATA-2: a form is read in any pieces; a boundary within a file's bytes that is none stays in it")
    func pieces() throws {
        let body = Array(
            ("--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"a.gpx\"\r\nContent-Type: x\r\n\r\nab\r\n--c\r\n\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"f\"; filename=\"\"\r\n\r\n\r\n--b\r\n"
                + "Content-Disposition: form-data; name=\"t\"\r\n\r\nhello\r\n--b--\r\n").utf8)
        for size in [1, 2, 3, 7, 50, 1000] {
            var form = try FormStream(type: "multipart/form-data; boundary=b"), seen: [String] = [], bytes: [UInt8] = []
            for start in stride(from: 0, to: body.count, by: size) {
                for event in try form.add(body[start..<min(start + size, body.count)]) {
                    switch event {
                    case .file(let field, let name): seen.append("file \(field) \(name)")
                    case .bytes(let next): bytes += next
                    case .field(let name, let value): seen.append("field \(name) \(value)")
                    }
                }
            }
            #expect(
                seen == ["file f a.gpx", "file f ", "field t hello"] && bytes == Array("ab\r\n--c\r\n".utf8) && form.isWhole, "\(size)")
        }
        #expect(throws: (any Error).self) { try FormStream(type: "text/plain") }
        var form = try FormStream(type: "multipart/form-data; boundary=b")
        #expect(throws: (any Error).self) { _ = try form.add(Array("something else".utf8)) }
    }

    @Test("DATA-2, ACC-12: every reason and every problem of an import has its words")
    func words() {
        for texts in Texts.all {
            var missing: [String] = []
            func need(_ key: String) { if texts.find(key) == nil { missing.append(key) } }
            for code in ImportProblemNames.samples { need("importProblem.\(code)") }
            for code in ImportProblemNames.activity { need("activityProblem.\(code)") }
            for code in ImportResult.ArchiveProblem.allCases { need("archiveProblem.\(code.rawValue)") }
            for name in ImportProblemNames.leftOut { need("importLeftOut.\(name)") }
            for name in ImportProblemNames.formats { need("importFormat.\(name)") }
            for why in ImportResult.Unread.allCases { need("import.unread_\(why.rawValue)One") }
            #expect(missing.isEmpty, "\(texts.lang): \(missing)")
        }
    }
}
