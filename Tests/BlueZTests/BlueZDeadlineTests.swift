import Sensing
import SystemBus
import Testing
import Vitals

@testable import BlueZ

/// Another sensor's signals, or answers that do not count, can come in the moment in which something is due here.
struct BlueZDeadlineTests {
    enum Due: CaseIterable {
        case retry, power, adapterReason, absenceOfUnknown, absence, loss, noAdapter, resolving, export, silence, battery, healing,
            closing, staysOff
    }

    /// A session that waits for one deadline only.
    private func waiting(for due: Due) throws -> BlueZScript {
        var bluez = try BlueZScript()
        let bare = BlueZScript.known.merging([BlueZScript.device: BlueZScript.sensor(isConnected: true, isResolved: true)]) { $1 }
        switch due {
        case .retry:
            try bluez.start(BlueZScript.known)
            try bluez.fail(.connect, "Failed")
        case .power:
            try bluez.start([BlueZScript.hci: BlueZScript.adapter(isPowered: false)])
            bluez.tick(after: 600)
        case .adapterReason:
            try bluez.subscribe()
            bluez.change(["Powered": .bool(false)], of: BlueZScript.hci, BlueZName.adapter)
        case .absenceOfUnknown:
            try bluez.start([BlueZScript.hci: BlueZScript.adapter()])
            try bluez.answer(.filter)
            try bluez.answer(.discover)
        case .absence: try bluez.start(BlueZScript.known)
        case .loss:
            try bluez.subscribe()
            bluez.change(["Connected": .bool(false)])
        case .noAdapter: try bluez.start([:])
        case .resolving:
            try bluez.start(BlueZScript.known.merging([BlueZScript.device: BlueZScript.sensor(isConnected: true)]) { $1 })
            bluez.tick(after: 25_000)
        case .export: try bluez.start(bare)
        case .silence:
            try bluez.subscribe()
            bluez.tick(after: 2000)
        case .battery:
            let battery = BlueZScript.device + "/service0020/char0021"
            try bluez.start(BlueZScript.ready.merging([battery: BlueZScript.characteristic("2a19")]) { $1 })
            try bluez.answer(.subscribe)
            try bluez.answer(.readBattery, .success([.bytes([55])]))
            bluez.tick(after: 2000)
            bluez.session.link?.batteryDue = bluez.now + 2000
        case .closing:
            try bluez.subscribe()
            bluez.tick(after: 10_000)
            bluez.tick(after: 1000)
            try bluez.answer(.disconnect)
        case .staysOff:
            try bluez.start([BlueZScript.hci: BlueZScript.adapter(isPowered: false)])
            bluez.tick(after: 19_000)
        case .healing:
            bluez.feed(.service(true))
            bluez.feed(.service(false))
            bluez.calls = []
            try bluez.start(BlueZScript.known)
        }
        bluez.calls = []
        _ = bluez.told()
        return bluez
    }

    @Test("EDGE-2: what is due is done also when something foreign comes just then or later", arguments: Due.allCases, [0, 1, 900])
    func foreign(due: Due, after late: Milliseconds) throws {
        for isAnswer in [false, true] {
            var bluez = try waiting(for: due), ticked = bluez
            let deadline = try #require(bluez.session.deadline)
            bluez.now = deadline + late
            ticked.now = bluez.now
            ticked.feed(.tick)
            if isAnswer {
                bluez.feed(.reply(.objects, generation: -1, .success([])))
            } else {
                bluez.change(["Value": .bytes([0, 60])], of: "/org/bluez/hci0/dev_AA/service1/char1", BlueZName.characteristic)
            }
            let (told, expected) = (bluez.told(), ticked.told())
            #expect(told == expected && bluez.calls == ticked.calls)
            #expect(!(told.isEmpty && bluez.calls.isEmpty), "the deadline was for something")
        }
    }
}
