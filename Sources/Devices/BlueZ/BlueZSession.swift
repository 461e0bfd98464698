import Sensing
import SystemBus
import Vitals

/// One sensor behind bluetoothd: what happens on the bus comes in, calls and events come out. No bus and no clock.
///
/// After every event ``advance(at:)`` compares what is there with what should be, and does the next thing that is missing; so it heals
/// from wherever bluetoothd, the adapter or the sensor happen to be. bluetoothd does not connect again by itself.
struct BlueZSession {
    enum Operation: Hashable {
        case objects, power, filter, discover, stopDiscovery, trust, connect, agent, pair, subscribe, readLocation, readBattery, disconnect
        case remove
        /// To what the role does not need.
        case subscribeTo(SensorCharacteristic)
        case readBatteryStatus, readTemperaturePlace
    }

    struct Request: Equatable {
        var operation: Operation
        /// Answers of an earlier bluetoothd, or to what was given up, do not count.
        var generation: Int
        var call: BusCall
        var limit: Milliseconds
    }

    enum Effect: Equatable {
        case call(Request)
        case event(HeartRateEvent)
        /// Something to tell, while the session goes on.
        case problem(SourceProblem)
        /// No readings, for this reason; told once by ``LinkEventDebouncer``.
        case lost(LinkFailure)
        /// Take off what rfkill holds, and answer with ``Event/radio(_:)``.
        case unblockRadio
    }

    enum Event {
        /// bluetoothd is on the bus, or is gone.
        case service(Bool)
        case added(String, BlueZObjects.Interfaces)
        case removed(String, [String])
        case changed(String, String, BlueZObjects.Properties)
        case reply(Operation, generation: Int, Result<[BusValue], BusError>)
        case radio(RadioSwitch.Outcome)
        case tick
    }

    /// Times in milliseconds.
    struct Limits {
        /// Without a measurement for so long the link is taken for dead.
        var silence: Milliseconds = 10_000
        /// How often a battery that bluetoothd does not follow is read.
        var batteryInterval: Milliseconds = 600_000
        /// How often the battery's state is read of a sensor that does not notify it.
        var statusInterval: Milliseconds = 60_000
        /// bluetoothd answers most calls at once.
        var answer: Milliseconds = 10_000
        /// bluetoothd itself gives up connecting after 20 to 40 s.
        var connect: Milliseconds = 120_000
        /// An absent sensor is told after that.
        var absence: Milliseconds = 20_000
        /// From connected to services known.
        var resolving: Milliseconds = 30_000
        /// bluetoothd switches adapters on by itself at its start; sooner than that nobody interferes.
        var powerPause: Milliseconds = 1500
        /// One that goes off in use may belong to a bluetoothd that is about to end: switched on again, it would not end.
        var powerPauseInUse: Milliseconds = 6000
        /// A link that is gone is told after that, as an adapter or a bluetoothd that goes takes the link with it, and is the better reason.
        var reasonPause: Milliseconds = 500
        /// A sensor that has sent a measurement within that is reached again without long pauses.
        var fineFor: Milliseconds = 600_000
        /// After a restart bluetoothd may take a link for open, or wait for one, that is not what the kernel has.
        var stuck: Milliseconds = 4000
        /// A link that bluetoothd does not show stands as long as no two readings are further apart.
        var unseen: Milliseconds = 3000
        /// A sensor that is waited for is not disturbed more often.
        var healInterval: Milliseconds = 20_000
        /// From bluetoothd's answer to Disconnect to its word that the link is gone, 10 ms later at rest. What stands longer is another link.
        var closing: Milliseconds = 2000
    }

    let address: SensorAddress
    let role: SensorRole
    let adapterIndex: Int?
    let limits: Limits
    /// From -1 to 1, new for each event; see ``ReconnectDelay``.
    var jitter = 0.0

    var objects: BlueZObjects
    var isRunning = false
    var knowsObjects = false
    var generation = 0
    var pending: Set<Operation> = []
    var lastTime: Milliseconds = 0

    /// Nothing new is begun before.
    var retryTime: Milliseconds?
    var offSince: Milliseconds?
    var adapterFailure: LinkFailure?
    /// The block by rfkill was taken off, and the adapter was not on since.
    var isUnblocked = false
    var wasPowered = false
    var powerPause: Milliseconds { wasPowered ? limits.powerPauseInUse : limits.powerPause }
    var isDiscovering = false
    var searchingSince: Milliseconds?
    /// Since then there is a sensor, and no subscription.
    var connectingSince: Milliseconds?
    /// The one that was used last.
    var adapterPath: String?
    var healing = Healing()
    /// When a measurement came last.
    var fineTime: Milliseconds?
    var delay = ReconnectDelay()
    var isTrustTried = false
    var isPairingTried = false
    var isRemovalTried = false
    var isAgentTried = false
    var link: Link?
    /// When bluetoothd answered that it has closed the link; nil once it is seen to be gone.
    var closedTime: Milliseconds?
    /// A link of which somebody was told is gone, and that has not been told yet.
    var lossTime: Milliseconds?
    var adapterMissingSince: Milliseconds?
    var unusable = 0
    var padded = 0
    /// Behaviour that single values do not show, across links.
    var values = SensorValues()

    /// A link that is up.
    struct Link: Equatable {
        var since: Milliseconds
        var resolvedSince: Milliseconds?
        var isRefreshed = false
        var isSubscribed = false
        /// ``HeartRateEvent/connected(time:)`` went out.
        var isTold = false
        /// A reading came while bluetoothd showed no link: after a restart it may take one for closed that stands.
        var isUnseen = false
        var silentSince: Milliseconds?
        var battery: Int?
        var batteryDue: Milliseconds?
        /// nil: the sensor notifies it, or has none.
        var statusDue: Milliseconds?
    }

    init(address: SensorAddress, role: SensorRole = .heartRate, adapter: Int? = nil, limits: Limits = Limits()) {
        self.address = address
        self.role = role
        adapterIndex = adapter
        self.limits = limits
        objects = BlueZObjects(address: address)
    }

    /// When ``Event/tick`` is due.
    var deadline: Milliseconds? {
        var times: [Milliseconds?] = [
            retryTime, offSince.map { $0 + powerPause }, searchingSince.map { $0 + limits.absence },
            connectingSince.map { $0 + limits.absence }, healDue, lossTime.map { $0 + limits.reasonPause },
            adapterMissingSince.map { $0 + limits.reasonPause },
            offSince.map { $0 + limits.reasonPause }, offSince.map { $0 + limits.absence }, closedTime.map { $0 + limits.closing },
        ]
        if let link {
            times += [
                link.isSubscribed ? nil : link.since + limits.resolving, link.resolvedSince.map { $0 + Self.exportPause },
                link.silentSince.map { $0 + (link.isUnseen ? limits.unseen : limits.silence) }, link.batteryDue, link.statusDue,
            ]
        }
        return times.compactMap(\.self).filter { $0 > lastTime }.min()
    }

    /// Services that are said to be resolved may come a moment later (bluez#1489); after that they are asked for.
    static let exportPause: Milliseconds = 1500

    mutating func handle(_ event: Event, at time: Milliseconds) -> [Effect] {
        lastTime = time
        var effects: [Effect] = []
        switch event {
        case .service(let isThere): effects = begin(isThere)
        case .added(let path, let interfaces): objects.add(path, interfaces)
        case .removed(let path, let interfaces): objects.remove(path, interfaces)
        case .changed(let path, let interface, let properties):
            // Also what concerns another sensor can come when something here is due.
            if objects.change(path, interface, properties), let value = properties["Value"]?.bytes {
                effects = take(value, from: path, at: time)
            }
        case .reply(let operation, let generation, let result):
            guard generation == self.generation, pending.remove(operation) != nil else { return advance(at: time) }
            switch result {
            case .success(let values): effects = succeeded(operation, values, at: time)
            case .failure(let error): effects = failed(operation, error, at: time)
            }
        case .radio(let outcome): effects = radio(outcome, at: time)
        case .tick: break
        }
        return effects + advance(at: time)
    }

    /// The call that ends the link, so that it does not linger; nil when there is none.
    var farewell: BusCall? {
        guard isRunning, let adapter = objects.adapter(adapterIndex), let device = objects.device(on: adapter.path),
            device.isConnected || pending.contains(.connect)
        else { return nil }
        return BusCall(BlueZName.service, device.path, BlueZName.device, "Disconnect")
    }

    private mutating func begin(_ isThere: Bool) -> [Effect] {
        let fresh = BlueZSession(address: address, role: role, adapter: adapterIndex, limits: limits)
        let (generation, unusable, padded, time, fine) = (generation, unusable, padded, lastTime, fineTime), values = values
        self = fresh
        self.values = values
        self.generation = generation + 1
        (self.unusable, self.padded, lastTime, isRunning) = (unusable, padded, time, isThere)
        (healing.isAfterRestart, fineTime) = (self.generation > 1, fine)
        return isThere ? [] : [.lost(.noBluetoothd)]
    }

    mutating func ask(_ operation: Operation, _ call: BusCall, limit: Milliseconds? = nil) -> [Effect] {
        guard pending.insert(operation).inserted else { return [] }
        return [.call(Request(operation: operation, generation: generation, call: call, limit: limit ?? limits.answer))]
    }

    mutating func pause(_ milliseconds: Milliseconds, at time: Milliseconds) { retryTime = time + milliseconds }
}
