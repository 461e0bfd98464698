import Foundation
import HubServices
import HubStore
import Seams
import Vitals

/// The clock of a hub that rehearses races faster than they are. Hub and made-up boxes live in the time of the race: what they measure is what people
/// could have run, every rule is the one of every run, and only whoever watches sees it go by faster.
///
/// A directory has it for good: what is stored there has its times. Where there are real people no clock goes faster, or an alarm would not be
/// waited for.
struct RehearsalClock: Codable, Sendable {
    /// UTC milliseconds at which it was right.
    var origin: Milliseconds
    /// How many times as fast as others it goes.
    var speed: Int

    private static let file = "rehearsal.json"
    static let speeds = 2...20

    /// - Parameter utc: the time of day of everybody else.
    func now(at utc: Milliseconds) -> Milliseconds { origin + (utc - origin) * Milliseconds(speed) }

    /// The clock of a directory; nil for the time of all others.
    static func read(_ directory: URL, on machine: Machine = .system) throws -> RehearsalClock? {
        guard let data = try machine.files.read(directory.appendingPathComponent(file).path) else { return nil }
        guard let clock = try? JSONDecoder().decode(Self.self, from: Data(data)), speeds.contains(clock.speed) else {
            throw HubConfigurationError("\(file) in \(directory.path) cannot be read. Use another directory, or remove this one.")
        }
        return clock
    }

    /// For a hub that starts.
    /// - Parameter speed: asked for; nil to go on as the directory does.
    static func begin(_ configuration: HubConfiguration, speed: Int?, on machine: Machine = .system) throws -> RehearsalClock? {
        let known = try read(configuration.directory, on: machine)
        guard known != nil || speed != nil else { return nil }
        if let known, let speed, known.speed != speed {
            throw HubConfigurationError(
                "The clock of \(configuration.directory.path) goes \(known.speed) times as fast, for good. For \(speed), use another directory."
            )
        }
        guard speed.map(speeds.contains) ?? true else {
            throw HubConfigurationError("--rehearsal-speed is \(speeds.lowerBound) to \(speeds.upperBound).")
        }
        let directory = try HubDirectory(configuration.directory)
        let real = try Rehearsal.realOnes(in: AccountStore(directory, keys: KeyStore(directory)))
        guard real == 0 else {
            throw HubConfigurationError(
                "\(real) people of \(directory.url.path) are not made up: its clock cannot go faster. Rehearse in a directory of its own.")
        }
        if let known { return known }
        let clock = RehearsalClock(origin: machine.utc, speed: speed ?? 1)
        try machine.files.replace(directory.path(file), with: Array(try JSONEncoder().encode(clock)), mode: 0o644)
        return clock
    }
}
