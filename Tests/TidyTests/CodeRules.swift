/// Functions that one sees whole.
enum FunctionRule {
    static let linesMax = 60

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.target != nil, file.path.hasPrefix("Sources/"), file.isSwift else { return [] }
        let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
        var found: [Violation] = []
        // The form that CI checks puts the closing brace under the function's first letter.
        var open: [Substring: Int] = [:]
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }, text = line.dropFirst(indent.count)
            if text.isEmpty { continue }
            if begins(text) {
                open[indent] = index
            } else if text.hasPrefix("}"), let first = open.removeValue(forKey: indent), index - first + 1 > linesMax {
                let what = "\(index - first + 1) lines, of \(linesMax) at most: name its parts"
                found.append(Violation(path: file.path, line: first + 1, what: what))
            }
        }
        return found
    }

    /// Whether a function begins, and does not end, on this line.
    private static func begins(_ text: Substring) -> Bool {
        guard !text.hasSuffix("}") else { return false }
        return text.split(separator: " ").prefix(6).contains { word in
            word == "func" || word == "deinit" || ["init(", "init?(", "init<"].contains { word.hasPrefix($0) }
        }
    }
}

/// Queues that one can count: a target that blocks says in one file what waits behind what.
enum QueueRule {
    static func violations(in files: [SourceFile]) -> [Violation] {
        var making: [String: [Violation]] = [:]
        for file in files where file.isSwift && file.path.hasPrefix("Sources/") {
            guard let target = file.target, let line = SwiftCode.lines(of: "DispatchQueue(", in: file.code).first else { continue }
            making[target, default: []].append(Violation(path: file.path, line: line, what: "a second file of \(target) makes queues"))
        }
        return making.values.filter { $0.count > 1 }.flatMap(\.self).sorted { $0.path < $1.path }
    }
}

/// SQL stands in the stores and the engine below them alone: there every statement is prepared on each database, and its plan is looked at.
enum StatementRule {
    static let targets: Set<String> = ["HubStore", "SampleBuffer", "Database"]
    static let verbs = [
        "SELECT", "INSERT INTO", "INSERT OR", "UPDATE", "DELETE FROM", "CREATE TABLE", "CREATE INDEX", "CREATE UNIQUE INDEX", "ALTER TABLE",
        "DROP TABLE", "PRAGMA",
    ]

    static func violations(in file: SourceFile) -> [Violation] {
        guard file.path.hasPrefix("Sources/"), file.isSwift, let target = file.target, !targets.contains(target) else { return [] }
        let lines = file.lines, named = Set(verbs.flatMap { SwiftCode.lines(of: "\($0) ", in: file.text) }).sorted()
        let literals = named.filter { number in
            let text = lines[number - 1].drop { $0 == " " }
            return !text.hasPrefix("//") && verbs.contains { text.hasPrefix("\($0) ") || text.contains("\"\($0) ") }
        }
        return (literals + SwiftCode.lines(of: "sql:", in: file.code)).map {
            Violation(path: file.path, line: $0, what: "a statement in \(target): write it in a store")
        }
    }
}
