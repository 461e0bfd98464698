import Accounts
import AsyncHTTPClient
import Credentials
import Distress
import Foundation
import HubServices
import HubStore
import NIOCore
import NIOHTTP1
import Privacy
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Many people with AutomatedSOS at one hub, and crews near each of those who are going to be in distress, whose pages are open.
struct SOSLoadTown {
    /// Of each hundred, as `TRACKME_LOAD` says.
    static let percent = ProcessInfo.processInfo.environment["TRACKME_LOAD"].flatMap { Int($0) } ?? 100
    /// In distress at once, sending, and crews on duty.
    static let alarms = max(1, 1000 * percent / 100), senders = max(10, 5000 * percent / 100), crews = max(10, 10_000 * percent / 100)
    static let crewsEach = 3
    /// So many seconds of readings, one heart rate and one position each, are in a request of somebody who is not in distress, and are between
    /// two of them.
    static let readings = 5

    let town: LoadTown
    /// The crews near each person in distress: accounts and cookies.
    let near: [[Member]]
    let seen = SOSLoadSeen(count: Self.alarms * Self.crewsEach)
    /// For what people's devices send.
    let streams = (0..<Self.senders).map { _ in StreamID.random() }
    /// For reports of boxes: a token for ten people.
    let boxes: [String]

    static func run(_ body: (SOSLoadTown) async throws -> Void) async throws {
        let carriers = try await SOSLoadCarriers()
        try await LoadTown.run(senders, change: carriers.set) { town in
            let near = try makeCrews(town)
            Told.line("\(senders) people and \(crews) crews on duty are made")
            for number in 0..<senders { try await turnOn(number, town) }
            var boxes: [String] = []
            for first in stride(from: 0, to: alarms, by: 10) {
                let people = town.people[first..<min(first + 10, alarms)].map(\.id.person)
                boxes.append(try await Cast.agentToken(town.web, people))
            }
            Told.line("AutomatedSOS is on for all of them")
            try await body(SOSLoadTown(town: town, near: near, boxes: boxes))
        }
        try await carriers.mail.close()
    }

    private init(town: LoadTown, near: [[Member]], boxes: [String]) { (self.town, self.near, self.boxes) = (town, near, boxes) }

    /// The place of a person in distress: some 10 km from each other, so that each has crews of its own.
    static func place(_ number: Int) -> (latitude: Double, longitude: Double) {
        (44 + Double(number % 32) / 10, 7 + Double(number / 32) / 10)
    }

    /// Three near each who is going to be in distress, the others a thousand kilometres farther.
    private static func makeCrews(_ town: LoadTown) throws -> [[Member]] {
        let accounts = town.web.hub.accounts, now = Cast.now
        // As many hospitals as it takes: each has so many ambulances.
        let hospitals = try (0...max(crews, alarms * crewsEach) / HospitalStore.ambulancesMax).map { number in
            let hospital = try town.web.member(.organisation, "hospital\(number)@example.org").account
            _ = try accounts.hospitals.admitHospital(hospital, now: 0)
            return hospital
        }
        func crew(_ number: Int, _ latitude: Double, _ longitude: Double) throws -> StoredAccount {
            let email = "crew\(number)@example.org"
            let new = NewAccount(
                roles: [.responder], details: [Field.email.rawValue: email], canonicalEmail: email, canonicalIdentifier: nil,
                password: "none", language: "en", accepted: [:])
            guard case .added(let account) = try accounts.addConfirmedAccount(new, now: now) else { throw CocoaError(.fileNoSuchFile) }
            let label = AmbulanceLabel(name: "A\(number)", plate: "ZA \(number)"),
                hospital = hospitals[number / HospitalStore.ambulancesMax]
            let ambulance = try #require(try accounts.hospitals.addAmbulance(label, of: hospital, now: 0))
            let code = Array(SecretToken.random().hash)
            _ = try accounts.hospitals.addCrewCode(code, ambulance: ambulance, of: hospital, expires: .max, now: 0)
            #expect(try accounts.hospitals.joinCrew(code, account, now: now) && accounts.care.beginDuty(account, now: now))
            let place = CrewPosition(time: Cast.now, latitude: latitude, longitude: longitude, accuracy: 5)
            #expect(try accounts.care.setPlace(place, of: account))
            return account
        }
        for number in alarms * crewsEach..<max(crews, alarms * crewsEach) {
            _ = try crew(number, 55 + Double(number % 100) / 20, 10 + Double(number / 100) / 20)
        }
        return try (0..<alarms).map { alarm in
            let (latitude, longitude) = place(alarm)
            return try (0..<crewsEach).map { index in
                let account = try crew(alarm * crewsEach + index, latitude + 0.001 * Double(index + 1), longitude)
                return Member(account: account, cookie: try town.web.session(of: account, strength: .full))
            }
        }
    }

    /// On, with a contact who gets mails and texts, and without the question, whose wait is not measured.
    private static func turnOn(_ number: Int, _ town: LoadTown) async throws {
        let sos = town.web.hub.sos, account = town.people[number].id, person = account.person
        let contact = SOSContact(
            name: "Bruno", phone: "+39\(3_000_000_000 + number)", email: "contact\(number)@example.org", language: "en")
        try await sos.choices.addContact(contact, of: person, by: account)
        try await sos.choices.turnOn(person, consented: true, strict: false, by: account)
        if number < alarms { try await sos.choices.setLimits(LimitOverrides(), asksFirst: false, of: person, by: account) }
    }

    // MARK: Pages

    private struct Event: Decodable {
        struct Offer: Decodable { var id: String }
        var after: Int, within: Int
        var offers: [Offer]
    }

    /// Opens a crew's page and keeps it open: when each event with an offer came is noted, and the page asks for itself, as the real one does.
    func open(_ alarm: Int, _ index: Int) async throws {
        let cookie = near[alarm][index].cookie, place = alarm * Self.crewsEach + index
        let (waits, continuation) = AsyncStream.makeStream(of: Milliseconds.self)
        // Each crew's telephone is a machine of its own, which waits neither for the hub nor for others.
        let reading = Task(priority: .high) {
            defer { continuation.finish() }
            try await read(cookie, place) { continuation.yield($0) }
        }
        await withTaskCancellationHandler {
            for await wait in waits { try? await ask(cookie, place, after: wait) }
        } onCancel: {
            reading.cancel()
        }
        try await reading.value
    }

    private func read(_ cookie: String, _ place: Int, changed: (_ wait: Milliseconds) -> Void) async throws {
        var request = HTTPClientRequest(url: town.web.url + "/duty/alarms/events")
        request.headers.add(name: "cookie", value: cookie)
        let answer = try await town.client.execute(request, timeout: .seconds(600))
        var isFirst = true
        for try await chunk in answer.body {
            guard let line = String(buffer: chunk).split(separator: "\n").last(where: { $0.hasPrefix("data: {\"after") }) else { continue }
            if isFirst {
                isFirst = false
                seen.open.withLock { $0 += 1 }
                continue
            }
            let event = try JSONDecoder().decode(Event.self, from: Data(line.dropFirst(6).utf8))
            if !event.offers.isEmpty { seen.event(place) }
            changed(Milliseconds(event.after + Int.random(in: 0...event.within)))
        }
    }

    private func ask(_ cookie: String, _ place: Int, after wait: Milliseconds) async throws {
        try await Task.sleep(for: .milliseconds(wait))
        var page = HTTPClientRequest(url: town.web.url + "/duty/alarms")
        page.headers.add(name: "cookie", value: cookie)
        let shown = try await town.client.execute(page, timeout: .seconds(60))
        if String(buffer: try await shown.body.collect(upTo: 1 << 20)).contains("/accept\"") { seen.page(place) }
    }

    // MARK: Devices

    /// Readings of a person's device, with where the person was at each.
    func send(_ person: Int, rates: [(ago: Milliseconds, rate: UInt16)], sequence: UInt64) async throws {
        let (latitude, longitude) = Self.place(person), now = Cast.now
        let segment = Segment(
            stream: streams[person], sequence: sequence, person: town.people[person].id.person, provenance: .live, clock: .wall,
            samples: SampleSet(
                heartRates: rates.map { HeartRateSample(time: now - $0.ago, beatsPerMinute: $0.rate, contact: .detected) },
                positions: rates.map {
                    PositionSample(time: now - $0.ago, latitude: Int32(latitude * 1e7), longitude: Int32(longitude * 1e7))
                })
        ).encoded()
        try await post(SyncRoute.segments, town.box, try SegmentBatch.encode([segment]))
    }

    /// What a box says of a person whose third reading it has just had.
    func report(_ person: Int, isAlarm: Bool, revision: UInt64) async throws {
        let id = town.people[person].id.person, now = Cast.now
        var report = SOSReport(person: id, boot: BootID(high: 1, low: UInt64(person)), revision: revision, sentAt: now, provenance: .live)
        if isAlarm {
            var watch = DistressWatch(
                person: id, provenance: .live, side: .box, settings: DistressSettings(asksFirst: false), at: now - 10_000)
            let (latitude, longitude) = Self.place(person)
            let fix = PositionSample(time: now - 5000, latitude: Int32(latitude * 1e7), longitude: Int32(longitude * 1e7))
            _ = watch.handle(.position(fix), at: now - 5000)
            for index in 0..<3 {
                let time = now - 2000 + Milliseconds(index) * 1000
                let sample = HeartRateSample(time: time, beatsPerMinute: 30, contact: .detected)
                let key = SampleKey(stream: streams[person], sequence: 0, kind: .heartRate, index: UInt32(index))
                for case .report(let alarm) in watch.handle(.heartRate(sample, key), at: time) { report.alarm = alarm }
            }
            #expect(report.alarm != nil)
        }
        try await post(SyncRoute.sos, boxes[person / 10], Array(try JSONEncoder().encode(report)))
    }

    private func post(_ path: String, _ token: String, _ body: [UInt8]) async throws {
        var request = HTTPClientRequest(url: town.web.url + path)
        request.method = .POST
        request.headers.add(name: "authorization", value: "Bearer \(token)")
        request.body = .bytes(ByteBuffer(bytes: body))
        let answer = try await town.client.execute(request, timeout: .seconds(60))
        let text = try await answer.body.collect(upTo: 1 << 16)
        #expect(answer.status == .ok, "\(answer.status) \(String(buffer: text))")
    }

    /// All who are not in distress, for ``sendReadings(of:round:)``. 2,000 under way are what comes due in two seconds and a half.
    static var others: OpenLoop { OpenLoop(people: senders - alarms, every: .seconds(readings), most: 2000) }

    /// - Parameter other: from 0, of those who are not in distress.
    func sendReadings(of other: Int, round: Int) async throws {
        let rates: [(ago: Milliseconds, rate: UInt16)] = (0..<Self.readings).map { second in
            (ago: Milliseconds(Self.readings - 1 - second) * 1000, rate: UInt16(88 + (round * Self.readings + second) % 5))
        }
        try await send(Self.alarms + other, rates: rates, sequence: UInt64(round + 1))
    }
}

/// When pages heard of an offer, by the place of the crew.
final class SOSLoadSeen: Sendable {
    let open = Mutex(0)
    private let events: Mutex<[ContinuousClock.Instant?]>, pages: Mutex<[ContinuousClock.Instant?]>

    init(count: Int) {
        let none: [ContinuousClock.Instant?] = Array(repeating: nil, count: count)
        events = Mutex(none)
        pages = Mutex(none)
    }

    func event(_ place: Int) { events.withLock { $0[place] = $0[place] ?? .now } }
    func page(_ place: Int) { pages.withLock { $0[place] = $0[place] ?? .now } }
    var eventTimes: [ContinuousClock.Instant?] { events.withLock { $0 } }
    var pageTimes: [ContinuousClock.Instant?] { pages.withLock { $0 } }
}

/// What takes mails and texts, and waits 0.2 s for each: a server with TLS and a log-in, and a program.
struct SOSLoadCarriers {
    let mail: TestMailServer

    init() async throws {
        var behaviour = TestMailServer.Behaviour()
        (behaviour.delay, behaviour.login) = (200, ("hub", "secret"))
        mail = try await TestMailServer(behaviour)
    }

    func set(_ configuration: inout HubConfiguration) throws {
        let program = configuration.directory.appendingPathComponent("slow")
        try Data("#!/bin/sh\nexec sleep 0.2\n".utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        configuration.sms.command = program.path
        let password = configuration.directory.appendingPathComponent("mail-password")
        try Data("secret\n".utf8).write(to: password)
        (configuration.mail.server, configuration.mail.user) = ("smtp://127.0.0.1:\(mail.port)", "hub")
        (configuration.mail.passwordFile, configuration.mail.authority) = (password.path, mail.authority)
    }
}
