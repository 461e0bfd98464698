import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import Languages
import Privacy
import Segments
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Control rooms, and where the person is.
@Suite(.timeLimit(.minutes(3)))
struct SOSRoomTests {
    private func rooms(_ outbox: SOSOutbox) -> [any EmergencyChannel] {
        let milan = ControlRoomArea.circle(latitude: 45.46, longitude: 9.19, metres: 30_000)
        let rome = ControlRoomArea.polygon(
            [(41.6, 12.2), (42.1, 12.2), (42.1, 12.8), (41.6, 12.8)].map { .init(latitude: $0, longitude: $1) })
        return [
            TestRoom(name: "Milan", area: milan, outbox: outbox), TestRoom(name: "Rome", area: rome, outbox: outbox),
            TestRoom(name: "Everywhere", outbox: outbox),
        ]
    }

    @Test("SOS-6, SOS-11: with fewer than three ambulances the control rooms of the place are called at once, and no others")
    func area() async throws {
        let start = try await SOSTown(), town = try start.restarted(rooms: rooms(start.outbox))
        try await town.send(town.report(1, try town.helpAlarm()))
        try await town.until { !town.outbox.texts(to: "Milan").isEmpty && !town.outbox.texts(to: "Everywhere").isEmpty }
        await town.pass(120_000)
        #expect(town.outbox.texts(to: "Rome").isEmpty)
        #expect(town.outbox.texts(to: "Milan")[0].contains("<web>https://hub.example/sos/"))

        let outlets = town.sos.outlets
        func position(_ latitude: Double, _ longitude: Double) -> LastPosition {
            LastPosition(PositionSample(time: 0, latitude: Int32(latitude * 1e7), longitude: Int32(longitude * 1e7)))
        }
        #expect(outlets.rooms(for: position(41.9, 12.5)) == ["Rome", "Everywhere"])
        #expect(outlets.rooms(for: position(48, 2)) == ["Everywhere"] && outlets.rooms(for: nil) == ["Everywhere"])
        var local = outlets
        local.rooms.removeLast()
        #expect(local.rooms(for: nil) == ["Milan", "Rome"] && local.rooms(for: position(48, 2)) == ["Milan", "Rome"])
    }

    @Test("SOS-22: where no control room of the place works, the others are called as well", arguments: [false, true])
    func failing(areAll: Bool) async throws {
        let start = try await SOSTown(), town = try start.restarted(rooms: rooms(start.outbox))
        struct Refused: Error {}
        for room in areAll ? ["Milan", "Everywhere"] : ["Milan"] {
            for to in ["a", "b"] { town.sos.ways.attempted(.room(room), to: to, .failure(Refused())) }
            #expect(town.sos.ways.isFailing(.room(room)))
        }
        try await town.send(town.report(1, try town.helpAlarm()))
        try await town.until { !town.outbox.texts(to: areAll ? "Rome" : "Everywhere").isEmpty }
        #expect(town.outbox.texts(to: "Rome").isEmpty == !areAll)
    }

    @Test("SOS-20: a control room takes the case by its link, ends what others have, and a wrong link does nothing")
    func answers() async throws {
        let start = try await SOSTown(), town = try start.restarted(rooms: rooms(start.outbox)), person = town.person.id.person
        let alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        let link = try #require(town.sos.openCase(of: person)?.roomLinks?["Milan"])
        let (item, room) = try #require(town.sos.helpers.contact(link: link))
        #expect(room.hasAuthority && town.sos.helpers.contact(link: town.sos.addressees.makeLink()) == nil)
        #expect(await town.sos.helpers.act(.take, room, on: item.id))
        let answer = try await town.send(town.report(2, alarm))
        #expect(answer.owner == .room("Milan") && answer.ownerName == "Milan")
        #expect(await town.sos.helpers.act(.release, room, on: item.id))
        // Somebody else has it; the room knows that it is over.
        let bruno = try #require(town.sos.helpers.contact(link: item.links[0])).helper
        #expect(await town.sos.helpers.act(.take, bruno, on: item.id))
        #expect(await !town.sos.helpers.answer(.finish, room: "Rome", incident: item.id), "it was never called")
        #expect(await town.sos.helpers.answer(.finish, room: "Milan", incident: item.id))
        #expect(try await town.send(town.report(3, alarm)).outcome == .finished(.room("Milan")))
    }

    @Test("SOS-19: a control room confirms a test by its link and by a signed answer, and takes nothing by that")
    func confirms() async throws {
        let start = try await SOSTown(), town = try start.restarted(rooms: rooms(start.outbox)), person = town.person.id.person
        try await town.sos.drills.run(for: person)
        try await town.sent()
        let text = try #require(town.outbox.texts(to: "Everywhere").first)
        let link = try #require(text.firstMatch(of: /<web>https:..hub\.example.sos.([0-9a-f]{32})</)).output.1
        #expect(town.sos.helpers.contact(link: String(link)) == nil, "it is no case to take")
        #expect(await town.sos.drills.confirm(link: String(link)))
        func item() throws -> SOSCase { try #require(try town.sos.store.cases(of: person).first) }
        func state(_ room: String) throws -> [SOSCall.State] { try item().calls.filter { $0.recipient == .room(room) }.map(\.state) }
        #expect(try state("Everywhere") == [.acknowledged])
        let id = try item().id
        #expect(await !town.sos.helpers.answer(.take, room: "Rome", incident: id), "it got none")
        #expect(await town.sos.helpers.answer(.take, room: "Everywhere", incident: id))
        #expect(try item().owner == nil && town.sos.openCase(of: person) == nil)
    }

    @Test("SOS-6: a control room reads the language that its operator set for the place, and without one that of the person")
    func language() async throws {
        let start = try await SOSTown()
        let town = try start.restarted(rooms: [
            TestRoom(name: "place", language: .italian, outbox: start.outbox), TestRoom(name: "person", outbox: start.outbox),
        ])
        try await town.send(town.report(1, try town.helpAlarm()))
        try await town.until { !town.outbox.texts(to: "place").isEmpty && !town.outbox.texts(to: "person").isEmpty }
        func first(_ room: String) -> String? {
            town.outbox.texts(to: room)[0].components(separatedBy: "<language>").dropFirst().first.map { String($0.prefix(2)) }
        }
        #expect(first("place") == "it" && first("person") == "en")
    }

    /// An alarm of a heart, with the question switched off and without a position, as its messages to two rooms.
    @Test(
        "SOS-6, SOS-10, SOS-17, SOS-20: a room reads that somebody has it and that it was a false alarm, each with what it is about; one without words for it no more alarms"
    )
    func news() async throws {
        let start = try await SOSTown()
        let town = try start.restarted(rooms: [
            TestRoom(name: "cap", outbox: start.outbox), TestRoom(name: "scaip", hasNews: false, outbox: start.outbox),
        ])
        let person = town.person.id.person
        try await town.sos.choices.setLimits(LimitOverrides(), asksFirst: false, of: person, by: town.person.id)
        let reading = Reading(time: 1900, value: 190, key: SampleKey(stream: town.stream, sequence: 3, kind: .heartRate, index: 0))
        var alarm = try town.helpAlarm(isWithPosition: false)
        alarm.abnormalities = [
            Abnormality(
                trigger: .heartRateHigh, tier: .critical, limit: 160, context: .unknown, first: reading, latest: reading, worst: 190,
                count: 3, isLost: false, answerTime: 0)
        ]
        var report = town.report(1, alarm)
        report.isPositionOff = true
        try await town.send(report)
        func texts(_ room: String, _ count: Int) async throws -> [String] {
            try await town.until {
                town.outbox.texts(to: room).count >= count && town.sos.state.withLock { $0.sending } == 0
            }
            return town.outbox.texts(to: room)
        }
        func field(_ name: String, _ xml: String) -> String? {
            xml.components(separatedBy: "<\(name)>").dropFirst().first?.components(separatedBy: "</\(name)>").first
        }
        func name(_ xml: String) -> String {
            [field("sender", xml), field("identifier", xml), field("sent", xml)].map { $0 ?? "none" }.joined(separator: ",")
        }
        let alert = try await texts("cap", 1)[0]
        _ = try await texts("scaip", 1)
        #expect(field("msgType", alert) == "Alert" && field("references", alert) == nil)
        #expect(alert.contains("<value>not-asked</value>") && alert.contains("<value>switched-off</value>"), "\(alert)")
        await town.pass(5000)
        #expect(await town.sos.helpers.answer(.take, room: "scaip", incident: alarm.id))
        let taken = try await texts("cap", 2)[1]
        #expect(field("msgType", taken) == "Update" && field("references", taken) == name(alert), "\(taken)")
        #expect(taken.contains("scaip has taken this alarm, nobody else is called") && !taken.contains("Send help"))
        await town.pass(5000)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        await town.pass(200)
        let over = try await texts("cap", 3)[2]
        #expect(field("msgType", over) == "Cancel" && field("references", over) == "\(name(alert)) \(name(taken))", "\(over)")
        #expect(over.contains("<value>false-alarm</value>"))
        let scaip = try await texts("scaip", 2)
        #expect(scaip.map { field("msgType", $0) } == ["Alert", "Cancel"] && field("references", scaip[1]) == name(scaip[0]))
    }

    @Test("SOS-17: what is wrong in hub.sos.rooms is said, with what to do")
    func settings() throws {
        let room = try ControlRoomSetting("118=scaips:alarm@pbx.example:5070 in polygon 45 9 46 9 46 10")
        #expect(room.name == "118" && room.area == .polygon([(45, 9), (46, 9), (46, 10)].map { .init(latitude: $0, longitude: $1) }))
        #expect(room.way == .sip(.init(host: "pbx.example", port: 5070, isTCP: false, isTLS: true, user: "alarm")))
        #expect(
            try ControlRoomSetting("a=sip:[2001:db8::1]:5060;transport=tcp").way
                == .sip(.init(host: "2001:db8::1", port: 5060, isTCP: true, isTLS: false, user: nil)))
        #expect(
            try ControlRoomSetting("a=mailto:a@b.example in circle 45.5 9.2 20").area
                == .circle(latitude: 45.5, longitude: 9.2, metres: 20_000))
        #expect(try ControlRoomSetting("a=webhook+https://b.example/h?x=1").way == .web("https://b.example/h?x=1", .json))
        #expect(try ControlRoomSetting("a=fhir+https://b.example").way == .web("https://b.example", .fhir))
        let italian = try ControlRoomSetting("a=sip:b in circle 45.5 9.2 20 language it")
        #expect(italian.language == .italian && italian.area == .circle(latitude: 45.5, longitude: 9.2, metres: 20_000))
        #expect(italian.summary.hasSuffix("in the language it") && room.language == nil)
        let english = try ControlRoomSetting("a=mailto:a@b language en")
        #expect(english.language == .english && english.area == nil)
        for wrong in [
            "mailto:a@b", "=mailto:a@b", "a=", "a=http://b", "a=webhook+http://b", "a=webhook+https://", "a=cap+https://b", "a=mailto:b",
            "a=sip:", "a=sip:u@h", "a=scaip:h", "a=sip:h:0", "a=sip:h:x",
            "a=sips:h;transport=tcp",
            "a=mailto:a@b in", "a=mailto:a@b in circle 45 9", "a=mailto:a@b in circle 95 9 1", "a=mailto:a@b in circle 45 9 0",
            "a=mailto:a@b in polygon 45 9 46 9", "a=mailto:a@b in polygon 45 9 46 9 46", "a=mailto:a@b in square 1 2 3",
            "a=mailto:a@b on circle 45 9 1", "a=mailto:a@b language", "a=mailto:a@b language fr",
            "a=mailto:a@b language it in circle 45 9 1",
        ] { #expect(throws: RoomProblem.self, "\(wrong)") { try ControlRoomSetting(wrong) } }
        for address in ["https://b.example", "webhook+https://b.example", "fhir+https://b.example"] {
            #expect(throws: RoomProblem.self) { try ControlRoomSetting.all(["a=\(address)"], hasSecret: false) }
        }
        #expect(throws: RoomProblem.self) { try ControlRoomSetting.all(["a=mailto:a@b", "a=mailto:c@d"], hasSecret: true) }
        let body = Array("{}".utf8), secret = Array("s".utf8), right = HTTPSControlRoom.signature(body, secret)
        #expect(
            HTTPSControlRoom.isSigned(body, right, secret) && !HTTPSControlRoom.isSigned(body + [0], right, secret)
                && !HTTPSControlRoom.isSigned(body, right, []))
    }

    // MARK: Positions

    private func fix(_ town: SOSTown, _ latitude: Double) -> LastPosition {
        LastPosition(
            PositionSample(
                time: 2900, latitude: Int32(latitude * 1e7), longitude: Int32(SOSTown.milan.longitude * 1e7), horizontalError: 50))
    }

    @Test("SOS-6: a newer position that a box reports is that of the case, over the owner's taking and a restart; an older one is not")
    func moves() async throws {
        var town = try await SOSTown(isRoom: true), alarm = try town.helpAlarm()
        let person = town.person.id.person
        try await town.send(town.report(1, alarm))
        // A room that has nothing yet gets no update.
        try await town.until { town.sos.openCase(of: person)?.calls.contains { $0.channel == .room && $0.state != .waiting } ?? false }
        alarm.position = fix(town, 45.5)
        try await town.send(town.report(2, alarm))
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 455_000_000)
        await town.pass(61_000)
        try await town.until { town.outbox.texts(to: "room").contains { $0.contains("45.50000") && $0.contains("<msgType>Update<") } }
        let link = try #require(town.sos.openCase(of: person)).links[0]
        let bruno = try #require(town.sos.helpers.contact(link: link))
        #expect(await town.sos.helpers.act(.take, bruno.helper, on: bruno.item.id))
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 455_000_000)
        alarm.position?.latitude = 456_000_000
        var report = town.report(3, alarm)
        report.sentAt = 3_000_000
        try await town.send(report)
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 455_000_000, "it is older")
        town = try town.restarted(isRoom: true)
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 455_000_000)
    }

    @Test(
        "SOS-6, design rule 10: a phone's positions during a case are its own; from before, ten minutes are read by the chain's grant, while it is open"
    )
    func phone() async throws {
        let town = try await SOSTown(), person = town.person.id.person
        func send(_ ago: Milliseconds, _ latitude: Double, _ sequence: UInt64) async throws {
            let sample = PositionSample(
                time: town.hub.clock.now - ago, latitude: Int32(latitude * 1e7), longitude: 91_900_000, horizontalError: 100)
            let segment = Segment(
                stream: town.stream, sequence: sequence, person: person, provenance: .live, clock: .wall,
                samples: SampleSet(positions: [sample]))
            let session = try town.hub.authenticator.session(bearer: town.box.token, now: town.hub.clock.now)
            let body = try SegmentBatch.encode([segment.encoded()])
            _ = try await town.hub.ingest.commit(body.withUnsafeBytes { try town.hub.ingest.receive(session: session, body: $0) })
            await town.sos.detection.detect(in: Array(town.hub.bus.arrivedForSOS.take()))
        }
        let since = town.hub.clock.now
        let grant = Grant.sos(of: person, since: since)
        func read() throws -> HubStore.Reading? {
            try town.hub.series.emergency(upheldBy: town.sos.store).read(grant, from: 0, to: .max / 2, now: town.hub.clock.now)
        }
        try await town.send(town.report(1))
        try await send(700_000, 45.1, 1)
        try await send(120_000, 45.2, 2)
        #expect(try read() == nil, "no case, nothing")
        try await town.send(town.report(2, try town.helpAlarm(isWithPosition: false)))
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 452_000_000)
        #expect(try read()?.positions.map(\.latitude) == [452_000_000], "nothing older than ten minutes")
        #expect(try town.hub.series.reader.read(grant, from: 0, to: .max / 2, now: since) == nil, "by this way alone")
        await town.pass(5000)
        try await send(1000, 45.3, 3)
        #expect(town.sos.openCase(of: person)?.alarm.position?.latitude == 453_000_000)
        _ = try await town.sos.presses.press(.falseAlarm, for: person)
        #expect(try read() == nil)
    }
}
