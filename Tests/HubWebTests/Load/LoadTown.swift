import Accounts
import AsyncHTTPClient
import Credentials
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import NIOSSL
import Privacy
import Segments
import SyncProtocol
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// Many people at one hub, for what is measured by hand (docs/benchmarks.md).
struct LoadTown {
    let web: WebFixture
    let people: [StoredAccount]
    let program: Program
    let token: String
    let box: String
    let client: HTTPClient

    /// - Parameters:
    ///   - count: people with an account, all of whom one box sends for.
    ///   - outside: whom the hub trusts where it posts to.
    ///   - change: what its configuration says beside that of ``WebFixture``.
    static func run(
        _ count: Int, outside: TLSConfiguration? = nil, now: @escaping @Sendable () -> Milliseconds = { Cast.now },
        change: (inout HubConfiguration) throws -> Void = { _ in }, _ body: (LoadTown) async throws -> Void
    ) async throws {
        try await WebFixture.run(outside: outside, now: now, passwords: nil, change: change) { web in
            let pepper = try #require(Pepper(web.hub.accounts.derivedKey("pepper")))
            // One for all: making a hash takes a tenth of a second.
            let password = try await PasswordHasher(pepper: pepper, threads: 1).hash("three ducks swim to Bergamo")
            var people: [StoredAccount] = []
            for number in 0..<count {
                let email = "known\(number)@example.org"
                let new = NewAccount(
                    roles: [.person], details: [Field.email.rawValue: email], canonicalEmail: email, canonicalIdentifier: nil,
                    password: password, language: "en", accepted: [:])
                guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: 0) else { continue }
                people.append(account)
            }
            let program = try Program(web, email: "program@example.org")
            let box = try await Cast.agentToken(web, people.map(\.id.person))
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.certificateVerification = .none
            var settings = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
            settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 8192
            let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
            let town = LoadTown(
                web: web, people: people, program: program, token: try await program.token(), box: box, client: client)
            let outcome: Result<Void, any Error>
            do { outcome = .success(try await body(town)) } catch { outcome = .failure(error) }
            try await client.shutdown()
            try outcome.get()
        }
    }

    var organisation: StoredAccount {
        get throws { try #require(try web.hub.accounts.account(program.organisation.account)) }
    }

    /// Consents to everything that the first people have, for a day.
    func consents(_ count: Int) throws -> [ConsentID] {
        let consents = web.hub.consents, chief = try web.member(.operator, "chief@example.org").account
        return try people.prefix(count).enumerated().map { number, person in
            let id = try consents.ask(
                ConsentAddress(person.email), by: organisation, kinds: [.heartRate, .position], purpose: "Load", term: .lasting(86_400_000)
            ).id
            if number == 0 { try consents.approve(id, by: chief) }
            try web.hub.accounts.consents.reachConsent(id, now: Cast.now)
            try consents.answer(id, .accept, by: person.id)
            return id
        }
    }

    // MARK: Requests

    /// Sends one heart rate and one position of a person; the latitude is a number by which the sample is known again.
    func send(_ person: Int, stream: StreamID, sequence: UInt64, mark: Int32) async throws -> UInt {
        let time = Cast.now
        let segment = Segment(
            stream: stream, sequence: sequence, person: people[person].id.person, provenance: .live, clock: .wall,
            samples: SampleSet(
                heartRates: [HeartRateSample(time: time, beatsPerMinute: 90)],
                positions: [PositionSample(time: time, latitude: mark, longitude: 90_000_000)])
        ).encoded()
        var request = HTTPClientRequest(url: web.url + SyncRoute.segments)
        request.method = .POST
        request.headers.add(name: "authorization", value: "Bearer \(box)")
        request.body = .bytes(ByteBuffer(bytes: try SegmentBatch.encode([segment])))
        let answer = try await client.execute(request, timeout: .seconds(60))
        _ = try await answer.body.collect(upTo: 1 << 16)
        return answer.status.code
    }

    /// - Parameter source: the address to come from, of the loopback's.
    func post(_ path: String, _ fields: [String: String], from source: String) async throws -> (status: UInt, retryAfter: String?) {
        var request = HTTPClientRequest(url: web.url + path)
        request.method = .POST
        request.localAddress = source
        request.headers.add(name: "content-type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "connection", value: "close")
        let allowed = CharacterSet.alphanumerics
        let body = fields.map { "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
        request.body = .bytes(ByteBuffer(string: body.joined(separator: "&")))
        let answer = try await client.execute(request, timeout: .seconds(60))
        _ = try await answer.body.collect(upTo: 1 << 20)
        return (answer.status.code, answer.headers.first(name: "retry-after"))
    }

    static func address(_ number: Int) -> String { "127.\(1 + number / 62_500).\(number / 250 % 250).\(1 + number % 250)" }
}

/// Where figures are told: a line for people, and `figure NAME VALUE` for `packaging/bench/run data4help`.
enum Told {
    static func line(_ text: String) { FileHandle.standardError.write(Data("load: \(text)\n".utf8)) }

    static func figure(_ name: String, _ value: Double) {
        FileHandle.standardError.write(Data("figure \(name) \(String(format: "%.4f", value))\n".utf8))
    }
}

/// Times that were measured, in milliseconds.
struct Times {
    var all: [Double] = []

    func quantile(_ part: Double) -> Double {
        let sorted = all.sorted()
        return sorted.isEmpty ? .nan : sorted[min(sorted.count - 1, Int(part * Double(sorted.count)))]
    }

    var description: String {
        "n \(all.count), p50 \(Self.text(quantile(0.5))), p99 \(Self.text(quantile(0.99))), max \(Self.text(quantile(1))) ms"
    }

    static func text(_ value: Double) -> String { String(format: "%.3f", value) }

    /// The chance that a time of `other` is longer than one of these (the area under the curve of whoever guesses by time).
    func area(_ other: Times) -> Double {
        let ranked = (all.map { ($0, false) } + other.all.map { ($0, true) }).sorted { $0.0 < $1.0 }
        var sum = 0.0
        for (rank, entry) in ranked.enumerated() where entry.1 { sum += Double(rank + 1) }
        let (left, right) = (Double(all.count), Double(other.all.count))
        return (sum - right * (right + 1) / 2) / (left * right)
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }
}
