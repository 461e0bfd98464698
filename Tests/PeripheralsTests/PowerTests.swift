import Foundation
import Sensing
import Testing
import Vitals

@testable import Peripherals

@Suite(.timeLimit(.minutes(1)))
struct PowerTests {
    private static let adapterOn = ["type": "Mains", "online": "1"]
    private static let adapterOff = ["type": "Mains", "online": "0"]
    private static let mouse = ["type": "Battery", "scope": "Device", "status": "Discharging", "capacity": "7", "present": "1"]

    private static func battery(_ status: String, _ capacity: String = "61") -> [String: String] {
        ["type": "Battery", "scope": "System", "status": status, "capacity": capacity, "present": "1"]
    }

    private func state(_ entries: [String: [String: String]]) throws -> (PowerState, [String]) {
        let tree = try PowerTree(entries)
        let (supplies, damaged) = try PowerDirectory(path: tree.path).read()
        return (PowerState(supplies), damaged)
    }

    /// What boxes of several kinds show.
    static let boxes: [(name: String, entries: [String: [String: String]], power: BoxPower, percent: Int?)] = [
        ("bare board", [:], .unknown, nil),
        ("laptop at a socket", ["AC": adapterOn, "BAT0": battery("Charging")], .mains, 61),
        ("laptop held at a charge limit", ["AC": adapterOn, "BAT0": battery("Not charging", "80")], .mains, 80),
        ("laptop whose charger is too weak", ["AC": adapterOn, "BAT0": battery("Discharging")], .mains, 61),
        ("laptop unplugged", ["AC": adapterOff, "BAT0": battery("Discharging")], .battery, 61),
        ("laptop a moment after", ["AC": adapterOff, "BAT0": battery("Unknown")], .battery, 61),
        (
            "laptop, two batteries", ["AC": adapterOff, "BAT0": battery("Discharging", "5"), "BAT1": battery("Not charging", "90")],
            .battery, 47
        ),
        (
            "phone on a charger", ["usb": ["type": "USB", "usb_type": "SDP [DCP] CDP", "online": "1"], "bat": battery("Full", "100")],
            .mains, 100
        ),
        (
            "phone on the fast kind", ["ucsi": ["type": "USB", "usb_type": "C [PD] PD_PPS", "online": "2"], "bat": battery("Charging")],
            .mains, 61
        ),
        ("phone on an old kernel", ["usb": ["type": "USB_DCP", "online": "1"], "bat": battery("Charging")], .mains, 61),
        ("phone off it", ["usb": ["type": "USB", "online": "0"], "bat": battery("Discharging")], .battery, 61),
        ("board with a battery hat", ["hat": battery("Charging")], .mains, 61),
        ("the same, unplugged", ["hat": battery("Discharging", "20")], .battery, 20),
        ("battery of no known state", ["hat": battery("Unknown")], .unknown, 61),
        ("battery taken out", ["AC": adapterOn, "BAT0": ["type": "Battery", "present": "0", "status": "Unknown"]], .mains, nil),
        ("mains, and a mouse's battery", ["AC": adapterOn, "hid-1-battery": mouse], .mains, nil),
        ("bare board with a strap", ["strap": mouse], .unknown, nil),
    ]

    @Test("EDGE-9: mains, battery and level of real kinds of boxes, never another device's", arguments: boxes.indices)
    func kinds(index: Int) throws {
        let box = Self.boxes[index]
        let (state, damaged) = try state(box.entries)
        #expect(state == PowerState(power: box.power, batteryPercent: box.percent), "\(box.name)")
        #expect(damaged.isEmpty, "\(box.name)")
    }

    @Test("EDGE-9: the level comes from energy or charge where the gauge gives no capacity")
    func gauges() throws {
        let energy = ["type": "Battery", "status": "Discharging", "energy_now": "19990000", "energy_full": "50000000"]
        #expect(try state(["BAT0": energy]).0.batteryPercent == 39)
        let charge = ["type": "Battery", "status": "Discharging", "charge_now": "1500000", "charge_full": "3000000"]
        #expect(try state(["BAT0": charge]).0.batteryPercent == 50)
        let empty = ["type": "Battery", "status": "Discharging", "charge_now": "0", "charge_full": "0"]
        #expect(try state(["BAT0": empty]).0.batteryPercent == nil)
    }

    @Test("EDGE-9: values that make no sense are left out and named")
    func damage() throws {
        let (state, damaged) = try state([
            "AC": ["type": "Mains", "online": "yes"], "BAT0": ["type": "Battery", "status": "Rotting", "capacity": "255"],
            "what": ["type": "Fusion"], "empty": [:],
        ])
        #expect(state == PowerState())
        let named = ["AC/online (yes)", "BAT0/capacity (255)", "BAT0/status (Rotting)", "empty/type (missing)", "what/type (Fusion)"]
        #expect(damaged.sorted() == named)
    }

    @Test("EDGE-9: the watch tells the state at once and with each look, also where nothing has changed, and each problem once")
    func watch() async throws {
        let tree = try PowerTree(["AC": Self.adapterOn, "BAT0": Self.battery("Charging")])
        let (states, stateFeed) = AsyncStream.makeStream(of: PowerState.self, bufferingPolicy: .bufferingNewest(64))
        let (problems, problemFeed) = AsyncStream.makeStream(of: SourceProblem.self, bufferingPolicy: .bufferingOldest(64))
        let watch = PowerWatch(path: tree.path, interval: 5, report: { problemFeed.yield($0) }, sink: { stateFeed.yield($0) })
        try watch.start()
        var told = problems.makeAsyncIterator()
        for _ in 0..<3 {
            let state = await states.first { _ in true }
            #expect(state == PowerState(power: .mains, batteryPercent: 61))
        }
        try tree.set("BAT0", ["status": "Discharging"])
        try tree.set("AC", ["online": "0"])
        #expect(await states.contains(PowerState(power: .battery, batteryPercent: 61)))
        try tree.set("AC", ["online": "maybe"])
        #expect(await told.next()?.what.contains("AC/online (maybe)") == true)
        try tree.set("AC", ["online": "0"])
        try tree.set("BAT0", ["capacity": "20"])
        #expect(await states.contains(PowerState(power: .battery, batteryPercent: 20)))
        try tree.vanish()
        // A look that was going on may have found half of it gone; the suite's time limit ends it.
        #expect(await states.contains(PowerState()))
        while let problem = await told.next(), !problem.what.contains("No such file") {}
        watch.stop()
    }
}
