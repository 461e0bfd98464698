import Foundation
import Sensing
import SourceThread
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import Peripherals

/// The name of the box in its network, with a stand-in for Avahi on a bus of its own.
@Suite(.enabled(if: DesktopSession.has("/usr/bin/dbus-daemon")), .timeLimit(.minutes(1)))
struct NetworkNameTests {
    /// Answers as Avahi's server and entry group do.
    private final class Avahi: Sendable {
        private struct State {
            var asked: [[BusValue]] = []
            var isCommitted = false
        }

        private let state = Mutex(State())
        private let stop: StopSignal
        private let done = DispatchSemaphore(value: 0)

        var asked: [[BusValue]] { state.withLock { $0.asked } }

        /// - Parameter result: the state of a group that was committed.
        init(on address: BusAddress, result: Int32) throws {
            stop = try #require(StopSignal())
            let ready = DispatchSemaphore(value: 0)
            Thread.detachNewThread { [self, stop] in
                defer { done.signal() }
                do {
                    let bus = try Bus(address)
                    let server = try bus.export("/") { $0.member == "EntryGroupNew" ? [.objectPath("/group")] : nil }
                    let group = try bus.export("/group") { [self] call in answer(call, result) }
                    try bus.requestName("org.freedesktop.Avahi")
                    ready.signal()
                    while bus.wait(stop: stop, milliseconds: 1000) != .stopped { try bus.process() }
                    withExtendedLifetime((server, group)) {}
                } catch {
                    ready.signal()
                }
            }
            ready.wait()
        }

        private func answer(_ call: BusMessage, _ result: Int32) -> [BusValue]? {
            state.withLock { state in
                switch call.member {
                case "AddAddress":
                    state.asked.append(call.arguments)
                    return []
                case "Commit":
                    state.isCommitted = true
                    return []
                case "GetState": return [.int32(state.isCommitted ? result : 0)]
                default: return nil
                }
            }
        }

        func end() {
            stop.stop()
            done.wait()
        }
    }

    @Test("EDGE-14: the box announces its name with its addresses until it is told to stop")
    func announced() throws {
        let session = try DesktopSession(), avahi = try Avahi(on: session.address, result: 2), stop = try #require(StopSignal())
        var isEstablished = false
        try NetworkName.announce("trackme.local", addresses: ["192.0.2.1", "192.0.2.2"], on: session.address, stop: stop) {
            isEstablished = true
            stop.stop()
        }
        #expect(isEstablished)
        #expect(
            avahi.asked == ["192.0.2.1", "192.0.2.2"].map { [.int32(-1), .int32(-1), .uint32(16), .string("trackme.local"), .string($0)] })
        avahi.end()
    }

    @Test("a name that another device has is told, with what to do", arguments: [3, 4])
    func taken(state: Int32) throws {
        let session = try DesktopSession(), avahi = try Avahi(on: session.address, result: state), stop = try #require(StopSignal())
        let problem = #expect(throws: SourceProblem.self) {
            try NetworkName.announce("trackme.local", addresses: ["192.0.2.1"], on: session.address, stop: stop)
        }
        #expect(problem?.what.contains("trackme.local") == true && problem?.advice.contains("numeric address") == true)
        avahi.end()
    }

    @Test("without Avahi it is said so")
    func missing() throws {
        let session = try DesktopSession(), stop = try #require(StopSignal())
        let problem = #expect(throws: SourceProblem.self) {
            try NetworkName.announce("trackme.local", addresses: ["192.0.2.1"], on: session.address, stop: stop)
        }
        #expect(problem?.what.contains("Avahi does not run") == true)
    }
}
