import Sensing
import Testing
import Vitals

@testable import BlueZ

/// Sensors that err, and bytes that come from none.
struct GATTSessionDamageTests {
    @Test("EDGE-2: an answer that fits no question is counted, told and left out")
    func wrongOrder() throws {
        var talk = try Conversation()
        let first = talk.session.start(at: 0)
        var told = 0
        for _ in 0..<8 {
            for effect in talk.session.receive([0x13], at: 1) {
                if case .problem = effect { told += 1 } else { Issue.record("\(effect)") }
            }
        }
        #expect(told == 4, "at 1, 2, 4 and 8")
        // Nor does an error of another request.
        #expect(talk.session.receive([0x01, 0x0A, 1, 0, 0x0A], at: 1) == [])
        #expect(talk.session.step == .exchangeMTU)
        talk.run(first, at: 2)
        #expect(talk.session.step == .idle)
    }

    @Test("EDGE-2: a measurement that cannot be decoded is counted and told, and is no sign of life")
    func malformedMeasurement() throws {
        var talk = try Conversation()
        talk.start()
        for time: Milliseconds in [1000, 5000] {
            guard case .problem(let problem)? = talk.session.receive([0x1B, 16, 0, 0x01, 72], at: time).first else {
                Issue.record("not told")
                return
            }
            #expect(problem.what.contains("cut short"))
        }
        #expect(talk.session.receive([0x1B, 16], at: 6000) == [])
        #expect(talk.session.tick(at: 10_000) == [.failed(.silent(10_000))])
    }

    @Test(
        "EDGE-2: a damaged answer ends the session with a reason",
        arguments: [[0x03, 23], [0x03]] as [[UInt8]])
    func cutMTU(answer: [UInt8]) throws {
        var session = try Conversation().session
        _ = session.start(at: 0)
        guard case .failed(.malformed)? = session.receive(answer, at: 1).first else {
            Issue.record("went on")
            return
        }
    }

    @Test(
        "EDGE-2: services and characteristics that lie are refused, and no discovery goes on for ever",
        arguments: [
            // A service whose end is before its start, or that begins at 0; no service at all.
            ([[0x07, 9, 0, 1, 0]], nil), ([[0x07, 0, 0, 9, 0]], nil), ([[0x07]], nil),
            // Characteristics: before the range, the same one again, behind the service, of a length that none has, none.
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 9, 0, 0x10, 10, 0, 0x37, 0x2A]], nil),
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 11, 0, 0x10, 12, 0, 0x01, 0x2A], [0x09, 7, 11, 0, 0x10, 12, 0, 0x01, 0x2A]], nil),
            (
                [
                    [0x07, 10, 0, 20, 0],
                    [0x09, 7, 15, 0, 0x10, 16, 0, 0x37, 0x2A, 0, 0, 0x10, 16, 0, 0x38, 0x2A, 20, 0, 2, 20, 0, 0x38, 0x2A],
                ], nil
            ),
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 21, 0, 0x10, 22, 0, 0x37, 0x2A]], nil),
            ([[0x07, 10, 0, 20, 0], [0x09, 4, 11, 0, 0x10, 12]], nil), ([[0x07, 10, 0, 20, 0], [0x09, 7]], nil),
            // The value behind the service's end; a configuration outside the range.
            ([[0x07, 10, 0, 11, 0], [0x09, 7, 11, 0, 0x10, 99, 0, 0x37, 0x2A]], .noHeartRate),
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 20, 0, 0x10, 20, 0, 0x37, 0x2A]], .noHeartRate),
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 20, 0, 0x10, 15, 0, 0x37, 0x2A]], .noHeartRate),
            (
                [
                    [0x07, 10, 0, 20, 0], [0x09, 7, 11, 0, 0x10, 12, 0, 0x37, 0x2A], [0x01, 0x08, 12, 0, 0x0A],
                    [0x05, 1, 99, 0, 2, 0x29],
                ], nil
            ),
            ([[0x07, 10, 0, 20, 0], [0x09, 7, 11, 0, 0x10, 12, 0, 0x37, 0x2A], [0x01, 0x08, 12, 0, 0x0A], [0x05, 1]], nil),
        ] as [([[UInt8]], LinkFailure?)])
    func lies(answers: [[UInt8]], expected: LinkFailure?) throws {
        var session = try Conversation().session
        _ = session.start(at: 0)
        var effects = session.receive([0x03, 64, 0], at: 0)
        for answer in answers { effects = session.receive(answer, at: 1) }
        guard case .failed(let failure)? = effects.last else {
            Issue.record("\(effects)")
            return
        }
        if let expected {
            #expect(failure == expected)
        } else if case .malformed = failure {
        } else {
            Issue.record("\(failure)")
        }
    }

    @Test("EDGE-2: a sensor with endless characteristics is given up")
    func endlessCharacteristics() throws {
        var session = try Conversation().session
        _ = session.start(at: 0)
        _ = session.receive([0x03, 64, 0], at: 0)
        var effects = session.receive([0x07, 1, 0, 255, 255], at: 0)
        for handle: UInt16 in 2...1000 {
            if case .failed = effects.last { break }
            let (low, high) = (UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8))
            effects = session.receive([0x09, 7, low, high, 0x10, low, high, 0x01, 0x2A], at: 0)
        }
        guard case .failed(.malformed)? = effects.last else {
            Issue.record("went on for 1000 characteristics")
            return
        }
    }

    @Test("EDGE-2: the last handle of all is reached without overflow")
    func lastHandle() throws {
        var sensor = ScriptedSensor()
        sensor.attributes = [
            .init(handle: 0xFFF0, type: 0x2800, value: [0x0D, 0x18], end: 0xFFFF),
            .init(handle: 0xFFF1, type: 0x2803, value: [0x10, 0xF2, 0xFF, 0x37, 0x2A]),
            .init(handle: 0xFFF2, type: 0x2A37, value: []), .init(handle: 0xFFFF, type: 0x2902, value: [0, 0]),
        ]
        var talk = try Conversation(sensor)
        talk.start()
        #expect(talk.said == [.event(.connected(time: 0))])
        sensor.attributes[1].handle = 0xFFFF
        talk = try Conversation(sensor)
        talk.start()
        #expect(talk.failure == .noHeartRate)
    }

    @Test("EDGE-2: random and cut PDUs in any state neither crash nor raise a measurement from nowhere")
    func garbage() throws {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<500 {
            var talk = try Conversation()
            var effects = talk.session.start(at: 0)
            for time in 1...40 {
                var bytes: [UInt8]
                if case .send(let pdu)? = effects.first, let answer = talk.sensor.answer(pdu), Bool.random(using: &generator) {
                    bytes = answer.encoded
                    if UInt8.random(in: 0..<8, using: &generator) == 0, !bytes.isEmpty {
                        bytes[Int.random(in: 0..<bytes.count, using: &generator)] = .random(in: 0...255, using: &generator)
                    }
                } else {
                    bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in .random(in: 0...255, using: &generator) }
                    // 0x1B at random would be a notification as good as any.
                    if bytes.first == 0x1B || bytes.first == 0x1D { bytes[0] = 0x1C }
                }
                let new = talk.session.receive(bytes, at: Milliseconds(time))
                for effect in new { if case .event(.measurement) = effect { Issue.record("from \(bytes)") } }
                if new.contains(where: { if case .send = $0 { true } else { false } }) { effects = new }
            }
        }
    }
}
