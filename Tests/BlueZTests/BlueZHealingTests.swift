import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

/// bluetoothd and the kernel disagree about a link.
struct BlueZHealingTests {
    private static let connected = [BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: BlueZScript.sensor(isConnected: true)]

    /// bluetoothd was away, and says this when it is back.
    private func restarted(_ objects: [String: BlueZObjects.Interfaces]) throws -> BlueZScript {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.feed(.service(false))
        bluez.calls = []
        try bluez.start(objects)
        return bluez
    }

    @Test("EDGE-2: connected after a restart, and no services: opened anew, and subscribed within 10 s")
    func noServices() throws {
        var bluez = try restarted(Self.connected)
        let start = bluez.now
        #expect(bluez.session.deadline == start + 4000)
        bluez.tick(after: 4000)
        try bluez.answer(.objects, .success(BlueZScript.answer(Self.connected)))
        #expect(bluez.operations == [.disconnect])
        bluez.change(["Connected": .bool(false)])
        try bluez.answer(.disconnect)
        bluez.now = try #require(bluez.session.deadline)
        bluez.feed(.tick)
        #expect(bluez.operations == [.connect] && bluez.now - start < 6000)
        bluez.change(["Connected": .bool(true)])
        try bluez.answer(.connect)
        for (path, interfaces) in BlueZScript.services { bluez.feed(.added(path, interfaces)) }
        bluez.change(["ServicesResolved": .bool(true)])
        try bluez.answer(.subscribe)
        #expect(bluez.told().last == .event(.connected(time: bluez.now)))
        #expect(bluez.session.healDue == nil)
    }

    @Test("EDGE-2: Connect waits after a restart while the link stands: what is there is asked, and used")
    func pendingConnect() throws {
        var bluez = try restarted(BlueZScript.known)
        #expect(bluez.operations == [.connect])
        bluez.tick(after: 4000)
        try bluez.answer(.objects, .success(BlueZScript.answer(BlueZScript.ready)))
        #expect(bluez.operations == [.connect, .subscribe])
        try bluez.answer(.subscribe)
        // Connect's own answer comes late, and is of no account.
        try bluez.fail(.connect, "Failed", "le-connection-abort-by-local")
        #expect(bluez.session.link?.isSubscribed == true && bluez.session.retryTime == nil)
    }

    @Test("EDGE-2: a sensor that is away after a restart is not disturbed more than every 20 s, nor for ever")
    func absent() throws {
        var bluez = try restarted(BlueZScript.known)
        let start = bluez.now
        var disconnects: [Milliseconds] = []
        for _ in 0..<3000 {
            bluez.tick(after: 100)
            while let request = bluez.calls.first {
                bluez.calls.removeFirst()
                if request.operation == .disconnect { disconnects.append(bluez.now - start) }
                if request.operation == .connect { continue }
                let answer = request.operation == .objects ? BlueZScript.answer(BlueZScript.known) : []
                bluez.feed(.reply(request.operation, generation: request.generation, .success(answer)))
            }
        }
        #expect(disconnects == [4000, 24_000, 44_000])
        #expect(bluez.session.pending == [.connect])
    }

    @Test("EDGE-2: without a restart a sensor that is waited for is left in peace")
    func peace() throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.known)
        for _ in 0..<100 { bluez.tick(after: 1000) }
        #expect(bluez.operations == [.connect])
    }

    @Test(
        "EDGE-2: Connect that is refused three times because there is a link that is not seen: it is closed and opened anew",
        arguments: ["AlreadyConnected", "InProgress", nil])
    func refused(name: String?) throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.known)
        for _ in 0..<3 {
            #expect(bluez.operations == [.connect])
            if let name { try bluez.fail(.connect, name) } else { try bluez.answer(.connect) }
            bluez.tick(after: 1250)
        }
        #expect(bluez.operations == [.objects])
        try bluez.answer(.objects, .success(BlueZScript.answer(BlueZScript.known)))
        #expect(bluez.operations == [.disconnect])
        try bluez.fail(.disconnect, "NotConnected")
        bluez.tick(after: 500)
        for _ in 0..<5 {
            #expect(bluez.operations == [.connect], "and not again so soon")
            if let name { try bluez.fail(.connect, name) } else { try bluez.answer(.connect) }
            bluez.tick(after: 1250)
        }
    }

    @Test("EDGE-2: readings of a link that bluetoothd does not show: told once, and the link stands as long as they come")
    func unseen() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.change(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.linkLost)])
        try bluez.fail(.connect, "AlreadyConnected")
        bluez.value([0x00, 90])
        #expect(bluez.told() == [.event(.connected(time: bluez.now)), BlueZScript.reading(90, at: bluez.now)])
        let closed = BlueZScript.ready.merging([BlueZScript.device: BlueZScript.sensor()]) { $1 }
        for second in 0..<20 {
            bluez.tick(after: 1000)
            if second == 0 { try bluez.answer(.objects, .success(BlueZScript.answer(closed))) }
            bluez.value([0x00, 91])
            #expect(bluez.told() == [BlueZScript.reading(91, at: bluez.now)])
            #expect(bluez.operations.isEmpty)
        }
        #expect(bluez.session.deadline == bluez.now + 3000)
        bluez.tick(after: 3000)
        #expect(bluez.operations == [.connect])
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.linkLost)])
        // Seen again, it is used as any other.
        bluez.change(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        #expect(bluez.operations == [.connect, .subscribe])
    }
}
