internal import Logging
internal import SampleBuffer
internal import SyncProtocol
internal import Vitals

/// A person enters a value at the box (DATA-2). It is on the disk before the answer, as entered by hand, and goes to the hub with the rest.
@BoxActor
final class EntryRequests {
    /// A time may be ahead of the box's clock by this, milliseconds.
    private static let ahead: Milliseconds = 120_000

    private let context: BoxContext
    private let recorder: Recorder

    init(_ context: BoxContext, _ recorder: Recorder) { (self.context, self.recorder) = (context, recorder) }

    func perform(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard let entry = request.entry else {
            throw AgentProblem("The request does not say what was measured", advice: "Give a kind and a value, such as: weight 72.5")
        }
        let person = try context.identity.person(request.person), sample = try sample(entry)
        do { try await recorder.enter(sample, of: person.person) } catch {
            throw AgentProblem("The value was not kept: \(error)", advice: "Try again when the disk takes samples, or enter it at the hub")
        }
        context.logger.notice("a value was entered by hand")
        let unit = sample.kind.entry.codes.isEmpty ? " \(entry.unit ?? sample.kind.entry.unit)" : ""
        let second = entry.second.map { " / \($0)" } ?? ""
        return ControlReply(isDone: true, message: "Recorded for \(person.name): \(entry.kind) \(entry.value)\(second)\(unit)")
    }

    private func sample(_ entry: EnteredValue) throws(AgentProblem) -> ScalarSample {
        guard let kind = DataKind(name: entry.kind), KindEntry.entered.contains(kind) else {
            let names = KindEntry.entered.map(\.name).sorted().joined(separator: ", ")
            throw AgentProblem("There is no kind \"\(entry.kind.prefix(40))\" that can be entered", advice: "Give one of: \(names)")
        }
        let row = kind.entry, value = try number(entry.value, row.range, row.codes, entry, row), time = try instant(entry.time)
        var second: Int64?
        if let meaning = row.second {
            guard let written = entry.second ?? (meaning.isRequired ? "" : nil) else { return try made(kind, time, value, nil, entry) }
            second = try number(written, meaning.range, meaning.codes, entry, row)
            if meaning.isLower, let second, second > value {
                throw AgentProblem("The second value is above the first", advice: "Give the higher one first")
            }
        }
        return try made(kind, time, value, second, entry)
    }

    private func made(
        _ kind: DataKind, _ time: Milliseconds, _ value: Int64, _ second: Int64?, _ entry: EnteredValue
    ) throws(AgentProblem) -> ScalarSample {
        let longest: Milliseconds
        switch kind.entry.span {
        case .none: longest = 0
        case .optional(let max), .required(let max): longest = max
        }
        let end = longest > 0 ? try entry.end.map { written throws(AgentProblem) in try instant(written) } : nil
        if case .required = kind.entry.span, end == nil {
            throw AgentProblem("\(kind.name) has an end", advice: "Give it with --end, as 2026-11-27T07:00:00Z")
        }
        if let end, end < time || end - time > longest {
            throw AgentProblem("The end is before the begin, or too long after it", advice: "Check --at and --end")
        }
        guard let sample = ScalarSample(kind, time: time, value: value, end: end, second: second) else {
            throw AgentProblem("\(kind.name) cannot be entered", advice: "Enter another kind")
        }
        return sample
    }

    private func number(
        _ text: String, _ range: ClosedRange<Int64>, _ codes: [String], _ entry: EnteredValue, _ row: KindEntry
    ) throws(AgentProblem) -> Int64 {
        guard codes.isEmpty else {
            guard let index = codes.firstIndex(of: text), range.contains(Int64(index)) else {
                let advice = "Give one of: \(codes.joined(separator: ", "))"
                throw AgentProblem("\"\(text.prefix(40))\" is no value of \(entry.kind)", advice: advice)
            }
            return Int64(index)
        }
        guard let unit = row.entryUnits.first(where: { $0.name == entry.unit ?? row.unit }) else {
            let names = row.entryUnits.map(\.name).joined(separator: ", ")
            throw AgentProblem("There is no unit \"\((entry.unit ?? "").prefix(20))\" of \(entry.kind)", advice: "Give one of: \(names)")
        }
        let bounds = row.bounds(range, in: unit), advice = "Give a number from \(bounds.lowerBound) to \(bounds.upperBound) \(unit.name)"
        guard let written = WrittenNumber(text), written.places <= row.places(in: unit),
            let value = row.value(of: written.value, in: unit), range.contains(value)
        else { throw AgentProblem("\"\(text.prefix(40))\" is no value of \(entry.kind)", advice: advice) }
        return value
    }

    private func instant(_ written: Milliseconds?) throws(AgentProblem) -> Milliseconds {
        let now = context.clock.utc(), time = written ?? now
        guard (SampleLimits.earliest...now + Self.ahead).contains(time) else {
            let advice = "Give it as 2026-11-27T07:00:00Z, and check the box's clock"
            throw AgentProblem("The time is in the future, or before 2000", advice: advice)
        }
        return time
    }
}
