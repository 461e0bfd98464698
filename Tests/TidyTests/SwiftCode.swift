import Foundation

/// As much of Swift's lexical structure as the rules need. Runs over all sources in debug builds: bytes that begin nothing are passed over at once.
enum SwiftCode {
    private enum Context {
        /// `parentheses`: open ones since an interpolation began; nil outside of interpolations.
        case code(parentheses: Int?)
        case string(hashes: Int, multiline: Bool)
    }

    /// Blanks the contents of comments and string literals; what is interpolated into a string is code and stays.
    static func withoutCommentsAndStrings(_ source: String) -> String {
        let text = Array(source.utf8)
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var contexts: [Context] = [.code(parentheses: nil)]
        var index = 0
        func starts(_ token: [UInt8], at position: Int) -> Bool {
            position + token.count <= text.count && text[position..<position + token.count].elementsEqual(token)
        }
        func blank(_ count: Int) {
            for byte in text[index..<min(index + count, text.count)] { out.append(byte == newline ? newline : space) }
            index += count
        }
        func keep() {
            out.append(text[index])
            index += 1
        }
        while index < text.count {
            switch contexts[contexts.count - 1] {
            case .code(let parentheses):
                let plain = count(in: text, from: index, until: opening)
                out.append(contentsOf: text[index..<index + plain])
                index += plain
                guard index < text.count else { continue }
                if starts([slash, slash], at: index) {
                    blank(text[index...].prefix { $0 != newline }.count)
                } else if starts([slash, star], at: index) {
                    blank(blockComment(in: text, at: index))
                } else if let (hashes, quotes) = stringOpening(in: text, at: index) {
                    contexts.append(.string(hashes: hashes, multiline: quotes == 3))
                    blank(hashes + quotes)
                } else if let open = parentheses, text[index] == UInt8(ascii: ")"), open == 0 {
                    contexts.removeLast()
                    blank(1)
                } else {
                    if let open = parentheses {
                        if text[index] == UInt8(ascii: "(") { contexts[contexts.count - 1] = .code(parentheses: open + 1) }
                        if text[index] == UInt8(ascii: ")") { contexts[contexts.count - 1] = .code(parentheses: open - 1) }
                    }
                    keep()
                }
            case .string(let hashes, let multiline):
                blank(count(in: text, from: index, until: ending))
                guard index < text.count else { continue }
                let marks = [UInt8](repeating: hash, count: hashes)
                let closing = [UInt8](repeating: quote, count: multiline ? 3 : 1) + marks
                if starts([backslash] + marks + [UInt8(ascii: "(")], at: index) {
                    contexts.append(.code(parentheses: 0))
                    blank(2 + hashes)
                } else if starts([backslash] + marks, at: index) {
                    blank(2 + hashes)
                } else if starts(closing, at: index) {
                    contexts.removeLast()
                    blank(closing.count)
                } else if !multiline, text[index] == newline {
                    contexts.removeLast()  // not Swift, or a regex literal with a quote: the damage ends with the line
                    keep()
                } else {
                    blank(1)
                }
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The lines (from 1) in which `token` stands as a word of its own: nothing of an identifier before or behind it.
    static func lines(of token: String, in code: String) -> [Int] {
        let text = Array(code.utf8), wanted = Array(token.utf8)
        guard let first = wanted.first, let last = wanted.last else { return [] }
        var lines: [Int] = []
        var line = 1, counted = 0
        for index in places(of: wanted, in: text) {
            let before = index > 0 ? text[index - 1] : space
            let behind = index + wanted.count < text.count ? text[index + wanted.count] : space
            if isIdentifier(first) && isIdentifier(before) { continue }
            if isIdentifier(last) && isIdentifier(behind) { continue }
            line += text[counted..<index].count { $0 == newline }
            counted = index
            lines.append(line)
        }
        return lines
    }

    /// Where `wanted` begins, also within itself.
    private static func places(of wanted: [UInt8], in text: [UInt8]) -> [Int] {
        text.withUnsafeBytes { text in
            guard let start = text.baseAddress, let first = wanted.first else { return [] }
            var places: [Int] = [], from = 0
            while from + wanted.count <= text.count,
                let found = memchr(start + from, Int32(first), text.count - from - wanted.count + 1)
            {
                let place = UnsafeRawPointer(found) - start
                if memcmp(found, wanted, wanted.count) == 0 { places.append(place) }
                from = place + 1
            }
            return places
        }
    }

    /// How many bytes come before one of `marks`.
    private static func count(in text: [UInt8], from start: Int, until marks: [Bool]) -> Int {
        text.withUnsafeBufferPointer { text in
            marks.withUnsafeBufferPointer { marks in
                var index = start
                while index < text.count, !marks[Int(text[index])] { index += 1 }
                return index - start
            }
        }
    }

    private static func table(_ marks: [UInt8]) -> [Bool] { (0...UInt8.max).map(marks.contains) }
    /// What may begin or end something in code, and in a string.
    private static let opening = table([slash, hash, quote, UInt8(ascii: "("), UInt8(ascii: ")")])
    private static let ending = table([backslash, quote, newline])

    /// The modules that code imports, with their lines (from 1).
    static func imports(in code: String) -> [(module: String, line: Int)] {
        let access: Set<Substring> = ["public", "package", "internal", "fileprivate", "private"]
        let kinds: Set<Substring> = ["struct", "class", "enum", "protocol", "func", "var", "let", "typealias"]
        var found: [(module: String, line: Int)] = []
        for (index, line) in code.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == ";" })[...]
            words = words.drop { $0.hasPrefix("@") || access.contains($0) }
            guard words.popFirst() == "import" else { continue }
            if let kind = words.first, kinds.contains(kind) { words.removeFirst() }
            guard let path = words.first, let module = path.split(separator: ".").first else { continue }
            found.append((String(module), index + 1))
        }
        return found
    }

    private static func isIdentifier(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private static func blockComment(in text: [UInt8], at start: Int) -> Int {
        var depth = 0, index = start
        while index + 1 < text.count {
            switch (text[index], text[index + 1]) {
            case (slash, star):
                depth += 1
                index += 2
            case (star, slash):
                depth -= 1
                index += 2
                if depth == 0 { return index - start }
            default: index += 1
            }
        }
        return text.count - start
    }

    private static func stringOpening(in text: [UInt8], at start: Int) -> (hashes: Int, quotes: Int)? {
        let hashes = text[start...].prefix { $0 == hash }.count
        let quotes = text[(start + hashes)...].prefix(3).prefix { $0 == quote }.count
        guard quotes > 0 else { return nil }
        return (hashes, quotes == 3 ? 3 : 1)
    }

    private static let newline = UInt8(ascii: "\n"), space = UInt8(ascii: " "), slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*"), hash = UInt8(ascii: "#"), quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
