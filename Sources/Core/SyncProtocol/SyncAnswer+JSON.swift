internal import Vitals

extension SyncAnswer {
    /// The answer as JSON, as ``WireForm`` has it. By hand, because a hub writes tens of thousands of them a second; a test holds it against
    /// `JSONDecoder`.
    public func json() -> [UInt8] {
        var writer = AnswerWriter(capacity: 192 + 96 * streams.count)
        writer.write(self)
        return writer.out
    }
}

private struct AnswerWriter {
    private(set) var out: [UInt8] = []
    /// Words that 0.3.0 does not know, and where they stand.
    private var words: [(path: String, word: String)] = []

    init(capacity: Int) { out.reserveCapacity(capacity) }

    mutating func write(_ answer: SyncAnswer) {
        text("{\"hub\":\"")
        text(answer.hub.description)
        text("\",\"utc\":")
        text(String(answer.utc))
        text(",\"cadence\":")
        word(answer.cadence, "cadence")
        text(",\"streams\":")
        list(answer.streams) { writer, index, state in writer.write(state, at: index) }
        if let questions = answer.questions { text(",\"questions\":\(questions)") }
        if let checkIns = answer.checkIns {
            text(",\"checkIns\":")
            list(checkIns.items) { writer, index, item in writer.write(item, at: index) }
        }
        writeWords()
        text("}")
    }

    private mutating func write(_ state: SyncAnswer.StreamState, at stream: Int) {
        text("{\"stream\":\"")
        text(state.stream.description)
        text("\",\"received\":")
        list(state.received) { writer, _, range in writer.list(range) { writer, _, bound in writer.text(String(bound)) } }
        text(state.complete ? ",\"complete\":true" : ",\"complete\":false")
        if let refused = state.refused {
            text(",\"refused\":")
            list(refused) { writer, index, refusal in
                writer.text("{\"sequence\":\(refusal.sequence),\"reason\":")
                writer.word(refusal.reason, "streams.\(stream).refused.\(index).reason")
                writer.text(",\"detail\":")
                writer.quoted(refusal.detail)
                writer.text("}")
            }
        }
        if let forked = state.forked {
            text(",\"forked\":")
            list(forked) { writer, _, sequence in writer.text(String(sequence)) }
        }
        text("}")
    }

    private mutating func write(_ item: CheckIn, at index: Int) {
        text("{\"id\":\"\(item.id)\"")
        for (name, value) in [("run", item.run), ("code", item.code), ("organiser", item.organiser), ("purpose", item.purpose)] {
            text(",\"\(name)\":")
            quoted(value)
        }
        text(",\"standing\":")
        word(item.standing, "checkIns.\(index).standing")
        text(",\"kinds\":")
        list(item.kinds) { writer, number, kind in writer.word(kind, "checkIns.\(index).kinds.\(number)") }
        text(",\"until\":\(item.until),\"lapses\":\(item.lapses)}")
    }

    private mutating func writeWords() {
        guard !words.isEmpty else { return }
        text(",\"words\":{")
        for (index, word) in words.enumerated() {
            text(index > 0 ? "," : "")
            quoted(word.path)
            text(":")
            quoted(word.word)
        }
        text("}")
    }

    private mutating func text(_ string: String) { out.append(contentsOf: string.utf8) }

    private mutating func quoted(_ string: String) {
        out.append(UInt8(ascii: "\""))
        for byte in string.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0..<0x20: out.append(contentsOf: "\\u00\(Hexadecimal.string([byte]))".utf8)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    private mutating func word<Word: WireWord>(_ word: Word, _ path: @autoclosure () -> String) where Word.RawValue == String {
        if word.nearestIn030 != word { words.append((path(), word.rawValue)) }
        quoted(word.nearestIn030.rawValue)
    }

    private mutating func list<Element>(_ elements: [Element], _ write: (inout AnswerWriter, Int, Element) -> Void) {
        out.append(UInt8(ascii: "["))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            write(&self, index, element)
        }
        out.append(UInt8(ascii: "]"))
    }
}
