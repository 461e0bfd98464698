import AsyncHTTPClient
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import Seams
import Segments
import Synchronization
import Testing
import Vitals

@testable import HubWeb

/// AutomatedSOS at a hub all of whose other threads have real work, only where it is asked for, as ``LoadTests``. Times are told and not judged.
/// `TRACKME_LOAD` is the percent of people, alarms and crews of ``SOSLoadTown``, and of the readers.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct SOSBusyLoadTests {
    /// How long it is measured, and over how long the alarms are spread.
    static let seconds = 60
    /// People with a day at 1 Hz, who read, download and let an organisation read.
    static let withData = 20
    /// Each has one request under way after the other.
    static let readers = max(2, 32 * SOSLoadTown.percent / 100), downloaders = max(1, 8 * SOSLoadTown.percent / 100)

    @Test("SOS-5, SOS-16, PERF-6: while all other threads of the hub have all they can do, boxes are answered and crews asked")
    func busy() async throws {
        try await SOSLoadTown.run { town in
            // The first half raises alarms; boxes of the others report that all is well.
            let alarms = max(1, SOSLoadTown.alarms / 2), reporters = max(1, SOSLoadTown.alarms - alarms)
            try Self.fill(town.town)
            let pages = (0..<alarms).flatMap { alarm in
                (0..<SOSLoadTown.crewsEach).map { index in Task { try await town.open(alarm, index) } }
            }
            while town.seen.open.withLock({ $0 < pages.count }) { try await Task.sleep(for: .milliseconds(100)) }
            let reports = OpenLoop(people: reporters, every: .seconds(5), most: 1000)
            let reporting = Task {
                await reports.run { person, round in try await town.report(alarms + person, isAlarm: false, revision: UInt64(round + 1)) }
            }
            let others = SOSLoadTown.others
            let sending = Task { await others.run { other, round in try await town.sendReadings(of: other, round: round) } }
            try await Task.sleep(for: .seconds(15))
            tell("idle", reports)
            let done = Done(), working = try Self.work(town.town, done)
            try await Task.sleep(for: .seconds(10))
            reports.restart()
            others.restart()
            done.restart()
            let sent = try await raise(alarms, town)
            for task in working { task.cancel() }
            tell("busy", reports)
            tellOffers(town, sent)
            let readings = others.counts
            Told.line("others' readings from when they were due: \(readings.answers.description), not in time \(readings.notInTime)")
            for (kind, count) in done.counts.sorted(by: { $0.key < $1.key }) {
                Told.figure("sos_busy_\(kind)_per_s", Double(count) / Double(Self.seconds))
                #expect(count > 0, "no \(kind) were done: there was no load")
            }
            #expect(done.counts.count == Work.allCases.count)
            for task in [reporting, sending] {
                task.cancel()
                await task.value
            }
            for task in working { await task.value }
            for page in pages { page.cancel() }
            for page in pages { _ = await page.result }
        }
    }

    /// One alarm after the other; when each was sent.
    private func raise(_ alarms: Int, _ town: SOSLoadTown) async throws -> [ContinuousClock.Instant?] {
        let sent = Mutex<[ContinuousClock.Instant?]>(Array(repeating: nil, count: alarms)), start = ContinuousClock.now
        try await SOSLoadTests.together(alarms) { alarm in
            try await Task.sleep(until: start + .seconds(Self.seconds) * alarm / alarms)
            sent.withLock { $0[alarm] = .now }
            try await town.report(alarm, isAlarm: true, revision: 1)
        }
        try await Task.sleep(until: start + .seconds(Self.seconds))
        return sent.withLock { $0 }
    }

    private func tell(_ when: String, _ reports: OpenLoop) {
        let counts = reports.counts
        Told.line("\(when): reports of boxes from when they were due: \(counts.answers.description), not in time \(counts.notInTime)")
        Told.figure("sos_\(when)_report_p50_ms", counts.answers.quantile(0.5))
        Told.figure("sos_\(when)_report_p99_ms", counts.answers.quantile(0.99))
        #expect(counts.failed == 0 && !counts.answers.all.isEmpty)
    }

    private func tellOffers(_ town: SOSLoadTown, _ sent: [ContinuousClock.Instant?]) {
        let arrived = town.seen.eventTimes.prefix(sent.count * SOSLoadTown.crewsEach)
        let offers = Times(
            all: arrived.enumerated().compactMap { place, at in
                guard let at, let start = sent[place / SOSLoadTown.crewsEach] else { return nil }
                return start.duration(to: at).milliseconds
            })
        Told.line("busy: alarm sent to the offer at a crew's page: \(offers.description)")
        Told.figure("sos_busy_offer_p50_ms", offers.quantile(0.5))
        Told.figure("sos_busy_offer_p99_ms", offers.quantile(0.99))
        Told.figure("sos_busy_offers_missing", Double(arrived.count - offers.all.count))
        #expect(arrived.count == offers.all.count)
    }

    // MARK: The others' work

    /// What keeps the hub's other threads busy.
    enum Work: String, CaseIterable { case pages, downloads, api, logins }

    /// How much of it was done.
    final class Done: Sendable {
        private let done = Mutex<[String: Int]>([:]), problems = Mutex<Set<Work>>([])

        var counts: [String: Int] { done.withLock { $0 } }
        func add(_ work: Work) { done.withLock { $0[work.rawValue, default: 0] += 1 } }
        /// What was refused is told once for each kind of work.
        func note(_ work: Work, _ problem: String) {
            if problems.withLock({ $0.insert(work).inserted }) { Told.line("\(work.rawValue): \(problem)") }
        }
        func restart() { done.withLock { $0 = [:] } }
    }

    private static func work(_ town: LoadTown, _ done: Done) throws -> [Task<Void, Never>] {
        let people = town.people.prefix(withData), consents = try town.consents(people.count)
        let cookies = try people.map { try town.web.session(of: $0, strength: .full) }
        // Clients of other machines: they take no turn of the hub's threads, which Swift shares among all of this process.
        let clients = try BlockingExecutor(named: "clients", width: 2, machine: .system)
        var tasks: [Task<Void, Never>] = []
        func again(_ work: Work, _ count: Int, _ body: @escaping @Sendable (Int, Int) async throws -> UInt) {
            for number in 0..<count {
                tasks.append(
                    Task(executorPreference: clients) {
                        var round = 0
                        while !Task.isCancelled {
                            do {
                                let status = try await body(number, round)
                                if (200..<400).contains(status) || work == .logins { done.add(work) } else { done.note(work, "\(status)") }
                            } catch { if !Task.isCancelled { done.note(work, "\(error)") } }
                            round += 1
                        }
                    })
            }
        }
        let ids = people.map(\.id.person)
        again(.pages, readers) { number, round in
            let person = (number + round) % ids.count
            return try await town.get(round.isMultiple(of: 2) ? "/people/\(ids[person])/recent" : "/data", ["cookie": cookies[person]])
        }
        again(.downloads, downloaders) { number, _ in
            try await town.get("/data/export?format=json&days=0", ["cookie": cookies[number % cookies.count]])
        }
        again(.api, readers) { number, round in
            let path = "/api/v1/consents/\(consents[(number + round) % consents.count])/samples"
            return try await town.get(path, ["authorization": "Bearer \(town.token)"])
        }
        again(.logins, downloaders) { number, round in
            let fields = ["email": town.people[number].email, "password": "four geese walk to Brescia"]
            return try await town.post("/log-in", fields, from: LoadTown.address(number * 10_000 + round)).status
        }
        return tasks
    }

    /// The last day at 1 Hz of the people with data; the hub merges it meanwhile.
    private static func fill(_ town: LoadTown) throws {
        let now = Cast.now
        for person in town.people.prefix(withData) {
            try RecordedHours.store(
                (now / SeriesStore.hour - 24)..<(now / SeriesStore.hour), of: person.id.person, accounts: town.web.hub.accounts,
                series: town.web.hub.series, now: now)
        }
    }
}

extension LoadTown {
    /// Reads all of an answer.
    func get(_ path: String, _ headers: [String: String]) async throws -> UInt {
        var request = HTTPClientRequest(url: web.url + path)
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let answer = try await client.execute(request, timeout: .seconds(120))
        for try await _ in answer.body {}
        return answer.status.code
    }
}
