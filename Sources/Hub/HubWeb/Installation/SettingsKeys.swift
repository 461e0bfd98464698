/// What a file of settings sets, line by line: finds keys that name no setting, which a reader passes over.
enum SettingsKeys {
    /// Beyond so many changed letters nothing is proposed.
    private static let changesMax = 3

    /// Keys of lines that set something, or begin a section.
    static func keys(in text: String) -> [(line: Int, key: String)] {
        var above: [(margin: Int, key: String)] = [], found: [(line: Int, key: String)] = []
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let margin = line.prefix { $0 == " " }.count, rest = line.dropFirst(margin)
            guard let match = rest.prefixMatch(of: /([A-Za-z][A-Za-z0-9_-]*):(?: |$)/) else { continue }
            while let last = above.last, last.margin >= margin { above.removeLast() }
            let key = (above.last.map { $0.key + "." } ?? "") + match.1
            above.append((margin, key))
            found.append((number + 1, key))
        }
        return found
    }

    /// A sentence for each key that is none, with the one that may have been meant. What stands below such a key is not told of again.
    /// - Parameter file: its name, for the sentences.
    static func unknown(in text: String, of file: String) -> [String] {
        let known = HubSettings.all.map { "hub.\($0.key)" }
        var wrong: [String] = []
        return keys(in: text).compactMap { line, key in
            guard !known.contains(where: { $0 == key || $0.hasPrefix(key + ".") }),
                !wrong.contains(where: { key.hasPrefix($0 + ".") })
            else { return nil }
            wrong.append(key)
            let near = known.map { (name: $0, changes: changes(from: key, to: $0)) }.min { $0.changes < $1.changes }
            let meant = near.flatMap { $0.changes <= changesMax ? " Was \($0.name) meant?" : nil } ?? ""
            return "\(file), line \(line): \(key) is no setting.\(meant) trackme-hub settings prints all that there are."
        }
    }

    /// How many letters are put in, left out or replaced (Levenshtein).
    private static func changes(from one: String, to other: String) -> Int {
        let one = Array(one.utf8), other = Array(other.utf8)
        var row = Array(0...other.count)
        for (number, letter) in one.enumerated() {
            var before = row[0]
            row[0] = number + 1
            for place in 0..<other.count {
                let replaced = before + (letter == other[place] ? 0 : 1)
                before = row[place + 1]
                row[place + 1] = min(replaced, row[place] + 1, before + 1)
            }
        }
        return row[other.count]
    }
}
