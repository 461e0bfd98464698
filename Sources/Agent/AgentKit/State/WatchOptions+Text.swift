internal import BlueZ
internal import Positioning

extension WatchOptions {
    /// From what was typed.
    public init(sensor: String?, transport: String, gpsd: String?, seconds: Int?, count: Int?) throws(AgentProblem) {
        guard sensor != nil || gpsd != nil else {
            throw AgentProblem("There is nothing to watch", advice: "Give --sensor ADDRESS, --gpsd HOST:PORT, or both")
        }
        self.init(
            sensor: try sensor.map(SensorAddress.init(option:)), transport: try SensorTransport(option: transport),
            gpsd: try gpsd.map(GPSDAddress.init(option:)), seconds: seconds,
            count: count)
    }
}

extension SensorAddress {
    init(option text: String) throws(AgentProblem) {
        guard let address = SensorAddress(text) else {
            throw AgentProblem(
                "--sensor \(text) is no Bluetooth address", advice: "Give it as C4:01:02:03:04:05, with /public or /random if needed")
        }
        self = address
    }
}

extension GPSDAddress {
    init(option text: String) throws(AgentProblem) {
        guard let address = GPSDAddress(text) else {
            throw AgentProblem("--gpsd \(text) is no address", advice: "Give it as HOST or HOST:PORT, such as localhost:2947")
        }
        self = address
    }
}

extension SensorTransport {
    init(option text: String) throws(AgentProblem) {
        guard let transport = Self(rawValue: text) else {
            throw AgentProblem(
                "--transport \(text) means nothing", advice: "Give \(Self.allCases.map(\.rawValue).joined(separator: " or "))")
        }
        self = transport
    }
}
