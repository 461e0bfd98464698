import AsyncHTTPClient
import Database
import Foundation
import HubStore
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

@testable import HubWeb

/// A GET changes nothing: what a link, a picture or a browser that looks ahead asks for, does nothing in anybody's name.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct SafeMethodTests {
    /// Everything that the hub keeps, table by table.
    private final class Contents {
        let queues: [DatabasePool]
        /// SQLite's files, and how they were when `rows` was read: whoever writes changes them.
        private let paths: [String]
        private var read: (stamps: [Stamp?], rows: [String: [Row]])?

        private struct Stamp: Equatable {
            let number: Int?, size: Int?, changed: Date?
        }

        init(_ directory: URL) throws {
            let paths = ["accounts", "keys", "journal", "series", "sos", "places"].map {
                directory.appendingPathComponent("\($0).sqlite").path
            }
            queues = try paths.map { try DatabasePool(path: $0) }
            self.paths = paths.flatMap { [$0, $0 + "-wal"] }
        }

        /// Read anew where a file has changed since: most of what is asked for writes nothing.
        private func rows() throws -> [String: [Row]] {
            let stamps = paths.map { path -> Stamp? in
                guard let file = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
                return Stamp(
                    number: file[.systemFileNumber] as? Int, size: file[.size] as? Int, changed: file[.modificationDate] as? Date)
            }
            if let read, read.stamps == stamps { return read.rows }
            let rows: [String: [Row]] = try queues.reduce(into: [:]) { contents, queue in
                try queue.read { db in
                    let names = try db.fetchAll(
                        String.self, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
                    for name in names { contents[name] = try db.fetchAll(sql: "SELECT * FROM \"\(name)\"") }
                }
            }
            read = (stamps, rows)
            return rows
        }

        /// Once nothing changes any more by itself: mails leave, timers come.
        func settled() async throws -> [String: [Row]] {
            var last = try rows()
            for _ in 0..<200 {
                try await Task.sleep(for: .milliseconds(20))
                let next = try rows()
                if next == last { return last }
                last = next
            }
            return last
        }

        func close() throws { for queue in queues { try queue.close() } }
    }

    /// Traces that a GET is meant to leave: who read what, that a notice was opened, that a download began, the secret of one-time codes, which
    /// is good for nothing before a POST confirms it, and that a box uses its new token: the one before is void from then on (design rule 4).
    private static func traces(_ pattern: String) -> Set<String> {
        switch pattern {
        case "/notices/{id}", "/operator/services": ["notice"]
        case "/security/one-time": ["one_time"]
        case "/sync/v1/sos/settings": ["token_chain"]
        case "/data/ecg/{strip}/file", "/account/export": ["audit"]
        case _ where pattern.hasPrefix("/data/export"): ["audit"]
        case _ where pattern.hasPrefix("/care/person/{id}/data/export"): ["audit", "ledger"]
        default: ["ledger"]
        }
    }

    /// What leaves by itself meanwhile, with what tells its rows apart: only a row more is a change.
    private static let queues = ["mail": 1, "letter": 1, "push_message": 1, "delivery": 2, "webhook_feed": 2, "timer": 2, "webhook": 5]

    private static func isChanged(_ table: String, _ before: [Row], _ after: [Row]) -> Bool {
        // The hub notes every few seconds that it is there, whoever asks for what.
        guard table != "measured" else { return false }
        guard let columns = queues[table] else { return before != after }
        func keys(_ rows: [Row]) -> Set<[Value]> { Set(rows.map { Array($0.values.prefix(columns)) }) }
        return !keys(after).isSubset(of: keys(before))
    }

    @Test("ACC-13: no GET of any route changes anything that the hub keeps, whoever asks, with the right to it or without")
    func nothing() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), contents = try Contents(web.directory.url)
            defer { try? contents.close() }
            var looked = 0
            for line in try AccessMatrixTests.lines() where line.method == "GET" {
                for actor in [Actor.allCases.first(where: line.allows), .nobody].compactMap({ $0 }) {
                    let path = try line.path { try cast.object($0, for: line.allows(actor) ? actor : .person) } + line.query
                    let headers = try cast.headers(actor), before = try await contents.settled()
                    for method in [HTTPMethod.GET, .HEAD] { try await ask(web, method, path, headers) }
                    let after = try await contents.settled()
                    let changed = Set(after.keys).union(before.keys).filter { Self.isChanged($0, before[$0] ?? [], after[$0] ?? []) }
                    let wrong = changed.subtracting(actor == .nobody ? [] : Self.traces(line.pattern))
                    #expect(wrong.isEmpty, "\(actor): GET \(line.pattern) changed \(wrong.sorted())")
                    looked += 1
                }
            }
            #expect(looked > 120, "\(looked)")
        }
    }

    @Test("ACC-13: the test sees what a POST changes")
    func sees() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), contents = try Contents(web.directory.url)
            defer { try? contents.close() }
            let headers = try cast.headers(.person), before = try await contents.settled()
            try await ask(web, .POST, "/log-out", headers)
            let after = try await contents.settled()
            #expect(after["session"] != before["session"])
        }
    }

    /// A stream is looked at no further than its head.
    private func ask(_ web: WebFixture, _ method: HTTPMethod, _ path: String, _ headers: [(String, String)]) async throws {
        var request = HTTPClientRequest(url: web.url + path)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let answer = try await web.client.execute(request, timeout: .seconds(30))
        if answer.headers.first(name: "content-type") != "text/event-stream" { _ = try await answer.body.collect(upTo: 4 << 20) }
    }
}
