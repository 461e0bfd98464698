import AsyncHTTPClient
import Foundation
import HubStore
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// Every role × every route × own, somebody else's and no object, on a real hub, by the lines of AccessTable.swift.
@Suite(.serialized, .timeLimit(.minutes(15)))
struct AccessMatrixTests {
    /// One line of the table.
    struct Line: CustomStringConvertible {
        let method: String, pattern: String
        let who: Set<String>
        let own: UInt, stranger: UInt?
        let values: [String: String], exceptions: [Actor: UInt]
        /// With its question mark.
        var query: String { values["?"].map { "?" + $0 } ?? "" }

        var description: String { "\(method) \(pattern)" }

        init(_ text: Substring) throws {
            let words = text.split(separator: " ").map(String.init)
            try #require(words.count >= 5, "\(text)")
            (method, pattern, who) = (words[0], words[1], Set(words[2].split(separator: "+").map(String.init)))
            own = try #require(UInt(words[3]), "\(text)")
            stranger = UInt(words[4])
            var values: [String: String] = [:], exceptions: [Actor: UInt] = [:]
            for extra in words.dropFirst(5) {
                let (name, value) = try #require(extra.firstIndex(of: "=").map { (extra[..<$0], extra[extra.index(after: $0)...]) })
                // Some parameters are called as actors are.
                if let actor = Actor(rawValue: String(name)), let status = UInt(value) {
                    exceptions[actor] = status
                } else if name == "guests" {
                    for actor in [Actor.nobody, .token, .agent, .link] { exceptions[actor] = UInt(value) }
                } else {
                    values[String(name)] = String(value)
                }
            }
            (self.values, self.exceptions) = (values, exceptions)
        }

        /// Whether the line lets such an actor ask.
        func allows(_ actor: Actor) -> Bool {
            who.contains("everybody") || who.contains(actor.rawValue) || (who.contains("session") && actor.role != nil)
        }

        /// What an actor gets, whatever the object: nil when it depends on whose the object is.
        func expected(_ actor: Actor) -> UInt {
            if let exception = exceptions[actor] { return exception }
            if allows(actor) { return own }
            if who.contains("link") { return 403 }
            if pattern.hasPrefix("/api/") || who == ["agent"] { return 401 }
            // A page: to log in, to the second step, or not for this role.
            return actor.role == nil ? 303 : 403
        }

        func path(_ value: (String) throws -> String) rethrows -> String {
            try pattern.split(separator: "/", omittingEmptySubsequences: false).map { part in
                guard part.hasPrefix("{") else { return part == "**" ? "nothing" : String(part) }
                return try value(values[String(part.dropFirst().dropLast())] ?? "any")
            }.joined(separator: "/")
        }

        var hasObject: Bool { values.values.contains(where: Cast.isObject) }
    }

    static func lines() throws -> [Line] {
        try (accessTable + "\n" + accessTableOfOthers).split(separator: "\n").filter { !$0.isEmpty && !$0.hasPrefix("#") }.map(Line.init)
    }

    private struct Answer: Equatable {
        let status: UInt, location: String?
        let body: String
    }

    /// A stream is looked at no further than its head.
    private func ask(_ web: WebFixture, _ line: Line, _ path: String, _ headers: [(String, String)], method: String? = nil) async throws
        -> Answer
    {
        var request = HTTPClientRequest(url: web.url + path + line.query)
        request.method = HTTPMethod(rawValue: method ?? line.method)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        if ["POST", "PUT"].contains(line.method) {
            request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: line.values["body"].flatMap { Cast.bodies[$0] } ?? ""))
        }
        let answer = try await web.client.execute(request, timeout: .seconds(30))
        checkHeaders(answer, line)
        let isStream = answer.headers.first(name: "content-type") == "text/event-stream"
        let body = isStream ? "" : String(buffer: try await answer.body.collect(upTo: 1 << 20))
        return Answer(status: answer.status.code, location: answer.headers.first(name: "location"), body: body)
    }

    @Test("ACC-13: every route has a line that says who may ask, and every line a route")
    func complete() async throws {
        try await WebFixture.run { web in
            let lines = try Set(Self.lines().map(\.description)), routes = Set(web.hub.routes)
            for route in routes.subtracting(lines).sorted() {
                let extras = route.matches(of: /\{(\w+)\}/).map { "\($0.output.1)=any" }.joined(separator: " ")
                Issue.record("AccessTable.swift lacks a line for a route: \(route)  WHO  200  403  \(extras)")
            }
            for line in lines.subtracting(routes).sorted() { Issue.record("AccessTable.swift has a line for no route: \(line)") }
            #expect(routes.count == web.hub.routes.count, "a route is there twice")
        }
    }

    @Test("ACC-13: by methods that the API does not have, everybody gets the same 405")
    func refusals() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a")
            for refusal in web.hub.refusals {
                let line = try Line("\(refusal) everybody 405 -"), path = line.path(Cast.none)
                for actor in Actor.allCases {
                    try expect(await ask(web, line, path, cast.headers(actor)), 405, line, actor, "")
                }
            }
            #expect(web.hub.refusals.count > 50)
        }
    }

    @Test(
        "ACC-13, CONS-1, CONS-4: every role gets from every route what the table says, whosever the object is and whether or not it exists")
    func matrix() async throws {
        let ahead = Mutex<Milliseconds>(0)
        let now: @Sendable () -> Milliseconds = { Cast.now + ahead.withLock { $0 } }
        try await WebFixture.run(now: now) { web in
            let cast = try await Cast(web, "a"), strangers = try await Cast(web, "b")
            // Forms that anybody sends are limited by the minute. They come last, as time passes in them.
            let (limited, others) = try (Self.lines().filter(Self.isLimited), Self.lines().filter { !Self.isLimited($0) })
            var cells = 0
            for line in others + limited {
                for actor in Actor.allCases {
                    if Self.isLimited(line) { ahead.withLock { $0 += 61_000 } }
                    do { cells += try await check(line, actor, cast, strangers) } catch { Issue.record("\(actor): \(line): \(error)") }
                }
                if line.method == "GET" { try await checkHead(line, cast) }
                try await checkOtherSite(line, cast)
            }
            #expect(cells > 1000, "\(cells)")
        }
    }

    private static func isLimited(_ line: Line) -> Bool { line.method == "POST" && line.who.contains("everybody") }

    /// - Returns: how many answers were looked at.
    private func check(_ line: Line, _ actor: Actor, _ cast: Cast, _ strangers: Cast) async throws -> Int {
        let web = cast.web, owner = Actor.allCases.first(where: line.allows) ?? .person
        let own = try line.path { try cast.object($0, for: line.allows(actor) ? actor : owner) }
        guard line.hasObject else {
            try expect(await ask(web, line, own, cast.headers(actor)), line.expected(actor), line, actor, "")
            return 1
        }
        let none = line.path(Cast.none)
        guard line.allows(actor), let stranger = line.stranger else {
            let (real, nothing) = try await (ask(web, line, own, cast.headers(actor)), ask(web, line, none, cast.headers(actor)))
            expect(real, line.expected(actor), line, actor, "somebody's")
            if !line.allows(actor) { expectSame(real, own, nothing, none, line, actor) }
            return 2
        }
        // Before the owner, whose request may use it up.
        let foreign = try await ask(web, line, own, strangers.headers(actor)),
            nothing = try await ask(web, line, none, strangers.headers(actor))
        expect(foreign, stranger, line, actor, "somebody else's")
        expectSame(foreign, own, nothing, none, line, actor)
        try expect(await ask(web, line, own, cast.headers(actor)), line.exceptions[actor] ?? line.own, line, actor, "own")
        return 3
    }

    private func expect(_ answer: Answer, _ status: UInt, _ line: Line, _ actor: Actor, _ whose: String) {
        #expect(answer.status == status, "\(actor), \(whose): \(line): \(answer.body.prefix(200))")
        guard answer.status == 303, !line.allows(actor), line.exceptions[actor] == nil else { return }
        #expect(answer.location == (actor == .begun ? "/log-in/second" : "/log-in"), "\(actor): \(line)")
    }

    /// Somebody else's and none at all are told apart by nothing but the address that was asked for.
    private func expectSame(_ foreign: Answer, _ own: String, _ nothing: Answer, _ none: String, _ line: Line, _ actor: Actor) {
        let same = Answer(status: nothing.status, location: nothing.location, body: nothing.body.replacing(none, with: own))
        #expect(foreign == same, "\(actor): \(line) tells somebody else's object from none")
    }

    /// What keeps browsers safe stands in every answer but that of the boxes' own route; what is somebody's is kept nowhere.
    private func checkHeaders(_ answer: HTTPClientResponse, _ line: Line) {
        guard line.who != ["agent"] else { return }
        let headers = ["content-security-policy", "strict-transport-security", "referrer-policy"].filter {
            !answer.headers.contains(name: $0)
        }
        #expect(headers.isEmpty && answer.headers.first(name: "x-content-type-options") == "nosniff", "\(line): no \(headers)")
        guard !line.who.contains("everybody"), answer.status == .ok else { return }
        #expect(answer.headers.first(name: "cache-control") == "no-store", "\(line)")
    }

    /// What another site has a browser send does nothing, whoever is logged in there.
    private func checkOtherSite(_ line: Line, _ cast: Cast) async throws {
        let isPage = !["/api/", "/sync/", "/oauth2/", "/osmand", "/owntracks", "/samples", "/imports", "/sos-rooms/", "/payments/webhook"]
            .contains {
                line.pattern.hasPrefix($0)
            }
        guard line.method != "GET", isPage else { return }
        let actor = Actor.allCases.first { $0.role != nil && line.allows($0) } ?? .person
        let headers = try cast.headers(actor) + [("sec-fetch-site", "cross-site")]
        #expect(try await ask(cast.web, line, line.path(Cast.none), headers).status == 403, "\(line) from another site")
    }

    private func checkHead(_ line: Line, _ cast: Cast) async throws {
        let path = try line.who.contains("everybody") ? line.path { try cast.object($0, for: .person) } : line.path(Cast.none)
        let head = try await ask(cast.web, line, path, [], method: "HEAD")
        #expect(head.body.isEmpty && head.status == line.expected(.nobody), "HEAD \(line.pattern)")
    }
}
