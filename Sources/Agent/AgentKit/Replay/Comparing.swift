/// Compares the events of a recording with those that are expected, both as the JSON lines of `trackme-agent decode` (EDGE-10).
///
/// Lines are compared as text; blank ones do not count. Where lines are missing or too many, the comparison finds its way back within
/// ``lookahead`` lines, so that one lost event is one difference. Both sides are read once, however long they are.
struct Comparing {
    /// One place at which the two differ. A missing side is nil.
    struct Difference: Hashable {
        /// The line in the expected file, counted from 1; of a line too many, the one that it stands before.
        var line: Int
        var expected: String?
        var got: String?
    }

    struct Report: Hashable {
        var equal = 0
        var different = 0
        /// Expected, and not there.
        var missing = 0
        /// There, and not expected.
        var unexpected = 0
        /// The first of them.
        var differences: [Difference] = []

        /// Two empty sides agree about nothing: a file that was read wrongly must not pass.
        var isEqual: Bool { equal > 0 && different + missing + unexpected == 0 }
    }

    static let lookahead = 64
    /// Differences that are shown.
    static let shownMax = 10
    /// Characters of a line that are shown.
    static let lineMax = 300

    private var expected: AnyIterator<String>
    /// Read, and not compared yet.
    private var left: [String] = []
    private var right: [String] = []
    /// A chunk may end inside a line.
    private var carry = ""
    private var line = 1
    /// Whether the last of the expected lines has been read.
    private var isAtEnd = false
    private var report = Report()

    init(expected: some Sequence<String>) {
        var lines = expected.makeIterator()
        self.expected = AnyIterator { lines.next() }
    }

    /// Takes some of what was decoded: whole lines, or parts of them.
    mutating func take(_ text: String) {
        var lines = (carry + text).split(separator: "\n", omittingEmptySubsequences: false)
        carry = lines.popLast().map(String.init) ?? ""
        for line in lines { take(line: line) }
    }

    /// Compares what is left.
    mutating func finish() -> Report {
        take(line: Substring(carry))
        carry = ""
        while !right.isEmpty { compare() }
        fill()
        while !left.isEmpty {
            note(expected: left.removeFirst(), got: nil)
            fill()
        }
        return report
    }

    private mutating func take(line: Substring) {
        guard let line = Self.trimmed(line) else { return }
        right.append(line)
        if right.count > Self.lookahead { compare() }
    }

    /// nil for a blank line.
    private static func trimmed(_ line: Substring) -> String? {
        var line = line
        while line.last?.isWhitespace == true { line.removeLast() }
        return line.isEmpty ? nil : String(line)
    }

    private mutating func fill() {
        while !isAtEnd, left.count <= Self.lookahead {
            guard let next = expected.next() else {
                isAtEnd = true
                return
            }
            if let next = Self.trimmed(next[...]) { left.append(next) }
        }
    }

    /// Takes one step: an equal pair, or everything up to the next one.
    private mutating func compare() {
        fill()
        if left.first == right.first {
            left.removeFirst()
            right.removeFirst()
            report.equal += 1
            line += 1
            return
        }
        let (skippedLeft, skippedRight) = nextPair() ?? (min(1, left.count), 1)
        for index in 0..<max(skippedLeft, skippedRight) {
            note(expected: index < skippedLeft ? left[index] : nil, got: index < skippedRight ? right[index] : nil)
        }
        left.removeFirst(skippedLeft)
        right.removeFirst(skippedRight)
    }

    /// The number of lines of either side before the nearest equal pair.
    private func nextPair() -> (Int, Int)? {
        for distance in 1..<(2 * Self.lookahead) {
            for ahead in max(0, distance - right.count + 1)..<max(min(distance + 1, left.count), max(0, distance - right.count + 1)) {
                if left[ahead] == right[distance - ahead] { return (ahead, distance - ahead) }
            }
        }
        return nil
    }

    private mutating func note(expected: String?, got: String?) {
        switch (expected, got) {
        case (nil, _): report.unexpected += 1
        case (_, nil): report.missing += 1
        default: report.different += 1
        }
        if report.differences.count < Self.shownMax {
            report.differences.append(Difference(line: line, expected: expected, got: got))
        }
        if expected != nil { line += 1 }
    }
}

extension Comparing.Report: CustomStringConvertible {
    /// Counts, and the first differences.
    var description: String {
        if self == Self() { return "nothing was compared: neither side holds an event\n" }
        var text = "\(equal) events as expected, \(different) different, \(missing) missing, \(unexpected) unexpected\n"
        for difference in differences {
            let words = DifferenceText.words(expected: difference.expected, got: difference.got).map { ": \($0)" } ?? ""
            text += "line \(difference.line)\(words)\n  expected \(Self.cut(difference.expected))\n  got      \(Self.cut(difference.got))\n"
        }
        let rest = different + missing + unexpected - differences.count
        return rest > 0 ? text + "and \(rest) more\n" : text
    }

    private static func cut(_ line: String?) -> String {
        guard let line else { return "nothing" }
        return line.count > Comparing.lineMax ? line.prefix(Comparing.lineMax) + "…" : line
    }
}
