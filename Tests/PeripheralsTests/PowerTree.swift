import Foundation
import TestSupport

/// A directory that looks like /sys/class/power_supply.
struct PowerTree {
    let directory: TemporaryDirectory

    init(_ entries: [String: [String: String]] = [:]) throws {
        directory = try TemporaryDirectory()
        for (name, attributes) in entries { try set(name, attributes) }
    }

    var path: String { directory.url.path }

    /// Writes attributes of an entry, with the newline that the kernel ends them with.
    func set(_ name: String, _ attributes: [String: String]) throws {
        let entry = directory.url.appendingPathComponent(name, isDirectory: true)
        try FileManager.default.createDirectory(at: entry, withIntermediateDirectories: true)
        for (key, value) in attributes {
            try Data("\(value)\n".utf8).write(to: entry.appendingPathComponent(key), options: .atomic)
        }
    }

    /// Takes the whole list away at once.
    func vanish() throws {
        let gone = directory.url.appendingPathExtension("gone")
        try FileManager.default.moveItem(at: directory.url, to: gone)
        try FileManager.default.removeItem(at: gone)
    }
}
