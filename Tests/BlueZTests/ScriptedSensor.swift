import Sensing
import Testing
import Vitals

@testable import BlueZ

/// A sensor as its ATT server behaves: answers the session's requests from a table of attributes.
struct ScriptedSensor {
    struct Attribute {
        var handle: UInt16
        var type: UInt16
        var value: [UInt8]
        /// The last handle of a service.
        var end: UInt16 = 0
    }

    /// Handles with gaps, a characteristic before the one that matters, a descriptor before the configuration.
    static let attributes: [Attribute] = [
        Attribute(handle: 1, type: 0x2800, value: [0x00, 0x18], end: 7),
        Attribute(handle: 10, type: 0x2800, value: [0x0D, 0x18], end: 25),
        Attribute(handle: 11, type: 0x2803, value: [0x02, 12, 0, 0x38, 0x2A]),
        Attribute(handle: 12, type: 0x2A38, value: [1]),
        Attribute(handle: 15, type: 0x2803, value: [0x10, 16, 0, 0x37, 0x2A]),
        Attribute(handle: 16, type: 0x2A37, value: []),
        Attribute(handle: 17, type: 0x2901, value: [0x48]),
        Attribute(handle: 18, type: 0x2902, value: [0, 0]),
        Attribute(handle: 20, type: 0x2803, value: [0x08, 21, 0, 0x39, 0x2A]),
        Attribute(handle: 21, type: 0x2A39, value: []),
        Attribute(handle: 30, type: 0x2800, value: [0x0F, 0x18], end: 40),
        Attribute(handle: 31, type: 0x2803, value: [0x12, 32, 0, 0x19, 0x2A]),
        Attribute(handle: 32, type: 0x2A19, value: [87]),
        Attribute(handle: 33, type: 0x2902, value: [0, 0]),
    ]

    var attributes = Self.attributes
    /// Error codes by the request's opcode and handle (0: any), instead of the answer.
    var refusals: [(opcode: UInt8, handle: UInt16, code: UInt8)] = []
    private(set) var written: [[UInt8]] = []

    /// One attribute an answer, so that every discovery has to go on.
    mutating func answer(_ request: ATT.PDU) -> ATT.PDU? {
        let bytes = request.encoded
        let handle = bytes.count > 2 ? UInt16(bytes[1]) | UInt16(bytes[2]) << 8 : 0
        if let refusal = refusals.first(where: { $0.opcode == bytes[0] && ($0.handle == 0 || $0.handle == handle) }) {
            return error(bytes[0], handle, refusal.code)
        }
        switch request {
        case .exchangeMTURequest: return .exchangeMTUResponse(mtu: 64)
        case .findByTypeValueRequest(let start, let end, let type, let value):
            let found = attributes.first { (start...end).contains($0.handle) && $0.type == type && $0.value == value }
            return found.map { .findByTypeValueResponse([.init(start: $0.handle, end: $0.end)]) } ?? error(bytes[0], start, 0x0A)
        case .readByTypeRequest(let start, let end, let type):
            let found = attributes.first { (start...end).contains($0.handle) && ATT.UUID($0.type) == type }
            return found.map { .readByTypeResponse([.init(handle: $0.handle, value: $0.value)]) } ?? error(bytes[0], start, 0x0A)
        case .findInformationRequest(let start, let end):
            let found = attributes.first { (start...end).contains($0.handle) }
            return found.map { .findInformationResponse([.init(handle: $0.handle, type: ATT.UUID($0.type))]) }
                ?? error(bytes[0], start, 0x0A)
        case .readRequest(let handle):
            return attributes.first { $0.handle == handle }.map { .readResponse(value: $0.value) } ?? error(bytes[0], handle, 1)
        case .writeRequest(let handle, let value):
            written.append([UInt8(truncatingIfNeeded: handle)] + value)
            return .writeResponse
        default: return nil
        }
    }

    private func error(_ opcode: UInt8, _ handle: UInt16, _ code: UInt8) -> ATT.PDU {
        .error(request: .init(rawValue: opcode), handle: handle, code: .init(rawValue: code))
    }
}

/// A session and a sensor wired together, without time passing.
struct Conversation {
    var session: GATTSession
    var sensor: ScriptedSensor
    /// What the session said, apart from PDUs.
    var said: [GATTSession.Effect] = []

    init(_ sensor: ScriptedSensor = ScriptedSensor(), role: SensorRole = .heartRate, limits: GATTSession.Limits = .init()) throws {
        self.sensor = sensor
        session = GATTSession(address: try #require(SensorAddress("C4:01:02:03:04:05")), role: role, limits: limits)
    }

    /// Starts and talks until neither has anything to send; a session that never ends fails the test.
    mutating func start(at time: Milliseconds = 0) { run(session.start(at: time), at: time) }

    mutating func run(_ effects: [GATTSession.Effect], at time: Milliseconds) {
        var queue = effects, rounds = 0
        while !queue.isEmpty {
            rounds += 1
            guard rounds < 1000 else {
                Issue.record("the session never rests")
                return
            }
            let effect = queue.removeFirst()
            guard case .send(let pdu) = effect else {
                said.append(effect)
                continue
            }
            if let answer = sensor.answer(pdu) { queue += session.receive(answer.encoded, at: time) }
        }
    }

    var failure: LinkFailure? {
        for effect in said { if case .failed(let failure) = effect { return failure } }
        return nil
    }
}
