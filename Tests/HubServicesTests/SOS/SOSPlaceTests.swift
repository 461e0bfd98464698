import Accounts
import Distress
import Foundation
import HubStore
import Privacy
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Where somebody in distress was last, from whatever knew it, and where they live where nobody knows that (SOS-6, SOS-11).
@Suite(.timeLimit(.minutes(2)))
struct SOSPlaceTests {
    private static let day: Milliseconds = 86_400_000
    private static let milan = Int32(SOSTown.milan.latitude * 1e7)

    /// A segment of one position of so long ago, from a stream of its own.
    private func store(
        _ town: SOSTown, _ ago: Milliseconds, _ latitude: Int32 = milan, _ source: PositionSource = .gnss, _ provenance: Provenance = .live
    ) async throws {
        let sample = PositionSample(
            time: town.hub.clock.now - ago, latitude: latitude, longitude: 91_900_000, horizontalError: 100, source: source)
        let segment = Segment(
            stream: .random(), sequence: 1, person: town.person.id.person, provenance: provenance, clock: .wall,
            samples: SampleSet(positions: [sample]))
        let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
        let body = try SegmentBatch.encode([segment.encoded()])
        _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
        await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
    }

    private func position(_ town: SOSTown) -> LastPosition? { town.sos.openCase(of: town.person.id.person)?.alarm.position }

    /// A box reports, so that the hub itself does not watch.
    private func hear(_ town: SOSTown) async throws { try await town.send(town.report(1)) }

    /// A help alarm without a position.
    private func call(_ town: SOSTown, _ change: (inout SOSReport) -> Void = { _ in }) async throws {
        var report = town.report(10, try town.helpAlarm(isWithPosition: false))
        change(&report)
        try await town.send(report)
    }

    private func live(_ town: SOSTown, _ residence: String) throws {
        let account = try #require(try town.hub.accounts.account(town.person.id))
        try town.hub.accounts.setDetails(account.details.merging(["residence": residence]) { $1 }, of: account, now: 0)
    }

    // MARK: The last position

    @Test(
        "SOS-6, SOS-11: the newest position of any live stream, however old, is that of the case, with its age, and crews are asked by it")
    func old() async throws {
        let town = try await SOSTown(isRoom: true), crew = try town.crews(1)[0], now = town.hub.clock.now
        try await hear(town)
        try await store(town, 40 * Self.day)
        try await store(town, 60 * Self.day, 440_000_000)
        try await store(town, Self.day, 430_000_000, .gnss, .replay)
        try await store(town, -400 * Self.day, 420_000_000)
        try await store(town, Self.day, 410_000_000, .fixed)
        try await call(town)
        #expect(position(town)?.latitude == Self.milan && position(town)?.time == now - 40 * Self.day)
        await town.look()
        #expect(town.sos.crews.cases(of: crew.id).count == 1)
        // A room that is called at once waits for what the hub finds, and hears nothing else first.
        try await town.until { town.outbox.texts(to: "room").first?.contains("40 days ago (satellites)") == true }
    }

    @Test("SOS-6: the place that was set for a box is told where no position is known at all, and without an age")
    func fixed() async throws {
        let town = try await SOSTown(isRoom: true)
        try await hear(town)
        try await store(town, Self.day, Self.milan, .fixed)
        try await store(town, 3_600_000, 430_000_000, .gnss, .replay)
        try await call(town)
        #expect(position(town)?.source == .fixed)
        try await town.until { town.outbox.texts(to: "room").first?.contains("place that was set for the box") == true }
        #expect(!town.outbox.texts(to: "room").contains { $0.contains("PositionAgeSeconds") })
        await town.pass(1000)
        try await store(town, 0, 453_000_000)
        #expect(position(town)?.latitude == 453_000_000, "what was found a moment ago says more")
    }

    @Test("SOS-6, design rule 10: whoever switched position off at their box is not looked for further back than ten minutes")
    func off() async throws {
        for (ago, isFound) in [(Self.day, false), (120_000, true)] {
            let town = try await SOSTown()
            try await hear(town)
            try await store(town, ago)
            try await call(town) { $0.isPositionOff = true }
            #expect((position(town) != nil) == isFound, "\(ago)")
        }
    }

    @Test("SOS-6, SOS-16, design rule 10: asking for help lets the chain read one position, while the case is open, and nothing else")
    func grant() async throws {
        let town = try await SOSTown(isOn: false), person = town.person.id.person
        let emergency = town.hub.series.emergency(upheldBy: town.sos.store)
        func read() throws -> PositionSample? {
            try emergency.lastPosition(.sosLastPosition(of: person), now: town.hub.clock.now)
        }
        try await hear(town)
        try await store(town, 40 * Self.day)
        #expect(try read() == nil, "no case, nothing")
        try await call(town)
        #expect(position(town)?.latitude == Self.milan)
        #expect(try read() != nil)
        let now = town.hub.clock.now
        #expect(try town.hub.series.reader.read(.sosLastPosition(of: person), from: 0, to: now, now: now) == nil, "by this way alone")
        #expect(try emergency.read(.sosLastPosition(of: person), from: 0, to: now, now: now) == nil)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        #expect(try read() == nil)
    }

    @Test("SOS-6: a position of unknown age is told as such, no older box takes it for new, and one with an age takes its place")
    func unknownAge() async throws {
        let town = try await SOSTown(isRoom: true), person = town.person.id.person
        var place = LastPosition(PositionSample(time: 0, latitude: Self.milan, longitude: 91_900_000, horizontalError: 80))
        place.isAgeUnknown = true
        try await call(town) { $0.lastPlace = place }
        #expect(position(town)?.isAgeUnknown == true)
        try await town.until { town.outbox.texts(to: "room").contains { $0.contains("age unknown, at least") } }
        // Said again and again, it is no news.
        let before = position(town)
        for revision in 12..<16 as Range<UInt64> {
            town.hub.clock.advance(500)
            var report = town.report(revision, try town.helpAlarm(isWithPosition: false))
            (report.lastPlace, report.sentAt) = (place, 3000 + Milliseconds(revision) * 400)
            try await town.send(report)
        }
        #expect(position(town) == before)
        let other = try await town.hub.enrol([person])
        let session = try town.hub.authenticator.session(bearer: other.token, now: town.hub.clock.now)
        let answer = try await town.sos.reports.take(town.report(1, boot: .random()), from: session)
        #expect(answer.open != nil && answer.open?.position == nil)
        try await store(town, 3600_000, 453_000_000)
        #expect(position(town)?.latitude == 453_000_000 && position(town)?.isAgeUnknown == nil)
    }

    @Test("SOS-6, SOS-20: whoever was told a place of long ago hears when the person is found elsewhere")
    func elsewhere() async throws {
        let town = try await SOSTown()
        try await hear(town)
        try await store(town, 40 * Self.day)
        try await call(town)
        let contact = try #require(town.sos.openCase(of: town.person.id.person)?.contacts?.first?.phone)
        try await town.until {
            await town.look()
            return town.outbox.texts(to: contact).contains { $0.contains("40 d ago") }
        }
        try await town.sent()
        await town.pass(1000)
        try await store(town, 0, 453_000_000)
        await town.look()
        try await town.until { town.outbox.texts(to: contact).contains { $0.contains("45.30000") && $0.contains("0 s ago") } }
    }

    // MARK: The residence

    @Test("SOS-6, SOS-11: where no position is known crews are asked by the pin, told so, and everybody else reads the address")
    func home() async throws {
        let town = try await SOSTown(isRoom: true), crews = try town.crews(2, step: 0.01), person = town.person.id.person
        try live(town, "Via Roma 1, Milano")
        try await town.sos.homes.set(
            latitude: SOSTown.milan.latitude, longitude: SOSTown.milan.longitude, of: person, by: town.person.id)
        try await call(town)
        await town.look()
        let found = town.sos.crews.cases(of: crews[0].id)
        #expect(found.first?.offer.isToHome == true && found.first?.home?.latitude == Self.milan)
        #expect(town.sos.crews.openOffers(to: crews[0].id).map(\.isToHome) == [true])
        #expect(found.first.map { (1000...1300).contains($0.offer.distance) } == true, "\(found)")
        let contact = try #require(town.sos.openCase(of: person)?.contacts?.first?.phone),
            address = "perhaps not where they are: Via Roma 1, Milano"
        try await town.until { town.outbox.texts(to: "room").contains { $0.contains(address) } }
        try await town.until { town.outbox.texts(to: contact).contains { $0.contains(address) } }
        #expect(!town.outbox.all.contains { $0.text.contains("45.464") }, "the pin is for crews alone")
        #expect(try await town.sos.crews.accept(found[0].item.id, by: crews[0]) == .yours)
        let coming = try #require(town.sos.openCase(of: person).flatMap { town.sos.crews.coming($0, now: town.sos.now()) })
        #expect(coming.arrivalIn != nil, "it is expected at the home")
        // Found after all: the crew sees where, and no home any more.
        try await store(town, 0, 453_000_000)
        let now = try #require(town.sos.crews.cases(of: crews[0].id).first)
        #expect(now.home == nil && now.item.alarm.position?.latitude == 453_000_000)
    }

    @Test("SOS-11: a position that the hub keeps, however old, leads crews, and not the home")
    func before() async throws {
        let town = try await SOSTown(), crew = try town.crews(1)[0], person = town.person.id.person
        try await hear(town)
        try await town.sos.homes.set(latitude: 41.9, longitude: 12.5, of: person, by: town.person.id)
        try await store(town, 40 * Self.day)
        try await call(town)
        await town.look()
        let found = town.sos.crews.cases(of: crew.id)
        #expect(
            found.first?.offer.isToHome == nil && found.first?.home == nil && (1000...1300).contains(found.first?.offer.distance ?? 0),
            "\(found)")
    }

    @Test("SOS-11: a pin that is set while help is called is used at once; one of an earlier address, or that was removed, is not")
    func moved() async throws {
        let town = try await SOSTown(), crew = try town.crews(1)[0], person = town.person.id.person
        func set() async throws {
            try await town.sos.homes.set(latitude: 45.46, longitude: 9.19, of: person, by: town.person.id)
        }
        try live(town, "Via Roma 1, Milano")
        try await set()
        try live(town, "Via Verdi 2, Bergamo")
        await town.sos.choices.profileChanged(person)
        #expect(try town.sos.homes.home(of: person)?.isCurrent == false)
        try await call(town)
        await town.look()
        #expect(town.sos.crews.cases(of: crew.id).isEmpty, "nobody is sent to the flat of before")
        try await set()
        try await town.until {
            await town.look()
            return town.sos.crews.cases(of: crew.id).count == 1
        }
        #expect(try town.sos.homes.home(of: person)?.isCurrent == true)
        try await town.sos.homes.remove(of: person, by: town.person.id)
        #expect(try town.sos.homes.home(of: person) == nil && town.sos.crews.cases(of: crew.id).first?.home == nil)
        #expect(try town.sos.store.changes(of: person).map(\.what).prefix(3) == [["home -"], ["home"], ["home"]])
    }

    @Test("SOS-6: only the person, and who looks after them, sets the pin, and only to a place on Earth; nobody reads it in the files")
    func allowed() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        let stranger = try SOSTown.account(town.hub, .person, "eve@example.org")
        await #expect(throws: SOSSettingProblem.notAllowed) {
            try await town.sos.homes.set(latitude: 45, longitude: 9, of: person, by: stranger.id)
        }
        await #expect(throws: SOSSettingProblem.notAllowed) { try await town.sos.homes.remove(of: person, by: stranger.id) }
        for (latitude, longitude) in [(91.0, 9.0), (45, 181), (.nan, 9), (45, .infinity), (0, 0)] {
            await #expect(throws: SOSSettingProblem.notAPlace, "\(latitude), \(longitude)") {
                try await town.sos.homes.set(latitude: latitude, longitude: longitude, of: person, by: town.person.id)
            }
        }
        try live(town, "Via Segreta 77, Milano")
        try await town.sos.homes.set(latitude: 45.1234567, longitude: 9.7654321, of: person, by: town.person.id)
        #expect(try town.sos.homes.home(of: person)?.pin.latitude == 451_234_567)
        let files = try FileManager.default.contentsOfDirectory(at: town.hub.directory.url, includingPropertiesForKeys: nil)
        for file in files where file.lastPathComponent.hasPrefix("sos") {
            let bytes = try Data(contentsOf: file)
            #expect(bytes.range(of: Data("451234567".utf8)) == nil && bytes.range(of: Data("Segreta".utf8)) == nil, "\(file)")
        }
        #expect(files.contains { $0.lastPathComponent.hasPrefix("sos") })
    }

    @Test("SOS-6: what 0.3.0 stored of somebody's choices is read, and has no pin")
    func earlier() throws {
        let choice = try JSONDecoder().decode(
            SOSChoice.self,
            from: Data(#"{"version":3,"isOn":true,"asksFirst":true,"overrides":{},"contacts":[]}"#.utf8))
        #expect(choice.home == nil && choice.isOn)
        let offer = try JSONDecoder().decode(
            SOSOffer.self,
            from: JSONEncoder().encode(SOSOffer(account: .init(.random()), ambulance: 1, made: 1, answerBy: 2, tellAt: nil, distance: 3)))
        #expect(offer.isToHome == nil)
    }
}
