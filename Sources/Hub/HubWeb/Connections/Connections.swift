import Credentials
import HubServices
import NIOCore
import Synchronization

/// All open connections: where they come from, and how many of each address.
final class Connections: Sendable {
    private struct State {
        var all = 0
        var addresses: [String: Int] = [:]
        /// What PROXY headers said, by channel.
        var named: [ObjectIdentifier: String] = [:]
        var open: [ObjectIdentifier: any Channel] = [:]
        var isLeaving = false
    }

    /// Tells a connection that the hub ends: what was asked on it is answered, and nothing after that.
    enum Leave: Sendable { case soon }

    let proxies: TrustedProxies
    /// In all.
    let most: Int
    /// Of one address: a household, or the runners behind a provider's translation.
    let mostOfAddress: Int
    /// Where what is refused on a bare connection counts.
    let refusals: RefusalNotes?
    /// How many are open, for whoever watches the hub.
    private let level: MetricLevel
    private let state = Mutex(State())

    /// - Parameter most: connections that the server takes.
    init(most: Int, proxies: TrustedProxies, refusals: RefusalNotes? = nil, level: MetricLevel = MetricLevel()) {
        self.level = level
        (self.most, self.proxies, self.refusals) = (most, proxies, refusals)
        mostOfAddress = max(64, min(4096, most / 4))
    }

    /// The last eighth is for alarms, crews on duty and what boxes send.
    var isCrowded: Bool { state.withLock { $0.all > most - most / 8 } }

    /// Remembers what a PROXY header said.
    func name(_ address: String, for channel: any Channel) { state.withLock { $0.named[ObjectIdentifier(channel)] = address } }

    /// The other end of a connection, as far as the connection itself tells it.
    func peer(of channel: any Channel) -> (address: String, isNamed: Bool) {
        let named = state.withLock { $0.named[ObjectIdentifier(channel)] }
        return named.map { ($0, true) } ?? (channel.remoteAddress?.ipAddress ?? "", false)
    }

    func opened(_ channel: (any Channel)? = nil) {
        level.add(1)
        state.withLock { state in
            state.all += 1
            if let channel { state.open[ObjectIdentifier(channel)] = channel }
        }
    }

    func closed(_ channel: any Channel) {
        level.add(-1)
        state.withLock { state in
            state.all -= 1
            state.named[ObjectIdentifier(channel)] = nil
            state.open[ObjectIdentifier(channel)] = nil
        }
    }

    /// The hub ends: no further connection is taken.
    var isLeaving: Bool { state.withLock { $0.isLeaving } }

    func beginLeaving() { state.withLock { $0.isLeaving = true } }

    /// Has each connection end as soon as nothing is asked on it.
    func leave() {
        for channel in state.withLock({ Array($0.open.values) }) { channel.pipeline.fireUserInboundEventTriggered(Leave.soon) }
    }

    /// Ends what is left.
    func end() { for channel in state.withLock({ Array($0.open.values) }) { channel.close(promise: nil) } }

    /// One more connection of an address.
    /// - Returns: nil for what is not counted: the machine itself, a proxy, and nobody knows whom.
    func enter(_ address: String) -> Place? {
        guard !address.isEmpty, !Self.isLocal(address), !proxies.trusts(address) else { return nil }
        let source = AttemptSource(address: address).text
        let count = state.withLock { state in
            state.addresses[source, default: 0] += 1
            return state.addresses[source, default: 0]
        }
        return Place(self, source, isTooMuch: count > mostOfAddress, isFarTooMuch: count > 2 * mostOfAddress)
    }

    private static func isLocal(_ address: String) -> Bool { address == "::1" || address.hasPrefix("127.") }

    /// Until its last owner goes.
    final class Place: Sendable {
        private let connections: Connections
        private let source: String
        /// Nothing is answered on it.
        let isTooMuch: Bool
        /// It is ended at once.
        let isFarTooMuch: Bool

        fileprivate init(_ connections: Connections, _ source: String, isTooMuch: Bool, isFarTooMuch: Bool) {
            (self.connections, self.source, self.isTooMuch, self.isFarTooMuch) = (connections, source, isTooMuch, isFarTooMuch)
        }

        deinit {
            connections.state.withLock { state in
                let left = state.addresses[source, default: 1] - 1
                state.addresses[source] = left > 0 ? left : nil
            }
        }
    }
}
