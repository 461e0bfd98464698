/// Mends an extract of which roads lead out: tilemaker 2.2 ends at the first way with a node that the file does not have. Works on OPL, osmium's text, a
/// line for each object, nodes first.
struct ExtractMender {
    private(set) var mended: [UInt8] = []
    /// Ways that lost nodes, and those of which nothing was left.
    private(set) var shortened = 0, dropped = 0
    private var nodes: Set<Int64> = []

    init(_ text: [UInt8]) {
        mended.reserveCapacity(text.count)
        for line in text.split(separator: 0x0A) {
            if line.first == UInt8(ascii: "n"), let id = Self.number(line.dropFirst().prefix { $0 != 0x20 }) { nodes.insert(id) }
            if line.first == UInt8(ascii: "w") { way(line) } else { mended += line + [0x0A] }
        }
    }

    /// `w7 v1 … Nn1,n2,n3`: the nodes stand at the end. A space within a word is written `%20%`.
    private mutating func way(_ line: ArraySlice<UInt8>) {
        guard let space = line.lastIndex(of: 0x20), line[line.index(after: space)...].first == UInt8(ascii: "N") else { return }
        let all = line[(space + 2)...].split(separator: UInt8(ascii: ","))
        let kept = all.filter { Self.number($0.dropFirst()).map(nodes.contains) ?? false }
        guard kept.count > 1 else {
            dropped += 1
            return
        }
        if kept.count < all.count { shortened += 1 }
        mended += line[...(space + 1)] + kept.joined(separator: [UInt8(ascii: ",")]) + [0x0A]
    }

    /// A node may be written with its place behind it: `12x9.1y45.2`.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        var value: Int64 = 0, count = 0
        for byte in digits {
            guard (0x30...0x39).contains(byte) else { break }
            let (next, isTooLarge) = value.multipliedReportingOverflow(by: 10)
            guard !isTooLarge, next <= .max - 9 else { return nil }
            (value, count) = (next + Int64(byte - 0x30), count + 1)
        }
        return count > 0 ? value : nil
    }
}
