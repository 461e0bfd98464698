import Sensing
import Testing
import Vitals

@testable import BlueZ

struct GATTSessionTests {
    private func measurement(_ time: Milliseconds, _ rate: UInt16) -> GATTSession.Effect {
        .event(.measurement(HeartRateSample(time: time, beatsPerMinute: rate)))
    }

    @Test("EDGE-2: services, characteristics and descriptors are found by UUID, then subscribed and read")
    func wholeConversation() throws {
        var talk = try Conversation()
        talk.start(at: 5)
        #expect(
            talk.said == [
                .event(.connected(time: 5)), .event(.bodyLocation(1, time: 5)), .event(.battery(percent: 87, time: 5)),
            ])
        #expect(talk.sensor.written == [[18, 1, 0], [33, 1, 0]])
        #expect(talk.session.step == .idle)
        #expect(talk.session.receive([0x1B, 16, 0, 0x00, 72], at: 9) == [measurement(9, 72)])
        #expect(talk.session.receive([0x1B, 32, 0, 86], at: 10) == [.event(.battery(percent: 86, time: 10))])
        #expect(talk.session.receive([0x1D, 16, 0, 0x00, 73], at: 11) == [.send(.confirmation), measurement(11, 73)])
    }

    @Test("EDGE-2: a measurement that comes before the sensor was asked counts, and after the connection is told")
    func earlyMeasurement() throws {
        var talk = try Conversation()
        let queue = talk.session.start(at: 0)
        #expect(queue == [.send(.exchangeMTURequest(mtu: 247))])
        // Up to the search for the descriptor, when the handle is known.
        var effects = queue
        let descriptorSearch = GATTSession.Step.findConfiguration(.heartRate, value: 16, in: 17...19)
        while case .send(let pdu)? = effects.first, talk.session.step != descriptorSearch {
            effects = talk.session.receive(talk.sensor.answer(pdu)?.encoded ?? [], at: 1)
        }
        #expect(talk.session.receive([0x1B, 16, 0, 0x00, 72], at: 2) == [.event(.connected(time: 2)), measurement(2, 72)])
        talk.run(effects, at: 3)
        #expect(!talk.said.contains(.event(.connected(time: 3))))
        #expect(talk.session.step == .idle)
    }

    @Test("EDGE-2: a sensor without battery, body location or MTU exchange still gives its heart rate")
    func optionalParts() throws {
        var sensor = ScriptedSensor()
        sensor.attributes.removeAll { $0.handle >= 30 || $0.handle == 11 || $0.handle == 12 }
        sensor.refusals = [(0x02, 0, 0x06)]
        var talk = try Conversation(sensor)
        talk.start()
        #expect(talk.said == [.event(.connected(time: 0))])
        #expect(talk.session.step == .idle)
    }

    @Test("EDGE-2: refused or damaged battery and body location do not end the session", arguments: [UInt8(0x05), 0x02, 0x80])
    func optionalRefused(code: UInt8) throws {
        var sensor = ScriptedSensor()
        sensor.refusals = [(0x0A, 0, code), (0x12, 33, code)]
        var talk = try Conversation(sensor)
        talk.start()
        #expect(talk.said == [.event(.connected(time: 0))])
        #expect(talk.session.step == .idle)
        var odd = ScriptedSensor()
        odd.attributes[12].value = [101]
        odd.attributes[3].value = []
        talk = try Conversation(odd)
        talk.start()
        #expect(talk.said.count == 3 && talk.failure == nil && talk.session.step == .idle)
    }

    @Test("EDGE-2: a device without the heart-rate service or its measurement is told as such")
    func noHeartRate() throws {
        for missing: Set<UInt16> in [[10], [15, 16], [18]] {
            var sensor = ScriptedSensor()
            sensor.attributes.removeAll { missing.contains($0.handle) }
            var talk = try Conversation(sensor)
            talk.start()
            #expect(talk.said == [.failed(.noHeartRate)], "\(missing)")
            #expect(talk.session.receive([0x1B, 16, 0, 0, 72], at: 1) == [])
        }
    }

    @Test("EDGE-2: a sensor that wants pairing, or refuses otherwise, is told as such")
    func refusedSubscription() throws {
        var sensor = ScriptedSensor()
        sensor.refusals = [(0x12, 18, 0x05)]
        var talk = try Conversation(sensor)
        talk.start()
        #expect(talk.failure == .needsPairing(.insufficientAuthentication))
        sensor.refusals = [(0x12, 18, 0x80)]
        talk = try Conversation(sensor)
        talk.start()
        #expect(talk.failure == .refused(what: "the subscription to its readings", .init(rawValue: 0x80)))
        sensor.refusals = [(0x06, 0, 0x0E)]
        talk = try Conversation(sensor)
        talk.start()
        #expect(talk.failure == .refused(what: "the search for its services", .init(rawValue: 0x0E)))
    }

    @Test("EDGE-2: silence on an open link is a lost signal after 10 s, and never before")
    func silence() throws {
        var talk = try Conversation()
        talk.start()
        _ = talk.session.receive([0x1B, 16, 0, 0x00, 72], at: 1000)
        // The battery says nothing about the heart.
        _ = talk.session.receive([0x1B, 32, 0, 80], at: 9000)
        #expect(talk.session.deadline == 11_000)
        #expect(talk.session.tick(at: 10_999) == [])
        #expect(talk.session.tick(at: 11_000) == [.failed(.silent(10_000))])
        #expect(talk.session.deadline == nil)
    }

    @Test("EDGE-2: a sensor that never sends after the subscription is lost too")
    func silenceFromTheStart() throws {
        var talk = try Conversation()
        talk.start(at: 100)
        #expect(!talk.session.hasDelivered)
        #expect(talk.session.tick(at: 10_100) == [.failed(.silent(10_000))])
    }

    @Test("EDGE-2: an unanswered request ends the session after 30 s")
    func noAnswer() throws {
        var session = try Conversation().session
        _ = session.start(at: 1)
        #expect(session.deadline == 30_001)
        #expect(session.tick(at: 30_000) == [])
        #expect(session.tick(at: 30_001) == [.failed(.noAnswer(after: 30_000))])
        #expect(session.receive([0x03, 23, 0], at: 30_002) == [])
    }

    @Test("EDGE-2: the battery level is read again from time to time")
    func batteryAgain() throws {
        var limits = GATTSession.Limits()
        limits.batteryInterval = 5000
        var talk = try Conversation(limits: limits)
        talk.start()
        #expect(talk.session.deadline == 5000)
        #expect(talk.session.tick(at: 5000) == [.send(.readRequest(handle: 32))])
        #expect(talk.session.receive([0x0B, 55], at: 5001) == [.event(.battery(percent: 55, time: 5001))])
        #expect(talk.session.step == .idle)
    }

    @Test(
        "EDGE-2: the sensor's own requests are answered as by an empty server",
        arguments: [
            ([0x02, 0, 2], [0x03, 247, 0]), ([0x04, 1, 0, 255, 255], [0x01, 0x04, 1, 0, 0x0A]),
            ([0x06, 1, 0, 255, 255, 0, 0x28, 1, 0x18], [0x01, 0x06, 1, 0, 0x0A]),
            ([0x08, 2, 0, 255, 255, 0, 0x2A], [0x01, 0x08, 2, 0, 0x0A]), ([0x10, 3, 0, 255, 255, 0, 0x28], [0x01, 0x10, 3, 0, 0x0A]),
            ([0x0A, 3, 0], [0x01, 0x0A, 3, 0, 0x01]), ([0x12, 3, 0, 1], [0x01, 0x12, 3, 0, 0x01]),
            ([0x16, 3, 0, 0, 0, 1], [0x01, 0x16, 0, 0, 0x06]), ([0x04, 1], [0x01, 0x04, 0, 0, 0x04]),
        ] as [([UInt8], [UInt8])])
    func serverSide(request: [UInt8], answer: [UInt8]) throws {
        var talk = try Conversation()
        let first = talk.session.start(at: 0)
        guard case .send(let pdu)? = talk.session.receive(request, at: 1).first else {
            Issue.record("no answer")
            return
        }
        #expect(pdu.encoded == answer)
        talk.run(first, at: 2)
        #expect(talk.session.step == .idle, "the own conversation goes on")
    }
}
