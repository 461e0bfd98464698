/// Cuts a JSON object (RFC 8259) that comes in pieces into its members, and lists among them into their items: an export can be far larger
/// than what one wants to hold as values. What an item is, ``StrictJSON`` reads. Reading goes on behind what is damaged.
struct JSONItemStream: Sendable {
    enum Found {
        /// A member of the outermost object that is no list.
        case member(name: String, [UInt8])
        /// An item of a list that is a member of it, counted from 0.
        case item(list: String, index: Int, [UInt8])
        /// A line end within a text: a quotation mark was lost. Where, in the words of the other cases.
        case damage(list: String, index: Int)
        /// An item that is too long.
        case tooLong(list: String, index: Int)
    }

    private var depth = 0
    private var isInText = false, isEscaped = false
    /// The name whose value comes next; nil before a name.
    private var name: String?
    private var isInList = false
    private var index = 0
    /// The text being gathered: a name, a value or an item; empty between them.
    private var gathered: [UInt8] = []
    /// Whether what is being gathered is no longer wanted.
    private var isDropped = false
    private(set) var hasBegun = false, hasEnded = false

    /// Whether the bytes ended before the object did.
    var isCut: Bool { hasBegun && !hasEnded }

    /// Takes bytes, and gives what is complete.
    mutating func add(_ bytes: [UInt8], _ take: (Found) -> Void) {
        for byte in bytes { add(byte, take) }
    }

    /// Takes bytes.
    /// - Returns: what is complete.
    mutating func found(in bytes: [UInt8]) -> [Found] {
        var found: [Found] = []
        add(bytes) { found.append($0) }
        return found
    }

    private var level: Int { isInList ? 2 : 1 }

    private mutating func add(_ byte: UInt8, _ take: (Found) -> Void) {
        if isInText { return text(byte, take) }
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return
        case UInt8(ascii: "\""):
            isInText = true
            gather(byte, take)
        case UInt8(ascii: "{"), UInt8(ascii: "["): open(byte, take)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): close(byte, take)
        case UInt8(ascii: ",") where depth == level: give(take)
        case UInt8(ascii: ":") where depth == 1 && name == nil: takeName()
        default: if depth > 0 { gather(byte, take) }
        }
    }

    private mutating func text(_ byte: UInt8, _ take: (Found) -> Void) {
        if byte == 0x0A {
            // No text of JSON holds one (RFC 8259, 7). What follows is as if the item had ended.
            isInText = false
            isEscaped = false
            take(.damage(list: name ?? "", index: index))
            depth = min(depth, level)
            // Where each item has a line of its own, the comma behind it is in the text.
            let isComma = gathered.last == UInt8(ascii: ",")
            gathered.removeAll(keepingCapacity: true)
            isDropped = !isComma
            if isComma, isInList { index += 1 } else if isComma { name = nil }
            return
        }
        gather(byte, take)
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
            isInText = false
        }
    }

    private mutating func open(_ byte: UInt8, _ take: (Found) -> Void) {
        if depth == 0 {
            guard byte == UInt8(ascii: "{"), !hasEnded else { return }
            (depth, hasBegun) = (1, true)
        } else if depth == 1, byte == UInt8(ascii: "["), name != nil, gathered.isEmpty, !isDropped {
            (depth, isInList, index) = (2, true, 0)
        } else {
            depth += 1
            gather(byte, take)
        }
    }

    private mutating func close(_ byte: UInt8, _ take: (Found) -> Void) {
        guard depth > 0 else { return }
        guard depth == level else {
            depth -= 1
            return gather(byte, take)
        }
        // Another one belongs to an item whose beginning was lost.
        guard byte == (isInList ? UInt8(ascii: "]") : UInt8(ascii: "}")) else { return }
        give(take)
        if isInList {
            (isInList, depth) = (false, 1)
            isDropped = true
        } else {
            (depth, hasEnded) = (0, true)
        }
    }

    private mutating func takeName() {
        // Names have no references where this is used.
        name = String(decoding: gathered.dropFirst().dropLast().prefix(HealthImport.Limits.nameMax), as: UTF8.self)
        gathered.removeAll(keepingCapacity: true)
    }

    /// Ends what is being gathered.
    private mutating func give(_ take: (Found) -> Void) {
        if !gathered.isEmpty, !isDropped, let name {
            take(isInList ? .item(list: name, index: index, gathered) : .member(name: name, gathered))
        }
        if isInList { index += 1 } else { name = nil }
        gathered.removeAll(keepingCapacity: true)
        isDropped = false
    }

    private mutating func gather(_ byte: UInt8, _ take: (Found) -> Void) {
        guard !isDropped else { return }
        gathered.append(byte)
        guard gathered.count > HealthImport.Limits.itemBytesMax else { return }
        take(.tooLong(list: name ?? "", index: index))
        gathered.removeAll(keepingCapacity: true)
        (isDropped, depth, isInText) = (true, level, false)
    }
}

extension StrictJSON {
    /// Reads what ``JSONItemStream`` gave; nil for what is damaged.
    init?(item: [UInt8]) {
        var end = 0
        guard let value = try? Self.value(item, &end) else { return nil }
        self = value
    }

    var items: [StrictJSON] {
        if case .array(let items) = self { items } else { [] }
    }

    var plainText: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// A number; also one in quotation marks.
    var double: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): ImportText.number(Array(text.utf8)[...])
        default: nil
        }
    }
}

extension ImportReport {
    /// The problem at the end of a file of JSON.
    mutating func noteEnd(of stream: JSONItemStream) {
        if bytes == 0 {
            note(.empty, at: .file)
        } else if !stream.hasBegun {
            note(.notJSON, at: .file)
        } else if stream.isCut {
            note(.cut, at: .file)
        }
    }

    /// An item that could not be read; nothing for one that could.
    mutating func noteDamage(_ found: JSONItemStream.Found) {
        switch found {
        case .damage(let list, let index): note(.notJSON, at: .item(list: list, index))
        case .tooLong(let list, let index): note(.tooLong, at: .item(list: list, index), "\(HealthImport.Limits.itemBytesMax)")
        case .member, .item: break
        }
    }
}
