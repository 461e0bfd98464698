/// Reads XML 1.0 tag by tag, without a tree, and without entities of a document type. Names lose their prefix. What is not well-formed is
/// passed over, and counted in ``faults``.
struct XMLScanner {
    struct Tag {
        var name: String
        /// Of its namespace; empty without one.
        var prefix: String
        var isEnd: Bool, isEmpty: Bool
        /// Its first byte.
        var at: Int
    }

    enum Problem: Error, Hashable {
        /// The bytes end within a tag, a comment or the like.
        case cut
        /// More than ``depthMax`` elements in each other.
        case tooDeep
    }

    static let depthMax = 64
    /// Bytes of a name that count.
    private static let nameMax = 80
    /// Bytes of an element's text that are kept.
    static let textMax = 1024

    let bytes: [UInt8]
    /// Of the next byte.
    private(set) var at = 0
    /// The elements that are open, by their names.
    private(set) var open: [String] = []
    /// Since the last start tag.
    private(set) var text: [UInt8] = []
    /// End tags without an element, and elements that an outer end tag closed.
    private(set) var faults = 0
    /// Where the first of them stands.
    private(set) var firstFault: Int?
    private var attributes: [(name: String, value: Range<Int>)] = []
    /// The end tag that was counted last.
    private var faultAt = -1
    private var prefixes: Set<String> = ["xml"]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next tag; nil at the end. A tag that is `isEmpty` is start and end. An element that an outer end tag closes gets an end of its
    /// own.
    mutating func next() throws(Problem) -> Tag? {
        while at < bytes.count {
            guard bytes[at] == UInt8(ascii: "<") else {
                characters()
                continue
            }
            if try skips() { continue }
            let start = at
            var tag = try tag()
            tag.at = start
            if !tag.isEnd {
                guard open.count < Self.depthMax else { throw .tooDeep }
                if !tag.isEmpty { open.append(tag.name) }
                text.removeAll(keepingCapacity: true)
                return tag
            }
            if open.last == tag.name {
                open.removeLast()
                return tag
            }
            fault(start)
            guard open.contains(tag.name), let inner = open.popLast() else { continue }
            at = start
            tag.name = inner
            return tag
        }
        return nil
    }

    /// The value of an attribute of the last start tag.
    func attribute(_ name: String) -> ArraySlice<UInt8>? { attributes.last { $0.name == name }.map { bytes[$0.value] } }

    /// The prefixes of a tag and its attributes that no element before it declared.
    mutating func undeclaredPrefixes(_ tag: Tag) -> [String] {
        guard !tag.isEnd else { return [] }
        var missing: [String] = tag.prefix.isEmpty || prefixes.contains(tag.prefix) ? [] : [tag.prefix]
        for (name, _) in attributes {
            guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { continue }
            let prefix = String(name[..<colon])
            if prefix == "xmlns", prefixes.count < 1000 { prefixes.insert(String(name[name.index(after: colon)...])) }
            if prefix != "xmlns", !prefixes.contains(prefix) { missing.append(prefix) }
        }
        return missing.filter { !prefixes.contains($0) }
    }

    /// The text without the blanks around it.
    var trimmed: ArraySlice<UInt8> { Self.trimmed(text[...]) }

    /// The same, with its references replaced.
    var string: String { Self.unescaped(String(decoding: trimmed, as: UTF8.self)) }

    /// The text as a decimal number, in 10^-`places`.
    func number(places: Int = 0) -> Int64? { Self.number(trimmed, places: places) }

    // MARK: Bytes

    /// Name of the first element; nil where something else stands before it.
    static func root(of bytes: [UInt8]) -> String? {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF], from = bytes.starts(with: mark) ? 3 : 0
        guard let first = bytes[from...].first(where: { !isBlank($0) }), first == UInt8(ascii: "<") else { return nil }
        var scanner = XMLScanner(bytes)
        return try? scanner.next()?.name
    }

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var from = bytes.startIndex, end = bytes.endIndex
        while from < end, isBlank(bytes[from]) { from += 1 }
        while end > from, isBlank(bytes[end - 1]) { end -= 1 }
        return bytes[from..<end]
    }

    /// A decimal number in 10^-`places`, rounded; nil for anything else, and for more than 2^53 of them.
    static func number(_ bytes: ArraySlice<UInt8>, places: Int) -> Int64? {
        let inner = trimmed(bytes)
        guard (1...40).contains(inner.count), let number = Double(String(decoding: inner, as: UTF8.self)) else { return nil }
        let scaled = ((0..<places).reduce(1.0) { unit, _ in unit * 10 } * number).rounded()
        return scaled.isFinite && scaled.magnitude < 9e15 ? Int64(scaled) : nil
    }

    private mutating func fault(_ start: Int) {
        guard faultAt != start else { return }
        faultAt = start
        faults += 1
        firstFault = firstFault ?? start
    }

    private mutating func characters() {
        let from = at
        while at < bytes.count, bytes[at] != UInt8(ascii: "<") { at += 1 }
        // Only names and numbers are read, and they are short.
        if text.count < Self.textMax { text += bytes[from..<min(at, from + Self.textMax)] }
    }

    /// Comments, declarations and instructions are passed over; the text of a CDATA section is text.
    private mutating func skips() throws(Problem) -> Bool {
        guard at + 1 < bytes.count, bytes[at + 1] == UInt8(ascii: "!") || bytes[at + 1] == UInt8(ascii: "?") else { return false }
        if starts(with: "<!--") { return try skip(to: "-->") }
        if starts(with: "<![CDATA[") {
            let from = at + 9
            _ = try skip(to: "]]>")
            if text.count < Self.textMax { text += bytes[from..<max(from, at - 3)].prefix(Self.textMax) }
            return true
        }
        return try skip(to: bytes[at + 1] == UInt8(ascii: "?") ? "?>" : ">")
    }

    private func starts(with mark: StaticString) -> Bool {
        bytes[at...].starts(with: UnsafeBufferPointer(start: mark.utf8Start, count: mark.utf8CodeUnitCount))
    }

    private mutating func skip(to mark: StaticString) throws(Problem) -> Bool {
        while at < bytes.count {
            if starts(with: mark) {
                at += mark.utf8CodeUnitCount
                return true
            }
            at += 1
        }
        throw .cut
    }

    // MARK: Tags

    /// The tag at `at`, which is behind it afterwards.
    private mutating func tag() throws(Problem) -> Tag {
        at += 1
        var isEnd = false, isEmpty = false
        if at < bytes.count, bytes[at] == UInt8(ascii: "/") {
            isEnd = true
            at += 1
        }
        let from = at, whole = word()
        let colon = bytes[from..<at].firstIndex(of: UInt8(ascii: ":"))
        let name = colon.map { text($0 + 1, at) } ?? whole, prefix = colon.map { text(from, $0) } ?? ""
        if !isEnd { attributes.removeAll(keepingCapacity: true) }
        while true {
            while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
            guard at < bytes.count else { throw .cut }
            switch bytes[at] {
            case UInt8(ascii: ">"):
                at += 1
                return Tag(name: name, prefix: prefix, isEnd: isEnd, isEmpty: isEmpty, at: from)
            case UInt8(ascii: "/"):
                isEmpty = true
                at += 1
            default: try attribute(of: isEnd)
            }
        }
    }

    private mutating func attribute(of isEnd: Bool) throws(Problem) {
        let name = word()
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "=") else {
            // No XML; what follows is looked at all the same.
            if name.isEmpty { at += 1 }
            return
        }
        at += 1
        while at < bytes.count, Self.isBlank(bytes[at]) { at += 1 }
        guard at < bytes.count else { throw .cut }
        let quote = bytes[at]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return }
        at += 1
        let from = at
        while at < bytes.count, bytes[at] != quote { at += 1 }
        guard at < bytes.count else { throw .cut }
        at += 1
        if !isEnd, attributes.count < Self.depthMax { attributes.append((name, from..<(at - 1))) }
    }

    private mutating func word() -> String {
        let from = at
        while at < bytes.count, !Self.ends(bytes[at]) { at += 1 }
        return text(from, at)
    }

    private func text(_ from: Int, _ end: Int) -> String { String(decoding: bytes[from..<min(end, from + Self.nameMax)], as: UTF8.self) }

    /// A blank, or one of `>/="'<`.
    private static func ends(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09...0x0D, 0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "<"):
            true
        default: false
        }
    }

    // MARK: References

    /// The five names and the numbers of XML 1.0, 4.1 and 4.6; anything else stays as it is.
    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        let named: [Substring: String] = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
        var out = "", rest = text[...]
        while let start = rest.firstIndex(of: "&") {
            out += rest[..<start]
            rest = rest[start...]
            guard let end = rest.prefix(12).firstIndex(of: ";") else {
                out += "&"
                rest = rest.dropFirst()
                continue
            }
            let inner = rest[rest.index(after: start)..<end]
            let number =
                inner.hasPrefix("#x") ? UInt32(inner.dropFirst(2), radix: 16) : inner.hasPrefix("#") ? UInt32(inner.dropFirst()) : nil
            if let known = named[inner] {
                out += known
            } else if let scalar = number.flatMap(Unicode.Scalar.init) {
                out.unicodeScalars.append(scalar)
            } else {
                out += rest[start...end]
            }
            rest = rest[rest.index(after: end)...]
        }
        return out + rest
    }
}
