import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

struct BlueZSessionTests {
    @Test("EDGE-2: a sensor that bluetoothd knows is trusted, connected, subscribed and read")
    func known() throws {
        var bluez = try BlueZScript()
        try bluez.start([BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: BlueZScript.sensor(isTrusted: false)])
        #expect(bluez.operations == [.trust, .connect])
        try bluez.answer(.trust)
        bluez.change(["Connected": .bool(true)])
        try bluez.answer(.connect)
        #expect(bluez.operations.isEmpty)
        for (path, interfaces) in BlueZScript.services { bluez.feed(.added(path, interfaces)) }
        #expect(bluez.operations.isEmpty, "services count when bluetoothd has all of them")
        bluez.change(["ServicesResolved": .bool(true)])
        #expect(bluez.calls.map(\.call) == [BusCall("org.bluez", BlueZScript.measurement, BlueZName.characteristic, "StartNotify")])
        try bluez.answer(.subscribe)
        try bluez.answer(.readLocation, .success([.bytes([1])]))
        bluez.feed(.added(BlueZScript.device, [BlueZName.battery: ["Percentage": .byte(87)]]))
        bluez.now += 500
        bluez.value([0x00, 72])
        bluez.value([1], of: BlueZScript.location)
        #expect(
            bluez.told() == [
                .event(.connected(time: 1000)), .event(.bodyLocation(1, time: 1000)), .event(.battery(percent: 87, time: 1000)),
                BlueZScript.reading(72, at: 1500),
            ])
        bluez.change(["Percentage": .byte(86)], of: BlueZScript.device, BlueZName.battery)
        #expect(bluez.told() == [.event(.battery(percent: 86, time: 1500))])
    }

    @Test("EDGE-2: an unknown sensor is found by discovery, which ends before the link is opened")
    func discovered() throws {
        var bluez = try BlueZScript()
        try bluez.start([BlueZScript.hci: BlueZScript.adapter()])
        try bluez.answer(.filter)
        try bluez.answer(.discover)
        bluez.tick(after: 19_000)
        #expect(bluez.told().isEmpty && bluez.operations.isEmpty)
        bluez.tick(after: 1000)
        #expect(bluez.told() == [.lost(.outOfRange)])
        bluez.feed(.added("/org/bluez/hci0/dev_AA_BB", ["org.bluez.Device1": ["Address": .string("AA:BB:CC:DD:EE:FF")]]))
        #expect(bluez.operations.isEmpty)
        bluez.feed(.added(BlueZScript.device, BlueZScript.sensor()))
        #expect(bluez.operations == [.stopDiscovery])
        try bluez.answer(.stopDiscovery)
        #expect(bluez.operations == [.connect])
        bluez.feed(.removed(BlueZScript.device, ["org.bluez.Device1"]))
        #expect(bluez.operations == [.connect, .filter], "bluetoothd forgets what it never connected")
    }

    @Test("EDGE-2: a lost link is told once and opened again at once; bluetoothd waits for the sensor")
    func loss() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.change(["ServicesResolved": .bool(false)])
        bluez.change(["Connected": .bool(false)])
        #expect(bluez.operations == [.connect] && bluez.told().isEmpty)
        #expect(bluez.session.deadline == bluez.now + 500)
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.linkLost)])
        bluez.tick(after: 19_500)
        #expect(bluez.told() == [.lost(.outOfRange)])
        try bluez.fail(.connect, "Failed", "Software caused connection abort")
        #expect(bluez.operations.isEmpty)
        let pause = try #require(bluez.session.deadline) - bluez.now
        #expect(pause <= 250)
        bluez.tick(after: pause)
        #expect(bluez.operations == [.connect])
        // bluetoothd subscribes again by itself for a client that was: readings may come first.
        bluez.change(["Connected": .bool(true)])
        bluez.change(["ServicesResolved": .bool(true)])
        bluez.value([0x00, 90])
        #expect(bluez.told() == [.event(.connected(time: bluez.now)), BlueZScript.reading(90, at: bluez.now)])
        #expect(bluez.operations == [.connect, .subscribe])
        try bluez.answer(.subscribe)
        bluez.value([0x00, 91])
        #expect(bluez.told() == [BlueZScript.reading(91, at: bluez.now)], "the connection is told once")
    }

    @Test("EDGE-2: a link that is back before its loss was told is told as lost and connected, in that order")
    func shortLoss() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.change(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        bluez.now += 200
        bluez.change(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        try bluez.answer(.connect)
        try bluez.answer(.subscribe)
        #expect(bluez.told() == [.lost(.linkLost), .event(.connected(time: bluez.now))])
    }

    @Test("EDGE-2: services said to be resolved before they are there are waited for, then asked for (bluez#1489)")
    func lateServices() throws {
        var bluez = try BlueZScript()
        try bluez.start([
            BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: BlueZScript.sensor(isConnected: true, isResolved: true),
        ])
        #expect(bluez.operations.isEmpty)
        #expect(bluez.session.deadline == 2500)
        bluez.tick(after: 1500)
        try bluez.answer(.objects, .success(BlueZScript.answer(BlueZScript.ready)))
        #expect(bluez.operations == [.subscribe])
    }

    @Test("EDGE-2: services that never come end the link, which is opened anew")
    func missingServices() throws {
        var bluez = try BlueZScript()
        let bare = [BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: BlueZScript.sensor(isConnected: true, isResolved: true)]
        try bluez.start(bare)
        bluez.tick(after: 1500)
        try bluez.answer(.objects, .success(BlueZScript.answer(bare)))
        bluez.tick(after: 28_500)
        #expect(bluez.told() == [.lost(.noAnswer(after: 30_000))])
        try bluez.answer(.disconnect)
        bluez.change(["Connected": .bool(false)])
        bluez.tick(after: 1000)
        #expect(bluez.operations == [.connect])
    }

    @Test("EDGE-2: a device without the heart-rate service is told as such")
    func noHeartRate() throws {
        var bluez = try BlueZScript()
        var other = BlueZScript.sensor(isConnected: true, isResolved: true)
        other["org.bluez.Device1"]?["UUIDs"] = .strings(["0000180f-0000-1000-8000-00805f9b34fb"])
        let objects = [BlueZScript.hci: BlueZScript.adapter(), BlueZScript.device: other]
        try bluez.start(objects)
        bluez.tick(after: 1500)
        try bluez.answer(.objects, .success(BlueZScript.answer(objects)))
        #expect(bluez.told() == [.lost(.noHeartRate)])
        #expect(bluez.operations == [.disconnect])
    }

    @Test("EDGE-2: bluetoothd's restart is told; answers of the old one count no more")
    func restart() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.feed(.service(false))
        #expect(bluez.told() == [.lost(.noBluetoothd)])
        bluez.value([0x00, 72])
        bluez.feed(.service(true))
        let stale = try #require(bluez.calls.first)
        bluez.feed(.service(false))
        bluez.feed(.service(true))
        bluez.feed(.reply(.objects, generation: stale.generation, .success(BlueZScript.answer(BlueZScript.ready))))
        #expect(bluez.told().isEmpty)
        #expect(bluez.operations == [.objects, .objects])
        bluez.calls.removeFirst()
        try bluez.answer(.objects, .success(BlueZScript.answer([BlueZScript.hci: BlueZScript.adapter(isPowered: false)])))
        #expect(bluez.operations.isEmpty && bluez.told().isEmpty, "bluetoothd switches the adapter on by itself at its start")
        bluez.change(["Powered": .bool(true)], of: BlueZScript.hci, BlueZName.adapter)
        bluez.feed(.added(BlueZScript.device, BlueZScript.sensor()))
        try bluez.answer(.filter)
        try bluez.answer(.discover)
        try bluez.answer(.stopDiscovery)
        #expect(bluez.operations == [.connect])
    }

    @Test("EDGE-2: an open link without readings is lost, and opened anew; nothing is said about the heart")
    func silence() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.tick(after: 5000)
        bluez.value([0x00, 72])
        #expect(bluez.session.deadline == bluez.now + 10_000)
        bluez.tick(after: 10_000)
        #expect(bluez.told().last == .lost(.silent(10_000)))
        try bluez.answer(.disconnect)
        bluez.change(["Connected": .bool(false), "ServicesResolved": .bool(false)])
        #expect(bluez.told().isEmpty)
        bluez.tick(after: 1000)
        #expect(bluez.operations == [.connect])
    }

    /// Up to bluetoothd's answer to Disconnect, which came before its word that the link is gone.
    private func closed() throws -> BlueZScript {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        bluez.tick(after: 10_000)
        bluez.change(["ServicesResolved": .bool(false)])
        bluez.tick(after: 2000)
        try bluez.answer(.disconnect)
        #expect(bluez.told() == [.lost(.silent(10_000))])
        return bluez
    }

    @Test("EDGE-2: the end of a link that is closed from here is no second loss, though Disconnect is answered first")
    func closedHere() throws {
        var bluez = try closed()
        bluez.now += 12
        bluez.change(["Connected": .bool(false)])
        bluez.tick(after: 500)
        #expect(bluez.operations == [.connect])
        bluez.change(["Connected": .bool(true), "ServicesResolved": .bool(true)])
        try bluez.answer(.connect)
        try bluez.answer(.subscribe)
        #expect(bluez.told() == [.event(.connected(time: bluez.now))])
        bluez.change(["Connected": .bool(false)])
        bluez.tick(after: 500)
        #expect(bluez.told() == [.lost(.linkLost)], "the next loss is one")
    }

    @Test("EDGE-2: a link that stands although it was closed from here is used")
    func stands() throws {
        var bluez = try closed()
        bluez.change(["ServicesResolved": .bool(true)])
        #expect(bluez.operations.isEmpty && bluez.session.deadline == bluez.now + 2000)
        bluez.tick(after: 2000)
        #expect(bluez.operations == [.subscribe])
    }

    @Test("EDGE-2: a reading of a link that is being closed counts; neither a connection nor a loss is told of it")
    func lateReading() throws {
        for isAnswered in [false, true] {
            var bluez = try BlueZScript()
            try bluez.subscribe()
            bluez.tick(after: 10_000)
            if isAnswered { try bluez.answer(.disconnect) }
            bluez.value([0x00, 72])
            if !isAnswered { try bluez.answer(.disconnect) }
            bluez.change(["Connected": .bool(false), "ServicesResolved": .bool(false)])
            bluez.tick(after: 500)
            #expect(bluez.told() == [.lost(.silent(10_000)), BlueZScript.reading(72, at: bluez.now - 500)])
            #expect(bluez.operations == [.connect])
        }
    }

    @Test("EDGE-2: a sensor that wants a paired partner is paired; when that fails it is told what to do")
    func pairing() throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.ready)
        #expect(bluez.agents == [[.objectPath("/trackme/agent"), .string("NoInputNoOutput")]])
        try bluez.fail(.subscribe, "NotPermitted", "Insufficient Authentication (0x05)")
        #expect(bluez.operations == [.pair])
        try bluez.answer(.pair)
        try bluez.answer(.subscribe)
        #expect(bluez.told() == [.event(.connected(time: 1000))])

        bluez = try BlueZScript()
        try bluez.start(BlueZScript.ready)
        try bluez.fail(.subscribe, "Failed", "Operation failed with ATT error: 0x0f")
        try bluez.fail(.pair, "AuthenticationCanceled", "Authentication Canceled")
        #expect(bluez.operations == [.disconnect])
        guard case .lost(.pairingFailed) = bluez.told().first else {
            Issue.record("the failure was not told")
            return
        }
    }

    @Test("EDGE-2: a bond that the sensor has lost is renewed once; then it is told to forget the sensor and use it again")
    func lostBond() throws {
        var bluez = try BlueZScript()
        try bluez.start(BlueZScript.ready)
        for _ in 0..<2 {
            bluez.change(["Paired": .bool(true)])
            try bluez.fail(.subscribe, "NotPermitted", "Insufficient Authentication (0x05)")
            guard bluez.operations == [.remove] else { break }
            #expect(bluez.calls.first?.call.arguments == [.objectPath(BlueZScript.device)])
            #expect(bluez.told() == [.problem(.bondRenewed(bluez.session.address))])
            bluez.feed(.removed(BlueZScript.device, [BlueZName.device]))
            try bluez.answer(.remove)
            bluez.tick(after: 300)
            try bluez.answer(.objects, .success(BlueZScript.answer([BlueZScript.hci: BlueZScript.adapter()])))
            #expect(bluez.operations == [.filter])
            try bluez.answer(.filter)
            try bluez.answer(.discover)
            bluez.feed(.added(BlueZScript.device, BlueZScript.sensor(isTrusted: false)))
            try bluez.answer(.stopDiscovery)
            #expect(bluez.operations == [.trust, .connect], "and trusted anew")
            try bluez.answer(.trust)
            bluez.change(["Connected": .bool(true), "ServicesResolved": .bool(true)])
            try bluez.answer(.connect)
            for (path, interfaces) in BlueZScript.services { bluez.feed(.added(path, interfaces)) }
            try bluez.fail(.subscribe, "NotPermitted", "Insufficient Authentication (0x05)")
            try bluez.answer(.pair)
        }
        #expect(bluez.told() == [.lost(.bondLost)] && bluez.operations == [.disconnect])
    }

    @Test("EDGE-2: a sensor that takes the link and drops it is told, and tried with growing pauses; one that was fine with short ones")
    func flapping() throws {
        for wasFine in [false, true] {
            var bluez = try BlueZScript()
            try bluez.start(BlueZScript.known)
            if wasFine { bluez.session.fineTime = bluez.now }
            var longest: Milliseconds = 0
            for _ in 0..<9 {
                bluez.change(["Connected": .bool(true)])
                try bluez.answer(.connect)
                bluez.change(["Connected": .bool(false)])
                #expect(bluez.operations.isEmpty)
                let lost = bluez.now
                while bluez.operations.isEmpty {
                    bluez.now = try #require(bluez.session.deadline)
                    bluez.feed(.tick)
                }
                longest = bluez.now - lost
            }
            #expect(wasFine ? longest <= 3000 : (10_000...30_000).contains(longest))
            #expect(bluez.told().first == .lost(.linkLost))
        }
    }

    @Test("EDGE-2: values that cannot be used, or were padded, are counted and told at every doubling; no reading is lost")
    func damaged() throws {
        var bluez = try BlueZScript()
        try bluez.subscribe()
        for _ in 0..<4 { bluez.value([0x01, 72]) }
        #expect(bluez.told().count == 3)
        for _ in 0..<4 { bluez.value([0x00, 72, 0, 0]) }
        let news = bluez.told()
        #expect(news.filter { $0 == BlueZScript.reading(72, at: 1000) }.count == 4 && news.count == 7)
    }

    @Test("EDGE-2: a battery that bluetoothd leaves to others is read in intervals")
    func batteryByHand() throws {
        var bluez = try BlueZScript()
        let battery = BlueZScript.device + "/service0020/char0021"
        try bluez.start(BlueZScript.ready.merging([battery: BlueZScript.characteristic("2a19")]) { $1 })
        try bluez.answer(.subscribe)
        try bluez.answer(.readBattery, .success([.bytes([55])]))
        #expect(bluez.told() == [.event(.connected(time: 1000)), .event(.battery(percent: 55, time: 1000))])
        for _ in 0..<120 {
            bluez.tick(after: 5000)
            bluez.value([0x00, 72])
        }
        #expect(bluez.operations.filter { $0 == .readBattery }.count == 1)
    }

    @Test("EDGE-2: at its end a link is closed, also one that is being opened; where there is none nothing is called")
    func farewell() throws {
        var bluez = try BlueZScript()
        #expect(bluez.session.farewell == nil)
        try bluez.start(BlueZScript.known)
        #expect(bluez.session.farewell?.member == "Disconnect")
        try bluez.fail(.connect, "Failed", "Host is down")
        #expect(bluez.session.farewell == nil)
        bluez.feed(.service(false))
        #expect(bluez.session.farewell == nil)
    }
}
