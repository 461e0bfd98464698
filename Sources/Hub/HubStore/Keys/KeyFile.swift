import Foundation
import Seams
import Vitals

/// A file that holds one key as hexadecimal digits, for its owner only.
enum KeyFile {
    /// The bytes in a file; nil when it cannot be read, empty when it holds no hexadecimal digits.
    static func read(_ path: String, _ machine: Machine) -> [UInt8]? {
        guard let data = try? machine.files.read(path) else { return nil }
        return Hexadecimal.bytes(String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)) ?? []
    }

    /// Writes a key where there is no file yet. Two processes may start at once: whoever names its file first decides, so the caller reads it
    /// after this. The key has its name only once it is on the disk: a power cut leaves a whole key or none.
    static func makeIfMissing(_ path: String, _ key: some Sequence<UInt8>, _ machine: Machine) throws(FileProblem) {
        try machine.files.make(path, with: text(key), draft: draft(path, machine))
    }

    /// Writes a key in the place of whatever is there.
    static func replace(_ path: String, _ key: some Sequence<UInt8>, _ machine: Machine) throws(FileProblem) {
        try machine.files.replace(path, with: text(key), draft: draft(path, machine))
    }

    private static func text(_ key: some Sequence<UInt8>) -> [UInt8] { Array((Hexadecimal.string(key) + "\n").utf8) }

    private static func draft(_ path: String, _ machine: Machine) -> String {
        "\(path).\(UInt32(truncatingIfNeeded: machine.randomness.next())).new"
    }
}
