/// The output of tilemaker (2.2) on its terminal, in lines for an operator: how far it is, each tenth once.
struct TilemakerProgress {
    /// The number of bytes kept of its last output, for the case that it fails.
    private static let keptMax = 2000

    private(set) var last = ""
    private var word: [UInt8] = []
    private var said: Set<String> = []

    /// Takes what came.
    /// - Returns: what is to be told of it.
    mutating func take(_ bytes: some Sequence<UInt8>) -> [String] {
        var told: [String] = []
        for byte in bytes {
            // It goes back to the beginning of its line for each step.
            guard byte == 0x0A || byte == 0x0D else {
                if word.count < Self.keptMax { word.append(byte) }
                continue
            }
            let text = String(decoding: word, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            word.removeAll(keepingCapacity: true)
            guard !text.isEmpty else { continue }
            let step = Self.step(text)
            if step == nil { last = String((last + text + "\n").suffix(Self.keptMax)) }
            if let step, said.insert(step).inserted { told.append(step) }
        }
        return told
    }

    /// Its last output, with a line that is not complete yet.
    var ending: String {
        let open = String(decoding: word, as: UTF8.self)
        return (last + (Self.step(open) == nil ? open : "")).split(separator: "\n").suffix(3).joined(separator: " ")
    }

    private static func step(_ text: String) -> String? {
        let words = text.split(separator: " ")
        func tenth(_ done: Substring, of all: Substring) -> Int? {
            guard let done = Int(done), let all = Int(all), all > 0, (0...all).contains(done) else { return nil }
            return done * 10 / all * 10
        }
        if words.first == "Block", words.count > 1 {
            let parts = words[1].split(separator: "/")
            return parts.count == 2 ? tenth(parts[0], of: parts[1]).map { "reading: \($0) %" } : nil
        }
        guard words.first == "Zoom", let at = words.firstIndex(of: "tile"), words.count > at + 3 else { return nil }
        return tenth(words[at + 1], of: words[at + 3]).map { "writing tiles: \($0) %" }
    }
}
