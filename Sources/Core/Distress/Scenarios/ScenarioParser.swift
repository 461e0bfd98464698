import Vitals

extension Scenario {
    /// Reads a scenario file; `docs/detection.md` describes the form.
    public init(text: String) throws(ScenarioProblem) {
        var parser = ScenarioParser()
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            try parser.take(line, number: number)
        }
        self = try parser.finish(lines: number)
    }
}

/// One line after the other.
struct ScenarioParser {
    typealias Words = ArraySlice<Substring>

    /// A series of a month at one a second fits three times.
    static let eventsMax = 8_000_000

    var scenario = Scenario()
    var number = 0
    private var sequence: UInt64 = 0
    private var endAt: Milliseconds?
    /// As an event changed them; the scenario's own are those of its beginning.
    var changed: DistressSettings?
    private var last: Scenario.Timed?
    static let stream = StreamID(high: 0, low: 2)

    mutating func take(_ line: Substring, number: Int) throws(ScenarioProblem) {
        self.number = number
        let said = line.prefix { $0 != "#" }
        let words = said.split { $0 == " " || $0 == "\t" || $0 == "\r" }[...]
        guard let first = words.first else { return }
        let rest = words.dropFirst()
        if first == "expect" { return try expect(rest) }
        guard let digit = first.utf8.first, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return try setting(first, rest) }
        try event(first, rest)
    }

    mutating func finish(lines: Int) throws(ScenarioProblem) -> Scenario {
        guard let last = scenario.events.map(\.time).max() else {
            throw ScenarioProblem(
                line: max(lines, 1), what: "Nothing happens in this scenario", advice: "Write a line such as `0:00-1:00 heart 72`")
        }
        scenario.end = max(endAt ?? last, last)
        scenario.sort()
        return scenario
    }

    func problem(_ what: String, _ advice: String) -> ScenarioProblem { ScenarioProblem(line: number, what: what, advice: advice) }

    // MARK: - Times and numbers

    /// `h:mm:ss`, `m:ss` or seconds, with a fraction.
    func time(_ text: Substring) throws(ScenarioProblem) -> Milliseconds {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let wrong = problem("`\(text)` is no time", "Write m:ss, h:mm:ss or seconds, such as 0:05 or 1:02:03.5")
        guard (1...3).contains(parts.count), let seconds = parts.last.flatMap({ Double($0) }), seconds >= 0, seconds < 1e9 else {
            throw wrong
        }
        if parts.count > 1, seconds >= 60 { throw wrong }
        var minutes: Milliseconds = 0
        for part in parts.dropLast() {
            guard let value = UInt32(part) else { throw wrong }
            minutes = minutes * 60 + Milliseconds(value)
        }
        return minutes * 60_000 + Milliseconds((seconds * 1000).rounded())
    }

    func number(_ text: Substring?, _ what: String, in range: ClosedRange<Double>) throws(ScenarioProblem) -> Double {
        guard let text, let value = Double(text), range.contains(value) else {
            throw problem(
                "\(what) `\(text ?? "")` is missing or out of range",
                "Write a number from \(Self.short(range.lowerBound)) to \(Self.short(range.upperBound))")
        }
        return value
    }

    private static func short(_ value: Double) -> String { value == value.rounded() ? "\(Int(value))" : "\(value)" }

    /// At one time, or each second from the first to the last one. `share` runs from 0 to 1.
    private func times(_ text: Substring) throws(ScenarioProblem) -> [(time: Milliseconds, share: Double)] {
        let ends = text.split(separator: "-")
        guard let first = ends.first, ends.count <= 2 else { throw problem("`\(text)` is no time", "Write 0:05, or 0:05-0:30") }
        let from = try time(first)
        guard ends.count == 2 else { return [(from, 0)] }
        let to = try time(ends[1])
        guard to > from, (to - from) / 1000 + Milliseconds(scenario.events.count) < Milliseconds(Self.eventsMax) else {
            throw problem("`\(text)` ends before it begins, or is too long", "Write the earlier time first, and no more than a month")
        }
        return stride(from: from, through: to, by: 1000).map { ($0, Double($0 - from) / Double(to - from)) }
    }

    // MARK: - Events

    private mutating func event(_ when: Substring, _ words: Words) throws(ScenarioProblem) {
        guard let name = words.first else { throw problem("Nothing happens at \(when)", "Write what, such as `heart 72`") }
        let rest = words.dropFirst()
        if name == "end" {
            endAt = try time(when)
            return
        }
        if name == "again" { return try again(when) }
        for (time, share) in try times(when) {
            let event = try made(String(name), rest, at: time, share)
            guard scenario.events.count < Self.eventsMax else { throw problem("The scenario is too long", "Split it") }
            last = Timed(time: time, event: event)
            scenario.events.append(Timed(time: time, event: event))
        }
    }

    private typealias Timed = Scenario.Timed

    /// The same sample, delivered once more.
    private mutating func again(_ when: Substring) throws(ScenarioProblem) {
        guard let last else {
            throw problem("There is nothing to deliver again", "Write `again` behind the line whose last sample it repeats")
        }
        for (time, _) in try times(when) { scenario.events.append(Timed(time: time, event: last.event)) }
    }

    mutating func key(_ kind: DataKind) -> SampleKey {
        sequence += 1
        return SampleKey(stream: Self.stream, sequence: sequence, kind: kind, index: 0)
    }
}
