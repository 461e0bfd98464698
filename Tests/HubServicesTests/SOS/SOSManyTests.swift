import Accounts
import Alerts
import Distress
import Foundation
import HubStore
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// What holds where there are many, and where the box was first.
@Suite(.timeLimit(.minutes(3)))
struct SOSManyTests {
    @Test("SOS-11: the nearest are those that looking at every crew finds, anywhere on earth", arguments: 0..<30)
    func nearest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let index = CrewIndex(), spread: Double = [0.05, 2.0, 180.0].randomElement(using: &random) ?? 1
        let middles: [Double] = [45, -70, 89.9, 0], easts: [Double] = [9, 179.99, -179.99]
        let middle: Double = middles[Int(seed) % middles.count], east: Double = easts[Int(seed) % easts.count]
        func place() -> (Double, Double) {
            let north: Double = Double.random(in: -spread / 2...spread / 2, using: &random)
            let off: Double = Double.random(in: -spread...spread, using: &random)
            let latitude: Double = max(-90, min(90, middle + north))
            let turned: Double = east + off + 540
            return (latitude, turned.truncatingRemainder(dividingBy: 360) - 180)
        }
        func crew(_ number: Int, _ account: AccountID, time: Milliseconds) -> OnDutyCrew {
            let (latitude, longitude) = place()
            return OnDutyCrew(
                ambulance: Int64(number), label: AmbulanceLabel(name: "A", plate: "B"), hospital: .random(), account: account, since: 0,
                place: number % 17 == 0 ? nil : CrewPosition(time: time, latitude: latitude, longitude: longitude, accuracy: nil))
        }
        let now: Milliseconds = 10_000_000
        var crews = (0..<400).map { crew($0, .random(), time: $0 % 11 == 0 ? 0 : now) }
        index.set(crews, now: now)
        // Some drive away, some go home.
        for number in stride(from: 1, to: 400, by: 7) where crews[number].place != nil {
            let moved = crew(number, crews[number].account, time: now + 1)
            guard let place = moved.place else { continue }
            index.changed(crews[number].account, place: place)
            crews[number] = moved
        }
        index.changed(crews[3].account, isOnDuty: false)
        crews.remove(at: 3)
        for _ in 0..<20 {
            let (latitude, longitude) = place(), excluded = Set(crews.shuffled(using: &random).prefix(40).map(\.account))
            let found = index.nearest(latitude: latitude, longitude: longitude, count: 3, now: now) { excluded.contains($0) }
            func key(_ crew: OnDutyCrew, _ metres: Double) -> Double {
                let isOld = now - (crew.place?.time ?? 0) > CrewIndex.placeAgeMax
                return isOld ? metres + 1e9 : metres
            }
            var all: [Double] = []
            for crew in crews where !excluded.contains(crew.account) {
                guard let place = crew.place else { continue }
                all.append(key(crew, CrewIndex.metres(place.latitude, place.longitude, latitude, longitude)))
            }
            all = Array(all.sorted().prefix(3))
            let keys = found.map { key($0.crew, Double($0.metres)) }
            #expect(zip(keys, all).allSatisfy { abs($0 - $1) <= 1 } && keys.count == all.count, "seed \(seed): \(keys) \(all)")
        }
    }

    @Test("SOS-20: a case of very many messages forgets none of those who are to hear its end")
    func manyMessages() async throws {
        let town = try await SOSTown()
        var item = SOSCase(try town.helpAlarm(), isTest: false, opened: 0)
        func say(_ recipient: SOSCall.Recipient, _ channel: SOSCall.Channel, _ message: SOSCall.Message, at time: Milliseconds) {
            item.calls.add(recipient, channel, message, due: time)
            for index in item.calls.indices where item.calls[index].state == .waiting {
                (item.calls[index].state, item.calls[index].sentAt) = (.sent, time)
            }
        }
        let once = SOSCall.Recipient.account(.random()), room = SOSCall.Recipient.room("room")
        say(once, .notice, .warning, at: 0)
        say(room, .room, .alert, at: 0)
        for minute in 1...600 { say(room, .room, .update, at: Milliseconds(minute) * DispatchLimits.repeatPause) }
        #expect(item.calls.count == DispatchLimits.callsMax && item.calls.alertedRooms == ["room"])
        #expect(item.calls.last?.due == 600 * DispatchLimits.repeatPause, "the newest is in it")
        item.tellAll(.over, now: 601 * DispatchLimits.repeatPause, dropping: true)
        #expect(item.calls.filter { $0.message == .over }.map(\.recipient) == [once, room])
    }

    @Test("SOS-9: whom the box told after the hub had planned its call hears an update too")
    func boxWasQuicker() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        try await town.send(town.report(1, alarm))
        var report = town.report(2, alarm)
        report.calls = [.init(channel: .text, recipient: "+39025C", state: .sent, at: 2500)]
        try await town.send(report)
        await town.pass(DispatchLimits.contactPause)
        try await town.until { town.outbox.texts(to: "+39025C").count == 1 }
        let item = try #require(town.sos.openCase(of: town.person.id.person))
        #expect(item.calls.filter { $0.isContact(1) }.map(\.message) == [.update])
        #expect(item.calls.first { $0.isContact(0) }?.message == .alert)
    }

    @Test("SOS-9: whom the box has called already hears an update from the hub; whom it has not, the alert")
    func boxWasFirst() async throws {
        let town = try await SOSTown()
        var report = town.report(1, try town.helpAlarm())
        report.calls = [
            .init(channel: .text, recipient: "+39025B", state: .sent, at: 2500),
            .init(channel: .text, recipient: "+39025C", state: .failed, at: 2500, problem: "no network"),
        ]
        try await town.send(report)
        await town.pass(20_000)
        try await town.until { town.outbox.texts(to: "+39025B").count == 1 && town.outbox.texts(to: "+39025C").count == 1 }
        let item = try #require(town.sos.openCase(of: town.person.id.person))
        #expect(item.calls.filter { $0.isContact(0) }.map(\.message) == [.update])
        #expect(item.calls.filter { $0.isContact(1) }.map(\.message) == [.alert])
    }

    @Test("SOS-9: a box hears with each answer whom the hub has texted, so that what it says to those is an update")
    func boxHears() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        #expect(try await town.send(town.report(1)).told == nil)
        try await town.send(town.report(2, alarm))
        try await town.sent()
        #expect(try await town.send(town.report(3, alarm)).told == ["+39025B"])
        await town.pass(DispatchLimits.contactPause)
        try await town.sent()
        #expect(try await town.send(town.report(4, alarm)).told == ["+39025B", "+39025C"])
        #expect(try await town.send(town.report(5, alarm, outcome: .falseAlarm)).told == nil)
        // What a second box of the person is to know of the first.
        let other = try await SOSTown()
        var report = other.report(1, try other.helpAlarm())
        report.calls = [.init(channel: .call, recipient: "+39025C", state: .sent, at: 2500)]
        try await other.send(report)
        try await other.sent()
        report.revision = 2
        #expect(try await other.send(report).told == ["+39025B", "+39025C"])
    }

    @Test("SOS-9: a text that is on its way, or failed, is nothing that a box hears of: its alert may be the only one that comes")
    func boxHearsOnlyWhatLeft() async throws {
        let town = try await SOSTown()
        var item = SOSCase(try town.helpAlarm(), isTest: false, opened: 0)
        item.calls.add(.contact(0, .init(name: "B", phone: "+39025B", email: nil, language: "en")), .text, .alert, due: 0)
        (item.calls[0].lease, item.calls[0].tries) = (town.sos.sending.lease(by: .text), 1)
        #expect(item.toldNumbers == nil)
        item.calls[0].state = .failed
        #expect(item.toldNumbers == nil)
        item.calls[0].state = .sent
        #expect(item.toldNumbers == ["+39025B"])
    }

    @Test("SOS-5: a thousand messages that are due leave some at a time, each once, without another look")
    func messages() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm()
        let cases = (0..<300).map { number in
            var item = SOSCase(alarm.named(IncidentID(high: 7, low: UInt64(number))), isTest: true, opened: town.hub.clock.now)
            var plan = SOSPlan()
            plan.isConsented = true
            plan.contacts = (0..<3).map { .init(name: "C", phone: "+39\(number).\($0)", email: nil, language: "en") }
            item.drill(plan, now: town.hub.clock.now)
            item.end(.test, now: town.hub.clock.now)
            return item
        }
        town.sos.state.withLock { state in for item in cases { state.cases[item.id] = item } }
        // One look starts them; who waits for room has it as soon as another has left.
        await town.pass(200)
        var most = 0
        try await town.until {
            most = max(most, town.sos.state.withLock { $0.sending })
            return town.outbox.all.count == 900 && town.sos.state.withLock { $0.sending == 0 }
        }
        #expect(most <= town.sos.outlets.textPool.width)
        await town.pass(60_000)
        #expect(Set(town.outbox.all.map(\.to)).count == 900 && town.outbox.all.count == 900)
    }

    @Test("SOS-20: the notices of every case leave while all room for messages is taken, also behind messages that wait for it")
    func noticesWithoutRoom() async throws {
        let town = try await SOSTown(), alarm = try town.helpAlarm(), now = town.hub.clock.now
        let parent = try SOSTown.account(town.hub, .caregiver, "parent@example.org")
        try town.hub.accounts.consents.setGuardians([parent.id], of: town.person.id.person, adultFrom: .max / 2)
        let width = town.sos.outlets.textPool.width
        let others = (0..<width).map { SendQueue.Key(incident: IncidentID(high: 9, low: UInt64($0)), call: 1) }
        town.sos.state.withLock { state in
            for key in others { state.queue.add(key, by: .text, urgency: .alarm, due: now) }
            while state.queue.next(width: { _ in width }) != nil {}
            for number: UInt64 in 0..<3 {
                var item = SOSCase(alarm.named(IncidentID(high: 7, low: number)), isTest: false, opened: now)
                let contact = SOSContact(name: "C", phone: "+39\(number)", email: nil, language: "en")
                item.calls.add(.contact(0, contact), .text, .over, due: now)
                item.calls.add(.account(parent.id), .notice, .over, due: now)
                item.end(.falseAlarm, now: now)
                state.cases[item.id] = item
            }
        }
        _ = await town.sos.look()
        // The suite's time limit ends it.
        try await town.until { try town.hub.accounts.notices.notices(of: parent).count { $0.kind == .sosOver } == 3 }
        let isFull = town.sos.state.withLock { $0.queue.waiting(by: .text) == 3 && $0.queue.underWay(by: .text) == width }
        #expect(isFull && town.outbox.all.isEmpty)
        town.sos.state.withLock { state in for key in others { state.queue.end(key) } }
        _ = await town.sos.look()
        try await town.until { Set(town.outbox.all.map(\.to)) == ["+390", "+391", "+392"] }
    }

    @Test("SOS-11: alarms of many at one place at once: no crew has two offers")
    func onePlace() async throws {
        let town = try await SOSTown(), crews = try town.crews(12)
        var boxes: [SOSTown] = [town]
        for number in 0..<3 {
            let account = try SOSTown.account(town.hub, .person, "p\(number)@example.org")
            let other = town.with(account, try await town.hub.enrol([account.id.person]))
            let contact = SOSContact(name: "B", phone: "+3902\(number)777", email: nil, language: "en")
            try await other.sos.choices.addContact(contact, of: account.id.person, by: account.id)
            try await other.sos.choices.turnOn(account.id.person, consented: true, strict: false, by: account.id)
            boxes.append(other)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for box in boxes { group.addTask { try await box.send(box.report(1, try box.helpAlarm())) } }
            try await group.waitForAll()
        }
        let offered = boxes.flatMap { box in town.sos.openCase(of: box.person.id.person)?.offers.map(\.account) ?? [] }
        #expect(offered.count == 12 && Set(offered) == Set(crews.map(\.id)))
    }
}

extension Alarm {
    fileprivate func named(_ id: IncidentID) -> Alarm {
        var alarm = self
        alarm.id = id
        return alarm
    }
}
