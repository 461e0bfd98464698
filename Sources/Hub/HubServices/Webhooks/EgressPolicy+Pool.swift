import AsyncHTTPClient
import Seams
import Synchronization

/// HTTP clients that each go to one name at one checked address, kept so that a connection serves more than one post.
final class OutsidePool: Sendable {
    struct Place: Hashable {
        let host: String
        let address: IPAddress
    }

    private struct Entry {
        let client: HTTPClient
        var users = 0
        var used: UInt64 = 0
    }

    private struct State {
        var entries: [Place: Entry] = [:]
        var uses: UInt64 = 0
    }

    private let state = Mutex(State())
    private let configuration: HTTPClient.Configuration
    private let machine: Machine

    /// Clients that are kept, at most, beside those in use.
    static let countMax = 256

    init(_ configuration: HTTPClient.Configuration, on machine: Machine) { (self.configuration, self.machine) = (configuration, machine) }

    deinit { shutDown(state.withLock { $0.entries.values.map(\.client) }) }

    /// Runs `body` with the client for a place.
    func use<Value: Sendable>(_ place: Place, _ body: (HTTPClient) async -> Value) async -> Value {
        let client = state.withLock { state in
            state.uses += 1
            var entry = state.entries[place] ?? Entry(client: make(place))
            (entry.users, entry.used) = (entry.users + 1, state.uses)
            state.entries[place] = entry
            return entry.client
        }
        defer { release(place) }
        return await body(client)
    }

    private func release(_ place: Place) {
        let old = state.withLock { state -> HTTPClient? in
            state.entries[place]?.users -= 1
            guard state.entries.count > Self.countMax else { return nil }
            let idle = state.entries.filter { $0.value.users == 0 }.min { $0.value.used < $1.value.used }
            return idle.flatMap { state.entries.removeValue(forKey: $0.key)?.client }
        }
        shutDown([old].compactMap { $0 })
    }

    private func make(_ place: Place) -> HTTPClient {
        var configuration = configuration
        // An address as a host is connected to as it stands.
        if IPAddress(place.host) == nil { configuration.dnsOverride = [place.host: place.address.description] }
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    /// Nobody waits for servers that do not close their end: that takes up to 5 s.
    private func shutDown(_ clients: [HTTPClient]) {
        for client in clients { machine.start { try? await client.shutdown() } }
    }
}
