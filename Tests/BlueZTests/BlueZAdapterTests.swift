import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

struct BlueZAdapterTests {
    private static let off = [BlueZScript.hci: BlueZScript.adapter(isPowered: false), BlueZScript.device: BlueZScript.sensor()]

    @Test("EDGE-2: an adapter that is off is switched on, which is told")
    func powerOn() throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        #expect(bluez.operations.isEmpty)
        bluez.tick(after: 1500)
        #expect(bluez.calls.map(\.call) == [.set("org.bluez", BlueZScript.hci, BlueZName.adapter, "Powered", to: .bool(true))])
        bluez.change(["Powered": .bool(true)], of: BlueZScript.hci, BlueZName.adapter)
        try bluez.answer(.power)
        #expect(bluez.told() == [.problem(.switchedOn(adapter: 0))])
        bluez.tick(after: 300)
        #expect(bluez.operations == [.connect])
    }

    @Test("EDGE-2: an adapter switched off under a link is told as that, and switched on again")
    func powerOff() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.change(["Powered": .bool(false)], of: BlueZScript.hci, BlueZName.adapter)
        bluez.change(["Connected": .bool(false)])
        #expect(bluez.told().isEmpty && bluez.session.deadline == bluez.now + 500)
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.adapterOff(0))])
        // A bluetoothd that is about to end switches adapters off first: on again, it would not end.
        bluez.tick(after: 5000)
        #expect(bluez.operations.isEmpty)
        bluez.tick(after: 500)
        #expect(bluez.told().isEmpty && bluez.operations == [.power])
    }

    private static let refusals = [("Blocked", "Blocked through rfkill"), ("Failed", "Failed")]

    @Test("EDGE-2: what rfkill holds is taken off, which is told, also when bluetoothd then switches on by itself", arguments: refusals)
    func unblocked(name: String, message: String) throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        bluez.tick(after: 1500)
        try bluez.fail(.power, name, message)
        #expect(bluez.told() == [.unblockRadio])
        bluez.feed(.radio(.unblocked))
        #expect(bluez.told() == [.problem(.unblocked)])
        bluez.change(["Powered": .bool(true)], of: BlueZScript.hci, BlueZName.adapter)
        bluez.tick(after: 500)
        #expect(bluez.told().isEmpty && bluez.operations == [.connect])
    }

    @Test("EDGE-2: an adapter that is unblocked and stays off is switched on; blocked again at once, that is told once, and tried on")
    func blockedAgain() throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        bluez.tick(after: 1500)
        for _ in 0..<9 {
            try bluez.fail(.power, "Failed", "Failed")
            bluez.feed(.radio(.unblocked))
            bluez.tick(after: 500)
            #expect(bluez.operations == [.power])
        }
        let refusal = LinkFailure.adapterRefuses(0, "Failed (org.bluez.Error.Failed)")
        #expect(bluez.told().filter { $0 != .unblockRadio } == [.problem(.unblocked), .lost(refusal)])
    }

    @Test(
        "EDGE-2: a block that may not be taken off is told with its remedy, by whatever name bluetoothd refuses; what is no block as that",
        arguments: [
            (RadioSwitch.Outcome.hard, LinkFailure?.some(.radioBlocked(isHard: true))), (.notPermitted, .radioBlocked(isHard: false)),
            (.nothingBlocked, nil),
        ], refusals)
    func blocked(known: (RadioSwitch.Outcome, LinkFailure?), refusal: (name: String, message: String)) throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        bluez.tick(after: 1500)
        for _ in 0..<3 {
            try bluez.fail(.power, refusal.name, refusal.message)
            bluez.feed(.radio(known.0))
            #expect(bluez.operations.isEmpty)
            bluez.tick(after: 2000)
            #expect(bluez.operations == [.power], "it is tried again")
        }
        let failure = known.1 ?? .adapterRefuses(0, "\(refusal.message) (org.bluez.Error.\(refusal.name))")
        #expect(bluez.told().filter { $0 != .unblockRadio } == [.lost(failure)])
    }

    @Test("EDGE-2: two sensors: the source that finds the block taken off by the other one tells nothing")
    func otherSource() throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        bluez.tick(after: 1500)
        try bluez.fail(.power, "Failed", "Failed")
        bluez.feed(.radio(.nothingBlocked))
        bluez.change(["Powered": .bool(true)], of: BlueZScript.hci, BlueZName.adapter)
        bluez.tick(after: 2000)
        #expect(bluez.told() == [.unblockRadio] && bluez.operations == [.connect])
    }

    @Test("EDGE-2: an adapter that was off from the start and stays off is told, whatever bluetoothd answers")
    func staysOff() throws {
        var bluez = try BlueZScript()
        try bluez.start(Self.off)
        for _ in 0..<10 {
            bluez.now = try #require(bluez.session.deadline)
            bluez.feed(.tick)
            if bluez.operations == [.power] { try bluez.fail(.power, "InProgress") }
        }
        #expect(bluez.told().isEmpty && bluez.now < 21_000)
        bluez.now = 21_000
        bluez.feed(.tick)
        #expect(bluez.told() == [.lost(.adapterOff(0))])
    }

    @Test("EDGE-2: an adapter that is pulled out and comes back is used again")
    func removed() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.feed(.removed(BlueZScript.device, ["org.bluez.Device1"]))
        bluez.feed(.removed(BlueZScript.hci, ["org.bluez.Adapter1"]))
        #expect(bluez.told().isEmpty)
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.noAdapter(nil))])
        bluez.calls = []
        bluez.session.pending = []
        bluez.feed(.added(BlueZScript.hci, BlueZScript.adapter()))
        bluez.feed(.added(BlueZScript.device, BlueZScript.sensor()))
        #expect(bluez.operations.contains(.filter) || bluez.operations.contains(.connect))
    }

    @Test("EDGE-2: of several adapters the one is used that is asked for, or that knows the sensor and is on")
    func choice() throws {
        let address = try #require(SensorAddress("C4:01:02:03:04:05"))
        var objects = BlueZObjects(address: address)
        let other = "/org/bluez/hci1"
        objects.replace(with: [
            BlueZScript.hci: BlueZScript.adapter(), other: BlueZScript.adapter(), other + "/dev_C4": BlueZScript.sensor(),
        ])
        #expect(objects.adapter(nil)?.index == 1 && objects.adapter(0)?.path == BlueZScript.hci && objects.adapter(7) == nil)
        objects.add(BlueZScript.device, BlueZScript.sensor())
        #expect(objects.adapter(nil)?.index == 0)
        _ = objects.change(other + "/dev_C4", BlueZName.device, ["Connected": .bool(true)])
        #expect(objects.adapter(nil)?.index == 1, "the one that has the link")
        _ = objects.change(other, BlueZName.adapter, ["Powered": .bool(false)])
        #expect(objects.adapter(nil)?.index == 0)
    }

    @Test("EDGE-2: when another adapter takes over, what was under way on the first one holds nothing up")
    func otherAdapter() throws {
        var bluez = try BlueZScript()
        let other = "/org/bluez/hci1"
        try bluez.start([BlueZScript.hci: BlueZScript.adapter(), other: BlueZScript.adapter()])
        try bluez.answer(.filter)
        try bluez.answer(.discover)
        #expect(bluez.session.isDiscovering)
        bluez.feed(.removed(BlueZScript.hci, [BlueZName.adapter]))
        #expect(bluez.calls.map(\.call.path) == [other] && bluez.operations == [.filter], "the search begins there")
        bluez.feed(.added(BlueZScript.hci, BlueZScript.adapter()))
        bluez.feed(.added(BlueZScript.device, BlueZScript.sensor()))
        bluez.feed(.added(other + "/dev_C4", BlueZScript.sensor(isConnected: true, isResolved: true)))
        for (path, interfaces) in BlueZScript.services {
            bluez.feed(.added(other + "/dev_C4" + path.dropFirst(BlueZScript.device.count), interfaces))
        }
        #expect(bluez.calls.last?.call.path == other + "/dev_C4/service000b/char000c")
    }

    @Test("EDGE-2: objects of other devices are not kept, and the sensor's own are bounded")
    func bounded() throws {
        var objects = BlueZObjects(address: try #require(SensorAddress("C4:01:02:03:04:05")))
        objects.add("/org/bluez/hci0/dev_AA", ["org.bluez.Device1": ["Address": .string("AA:AA:AA:AA:AA:AA")]])
        objects.add("/org/bluez/hci0/dev_AA/service1/char1", BlueZScript.characteristic("2a37"))
        #expect(objects == BlueZObjects(address: try #require(SensorAddress("C4:01:02:03:04:05"))))
        objects.add(BlueZScript.device, BlueZScript.sensor())
        for index in 0..<2000 { objects.add(BlueZScript.device + "/char\(index)", BlueZScript.characteristic("2a37")) }
        let isKept = objects.change(BlueZScript.device + "/char1900", BlueZName.characteristic, [:])
        #expect(!isKept)
    }

    @Test(
        "EDGE-2: errors of Connect that mean 'again' are not told; the others are, with what to do",
        arguments: [
            ("InProgress", "Operation already in progress", nil), ("NotReady", "Resource Not Ready", nil),
            ("Failed", "le-connection-abort-by-local", nil), ("Failed", "br-connection-canceled", nil),
            ("Failed", "Host is down", LinkFailure.outOfRange), ("AlreadyConnected", "Already Connected", nil),
            ("DoesNotExist", "gone", .bluez("connecting", "gone (org.bluez.Error.DoesNotExist)")),
        ])
    func connectErrors(name: String, message: String, failure: LinkFailure?) throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.known)
        bluez.session.connectingSince = -20_000
        try bluez.fail(.connect, name, message)
        #expect(bluez.told() == (failure.map { [.lost($0)] } ?? []))
        let problem = failure?.problem(bluez.session.address)
        #expect(problem?.advice.isEmpty != true)
        bluez.tick(after: 1250)
        #expect(bluez.operations == [.connect])
    }

    @Test("EDGE-2: a bus that forbids bluetoothd is told with the group to join, and tried again")
    func forbidden() throws {
        var bluez = try BlueZScript()
        bluez.feed(.service(true))
        try bluez.answer(.objects, .failure(BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "no")))
        guard case .lost(let failure) = bluez.told().first else {
            Issue.record("it was not told")
            return
        }
        #expect(failure.problem(bluez.session.address).advice.contains("group bluetooth"))
        bluez.tick(after: 5000)
        #expect(bluez.operations == [.objects])
    }
}
