import Foundation
import SourceThread
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// A real ModemManager on a bus of its own, with modems that only it can see.
final class ModemManagerRig {
    private static let program = "/usr/sbin/ModemManager"
    static var isMissing: Bool { !DesktopSession.has(program, "/usr/bin/dbus-daemon", "/usr/bin/env") }

    let session: DesktopSession
    private let bus: Bus
    private let polkit: Polkit
    private var manager: Process?
    private let directory: TemporaryDirectory
    private var modems: [ATModem] = []

    init(isAllowed: Bool = true) throws {
        session = try DesktopSession()
        directory = try TemporaryDirectory()
        polkit = try Polkit(session.address, isAllowed: isAllowed)
        bus = try Bus(session.address)
        try start()
    }

    deinit {
        if let file = getenv("TRACKME_MODEM_LOG") { try? log.write(toFile: String(cString: file), atomically: true, encoding: .utf8) }
        stopManager()
        for modem in modems { modem.end() }
        polkit.stop()
    }

    /// Its own word, for a test that fails.
    var log: String { (try? String(contentsOf: directory.url.appendingPathComponent("log"), encoding: .utf8)) ?? "" }

    func start() throws {
        let address = session.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
        manager = try session.start([
            "/usr/bin/env", "DBUS_SYSTEM_BUS_ADDRESS=\(address)", Self.program, "--test-session", "--test-enable", "--test-no-udev",
            "--test-no-suspend-resume", "--test-no-qrtr", "--no-auto-scan", "--log-level=DEBUG",
            "--log-file=\(directory.url.path)/log",
        ])
        try wait { try bus.owner(of: "org.freedesktop.ModemManager1") != nil }
    }

    func stopManager() {
        if let manager { session.end(manager) }
        manager = nil
    }

    /// Plugs one in. The plug-in of SIMCom's modems hands on pressed keys.
    @discardableResult
    func plug(_ script: ATModem.Script = .init(), plugin: String = "simtech") throws -> ATModem {
        let modem = ATModem(script)
        modems.append(modem)
        try bus.call(
            BusCall(
                "org.freedesktop.ModemManager1", "/org/freedesktop/ModemManager1", "org.freedesktop.ModemManager1.Test", "SetProfile",
                [.string(modem.name), .string(plugin), .strings([modem.name])]), limit: 20_000)
        return modem
    }

    private func wait(until isDone: () throws -> Bool) throws {
        let limit = Date(timeIntervalSinceNow: 20)
        while try !isDone(), Date() < limit { usleep(20_000) }
        #expect(try isDone(), "\(log.suffix(2000))")
    }
}

/// Answers ModemManager's questions what the agent's user may do, as polkit would (its D-Bus interface "Authority").
private final class Polkit {
    private let thread = SourceThread(name: "polkit")

    init(_ address: BusAddress, isAllowed: Bool) throws {
        let bus = try Bus(address)
        try bus.requestName("org.freedesktop.PolicyKit1")
        let moved = Mutex(Moved(bus: bus))
        try thread.start { stop in
            moved.withLock { moved in
                let bus = moved.bus
                let object = try? bus.export("/org/freedesktop/PolicyKit1/Authority") { call in
                    guard call.member == "CheckAuthorization" else { return call.member == "GetAll" ? [.properties([:])] : nil }
                    return [.structure([.bool(isAllowed), .bool(false), .dictionary([:], key: "s", value: "s")])]
                }
                while (try? bus.process()) != nil, bus.wait(stop: stop, milliseconds: 60_000) != .stopped {}
                withExtendedLifetime(object) {}
            }
        }
    }

    func stop() { thread.stop() }

    /// The bus is the thread's alone from here on.
    private struct Moved: @unchecked Sendable { let bus: Bus }
}
