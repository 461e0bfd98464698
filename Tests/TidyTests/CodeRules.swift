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
