import Sensing
import SourceThread
import SystemBus
import Vitals

/// One use of GeoClue, the machine's location service (org.freedesktop.GeoClue2): asks for it, waits for places, gives it back. For one
/// thread.
struct GeoClueSession {
    static let service = "org.freedesktop.GeoClue2"
    /// Under this name geoclue.conf allows it.
    static let desktopID = "trackme-agent"
    private static let daemon = "org.freedesktop.DBus"
    private static let clientInterface = "org.freedesktop.GeoClue2.Client", locationInterface = "org.freedesktop.GeoClue2.Location"
    /// Starting the service takes a second or two on a small board.
    private static let startLimit: Int64 = 15_000, callLimit: Int64 = 5000
    /// GCLUE_ACCURACY_LEVEL_EXACT: as good as it can.
    private static let accuracyLevel: UInt32 = 8

    /// State from signals; the bus's handlers write it, on the same thread.
    private final class Heard {
        var location: String?
        var isGone = false
    }

    private let bus: Bus
    private let client: String
    private let heard = Heard()
    private var registrations: [BusRegistration] = []

    /// Starts the service if need be, and the search. Throws the error of the bus or the service.
    init(_ address: BusAddress) throws(BusError) {
        bus = try Bus(address)
        if try bus.owner(of: Self.service) == nil {
            let start = BusCall(
                Self.daemon, "/org/freedesktop/DBus", Self.daemon, "StartServiceByName", [.string(Self.service), .uint32(0)])
            try bus.call(start, limit: Self.startLimit)
        }
        let manager = BusCall(Self.service, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "CreateClient")
        guard let path = try Self.ask(bus, manager).first?.string else { throw BusError(name: "no client") }
        client = path
        let heard = heard
        registrations.append(try bus.watchOwner(of: Self.service) { owner in heard.isGone = heard.isGone || owner == nil })
        let rule = "type='signal',sender='\(Self.service)',interface='\(Self.clientInterface)',member='LocationUpdated',path='\(path)'"
        registrations.append(
            try bus.subscribe(rule) { signal in
                if signal.arguments.count == 2 { heard.location = signal.arguments[1].string }
            })
        let settings: [(String, BusValue)] = [
            ("DesktopId", .string(Self.desktopID)), ("RequestedAccuracyLevel", .uint32(Self.accuracyLevel)),
        ]
        for (name, value) in settings {
            try bus.call(.set(Self.service, path, Self.clientInterface, name, to: value), limit: Self.callLimit)
        }
        _ = try Self.ask(bus, BusCall(Self.service, path, Self.clientInterface, "Start"))
    }

    /// GeoClue answers only once an agent runs for this user, even when its configuration allows this program without asking one.
    private static func ask(_ bus: Bus, _ call: BusCall) throws(BusError) -> [BusValue] {
        do throws(BusError) { return try bus.call(call, limit: startLimit) } catch {
            guard error.isTimeout else { throw error }
            throw BusError(name: "org.freedesktop.DBus.Error.AccessDenied", message: "no GeoClue agent has answered for this user")
        }
    }

    /// The next place, waiting at most `milliseconds`; nil when there was none. Throws when the service is gone.
    func location(milliseconds: Int64, stop: StopSignal, now: () -> Milliseconds, wall: () -> Milliseconds) throws(BusError)
        -> PositionSample?
    {
        if bus.wait(stop: stop, milliseconds: milliseconds) == .stopped { return nil }
        try bus.process()
        guard !heard.isGone else { throw BusError(name: "System.Error.ECONNRESET", message: "its service has ended") }
        guard let path = heard.location else { return nil }
        heard.location = nil
        let call = BusCall(
            Self.service, path, "org.freedesktop.DBus.Properties", "GetAll", [.string(Self.locationInterface)])
        let properties = try bus.call(call, limit: Self.callLimit).first?.dictionary ?? [:]
        return PositionSample(geoclue: properties, now: now(), wall: wall())
    }

    /// Gives the client back; the service then ends by itself.
    func end() {
        _ = try? bus.call(BusCall(Self.service, client, Self.clientInterface, "Stop"), limit: Self.callLimit)
        let delete = BusCall(
            Self.service, "/org/freedesktop/GeoClue2/Manager", "org.freedesktop.GeoClue2.Manager", "DeleteClient", [.objectPath(client)])
        _ = try? bus.call(delete, limit: Self.callLimit)
    }
}

extension PositionSample {
    /// The place of the properties of org.freedesktop.GeoClue2.Location. nil when it is none.
    ///
    /// - Parameters:
    ///   - now: the time in the samples' clock.
    ///   - wall: the same time in UTC milliseconds, in which GeoClue tells how old the place is.
    init?(geoclue properties: [String: BusValue], now: Milliseconds, wall: Milliseconds) {
        guard let latitude = Int32(scaling: properties["Latitude"]?.double ?? .nan, by: 1e7, within: -900_000_000...900_000_000),
            let longitude = Int32(scaling: properties["Longitude"]?.double ?? .nan, by: 1e7, within: -1_800_000_000...1_800_000_000),
            let accuracy = properties["Accuracy"]?.double
        else { return nil }
        // Seconds and microseconds. Some of its sources leave it out, or out of date by the clock's last jump.
        let stamp = properties["Timestamp"]?.elements?.first?.int ?? 0
        let age = stamp > 0 && stamp < wall / 1000 ? wall - Milliseconds(stamp) * 1000 : 0
        self.init(
            time: now - age, latitude: latitude, longitude: longitude,
            altitude: Int32(scaling: properties["Altitude"]?.double ?? .nan, by: 10, within: -200_000...10_000_000),
            // It says 0 m when it does not know.
            horizontalError: Int32(scaling: accuracy, by: 10, within: 1...Int32.max), mode: .unknown, source: .network)
    }
}

extension SourceProblem {
    static let geoclueFindsNothing = SourceProblem(
        what: "GeoClue searches and has found no place",
        advice: "It waits for a source of places (look at journalctl -u geoclue), or for an agent of this program's user: let one run "
            + "(/usr/libexec/geoclue-2.0/demos/agent), or switch GeoClue off in the configuration", retries: true)

    static func geoclue(_ error: BusError) -> SourceProblem {
        if error.isAccessDenied {
            return SourceProblem(
                what: "GeoClue does not allow this program to know the place: \(error)",
                advice: "Add the lines [\(GeoClueSession.desktopID)], allowed=true, system=true, users= to /etc/geoclue/geoclue.conf and "
                    + "restart geoclue.service, and let an agent run as this program's user (/usr/libexec/geoclue-2.0/demos/agent), "
                    + "or switch GeoClue off in the configuration", retries: true)
        }
        if error.isUnknownService {
            return SourceProblem(
                what: "GeoClue is not there: \(error)",
                advice: "Install it (apt-get install geoclue-2.0), or switch it off in the configuration", retries: true)
        }
        return SourceProblem(
            what: "GeoClue does not say where the box is: \(error)", advice: "Look at journalctl -u geoclue", retries: true)
    }
}
