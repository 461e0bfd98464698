/// Reads the tags of an XML 1.0 document that comes in pieces: no tree, no text, and no entities. Comments, instructions and the
/// declarations of a document type are passed over. What is not well-formed is passed over, too.
struct XMLTagStream: Sendable {
    private struct Attribute {
        var name: Range<Int>, value: Range<Int>
    }

    enum Found {
        case tag
        /// Something that is not well-formed. It was passed over.
        case fault
        /// A tag that is longer than ``HealthImport/Limits/tagBytesMax``. It is passed over.
        case tooLong
        /// More bytes are needed.
        case more
    }

    /// Bytes that were not looked at yet, and those of the last tag.
    private var buffer: [UInt8] = []
    /// Of the next byte in the buffer.
    private var at = 0
    /// The end of the part that is being skipped; empty outside of one.
    private var skipped: [UInt8] = []
    /// Line ends before `counted`, and one.
    private var lineCount = 1, counted = 0
    private var nameRange = 0..<0
    private var attributes: [Attribute] = []

    /// Of the last tag.
    private(set) var isStart = false, isEnd = false

    /// Puts bytes behind those that are there.
    mutating func add(_ bytes: [UInt8]) {
        count(to: at)
        buffer.removeFirst(at)
        (at, counted) = (0, 0)
        buffer += bytes
    }

    /// Goes on to the next tag that is complete.
    mutating func next() -> Found {
        while at < buffer.count {
            if !skipped.isEmpty {
                guard skip() else { return .more }
                continue
            }
            guard let start = index(of: UInt8(ascii: "<"), from: at) else {
                at = buffer.count
                return .more
            }
            at = start
            guard at + 1 < buffer.count else { return .more }
            if buffer[at + 1] == UInt8(ascii: "!") || buffer[at + 1] == UInt8(ascii: "?") {
                guard beginSkip() else { return .more }
                continue
            }
            let found = tag()
            guard found == .more, buffer.count - at > HealthImport.Limits.tagBytesMax else { return found }
            nameRange = at..<at
            at += 1
            return .tooLong
        }
        return .more
    }

    /// Whether the bytes end within a tag, a comment or the like.
    var isCut: Bool { at < buffer.count || !skipped.isEmpty }

    /// Of the last tag, or of what is wrong, counted from 1.
    mutating func line() -> Int {
        count(to: min(nameRange.lowerBound, buffer.count))
        return lineCount
    }

    /// The name of the last tag, with its prefix.
    var name: ArraySlice<UInt8> { buffer[nameRange] }

    func isNamed(_ text: StaticString) -> Bool { Self.equal(buffer, nameRange, text) }

    /// The value of an attribute of the last tag, with its references; nil without it.
    func value(_ name: StaticString) -> ArraySlice<UInt8>? {
        for attribute in attributes where Self.equal(buffer, attribute.name, name) { return buffer[attribute.value] }
        return nil
    }

    // MARK: Bytes

    private mutating func count(to end: Int) {
        guard counted < end else { return }
        lineCount += buffer[counted..<end].withUnsafeBufferPointer { bytes in
            var count = 0
            for byte in bytes { count &+= byte == 0x0A ? 1 : 0 }
            return count
        }
        counted = end
    }

    private static func equal(_ bytes: [UInt8], _ range: Range<Int>, _ text: StaticString) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for (offset, index) in range.enumerated() where bytes[index] != text.utf8Start[offset] { return false }
        return true
    }

    private func index(of byte: UInt8, from: Int) -> Int? {
        buffer.withUnsafeBufferPointer { bytes in
            var at = from
            while at < bytes.count {
                if bytes[at] == byte { return at }
                at += 1
            }
            return nil
        }
    }

    // MARK: What is passed over

    /// False when more bytes are needed to know what begins here.
    private mutating func beginSkip() -> Bool {
        let head = buffer[at...].prefix(9)
        let comment = Array("<!--".utf8), text = Array("<![CDATA[".utf8)
        if head.starts(with: comment) {
            skipped = Array("-->".utf8)
        } else if head.starts(with: text) {
            skipped = Array("]]>".utf8)
        } else if head.count < 9, comment.starts(with: head) || text.starts(with: head) {
            return false
        } else {
            // The declarations within a document type are passed over one by one.
            skipped = buffer[at + 1] == UInt8(ascii: "?") ? Array("?>".utf8) : [UInt8(ascii: ">")]
        }
        at += 2
        return true
    }

    private mutating func skip() -> Bool {
        let isDeclaration = skipped.count == 1
        while at + skipped.count <= buffer.count {
            let isEnd = buffer[at] == skipped[0] && buffer[at...].starts(with: skipped)
            if isEnd || isDeclaration && buffer[at] == UInt8(ascii: "[") {
                at += isEnd ? skipped.count : 1
                skipped = []
                return true
            }
            at += 1
        }
        return false
    }

    // MARK: Tags

    /// The tag at `at`, which is behind it afterwards, or behind what is wrong.
    private mutating func tag() -> Found {
        attributes.removeAll(keepingCapacity: true)
        let (found, end) = buffer.withUnsafeBufferPointer { bytes in
            Self.tag(bytes, from: at + 1, &nameRange, &attributes, &isStart, &isEnd)
        }
        if found != .more { at = end }
        return found
    }

    private static func tag(
        _ bytes: UnsafeBufferPointer<UInt8>, from start: Int, _ name: inout Range<Int>, _ attributes: inout [Attribute],
        _ isStart: inout Bool, _ isEnd: inout Bool
    ) -> (Found, Int) {
        var at = start
        isEnd = at < bytes.count && bytes[at] == UInt8(ascii: "/")
        isStart = !isEnd
        if isEnd { at += 1 }
        let nameStart = at
        while at < bytes.count, !isMark(bytes[at]) { at += 1 }
        name = nameStart..<at
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: ">"): return (name.isEmpty ? .fault : .tag, at + 1)
            case UInt8(ascii: "<"): return (.fault, at)
            case UInt8(ascii: "/"):
                isEnd = true
                at += 1
            case 0x20, 0x09...0x0D, UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"): at += 1
            default:
                switch attribute(bytes, &at) {
                case (.tag, let attribute?): if attributes.count < 32 { attributes.append(attribute) }
                case (.fault, _): return (.fault, at)
                default: return (.more, at)
                }
            }
        }
        return (.more, at)
    }

    private static func attribute(_ bytes: UnsafeBufferPointer<UInt8>, _ at: inout Int) -> (Found, Attribute?) {
        let nameStart = at
        while at < bytes.count, !isMark(bytes[at]) { at += 1 }
        let name = nameStart..<at
        while at < bytes.count, isBlank(bytes[at]) || bytes[at] == UInt8(ascii: "=") { at += 1 }
        guard at < bytes.count else { return (.more, nil) }
        let quote = bytes[at]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else { return (.fault, nil) }
        at += 1
        let start = at
        while at < bytes.count, bytes[at] != quote {
            // XML 1.0, 3.1: no `<` in a value. A quotation mark was lost.
            if bytes[at] == UInt8(ascii: "<") { return (.fault, nil) }
            at += 1
        }
        guard at < bytes.count else { return (.more, nil) }
        at += 1
        return (.tag, Attribute(name: name, value: start..<(at - 1)))
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// A blank, or one of `>/="'<`.
    private static func isMark(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09...0x0D, 0x20, UInt8(ascii: ">"), UInt8(ascii: "/"), UInt8(ascii: "="), UInt8(ascii: "\""), UInt8(ascii: "'"),
            UInt8(ascii: "<"):
            true
        default: false
        }
    }
}
