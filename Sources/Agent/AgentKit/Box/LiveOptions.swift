/// Options of `trackme-agent run`, beside its configuration.
public struct LiveOptions: Sendable {
    /// A sensor for this run alone; nil for those that were chosen.
    public var sensor: String?
    /// For whom that sensor is: identifier or name; nil for the only one.
    public var person: String?
    /// Where the control socket is made.
    public var controlSocket: String

    public init(sensor: String?, person: String?, controlSocket: String) {
        self.sensor = sensor
        self.person = person
        self.controlSocket = controlSocket
    }
}
