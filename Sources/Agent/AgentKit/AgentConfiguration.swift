public import BlueZ
public import Configuration
public import Languages
internal import Peripherals
public import Positioning
public import SampleBuffer
internal import SystemPackage
public import Vitals

/// Everything about an agent that can be set, with its defaults.
public struct AgentConfiguration: Sendable, Hashable {
    /// Holds the key, the identity, the choices of the person and the buffer. Nobody else may read it.
    public var stateDirectory: String
    public var role = BoxRole.phone
    /// Of the page's first visit, of notices and of the voice.
    public var language = Language.english
    public var buffer = SampleBuffer.Limits()
    public var page = Page()
    public var setUp = SetUp()
    public var bluetooth = Bluetooth()
    public var position = Position()
    public var power = Power.auto
    public var voice = Voice()
    public var button = Button()
    public var modem = Modem()
    /// After so many milliseconds without a word of the hub the contacts are told by text; nil: never.
    public var hubSilence: Milliseconds? = 7_200_000
    /// Holds the owner's programs that an alarm runs.
    public var hooks = "/etc/trackme/sos.d"
    /// Samples stay unsealed no longer, and no segment spans more.
    public var sealAfter: Milliseconds = 10_000
    /// The same while the hub acknowledges. A power cut may then take so much, and the time of a seal.
    public var sealAfterAcknowledged: Milliseconds = 25_000
    /// The box's own clock is compared with the samples' clock so often.
    public var clockEvery: Milliseconds = 600_000
    /// Connecting to the hub may take so long.
    public var connectLimit: Milliseconds = 10_000
    /// A request may take so long with its answer.
    public var requestLimit: Milliseconds = 30_000
    /// Why something that was taken over of an earlier box cannot be used and does not hold; nil where all of it can.
    var takenProblem: String?

    public init(stateDirectory: String) { self.stateDirectory = stateDirectory }

    /// The large-button page.
    public struct Page: Sendable, Hashable {
        /// On the loopback addresses; 0 for no page.
        public var port = 7357
    }

    /// The page by which a box that belongs to no hub is set up.
    public struct SetUp: Sendable, Hashable {
        /// Open it after each start and each long press of the button, too, and not only when it is asked for.
        public var isAutomatic = false
        /// In all networks of the box.
        var port = 7358
    }

    public struct Bluetooth: Sendable, Hashable {
        public var transport = SensorTransport.auto
    }

    public struct Position: Sendable, Hashable {
        /// `HOST[:PORT]` of gpsd; nil for none.
        public var gpsd: String? = "localhost:2947"
        /// Ask GeoClue while there is no GNSS fix.
        public var geoclue = false
        /// Learn where known Wi-Fi networks are, and use that while there is no GNSS fix.
        public var wifi = true
        /// Where a gateway stands.
        public var fixed: FixedPosition?
    }

    /// The box's power supply, where it cannot tell.
    public enum Power: String, Sendable, Hashable, CaseIterable {
        case auto, mains, battery
    }

    public struct Voice: Sendable, Hashable {
        public var isEnabled = true
        /// A folder with sound files that are played instead of speech; nil for none.
        public var recordings: String?
    }

    /// How the box texts and calls by itself in an emergency.
    public struct Modem: Sendable, Hashable {
        public var isEnabled = true
        /// The ALSA device of the modem's voice; nil where it has none.
        public var audio: String?
        /// Numbers of up to five digits that may be called; all others are refused.
        public var shortNumbers: [String] = []
    }

    public struct Button: Sendable, Hashable {
        /// Path or name of the input device; `auto` for the first that looks like a single button, empty for none.
        public var device = "auto"
        /// Such as KEY_ENTER; nil for any.
        public var key: String?
        /// The owner, on a box of several people: identifier or name; nil for everybody's.
        public var person: String?
        /// Held for so long it asks for help.
        public var long: Milliseconds = 2000
    }
}

extension AgentConfiguration {
    /// Where the Debian package puts it.
    public static let defaultFile = "/etc/trackme/agent.yaml"

    /// Reads the environment first and then the file, which need not be there unless `file` names it. Where both leave the default, what the
    /// box took over of an earlier one holds.
    public static func load(stateDirectory: String, file: String?) async throws(AgentProblem) -> AgentConfiguration {
        let path = file ?? defaultFile
        let yaml: FileProvider<YAMLSnapshot>
        do {
            yaml = try await FileProvider<YAMLSnapshot>(filePath: FilePath(path), allowMissing: file == nil)
        } catch {
            throw AgentProblem(
                "The configuration \(path) cannot be read: \(error)", advice: "Correct it; packaging/deb/agent.yaml shows every key")
        }
        let config = ConfigReader(providers: [EnvironmentVariablesProvider(), yaml])
        return try AgentConfiguration(stateDirectory: stateDirectory, config: config).withTaken()
    }

    /// Reads `TRACKME_…` from the environment, `trackme:` of a YAML file, or any other provider:
    ///
    /// | key | meaning | default |
    /// | --- | --- | --- |
    /// | `trackme.role` | `phone` (carried) or `gateway` (stays at home) | phone |
    /// | `trackme.language` | `en`, `it`, or a language of the folder of languages | en |
    /// | `trackme.bluetooth.transport` | `auto`, `bluez` or `att` | auto |
    /// | `trackme.gpsd.address` | HOST:PORT, empty for none | localhost:2947 |
    /// | `trackme.position.fixed.latitude`, `.longitude` | where the box stands, degrees | none |
    /// | `trackme.position.fixed.altitude`, `.error` | metres | none, 20 |
    /// | `trackme.position.geoclue` | ask GeoClue while there is no GNSS fix | false |
    /// | `trackme.position.wifi` | learn the places of Wi-Fi networks | true |
    /// | `trackme.power.source` | `auto`, `mains` or `battery` | auto |
    /// | `trackme.page.port` | of the page on 127.0.0.1; 0 for none | 7357 |
    /// | `trackme.setup.page` | while the box belongs to no hub, open its set-up page after a start and a long press | false |
    /// | `trackme.voice.enabled` | speak and sound alarms | true |
    /// | `trackme.voice.recordings` | folder with KEY.LANGUAGE.wav to be played instead of speech | none |
    /// | `trackme.button.device` | path or name, `auto` for the first single button, empty for none | auto |
    /// | `trackme.button.key` | name or number of its key | any |
    /// | `trackme.button.person` | whose button it is, on a box of several people: identifier or name | everybody's |
    /// | `trackme.button.long` | held for so many seconds it asks for help, 1 to 10 | 2 |
    /// | `trackme.modem.enabled` | text and call by ModemManager in an emergency | true |
    /// | `trackme.modem.audio` | ALSA device of the modem's voice | none |
    /// | `trackme.modem.short` | short numbers that may be called, separated by blanks | none |
    /// | `trackme.hub.silence` | minutes after which the contacts are told by text that the hub is not heard, 15 to 10080; 0: never | 120 |
    /// | `trackme.hooks.folder` | the owner's programs that an alarm runs | /etc/trackme/sos.d |
    /// | `trackme.buffer.bytes` | largest buffer, bytes, from 1,048,576 | 536,870,912 |
    /// | `trackme.buffer.days` | acknowledged segments are kept so long, 0 to 3650 | 14 |
    /// | `trackme.request.seconds` | time limit of a request to the hub, 1 to 600 | 30 |
    /// - Throws: for a value that cannot be read or is out of its range, naming its key.
    public init(stateDirectory: String, config: ConfigReader) throws(AgentProblem) {
        self.init(stateDirectory: stateDirectory)
        let trackme = config.scoped(to: "trackme")
        role = try trackme.choice("role", default: role)
        language = try trackme.choice("language", default: language)
        power = try trackme.choice("power.source", default: power)
        bluetooth.transport = try trackme.choice("bluetooth.transport", default: bluetooth.transport)
        position.gpsd = trackme.string(forKey: "gpsd.address", default: position.gpsd ?? "")
        if position.gpsd == "" { position.gpsd = nil }
        position.geoclue = try trackme.flag("position.geoclue", default: position.geoclue)
        position.wifi = try trackme.flag("position.wifi", default: position.wifi)
        position.fixed = try trackme.fixedPosition()
        page.port = try trackme.number("page.port", default: page.port, in: 0...65_535)
        setUp.isAutomatic = try trackme.flag("setup.page", default: setUp.isAutomatic)
        voice.isEnabled = try trackme.flag("voice.enabled", default: voice.isEnabled)
        voice.recordings = trackme.string(forKey: "voice.recordings").flatMap { $0.isEmpty ? nil : $0 }
        button.device = trackme.string(forKey: "button.device", default: button.device)
        button.key = trackme.string(forKey: "button.key").flatMap { $0.isEmpty ? nil : $0 }
        button.person = trackme.string(forKey: "button.person").flatMap { $0.isEmpty ? nil : $0 }
        let held = try trackme.number("button.long", default: Int(button.long / 1000), in: 1...10)
        button.long = Milliseconds(held) * 1000
        modem.isEnabled = try trackme.flag("modem.enabled", default: modem.isEnabled)
        modem.audio = trackme.string(forKey: "modem.audio").flatMap { $0.isEmpty ? nil : $0 }
        let short = trackme.string(forKey: "modem.short", default: "").split(separator: " ").map(String.init)
        modem.shortNumbers = try short.map { text throws(AgentProblem) in
            guard let number = PhoneNumber(text), number.isShort else {
                throw AgentProblem("trackme.modem.short holds \(text), which is no short number", advice: "Give numbers of 2 to 5 digits")
            }
            return number.digits
        }
        hooks = trackme.string(forKey: "hooks.folder", default: hooks)
        let silence = try trackme.number("hub.silence", default: Int((hubSilence ?? 0) / 60_000), in: 0...10_080)
        guard silence == 0 || silence >= 15 else {
            throw AgentProblem(
                "trackme.hub.silence is \(silence)",
                advice: "It must be 0, for never, or 15 to 10080 minutes: a hub that starts anew is no news")
        }
        hubSilence = silence == 0 ? nil : Milliseconds(silence) * 60_000
        buffer.bytesMax = try trackme.number("buffer.bytes", default: buffer.bytesMax, in: 1 << 20...1 << 50)
        let days = try trackme.number("buffer.days", default: Int(buffer.retention / 86_400_000), in: 0...3650)
        buffer.retention = Milliseconds(days) * 86_400_000
        let seconds = try trackme.number("request.seconds", default: Int(requestLimit / 1000), in: 1...600)
        requestLimit = Milliseconds(seconds) * 1000
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

extension ConfigReader {
    fileprivate func choice<Choice: RawRepresentable & CaseIterable>(
        _ key: String, default standard: Choice
    ) throws(AgentProblem) -> Choice where Choice.RawValue == String {
        let names = "one of: " + Choice.allCases.map(\.rawValue).joined(separator: ", ")
        return try value(key, is: names) { string(forKey: $0).flatMap(Choice.init) } ?? standard
    }

    fileprivate func number(_ key: String, default standard: Int, in range: ClosedRange<Int>) throws(AgentProblem) -> Int {
        try value(key, is: "a whole number from \(range.lowerBound) to \(range.upperBound)") {
            int(forKey: $0).flatMap { range.contains($0) ? $0 : nil }
        } ?? standard
    }

    fileprivate func flag(_ key: String, default standard: Bool) throws(AgentProblem) -> Bool {
        try value(key, is: "true or false") { bool(forKey: $0) } ?? standard
    }

    private func decimal(_ key: String) throws(AgentProblem) -> Double? {
        try value(key, is: "a number") { double(forKey: $0) }
    }

    /// nil where nobody gave one.
    /// - Parameter read: nil for what cannot be used.
    private func value<Value>(_ key: String, is expected: String, read: (ConfigKey) -> Value?) throws(AgentProblem) -> Value? {
        if let value = read(ConfigKey(key)) { return value }
        let given = string(forKey: ConfigKey(key)) ?? int(forKey: ConfigKey(key)).map { "\($0)" }
        let list = stringArray(forKey: ConfigKey(key))
        guard given != nil || list != nil else { return nil }
        throw AgentProblem(
            "trackme.\(key) is \(given.map { "\"\($0)\"" } ?? "a list")", advice: "It must be \(expected). Without it the default holds")
    }

    fileprivate func fixedPosition() throws(AgentProblem) -> FixedPosition? {
        let latitude = try decimal("position.fixed.latitude"), longitude = try decimal("position.fixed.longitude")
        let altitude = try decimal("position.fixed.altitude"), error = try decimal("position.fixed.error")
        if latitude == nil, longitude == nil, altitude == nil, error == nil { return nil }
        let place = FixedPosition(
            latitude: latitude ?? .nan, longitude: longitude ?? .nan, altitude: altitude, error: error ?? 20)
        guard let place else {
            throw AgentProblem(
                "trackme.position.fixed is no place on Earth",
                advice: "Give latitude (-90 to 90) and longitude (-180 to 180) in degrees, both of them, and an error in metres")
        }
        return place
    }
}
