import Foundation
import Synchronization

/// Hands messages to a mail server (RFC 6409) on connections that stay open for the next ones.
public final class SMTPSubmission: MailCarrier {
    /// A thousand alarms at a server that takes 0.2 s for each leave within 3 s. Postfix grants 50 to an address that it does not know as its own.
    public static let alarmsAtOnceStandard = 80
    /// How long a message takes at most until the server has all of it, and until the server said that it takes it, in milliseconds. A server
    /// may look for viruses meanwhile; an alarm is not left with one that does so for long.
    static let handOverLimits: [MailUrgency: Int64] = [.alarm: 20_000, .ordinary: 60_000]
    static let limits: [MailUrgency: Int64] = [.alarm: 60_000, .ordinary: 300_000]
    /// A connection that was not needed for so long is closed: beyond that, routers forget it and servers hang up.
    static let idleSeconds = 30

    public let alarmsAtOnce: Int
    private let server: SMTPServer
    private let handOverLimits: [MailUrgency: Int64], limits: [MailUrgency: Int64]
    private let alarms: MailPlaces, ordinary: MailPlaces
    private let idle = Mutex(Idle())

    /// Connections that wait for a message, the last used one last.
    private struct Idle {
        var connections: [MailUrgency: [(connection: SMTPConnection, since: ContinuousClock.Instant)]] = [:]
        var isSweeping = false
    }

    /// - Parameter alarmsAtOnce: connections for mails about somebody in distress; ``MailCarrier/ordinaryAtOnce`` come beside them.
    public convenience init(_ server: SMTPServer, alarmsAtOnce: Int = alarmsAtOnceStandard) {
        self.init(server, alarmsAtOnce: alarmsAtOnce, handOverLimits: Self.handOverLimits, limits: Self.limits)
    }

    init(_ server: SMTPServer, alarmsAtOnce: Int, handOverLimits: [MailUrgency: Int64], limits: [MailUrgency: Int64]) {
        (self.server, self.alarmsAtOnce, self.handOverLimits, self.limits) = (server, alarmsAtOnce, handOverLimits, limits)
        (alarms, ordinary) = (MailPlaces(alarmsAtOnce), MailPlaces(Self.ordinaryAtOnce))
    }

    public func limit(_ urgency: MailUrgency) -> Int64 { limits[urgency] ?? 0 }

    /// Returns when the server has taken the message. A task that is cancelled before the server has all of it sends nothing.
    public func send(_ message: MailMessage, as urgency: MailUrgency) async throws(MailProblem) {
        let places = urgency == .alarm ? alarms : ordinary
        try await places.enter()
        let letter = SMTPConnection.Letter(
            from: message.from.address, to: message.to.address, bytes: Self.withNetworkLines(message.encoded),
            handOverLimit: handOverLimits[urgency] ?? 0, limit: limit(urgency))
        let connection = takeIdle(urgency)
        let problem = await withTaskCancellationHandler {
            await onThread("smtp") { [server] in
                let connection = connection ?? SMTPConnection(server)
                let problem = connection.submit(letter)
                self.keep(connection, urgency)
                return problem
            }
        } onCancel: {
            letter.cancel()
        }
        await places.leave()
        if let problem { throw problem }
    }

    /// Greets the server and logs in, and sends no message.
    /// - Parameter limit: how long that may take, in milliseconds.
    /// - Returns: what would keep mails from leaving; nil where nothing would.
    public func look(limit: Int64) async -> MailProblem? {
        let nothing = SMTPConnection.Letter(from: "", to: "", bytes: [], handOverLimit: limit, limit: limit, isLook: true)
        return await onThread("smtp") { [server] in SMTPConnection(server).submit(nothing) }
    }

    private func takeIdle(_ urgency: MailUrgency) -> SMTPConnection? { idle.withLock { $0.connections[urgency]?.popLast()?.connection } }

    private func keep(_ connection: SMTPConnection, _ urgency: MailUrgency) {
        let starts = idle.withLock { idle in
            idle.connections[urgency, default: []].append((connection, .now))
            defer { idle.isSweeping = true }
            return !idle.isSweeping
        }
        if starts { Task { [weak self] in await self?.sweep() } }
    }

    /// Closes what was not needed for long, until nothing is open. Saying good-bye may wait for the server.
    private func sweep() async {
        while true {
            try? await Task.sleep(for: .seconds(Self.idleSeconds))
            let (old, isOver) = idle.withLock { idle -> ([SMTPConnection], Bool) in
                var old: [SMTPConnection] = []
                for urgency in idle.connections.keys {
                    let isOld = { (item: (connection: SMTPConnection, since: ContinuousClock.Instant)) in
                        item.since.duration(to: .now) >= .seconds(Self.idleSeconds)
                    }
                    old += idle.connections[urgency]?.filter(isOld).map(\.connection) ?? []
                    idle.connections[urgency]?.removeAll(where: isOld)
                }
                idle.isSweeping = idle.connections.values.contains { !$0.isEmpty }
                return (old, !idle.isSweeping)
            }
            if !old.isEmpty { await onThread("smtp") { for connection in old { connection.close() } } }
            if isOver { return }
        }
    }

    /// Each line ends with CR LF (RFC 5321, 2.3.8). What begins with a dot is doubled by libcurl.
    private static func withNetworkLines(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 32)
        for byte in bytes {
            if byte == 0x0A { result.append(0x0D) }
            result.append(byte)
        }
        return result
    }
}
