public import Configuration
public import SampleBuffer
public import Vitals

/// Everything about an agent that can be set, with its defaults.
public struct AgentConfiguration: Sendable, Hashable {
    /// Holds the key, the identity and the buffer. Nobody else may read it.
    public var stateDirectory: String
    public var buffer = SampleBuffer.Limits()
    /// Samples stay unsealed no longer, and no segment spans more.
    public var sealAfter: Milliseconds = 10_000
    /// The box's own clock is compared with the samples' clock so often.
    public var clockEvery: Milliseconds = 600_000
    /// Connecting to the hub may take so long.
    public var connectLimit: Milliseconds = 10_000
    /// A request may take so long with its answer.
    public var requestLimit: Milliseconds = 30_000

    public init(stateDirectory: String) { self.stateDirectory = stateDirectory }

    /// Reads `TRACKME_…` from the environment, or any other provider:
    ///
    /// | key | meaning | default |
    /// | --- | --- | --- |
    /// | `trackme.buffer.bytes` | largest buffer, bytes | 536,870,912 |
    /// | `trackme.buffer.days` | acknowledged segments are kept so long | 14 |
    /// | `trackme.request.seconds` | time limit of a request to the hub | 30 |
    public init(stateDirectory: String, config: ConfigReader) {
        self.init(stateDirectory: stateDirectory)
        let trackme = config.scoped(to: "trackme")
        buffer.bytesMax = max(1 << 20, trackme.int(forKey: "buffer.bytes", default: buffer.bytesMax))
        let days = trackme.int(forKey: "buffer.days", default: Int(buffer.retention / 86_400_000))
        buffer.retention = Milliseconds(min(max(0, days), 3650)) * 86_400_000
        let seconds = trackme.int(forKey: "request.seconds", default: Int(requestLimit / 1000))
        requestLimit = Milliseconds(min(max(1, seconds), 600)) * 1000
    }

    /// Where the state is when nobody says: what systemd gives, what the Debian package makes, or the user's own place.
    public static func defaultStateDirectory(
        environment: [String: String], isWritable: (String) -> Bool
    ) -> String {
        if let given = environment["STATE_DIRECTORY"]?.split(separator: ":").first { return String(given) }
        let system = "/var/lib/trackme-agent"
        if isWritable(system) { return system }
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/trackme-agent" }
        return (environment["HOME"] ?? ".") + "/.local/state/trackme-agent"
    }
}
