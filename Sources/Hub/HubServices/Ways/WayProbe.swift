public import Alerts
import Glibc
public import Seams
public import Vitals

/// A look at a way out that reaches nobody but, where it is an attempt, the operator.
public struct WayProbe: Sendable {
    public let way: Way
    /// Tells the probes of one way apart.
    public let id: String
    /// Milliseconds from one look to the next: while the way works, and while it fails.
    public let every: Milliseconds, everyFailing: Milliseconds
    /// It sends a real message, to the operator's own address.
    public let isAttempt: Bool
    /// UTC milliseconds of the first look; nil for at once.
    public let first: Milliseconds?
    /// The observation; nil where nothing can be known without a real message.
    /// - Throws: why the way would not work.
    let look: @Sendable () async throws -> String?

    /// Half a minute is asked for; what breaks right behind a look, a second look and the look at everybody's links fit into a minute with this.
    public static let everyUsual: Milliseconds = 20_000
    /// After a first miss, and while the way fails.
    public static let soon: Milliseconds = 5000, everyFailingUsual: Milliseconds = 10_000

    /// - Parameter look: ends by itself within 5 s.
    public init(
        _ way: Way, _ id: String, every: Milliseconds = Self.everyUsual, everyFailing: Milliseconds = Self.everyFailingUsual,
        isAttempt: Bool = false, first: Milliseconds? = nil, look: @escaping @Sendable () async throws -> String?
    ) {
        (self.way, self.id, self.every, self.everyFailing) = (way, id, every, everyFailing)
        (self.isAttempt, self.first, self.look) = (isAttempt, first, look)
    }

    /// Whether a program is there and may be run.
    public static func program(_ way: Way, _ path: String, machine: Machine = .system) -> WayProbe {
        WayProbe(way, "program") {
            guard let facts = machine.files.facts(path) else { throw WayFailure("there is no \(path)") }
            guard !facts.isFolder else { throw WayFailure("\(path) is a folder and no program") }
            guard access(path, X_OK) == 0 else { throw WayFailure("\(path) may not be run by the hub") }
            return "\(path) is there"
        }
    }

    /// Whether a telephone line is registered at the trunk.
    static func voice(_ voice: any SOSVoice) -> WayProbe {
        WayProbe(.voice, "trunk") {
            if let problem = voice.problem { throw WayFailure(problem) }
            return "a telephone line is registered"
        }
    }

    /// Whether a control room can be reached (``EmergencyChannel/check()``).
    static func room(_ room: any EmergencyChannel) -> WayProbe { WayProbe(.room(room.name), "check") { try await room.check() } }
}
