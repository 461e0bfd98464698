import Accounts
import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// A whole hub under load. What comes out depends on the machine, so that it is printed and not judged, and only where it is asked for:
/// `TRACKME_LOAD=100 swift test -c release …` (docs/benchmarks.md), the number being the percent of tries.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct LoadTests {
    static let seconds = 20
    private static let percent = ProcessInfo.processInfo.environment["TRACKME_LOAD"].flatMap { Int($0) } ?? 100
    private func tell(_ text: String) { Told.line(text) }

    /// What 1,000 subscribers saw.
    final class Seen: Sendable {
        let sent = Mutex<[Int32: ContinuousClock.Instant]>([:]), answered = Mutex<[Int32: ContinuousClock.Instant]>([:])
        let arrived = Mutex<[Int32: ContinuousClock.Instant]>([:]), ended = Mutex<[Int: ContinuousClock.Instant]>([:])
        let answers = Mutex<Times>(Times()), open = Mutex(0)
    }

    private func subscribe(_ town: LoadTown, _ number: Int, _ id: ConsentID, _ seen: Seen) async throws {
        var request = HTTPClientRequest(url: "\(town.web.url)/api/v1/consents/\(id)/stream")
        request.headers.add(name: "authorization", value: "Bearer \(town.token)")
        let answer = try await town.client.execute(request, timeout: .seconds(600))
        seen.open.withLock { $0 += answer.status == .ok ? 1 : 0 }
        for try await chunk in answer.body {
            let now = ContinuousClock.now, text = String(buffer: chunk)
            for part in text.components(separatedBy: "\"lat\":").dropFirst() {
                guard let mark = Int32(part.prefix { $0 != "," }.filter { $0 != "." }) else { continue }
                seen.arrived.withLock { $0[mark] = now }
            }
            if text.contains("event: end") { seen.ended.withLock { $0[number] = now } }
        }
    }

    /// Each person sends once a second, spread over the second, until it is cancelled.
    static func sending(_ town: LoadTown, people: Int, workers: Int = 64, _ seen: Seen) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<workers {
                group.addTask {
                    let mine = Array(stride(from: worker, to: people, by: workers)), stream = StreamID.random()
                    var next = ContinuousClock.now + .milliseconds(1000 * worker / workers), sequence: UInt64 = 0
                    while !Task.isCancelled {
                        for person in mine {
                            sequence += 1
                            let mark = Int32(worker + 1) * 10_000_000 + Int32(sequence), start = ContinuousClock.now
                            seen.sent.withLock { $0[mark] = start }
                            guard try await town.send(person, stream: stream, sequence: sequence, mark: mark) == 200 else { continue }
                            let end = ContinuousClock.now
                            seen.answered.withLock { $0[mark] = end }
                            seen.answers.withLock { $0.all.append((end - start).milliseconds) }
                            let pause = next + .microseconds(1_000_000 * Int(sequence) / mine.count) - .now
                            if pause > .zero { try? await Task.sleep(for: pause) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("CONS-5, CONS-6: 1,000 subscriptions, 2,000 people sending: how old samples are when they arrive, and how fast a revocation cuts")
    func delivery() async throws {
        try await LoadTown.run(2000) { town in
            let consents = try town.consents(1000), seen = Seen()
            tell("people and consents are made")
            let readers = consents.enumerated().map { number, id in Task { try await subscribe(town, number, id, seen) } }
            while seen.open.withLock({ $0 < 1000 }) { try await Task.sleep(for: .milliseconds(100)) }
            tell("1,000 streams are open")
            let senders = Task { try await Self.sending(town, people: 2000, seen) }
            try await Task.sleep(for: .seconds(Self.seconds))
            let (sent, arrived) = (seen.sent.withLock { $0 }, seen.arrived.withLock { $0 }), stored = seen.answered.withLock { $0 }
            let fromRequest = Times(all: arrived.compactMap { mark, at in sent[mark].map { (at - $0).milliseconds } })
            let fromAnswer = Times(all: arrived.compactMap { mark, at in stored[mark].map { (at - $0).milliseconds } })
            tell("from the request to the subscriber: \(fromRequest.description)")
            tell("from the answer to the subscriber: \(fromAnswer.description)")
            tell("requests answered: \(seen.answers.withLock { $0 }.description), in \(Self.seconds) s")
            Told.figure("delivery_from_request_p99_ms", fromRequest.quantile(0.99))
            Told.figure("delivery_from_answer_p99_ms", fromAnswer.quantile(0.99))
            Told.figure("delivery_requests_per_s", Double(stored.count) / Double(Self.seconds))
            var cuts = Times()
            for number in 0..<200 {
                let start = ContinuousClock.now
                try town.web.hub.consents.answer(consents[number], .revoke, by: town.people[number].id)
                while seen.ended.withLock({ $0[number] == nil }), start.duration(to: .now) < .seconds(10) {
                    try await Task.sleep(for: .milliseconds(1))
                }
                cuts.all.append(((seen.ended.withLock { $0[number] } ?? .now) - start).milliseconds)
            }
            tell("from the revocation to the stream's end, while all send: \(cuts.description)")
            Told.figure("revocation_p99_ms", cuts.quantile(0.99))
            Told.figure("revocation_max_ms", cuts.quantile(1))
            senders.cancel()
            for reader in readers { reader.cancel() }
            _ = await senders.result
            for reader in readers { _ = await reader.result }
        }
    }

    /// What became of log-ins.
    private final class Tally: Sendable {
        let counts = Mutex<[UInt: Int]>([:]), isTrying = Mutex(false), without = Mutex(0)
    }

    @Test("ACC-6: how long ingest takes while 50 log-ins a second are tried")
    func logIns() async throws {
        try await LoadTown.run(500) { town in
            let tally = Tally()
            let trying = Task {
                var number = 0
                while !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(20))
                    guard tally.isTrying.withLock({ $0 }) else { continue }
                    number += 1
                    let turn = number
                    // Each from an address of its own, so that what slows is the hashing and not the limit of an address.
                    Task {
                        let answer = try await town.post(
                            "/log-in", ["email": "known\(turn % 500)@example.org", "password": "a wrong one"], from: LoadTown.address(turn))
                        tally.counts.withLock { $0[answer.status, default: 0] += 1 }
                        if [429, 503].contains(answer.status), answer.retryAfter == nil { tally.without.withLock { $0 += 1 } }
                    }
                }
            }
            // By turns and in short rounds, and all of them together: a disk that hesitates in one round says nothing about log-ins.
            var all = [Times(), Times()], ratios = Times()
            for round in 0..<10 {
                var p99: [Double] = []
                for (index, busy) in [false, true].enumerated() {
                    tally.isTrying.withLock { $0 = busy }
                    try await Task.sleep(for: .seconds(1))
                    let seen = Seen(), senders = Task { try await Self.sending(town, people: 500, workers: 32, seen) }
                    try await Task.sleep(for: .seconds(5))
                    senders.cancel()
                    _ = await senders.result
                    let times = seen.answers.withLock { $0 }
                    p99.append(times.quantile(0.99))
                    all[index].all += times.all
                }
                tell("round \(round): p99 idle \(Times.text(p99[0])), busy \(Times.text(p99[1])) ms")
                ratios.all.append(p99[1] / p99[0])
            }
            for (times, name) in zip(all, ["idle", "50 log-ins/s"]) { tell("all rounds, \(name): \(times.description)") }
            trying.cancel()
            let counts = tally.counts.withLock { $0 }, without = tally.without.withLock { $0 }
            tell("log-ins by status \(counts), refused without Retry-After \(without)")
            Told.figure("log_in_p99_busy_to_idle", all[1].quantile(0.99) / all[0].quantile(0.99))
            Told.figure("log_in_p99_busy_to_idle_median_of_rounds", ratios.quantile(0.5))
            Told.figure("log_in_p99_busy_to_idle_max", ratios.quantile(1))
            Told.figure("log_ins_tried", Double(counts.values.reduce(0, +)))
            Told.figure("log_ins_refused", Double(counts.filter { [429, 503].contains($0.key) }.values.reduce(0, +)))
            Told.figure("log_ins_refused_without_retry_after", Double(without))
        }
    }

    @Test("ACC-4, ACC-6, CONS-1: how well time tells a known person from an unknown one")
    func enumeration() async throws {
        let ahead = Mutex<Milliseconds>(0)
        let now: @Sendable () -> Milliseconds = { Cast.now + ahead.withLock { $0 } }
        try await LoadTown.run(1000, now: now) { town in
            let bearer = [("authorization", "Bearer \(town.token)")]
            _ = try town.consents(1)
            // Names of one length: what is longer takes longer, known or not. Two groups of strangers show what the machine alone makes of it.
            for (name, left) in [("consent requests", "known"), ("requests for strangers", "never")] {
                try await compare(name, tries: 20_000) { isLeft, number in
                    let whom = "\(isLeft ? left : "other")\(1 + number % 999)@example.org"
                    let body = #"{"whom":"\#(whom)","kinds":["heart_rate","position"],"purpose":"Load","days":1}"#
                    let start = ContinuousClock.now
                    let answer = try await town.web.send(.POST, "/api/v1/consents", headers: bearer, body: Array(body.utf8))
                    let time = start.duration(to: .now)
                    let id = try JSONDecoder().decode(Made.self, from: Data(answer.body.utf8)).id
                    _ = try await town.web.send(.DELETE, "/api/v1/consents/\(id)", headers: bearer)
                    return time
                }
            }
            for (name, path, tries) in [
                ("log-ins", "/log-in", 2000), ("forgotten passwords", "/forgotten", 4000), ("sign-ups", "/sign-up/organiser", 2000),
            ] {
                try await compare(name, tries: tries) { isKnown, number in
                    // Past every limit.
                    ahead.withLock { $0 += 61_000 }
                    let known = "\(isKnown ? "known" : "other")\(number % 1000)@example.org"
                    var fields = ["email": known, "password": "nine geese walk to Lecco"]
                    if path.hasPrefix("/sign-up") {
                        fields["email"] = isKnown ? known : "new\(number)@example.org"
                        fields.merge([
                            "firstName": "Ada", "lastName": "M", "phone": "+390212345678", "terms": AccountService.documents.terms,
                        ]) { $1 }
                    }
                    let start = ContinuousClock.now
                    _ = try await town.post(path, fields, from: LoadTown.address(number))
                    return start.duration(to: .now)
                }
            }
        }
    }

    private struct Made: Decodable { var id: String }

    private func compare(_ name: String, tries: Int, _ attempt: (Bool, Int) async throws -> Duration) async throws {
        var known = Times(), unknown = Times()
        for number in 0..<tries * Self.percent / 100 {
            if Bool.random() {
                known.all.append(try await attempt(true, number).milliseconds)
            } else {
                unknown.all.append(try await attempt(false, number).milliseconds)
            }
        }
        Told.figure("auc_\(name.replacingOccurrences(of: " ", with: "_").replacingOccurrences(of: "-", with: "_"))", known.area(unknown))
        tell("\(name): AUC \(Times.text(known.area(unknown))); known \(known.description); unknown \(unknown.description)")
    }
}
