import Synchronization
import SystemBus

/// Which modems are in a call. Each person of a box has a caller of their own, and a modem has one line for all of them.
final class ModemLines: Sendable {
    static let shared = ModemLines()

    private struct Line: Hashable {
        let bus: BusAddress
        let modem: String
    }

    private let held = Mutex<[Line: ObjectIdentifier]>([:])

    /// Whether the line is the holder's from here on, or was already.
    func take(_ modem: String, on bus: BusAddress, for holder: AnyObject) -> Bool {
        held.withLock { held in
            let line = Line(bus: bus, modem: modem), holder = ObjectIdentifier(holder)
            if held[line] == nil { held[line] = holder }
            return held[line] == holder
        }
    }

    func isHeld(_ modem: String, on bus: BusAddress) -> Bool { held.withLock { $0[Line(bus: bus, modem: modem)] != nil } }

    func free(_ modem: String, on bus: BusAddress, for holder: AnyObject) {
        held.withLock { held in
            let line = Line(bus: bus, modem: modem)
            if held[line] == ObjectIdentifier(holder) { held[line] = nil }
        }
    }
}
