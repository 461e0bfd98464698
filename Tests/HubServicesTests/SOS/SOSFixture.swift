import Accounts
import Alerts
import Credentials
import Distress
import Foundation
import HubStore
import Languages
import Logging
import Seams
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What left the hub.
final class SOSOutbox: Sendable {
    struct Sent: Sendable, Hashable {
        var to: String
        var text: String
    }
    let sent = Mutex<[Sent]>([])
    /// Whom nothing reaches.
    let failing = Mutex<Set<String>>([])
    /// What happens to a mail or a text before it is taken, by its recipient.
    let before = Mutex<(@Sendable (String) async throws -> Void)?>(nil)
    /// Tries to send, by recipient, also those that nobody took.
    let tried = Mutex<[String]>([])
    func pass(_ to: String) async throws {
        tried.withLock { $0.append(to) }
        try await before.withLock { $0 }?(to)
    }
    var all: [Sent] { sent.withLock { $0 } }
    func texts(to: String) -> [String] { all.filter { $0.to == to }.map(\.text) }
    func take(_ to: String, _ text: String) { sent.withLock { $0.append(Sent(to: to, text: text)) } }
}

struct TestRoom: EmergencyChannel {
    let name: String
    var area: ControlRoomArea?
    var answers = true
    var hasNews = true
    var language: Language?
    let outbox: SOSOutbox
    func send(_ record: SOSRecord, language: Language) async throws -> String {
        outbox.take(name, String(decoding: CAPAlert.xml(record, language: language), as: UTF8.self))
        return "taken"
    }
}

/// A person with AutomatedSOS and a box, contacts and crews, over real stores, with a clock that is set by hand.
struct SOSTown {
    let hub: ServicesFixture
    let sos: SOSService
    let outbox: SOSOutbox
    let person: StoredAccount
    let box: ServicesFixture.Box
    let boot: BootID, stream: StreamID
    /// The clock of the hub's machine that nobody sets; nil for a hub without one.
    let ticks: ManualClock?
    static let milan = (latitude: 45.4642, longitude: 9.19)
    static var quiet: Logger {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }

    /// - Parameter isRoom: there is a control room.
    init(
        _ hub: ServicesFixture? = nil, isRoom: Bool = false, isOn: Bool = true, ticks: ManualClock? = nil, logger: Logger = quiet
    ) async throws {
        let hub = try hub ?? ServicesFixture(), outbox = SOSOutbox()
        let person = try Self.account(hub, .person, "ada@example.org")
        let box = try await hub.enrol([person.id.person])
        self.init(hub, try Self.service(hub, outbox, isRoom: isRoom, ticks: ticks, logger: logger), outbox, person, box, ticks: ticks)
        if isOn {
            for name in ["Bruno", "Carla"] {
                let contact = SOSContact(
                    name: name, phone: "+39 02 \(name.count)".filter { $0 != " " } + name.prefix(1), email: nil, language: "en")
                try await sos.choices.addContact(contact, of: person.id.person, by: person.id)
            }
            try await sos.choices.turnOn(person.id.person, consented: true, strict: false, by: person.id)
        }
    }

    init(
        _ hub: ServicesFixture, _ sos: SOSService, _ outbox: SOSOutbox, _ person: StoredAccount, _ box: ServicesFixture.Box,
        ticks: ManualClock? = nil
    ) {
        (self.hub, self.sos, self.outbox, self.person, self.box, self.ticks) = (hub, sos, outbox, person, box, ticks)
        (boot, stream) = (hub.accounts.randomness.id(), hub.accounts.randomness.id())
    }

    static func service(
        _ hub: ServicesFixture, _ outbox: SOSOutbox, isRoom: Bool = false, rooms: [any EmergencyChannel] = [], ticks: ManualClock? = nil,
        voice: (any SOSVoice)? = nil, logger: Logger = quiet, change: (inout SOSOutlets) -> Void = { _ in }
    ) throws -> SOSService {
        let clock = hub.clock
        var outlets = SOSOutlets(
            text: { text, number in
                try await outbox.pass(number)
                outbox.take(number, text)
            },
            mail: { to, _, text in
                try await outbox.pass(to)
                if outbox.failing.withLock({ $0.contains(to) }) { throw StorageFailure(description: "no way") }
                outbox.take(to, text)
            },
            rooms: isRoom ? [TestRoom(name: "room", outbox: outbox)] : rooms, voice: voice,
            phrase: { message, item, _ in [.taken, .released].contains(message) ? "\(message) \(item.ownerName ?? "")" : nil },
            site: { "https://hub.example" }, ways: WayMonitor(now: { clock.now }, logger: logger, machine: hub.accounts.machine))
        change(&outlets)
        var boot: (@Sendable () -> Milliseconds)?
        if let ticks { boot = { ticks.now } }
        let store = try SOSStore(hub.files, keys: hub.keys)
        return try SOSService(
            store: store, accounts: hub.accounts, detection: hub.series.detection, emergency: hub.series.emergency(upheldBy: store),
            bus: hub.bus, crews: CrewIndex(), outlets: outlets, logger: logger, time: MonotonicUTC({ clock.now }, boot: boot))
    }

    /// Another process on the same files: what was only in memory is gone.
    func restarted(
        isRoom: Bool = false, rooms: [any EmergencyChannel] = [], voice: (any SOSVoice)? = nil,
        change: (inout SOSOutlets) -> Void = { _ in }
    ) throws -> SOSTown {
        let hub = try ServicesFixture(hub.directory, person: hub.person, clock: hub.clock)
        let sos = try Self.service(hub, outbox, isRoom: isRoom, rooms: rooms, ticks: ticks, voice: voice, change: change)
        return SOSTown(hub, sos, outbox, person, box, ticks: ticks)
    }

    static func account(_ hub: ServicesFixture, _ role: Role, _ email: String) throws -> StoredAccount {
        var details = ["email": email, "firstName": "Ada", "lastName": "Made-Up", "dateOfBirth": "1950-03-01"]
        if role == .organisation { details["organisationName"] = "Hospital" }
        let new = NewAccount(
            roles: [role], details: details, canonicalEmail: email, canonicalIdentifier: nil, password: "none", language: "en",
            accepted: [:])
        guard case .added(let account) = try hub.accounts.addConfirmedAccount(new, now: 0) else { throw CocoaError(.fileNoSuchFile) }
        return account
    }

    /// Crews on duty, each `step` degrees farther north, in the order of their distance.
    func crews(_ count: Int, step: Double = 0.01) throws -> [StoredAccount] {
        let hospital = try Self.account(hub, .organisation, "h\(UInt32.random(in: 0 ... .max))@example.org")
        _ = try hub.accounts.hospitals.admitHospital(hospital, now: 0)
        return try (0..<count).map { index in
            let crew = try Self.account(hub, .responder, "crew\(index).\(UInt32.random(in: 0 ... .max))@example.org")
            let ambulance = try #require(
                try hub.accounts.hospitals.addAmbulance(AmbulanceLabel(name: "A\(index)", plate: "ZA \(index)"), of: hospital, now: 0))
            let code = Array(SecretToken.random().hash)
            _ = try hub.accounts.hospitals.addCrewCode(code, ambulance: ambulance, of: hospital, expires: .max, now: 0)
            #expect(
                try hub.accounts.hospitals.joinCrew(code, crew, now: hub.clock.now) && hub.accounts.care.beginDuty(crew, now: hub.clock.now)
            )
            let place = CrewPosition(
                time: hub.clock.now, latitude: Self.milan.latitude + step * Double(index + 1), longitude: Self.milan.longitude, accuracy: 5)
            #expect(try hub.accounts.care.setPlace(place, of: crew))
            return crew
        }
    }

    // MARK: The box

    /// A watch of a box, whose person asked for help.
    func helpAlarm(sequence: UInt64 = 1, provenance: Provenance = .live, isWithPosition: Bool = true) throws -> Alarm {
        var watch = DistressWatch(
            person: person.id.person, provenance: provenance, side: .box, settings: DistressSettings(age: 70), at: 1000)
        if isWithPosition {
            let fix = PositionSample(
                time: 1000, latitude: Int32(Self.milan.latitude * 1e7), longitude: Int32(Self.milan.longitude * 1e7), horizontalError: 80)
            _ = watch.handle(.position(fix), at: 1000)
        }
        let key = SampleKey(stream: stream, sequence: sequence, kind: .event, index: 0)
        let effects = watch.handle(.state(StateEvent(time: 2000, code: .help), key), at: 2000)
        let alarms = effects.compactMap { effect -> Alarm? in
            switch effect {
            case .report(let alarm), .test(let alarm): alarm
            default: nil
            }
        }
        return try #require(alarms.first)
    }

    func report(
        _ revision: UInt64, _ alarm: Alarm? = nil, outcome: Outcome? = nil, provenance: Provenance = .live, isDrill: Bool = false,
        unprotected: [Absence] = [], detectorDown: Bool = false, boot: BootID? = nil
    ) -> SOSReport {
        SOSReport(
            person: person.id.person, boot: boot ?? self.boot, revision: revision, sentAt: 3000, provenance: provenance, isDrill: isDrill,
            unprotected: unprotected, detectorDown: detectorDown, alarm: alarm, outcome: outcome)
    }

    @discardableResult
    func send(_ report: SOSReport) async throws -> SOSAnswer {
        try await sos.reports.take(report, from: hub.authenticator.session(bearer: box.token, now: hub.clock.now, takesExpired: true))
    }

    /// Lets the time go by, and what is due be done.
    func pass(_ milliseconds: Milliseconds) async {
        hub.clock.advance(milliseconds)
        ticks?.advance(milliseconds)
        await look()
    }

    /// What is due is done.
    func look() async {
        let work = await sos.look()
        await sos.notices.run {}
        await sos.keep(work)
        await sos.owedNotices.tell()
    }

    /// Waits until what left stands in its case, and on the disk: before the clock is set, and before the hub is killed.
    func sent() async throws {
        try await until { sos.state.withLock { $0.queue.isEmpty } }
        _ = await sos.writer.flush()
    }

    /// Waits for what is sent beside the decisions. The test's time limit ends it.
    func until(_ condition: () async throws -> Bool) async throws {
        while try await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }
}
