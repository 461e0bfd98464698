/// Reads the little XML that receivers answer: elements and text. Attributes are skipped, prefixes dropped; a document type ends the
/// reading, so that no entity is ever expanded.
struct XMLScanner {
    enum Token: Equatable {
        case start(String)
        case text(String)
        case end(String)
    }

    private var rest: Substring
    private var pending: Token?
    private var isBroken = false

    init(_ text: String) { rest = Substring(text) }

    /// Nil at the end, and from the first thing on that is not well-formed.
    mutating func next() -> Token? {
        if let token = pending {
            pending = nil
            return token
        }
        while !rest.isEmpty, !isBroken {
            guard rest.hasPrefix("<") else {
                let text = rest.prefix { $0 != "<" }
                rest = rest[text.endIndex...]
                let decoded = Self.decoded(text)
                if decoded.contains(where: { !$0.isWhitespace }) { return .text(decoded) }
                continue
            }
            if rest.hasPrefix("<?") {
                skip(to: "?>")
            } else if rest.hasPrefix("<!--") {
                skip(to: "-->")
            } else if rest.hasPrefix("<![CDATA[") {
                rest = rest.dropFirst(9)
                return .text(String(skip(to: "]]>")))
            } else {
                return tag()
            }
        }
        return nil
    }

    private mutating func tag() -> Token? {
        rest = rest.dropFirst()
        var inside = skip(to: ">")
        let isEnd = inside.hasPrefix("/"), isEmpty = inside.hasSuffix("/")
        if isEnd { inside = inside.dropFirst() }
        if isEmpty { inside = inside.dropLast() }
        let qualified = inside.prefix { !$0.isWhitespace }
        let name = String(qualified.split(separator: ":").last ?? "")
        guard !isBroken, let first = name.first, first.isLetter, !(isEnd && isEmpty) else {
            isBroken = true
            return nil
        }
        if isEmpty { pending = .end(name) }
        return isEnd ? .end(name) : .start(name)
    }

    /// The text before `mark`, which is passed.
    @discardableResult private mutating func skip(to mark: String) -> Substring {
        var start = rest.startIndex
        while start < rest.endIndex {
            if rest[start...].hasPrefix(mark) {
                let skipped = rest[..<start]
                rest = rest[start...].dropFirst(mark.count)
                return skipped
            }
            start = rest.index(after: start)
        }
        isBroken = true
        return rest
    }

    /// The five entities of XML and characters by number; what is none stays as it is.
    private static func decoded(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var decoded = ""
        var rest = text
        while let mark = rest.firstIndex(of: "&") {
            decoded += rest[..<mark]
            rest = rest[mark...]
            let end = rest.prefix(12).firstIndex(of: ";")
            guard let end, let character = character(rest[rest.index(after: mark)..<end]) else {
                decoded += "&"
                rest = rest.dropFirst()
                continue
            }
            decoded.unicodeScalars.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return decoded + rest
    }

    private static func character(_ name: Substring) -> Unicode.Scalar? {
        switch name {
        case "amp": "&"
        case "lt": "<"
        case "gt": ">"
        case "quot": "\""
        case "apos": "'"
        case _ where name.hasPrefix("#x"): UInt32(name.dropFirst(2), radix: 16).flatMap(Unicode.Scalar.init)
        case _ where name.hasPrefix("#"): UInt32(name.dropFirst()).flatMap(Unicode.Scalar.init)
        default: nil
        }
    }
}
