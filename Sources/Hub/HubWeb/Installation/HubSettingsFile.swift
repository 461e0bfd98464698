/// The text of a file of settings, as the package installs it and an operator has changed it: settings are changed line by line, and all else
/// stays as it is.
struct HubSettingsFile: Sendable, Hashable {
    private(set) var lines: [String]

    init(_ text: String) { lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }

    var text: String { lines.joined(separator: "\n") }

    /// Sets a setting in its place, where it is commented out or set, or behind the line of its section.
    /// - Parameters:
    ///   - key: without `hub.` before it, `url` or `mail.server`.
    ///   - value: any text without line breaks.
    mutating func set(_ key: String, to value: String) {
        let parts = key.split(separator: ".", maxSplits: 1).map(String.init), first = makeHub()
        guard parts.count == 2 else { return put(parts[0], value, depth: 1, in: first..<lines.count) }
        let section = Self.line(parts[0], "", depth: 1), found = index(of: parts[0], depth: 1, in: first..<lines.count)
        let start = found ?? first
        if found == nil { lines.insert(section, at: start) } else { lines[start] = section }
        let end = lines[(start + 1)...].firstIndex { Self.key(in: $0, depth: 1) != nil } ?? lines.count
        put(parts[1], value, depth: 2, in: start + 1..<end)
    }

    /// The line behind `hub:`, which is made where there is none.
    private mutating func makeHub() -> Int {
        if let found = lines.firstIndex(where: { $0.hasPrefix("hub:") }) { return found + 1 }
        lines.insert("hub:", at: 0)
        return 1
    }

    private mutating func put(_ key: String, _ value: String, depth: Int, in range: Range<Int>) {
        let line = Self.line(key, value, depth: depth)
        if let found = index(of: key, depth: depth, in: range) {
            lines[found] = line
        } else {
            lines.insert(line, at: range.lowerBound)
        }
    }

    private func index(of key: String, depth: Int, in range: Range<Int>) -> Int? {
        let found = range.filter { Self.key(in: lines[$0], depth: depth) == key }
        return found.first { !lines[$0].hasPrefix("#") } ?? found.first
    }

    /// Whose key a line is, set or commented out, where it is one of this depth.
    private static func key(in line: String, depth: Int) -> String? {
        let rest = line.hasPrefix("#") ? line.dropFirst() : line[...], margin = String(repeating: "  ", count: depth)
        guard rest.hasPrefix(margin) else { return nil }
        let word = rest.dropFirst(margin.count).prefix { $0.isLetter }
        return !word.isEmpty && rest[word.endIndex...].hasPrefix(":") ? String(word) : nil
    }

    private static func line(_ key: String, _ value: String, depth: Int) -> String {
        let plain = value.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/.:@_-".contains($0)) }
        // A sign or a digit first may make it a number, a letter and a colon at the end a key.
        let isPlain = plain && (value.first?.isLetter == true || value.hasPrefix("/")) && !value.hasSuffix(":")
        let quoted = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        let shown = value.isEmpty ? "" : isPlain ? " \(value)" : " \"\(quoted)\""
        return "\(String(repeating: "  ", count: depth))\(key):\(shown)"
    }
}
