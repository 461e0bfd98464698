import Sensing
import SystemBus

/// The bus as jobs use it: a call that cannot even be sent is answered like one that failed.
final class ModemLink {
    private let bus: Bus

    init(_ bus: Bus) { self.bus = bus }

    /// `reply` comes exactly once, unless the bus ends: then the loop ends the job. `limit` in milliseconds.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [], limit: Int64,
        reply: @escaping (Result<[BusValue], BusError>) -> Void
    ) {
        let call = BusCall(ModemCodes.service, path, interface, member, arguments)
        do throws(BusError) { try bus.send(call, limit: limit, reply: reply) } catch { reply(.failure(error)) }
    }

    /// Reads all properties of an interface.
    func properties(of path: String, _ interface: String, reply: @escaping ([String: BusValue]) -> Void) {
        call(path, "org.freedesktop.DBus.Properties", "GetAll", [.string(interface)], limit: 10_000) { answer in
            reply((try? answer.get())?.first?.dictionary ?? [:])
        }
    }

    /// For what needs no answer: what is deleted may be gone already.
    func tell(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []) {
        call(path, interface, member, arguments, limit: 20_000) { _ in }
    }
}

/// Something that is being done with a modem. For the loop's thread.
protocol ModemJob: AnyObject {
    var id: UInt64 { get }
    var isOver: Bool { get }
    /// When ``tick(_:)`` has something to do; nil for never.
    var deadline: Int64? { get }
    func tick(_ now: Int64)
    /// A signal of ModemManager.
    func handle(_ signal: BusMessage)
    func cancel()
    /// The bus or the modem is gone.
    func lost(_ problem: SourceProblem)
    /// The modem that it uses.
    var modem: String { get }
}
