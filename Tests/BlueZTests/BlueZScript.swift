import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

/// A bluetoothd that a test plays: what it told the emulated strap's client, with the times of a test.
struct BlueZScript {
    static let hci = "/org/bluez/hci0"
    static let device = hci + "/dev_C4_01_02_03_04_05"
    static let service = device + "/service000b"
    static let measurement = service + "/char000c"
    static let location = service + "/char000f"

    var session: BlueZSession
    var now: Milliseconds = 1000
    /// The calls that wait for their answer, in order.
    var calls: [BlueZSession.Request] = []
    /// What agents were registered with; nothing waits for the answer.
    private(set) var agents: [[BusValue]] = []
    /// What was told since ``told()`` was last called.
    private var news: [BlueZSession.Effect] = []
    /// The same loss is told once, which is the work of ``LinkEventDebouncer``.
    private var loss: BlueZSession.Effect?

    init(role: SensorRole = .heartRate, limits: BlueZSession.Limits = .init()) throws {
        session = BlueZSession(address: try #require(SensorAddress("C4:01:02:03:04:05")), role: role, limits: limits)
    }

    static func adapter(isPowered: Bool = true) -> BlueZObjects.Interfaces {
        ["org.bluez.Adapter1": ["Powered": .bool(isPowered), "Address": .string("00:11:22:33:44:55")]]
    }

    static func sensor(
        isConnected: Bool = false, isResolved: Bool = false, isTrusted: Bool = true, service: String = "180d"
    ) -> BlueZObjects.Interfaces {
        [
            "org.bluez.Device1": [
                "Address": .string("C4:01:02:03:04:05"), "AddressType": .string("random"), "Connected": .bool(isConnected),
                "ServicesResolved": .bool(isResolved), "Trusted": .bool(isTrusted), "Paired": .bool(false),
                "UUIDs": .strings(["0000\(service)-0000-1000-8000-00805f9b34fb"]),
            ]
        ]
    }

    static func characteristic(_ uuid: String) -> BlueZObjects.Interfaces {
        ["org.bluez.GattCharacteristic1": ["UUID": .string("0000\(uuid)-0000-1000-8000-00805f9b34fb")]]
    }

    static let services = [measurement: characteristic("2a37"), location: characteristic("2a38")]
    static let known = [hci: adapter(), device: sensor()]
    static let ready = known.merging([device: sensor(isConnected: true, isResolved: true)]) { $1 }.merging(services) { $1 }

    /// As GetManagedObjects answers.
    static func answer(_ objects: [String: BlueZObjects.Interfaces]) -> [BusValue] {
        let paths = objects.map { path, interfaces in
            let tables = interfaces.map { (BusValue.string($0), BusValue.properties($1)) }
            return (BusValue.objectPath(path), BusValue.dictionary(Dictionary(tables) { $1 }, key: "s", value: "a{sv}"))
        }
        return [.dictionary(Dictionary(paths) { $1 }, key: "o", value: "a{sa{sv}}")]
    }

    mutating func feed(_ event: BlueZSession.Event) {
        for effect in session.handle(event, at: now) {
            switch effect {
            case .call(let request) where request.operation == .agent: agents.append(request.call.arguments)
            case .call(let request): calls.append(request)
            case .lost where effect == loss: break
            case .lost:
                loss = effect
                news.append(effect)
            case .event(.measurement):
                loss = nil
                news.append(effect)
            default: news.append(effect)
            }
        }
    }

    mutating func told() -> [BlueZSession.Effect] {
        defer { news = [] }
        return news
    }

    mutating func tick(after milliseconds: Milliseconds) {
        now += milliseconds
        feed(.tick)
    }

    mutating func change(_ properties: BlueZObjects.Properties, of path: String = Self.device, _ interface: String = BlueZName.device) {
        feed(.changed(path, interface, properties))
    }

    mutating func value(_ bytes: [UInt8], of path: String = Self.measurement) {
        change(["Value": .bytes(bytes)], of: path, BlueZName.characteristic)
    }

    /// Answers the call of `operation`, which must wait.
    mutating func answer(_ operation: BlueZSession.Operation, _ result: Result<[BusValue], BusError> = .success([])) throws {
        let index = try #require(calls.firstIndex { $0.operation == operation }, "\(operation) was not called: \(calls)")
        let request = calls.remove(at: index)
        feed(.reply(operation, generation: request.generation, result))
    }

    mutating func fail(_ operation: BlueZSession.Operation, _ name: String, _ message: String = "") throws {
        try answer(operation, .failure(BusError(name: "org.bluez.Error." + name, message: message)))
    }

    var operations: [BlueZSession.Operation] { calls.map(\.operation) }

    mutating func start(_ objects: [String: BlueZObjects.Interfaces]) throws {
        feed(.service(true))
        try answer(.objects, .success(Self.answer(objects)))
    }

    /// To the point where readings come.
    mutating func subscribe() throws {
        try start(Self.ready)
        try answer(.subscribe)
        try answer(.readLocation, .success([.bytes([1])]))
        _ = told()
    }

    static func reading(_ rate: UInt16, at time: Milliseconds) -> BlueZSession.Effect {
        .event(.measurement(HeartRateSample(time: time, beatsPerMinute: rate)))
    }
}
