internal import Glibc
public import Sensing
public import SourceThread
public import SystemBus

/// A name of this box in its networks, such as `trackme.local` (mDNS, RFC 6762), by the Avahi that runs on it.
public enum NetworkName {
    private static let service = "org.freedesktop.Avahi", server = "org.freedesktop.Avahi.Server"
    private static let group = "org.freedesktop.Avahi.EntryGroup"
    /// Of one call; milliseconds.
    private static let limit: Int64 = 5000
    /// Between two looks whether the name stands: until it does, and then; milliseconds.
    private static let firstLook: Int64 = 250, look: Int64 = 5000
    /// All interfaces and protocols.
    private static let unspecified = Int32(-1)
    /// AVAHI_PUBLISH_NO_REVERSE: the address keeps its own name when somebody asks for that.
    private static let noReverse = UInt32(16)

    /// Of an entry group.
    private enum State: Int {
        case uncommitted, registering, established, collision, failure
    }

    /// Says that `name` leads to these addresses until `stop`, and waits there.
    /// - Parameters:
    ///   - name: with `.local`.
    ///   - addresses: numeric.
    ///   - onEstablished: called once nobody in the networks contradicted.
    /// - Throws: `SourceProblem` without Avahi, and when somebody else has the name.
    public static func announce(
        _ name: String, addresses: [String], on address: BusAddress = .system, stop: StopSignal, onEstablished: () -> Void = {}
    ) throws(SourceProblem) {
        do throws(BusError) {
            let bus = try Bus(address)
            guard let path = try bus.call(BusCall(service, "/", server, "EntryGroupNew"), limit: limit).first?.string else {
                throw BusError(name: "Avahi", message: "Avahi gives no entry group")
            }
            for address in addresses {
                let values: [BusValue] = [
                    .int32(unspecified), .int32(unspecified), .uint32(noReverse), .string(name), .string(address),
                ]
                try bus.call(BusCall(service, path, group, "AddAddress", values), limit: limit)
            }
            try bus.call(BusCall(service, path, group, "Commit"), limit: limit)
            var isTold = false
            // The group ends with this connection.
            while stop.wait(milliseconds: isTold ? look : firstLook) != .stopped {
                let found = try bus.call(BusCall(service, path, group, "GetState"), limit: limit).first?.int
                switch found.flatMap(State.init) {
                case .established:
                    if !isTold { onEstablished() }
                    isTold = true
                case .registering: break
                case .collision: throw BusError(name: "Avahi", message: "another device in the network is called so")
                case .uncommitted, .failure, nil: throw BusError(name: "Avahi", message: "Avahi does not register it")
                }
            }
        } catch {
            let why = error.isUnknownService ? "Avahi does not run" : "\(error)"
            throw SourceProblem(
                what: "The name \(name) is not announced in the network: \(why)",
                advice: "Use the numeric address, or install avahi-daemon", retries: true)
        }
    }
}
