import Foundation
import HubServices
import HubStore
import Seams
import Vitals

/// Room on the disk of the hub's directory, its files, and the last backup, for operators.
struct HubRoom: Sendable {
    /// A backup older than this is too old, milliseconds: two days, of which a nightly one misses none.
    static let backupMax: Milliseconds = 2 * 86_400_000

    let directory: HubDirectory
    let files: any FileSystem

    var room: DiskRoom? { files.room(at: directory.url.path).flatMap { $0.size > 0 ? $0 : nil } }

    /// The databases with their logs, by name, in bytes.
    func databases() -> [(name: String, bytes: Int)] {
        let names = ((try? files.names(in: directory.url.path)) ?? []).filter { $0.contains(".sqlite") }
        let sizes = names.reduce(into: [String: Int]()) { sizes, name in
            let database = name.prefix { $0 != "." }
            sizes[String(database), default: 0] += files.facts(directory.path(name))?.size ?? 0
        }
        return sizes.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// When the last backup was finished, UTC milliseconds; nil where none is known.
    func lastBackup() -> Milliseconds? {
        let note = try? LastBackup.read(directory.path(LastBackup.file), files)
        return note?.finished
    }

    static func level(ofBackup finished: Milliseconds?, now: Milliseconds) -> StateLevel {
        guard let finished else { return .warn }
        return now - finished > backupMax ? .bad : .good
    }
}

/// How well something is. The raw values are those of badges.
enum StateLevel: String, Sendable, Comparable {
    case good, warn, bad

    static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int { self == .good ? 0 : self == .warn ? 1 : 2 }
}

extension DiskRoom {
    /// Below a fifth, and below a twentieth, it is time.
    var level: StateLevel { free < size / 20 ? .bad : free < size / 5 ? .warn : .good }
}
