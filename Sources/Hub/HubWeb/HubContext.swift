import HubStore
public import Hummingbird
public import NIOCore
import Vitals

/// What goes with a request.
public struct HubContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The channel's remote address, which may be a proxy's.
    public let remoteAddress: SocketAddress?
    let channel: any Channel
    /// Where the request comes from, as far as the connection and trusted proxies tell it; empty where a proxy does not say.
    var address: String
    /// Until when something has to come on the connection.
    var deadline: RequestDeadline?
    /// Of whoever is logged in; pages only.
    var session: StoredSession?
    /// How much waits for whoever is logged in, by the address where it waits; pages only.
    var waiting: [String: Int] = [:]
    /// The maintenance that is planned next, or goes on; pages only.
    var maintenance: MaintenanceWindow?
    /// Ways out of the hub that fail, where whoever is logged in runs it; pages only.
    var failingWays: [String] = []
    /// Looks for emergencies that concern whoever is logged in, and the time by which their ages count; pages only.
    var emergencies: @Sendable () throws -> [EmergencyBar] = { [] }
    var now: Milliseconds = 0

    public init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        remoteAddress = channel.remoteAddress
        address = remoteAddress?.ipAddress ?? ""
    }

    /// Tells the connection's ``RequestClock``.
    func tell(_ event: RequestClock.Event) { deadline?.tell(event, on: channel) }
}
