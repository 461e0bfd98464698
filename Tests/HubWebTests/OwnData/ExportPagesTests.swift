import Accounts
import AsyncHTTPClient
import Database
import Foundation
import HubServices
import NIOCore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubStore
@testable import HubWeb

/// Large downloads of a real hub: how far they are, what is in them, what is left of them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ExportPagesTests {
    /// Whole hours of heart rates, straight into the journal: more than a page waits for.
    private func fill(_ web: WebFixture, _ person: PersonID, hours: Int64 = 800, each: Int = 450) throws {
        let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
        try web.append(
            (1...hours).map { hour in
                let start = (now / SeriesStore.hour - hour) * SeriesStore.hour
                return SampleSet(
                    heartRates: (0..<each).map {
                        HeartRateSample(time: start + Milliseconds($0) * 1000, beatsPerMinute: UInt16(60 + $0 % 40))
                    })
            }, of: person)
    }

    private func audited(_ web: WebFixture) throws -> Int {
        Int(try AuditLog(HubDirectory(web.directory.url), accounts: web.hub.accounts).verify().rows)
    }

    private func open(_ web: WebFixture, _ path: String, _ person: Member) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: web.url + path)
        request.headers.add(name: "cookie", value: person.cookie)
        return try await web.client.execute(request, timeout: .seconds(120))
    }

    @Test("DATA-9: a large download tells how far it is without a script, is whole, holds the profile, and stands in the audit log")
    func progress() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            try fill(web, person.account.id.person)
            let asked = try await web.send(.GET, "/data/export?format=csv&days=0", cookie: person.cookie)
            let page = try #require(asked.header("location"), "\(asked.status)")
            #expect(asked.status == 303 && page.hasPrefix("/data/export/"))
            let waiting = try await web.send(.GET, page, cookie: person.cookie)
            #expect(waiting.header("refresh") != nil && waiting.body.contains("href=\"\(page)/file\" download"))
            for path in [page, page + "/file"] {
                #expect(try await web.send(.GET, path, cookie: other.cookie).status == 404)
                #expect(try await web.send(.GET, path).header("location") == "/log-in")
            }
            let before = try audited(web)
            let file = try await open(web, page + "/file", person)
            #expect(file.headers.first(name: "content-type") == "application/zip")
            // The file waits for who fetches it, and the page says so.
            let running = try await web.until(page, cookie: person.cookie) { $0.contains("<progress") }
            #expect(running.contains("of 800 hours"))
            let bytes = try await file.body.collect(upTo: 1 << 28)
            let done = try await web.until(page, cookie: person.cookie) { $0.contains("class=\"good\"") }
            #expect(!done.contains("<progress"))
            #expect(try await web.send(.GET, page, cookie: person.cookie).header("refresh") == nil)
            #expect(try audited(web) == before + 1)

            let archive = web.directory.url.appendingPathComponent("export.zip")
            try Data(bytes.readableBytesView).write(to: archive)
            let members = try Archive.members(archive)
            #expect(members["trackme.csv"]?.split(separator: "\r\n").count == 1 + 800 * 450)
            #expect(members["profile.json"]?.contains("ada@example.org") == true)
        }
    }

    @Test("DATA-9: a download that was cut off is told, and can begin again")
    func broken() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try fill(web, person.account.id.person, each: 1800)
            let asked = try await web.send(.GET, "/data/export?format=json&days=0", cookie: person.cookie)
            let page = try #require(asked.header("location"), "\(asked.status)")
            let reading = Task {
                for try await _ in try await open(web, page + "/file", person).body { try await Task.sleep(for: .seconds(60)) }
            }
            _ = try await web.until(page, cookie: person.cookie) { $0.contains("<progress") }
            reading.cancel()
            _ = await reading.result
            let broken = try await web.until(page, cookie: person.cookie) { $0.contains("role=\"alert\"") }
            #expect(broken.contains("href=\"\(page)/file\""))
        }
    }

    @Test("DATA-9, DATA-10: a download ends where the right to it ends: what was fetched so far does not look whole")
    func ended() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try fill(web, person.account.id.person, each: 1800)
            let asked = try await web.send(.GET, "/data/export?format=json&days=0", cookie: person.cookie)
            let page = try #require(asked.header("location"), "\(asked.status)")
            let file = try await open(web, page + "/file", person)
            _ = try await web.until(page, cookie: person.cookie) { $0.contains("<progress") }
            // The account is not a person's any more; key, data and session are all still there.
            let accounts = web.hub.accounts, row = person.account.row
            try accounts.pool.write {
                try $0.execute(sql: "UPDATE account SET roles = ? WHERE id = ?", arguments: [Set([Role.organiser]).bits, row])
            }
            var bytes = 0, isWhole = true
            do { for try await part in file.body { bytes += part.readableBytes } } catch { isWhole = false }
            #expect(!isWhole && bytes > 0, "\(bytes) bytes")
        }
    }

    @Test("DATA-8: a person sees how much of the space is used, and from when on data is complete; the operator sets the space")
    func quota() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            try fill(web, id, hours: 10)
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("of 10.0 MB"))
            #expect(try await !web.send(.GET, "/data", cookie: person.cookie).body.contains("not complete any more"))
            let now = Milliseconds(Date().timeIntervalSince1970 * 1000)
            _ = try web.hub.accounts.noteOverwritten(Overwritten(person: id, bytes: 1, until: now), pause: 1, now: now)
            #expect(try await web.send(.GET, "/data", cookie: person.cookie).body.contains("not complete any more"))
        }
        var configuration = HubConfiguration(directory: URL(fileURLWithPath: "/tmp"))
        #expect(configuration.quota == 10_000_000)
        configuration.quota = 5
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
    }
}

/// Reads archives with another program's eyes.
enum Archive {
    /// The members' names and texts; their checksums are right.
    static func members(_ file: URL) throws -> [String: String] {
        let python = Process(), output = Pipe()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = [
            "python3", "-c",
            """
            import json, sys, zipfile
            archive = zipfile.ZipFile(sys.argv[1])
            assert archive.testzip() is None
            print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))
            """, file.path,
        ]
        python.standardOutput = output
        try python.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        python.waitUntilExit()
        return try JSONDecoder().decode([String: String].self, from: data)
    }
}
