import Foundation
import SourceThread
import Testing

@testable import SystemBus

@Suite(.enabled(if: !PrivateBus.isMissing, "there is no dbus-daemon here (Debian: dbus-daemon)"))
struct BusTests {
    private let daemon = try? PrivateBus()
    private let everything: [BusValue] = [
        .byte(255), .bool(true), .int16(-5), .uint16(65535), .int32(-70_000), .uint32(4_000_000_000), .int64(.min), .uint64(.max),
        .double(0.1), .string("caffè"), .objectPath("/a/b"), .signature("a{sv}"), .bytes([0, 1, 254]), .bytes([]),
        .array([], of: "(ss)"), .strings(["x", "y"]), .array([.bytes([1]), .bytes([])], of: "ay"),
        .structure([.int32(1), .structure([.string("deep")])]), .variant(.variant(.strings([]))),
        .properties(["UUIDs": .strings(["180d"]), "RSSI": .int16(-60)]), .dictionary([:], key: "q", value: "ay"),
        .dictionary([.uint16(0x4C): .variant(.bytes([2]))], key: "q", value: "v"),
    ]

    private func open() throws -> Bus { try Bus(#require(daemon).address) }

    @Test("EDGE-2: every type of value survives the bus, in a call and in its answer")
    func values() throws {
        let (server, client) = (try open(), try open())
        try server.requestName("org.example.Echo")
        let object = try server.export("/echo") { call in call.member == "Echo" ? call.arguments : nil }
        var answer: Result<[BusValue], BusError>?
        try client.send(.init("org.example.Echo", "/echo", "org.example.Echo", "Echo", everything), limit: 9000) { answer = $0 }
        try drive(server, client) { answer != nil }
        #expect(try answer?.get() == everything)
        withExtendedLifetime(object) {}
    }

    @Test("EDGE-2: errors keep their name and message; unknown services, objects and methods are told apart")
    func errors() throws {
        let (server, client) = (try open(), try open())
        try server.requestName("org.example.Echo")
        let object = try server.export("/echo") { call throws(BusError) in
            if call.member != "Fail" { return nil }
            throw BusError(name: "org.example.Error.Busy", message: "later")
        }
        var errors: [BusError] = []
        for (path, member) in [("/echo", "Fail"), ("/echo", "Other"), ("/none", "Fail")] {
            try client.send(.init("org.example.Echo", path, "org.example.Echo", member), limit: 9000) { answer in
                if case .failure(let error) = answer { errors.append(error) }
            }
        }
        try drive(server, client) { errors.count == 3 }
        #expect(errors.first == BusError(name: "org.example.Error.Busy", message: "later"))
        #expect(errors.map(\.isUnknownObject) == [false, true, true])
        let missing = #expect(throws: BusError.self) { try client.call(.init("org.example.None", "/", "a.b", "C"), limit: 2000) }
        #expect(missing?.isUnknownService == true)
        withExtendedLifetime(object) {}
    }

    @Test("EDGE-2: a service that does not answer is told after the limit, in both kinds of call")
    func silence() throws {
        let (server, client) = (try open(), try open())
        try server.requestName("org.example.Echo")
        let call = BusCall("org.example.Echo", "/echo", "org.example.Echo", "Echo")
        let error = #expect(throws: BusError.self) { try client.call(call, limit: 50) }
        #expect(error?.isTimeout == true)
        var answer: Result<[BusValue], BusError>?
        try client.send(call, limit: 50) { answer = $0 }
        #expect((client.delay ?? .max) <= 51)
        try drive(client) { answer != nil }
        #expect(throws: BusError.self) { try answer?.get() }
        #expect(client.pending.isEmpty)
    }

    @Test("EDGE-2: signals arrive by match rule, until the registration is released")
    func signals() throws {
        let (server, client) = (try open(), try open())
        var got: [BusMessage] = []
        var rule: BusRegistration? = try client.subscribe("type='signal',interface='org.example.Echo',path_namespace='/echo'") {
            got.append($0)
        }
        try server.emit("/other", "org.example.Echo", "Said", [])
        try server.emit("/echo/1", "org.example.Echo", "Said", [.bytes([7])])
        try drive(server, client) { !got.isEmpty }
        let sender = try #require(server.uniqueName)
        #expect(got == [.init(sender: sender, path: "/echo/1", interface: "org.example.Echo", member: "Said", arguments: [.bytes([7])])])
        withExtendedLifetime(rule) {}
        rule = nil
        var others = 0
        let other = try client.subscribe("type='signal',member='Last'") { _ in others += 1 }
        try server.emit("/echo/1", "org.example.Echo", "Said", [])
        try server.emit("/echo/1", "org.example.Echo", "Last", [])
        try drive(server, client) { others > 0 }
        #expect(got.count == 1)
        withExtendedLifetime(other) {}
    }

    @Test("EDGE-2: a service that comes and goes is noticed")
    func owner() throws {
        let client = try open()
        var owners: [String?] = []
        let watch = try client.watchOwner(of: "org.example.Echo") { owners.append($0) }
        #expect(try client.owner(of: "org.example.Echo") == nil)
        var server: Bus? = try open()
        try server?.requestName("org.example.Echo")
        let name = try #require(server?.uniqueName)
        #expect(try client.owner(of: "org.example.Echo") == name)
        server = nil
        try drive(client) { owners.count == 2 }
        #expect(owners == [name, nil])
        withExtendedLifetime(watch) {}
    }

    @Test("EDGE-2: the end of the bus is told: waiting calls get an error, then process throws")
    func end() throws {
        let (server, client) = (try open(), try open())
        try server.requestName("org.example.Echo")
        var answers = 0
        for _ in 0..<3 { try client.send(.init("org.example.Echo", "/", "a.b", "C"), limit: 60_000) { _ in answers += 1 } }
        try drive(client) { true }
        daemon?.stop()
        #expect(throws: BusError.self) { try drive(client) { false } }
        #expect(answers == 3 && !client.isOpen && client.descriptor == -1)
        #expect(throws: BusError.self) { try client.call(.init("org.example.Echo", "/", "a.b", "C"), limit: 100) }
        #expect(throws: BusError.self) { try open() }
    }

    @Test("EDGE-2: calls without an answer are bounded")
    func bounded() throws {
        let (server, client) = (try open(), try open())
        try server.requestName("org.example.Echo")
        let call = BusCall("org.example.Echo", "/", "a.b", "C")
        for _ in 0..<Bus.pendingMax { try client.send(call, limit: 60_000) { _ in } }
        #expect(throws: BusError.self) { try client.send(call, limit: 60_000) { _ in } }
    }

    @Test("EDGE-2: a wait for the bus ends with the stop signal")
    func stopped() throws {
        let client = try open()
        try drive(client) { client.uniqueName != nil }
        let stop = try #require(StopSignal())
        stop.stop()
        #expect(client.wait(stop: stop, milliseconds: 60_000) == .stopped)
    }
}
