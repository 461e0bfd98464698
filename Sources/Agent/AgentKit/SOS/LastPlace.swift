internal import Distress
internal import Foundation
internal import Logging
internal import Seams
internal import Vitals

/// Where somebody was last, as the box keeps it over its own end: with what is needed to say later how long ago that was.
struct StoredPosition: Codable, Sendable, Hashable {
    let person: PersonID
    /// In whose milliseconds ``position`` has its time.
    let boot: BootID
    let position: LastPosition
    /// The time of ``position``, UTC milliseconds by a clock that was confirmed; nil where nothing had confirmed it.
    let utc: Milliseconds?

    /// A clock that nobody set since may differ so much from the one that gave ``utc``.
    private static let slack: Milliseconds = 5000

    /// In the milliseconds of a boot, before which it may lie.
    /// - Parameters:
    ///   - boot: the present one.
    ///   - now: in its milliseconds.
    ///   - utc: now, by a clock that is confirmed; nil while nothing confirms it.
    func position(in boot: BootID, at now: Milliseconds, utc: Milliseconds?) -> LastPosition {
        guard boot != self.boot else { return position }
        var found = position
        // It was found before the box started. An age that says otherwise is that of a clock that was set back.
        if position.isAgeUnknown != true, let known = self.utc, let utc, utc - known >= now - Self.slack {
            found.time = min(now - (utc - known), 0)
        } else {
            (found.time, found.isAgeUnknown) = (0, true)
        }
        return found
    }
}

/// The last place of each person, in a file of its own: an alarm waits for no database. It tells where somebody is, and only the agent's user
/// may read it.
enum LastPlaceFile {
    private static let file = "sos-place.json"
    /// Somebody who moves is kept so often at most, milliseconds: within it nobody gets far on foot, and a card bears a file a minute.
    static let movedEvery: Milliseconds = 60_000
    /// Somebody who stays is kept so often: by so much an age is overstated after a power cut. Less than 100 files a day.
    static let stayedEvery: Milliseconds = 900_000

    static func writer(_ directory: StateDirectory, logger: Logger) -> NewestFile<[StoredPosition]> {
        NewestFile(file, in: directory, refusal: "where people are is forgotten when the agent ends", logger: logger)
    }

    /// Nothing for a file that is missing; `damage` says that it could not be read.
    static func load(from path: String, machine: Machine = .system) -> (places: [StoredPosition], damage: String?) {
        let content: [UInt8]?
        do throws(AgentProblem) { content = try StateDirectory.read(file, in: path, machine: machine) } catch { return ([], damage(path)) }
        guard let content else { return ([], nil) }
        guard let places = try? JSONDecoder().decode([StoredPosition].self, from: Data(content)) else { return ([], damage(path)) }
        return (places, nil)
    }

    /// Writes it without some people. What cannot be read goes as a whole.
    static func erase(_ people: Set<PersonID>, from directory: StateDirectory) throws {
        try directory.edit(file) { (places: inout [StoredPosition]) in places.removeAll { people.contains($0.person) } }
    }

    private static func damage(_ path: String) -> String {
        "\(path)/\(file) cannot be read: where people were before the start is not known until the next position"
    }
}
