public import Vitals

/// The fields of a kind's form, as a person sent them.
public struct WrittenEntry: Sendable, Hashable {
    public var value = "", second = ""
    /// A name of the kind's ``EntryUnit``s; empty for the stored unit.
    public var unit = ""
    /// UTC; nil where it is no time.
    public var time: Milliseconds?
    /// UTC; nil where it is no time.
    public var end: Milliseconds?
    /// Whether anything stands in the field.
    public var hasTime = false, hasEnd = false

    public init() {}
}

/// A problem of one field of it. Texts stand in the file of each language, under the names of the cases.
public struct EntryProblem: Error, Sendable, Hashable {
    public enum Field: String, Sendable, Hashable {
        case value = "entryValue"
        case second = "entrySecond"
        case unit = "entryUnit"
        case time = "entryTime"
        case end = "entryEnd"
    }

    public enum Code: Sendable, Hashable {
        case missing
        case notANumber
        /// More digits behind the point than the kind tells apart; 0 for whole numbers.
        case tooExact(places: Int)
        /// In the unit that was chosen.
        case outside(ClosedRange<Double>, EntryUnit)
        /// The second value is above the first.
        case aboveFirst
        case notAChoice
        case notATime
        case inTheFuture
        case tooLongAgo
        case endBeforeStart
        /// Milliseconds.
        case tooLong(Milliseconds)
    }

    public let field: Field
    public let code: Code
}

/// All that is wrong with an entry, at most one problem a field; never empty.
public struct EntryProblems: Error, Sendable, Hashable {
    public let list: [EntryProblem]
}

/// Values that a person enters by hand (DATA-2). They go the way of what devices send, with ``Provenance/manual``: consent, quota, export and
/// deletion know no difference.
public struct ManualEntry: Sendable {
    private let devices: DeviceIngest
    private let now: @Sendable () -> Milliseconds

    /// The clock of a browser or a device may be ahead of the hub's by this, milliseconds.
    static let ahead: Milliseconds = 120_000

    public init(devices: DeviceIngest, now: @escaping @Sendable () -> Milliseconds) { (self.devices, self.now) = (devices, now) }

    /// Why a right entry was not stored.
    public enum Refusal: Error, Sendable, Hashable {
        /// As many values of the kind as are kept stand at that minute.
        case crowded
        case slowDown(seconds: Int)
        /// The person's data was deleted meanwhile.
        case gone
    }

    /// Stores what was written. The same entry again is stored once.
    /// - Returns: the sample, after it is durable.
    /// - Throws: ``EntryProblems``, ``Refusal``; ``StorageFailure`` when nothing could be stored.
    public func enter(_ written: WrittenEntry, _ kind: DataKind, of person: PersonID) async throws -> ScalarSample {
        let sample = try Self.sample(written, kind, now: now())
        do {
            guard try await devices.enter(sample, of: person) else { throw Refusal.crowded }
        } catch DeviceIngest.Refusal.gone { throw Refusal.gone } catch DeviceIngest.Refusal.slowDown(let seconds) {
            throw Refusal.slowDown(seconds: seconds)
        }
        return sample
    }

    /// Takes an entry back: what was entered of a kind at that time, and nothing of other sources. It is gone within seconds.
    /// - Parameters:
    ///   - time: of the sample that ``enter(_:_:of:)`` returned, or that stands in the list of typed values.
    ///   - others: streams in which it may stand beside that of the hub's page: a box has its own.
    /// - Throws: ``Refusal/gone``, or what the store throws.
    public func undo(
        _ kind: DataKind, at time: Milliseconds, of person: PersonID, by actor: AccountID, _ deletion: Deletion,
        also others: [StreamID] = []
    ) throws {
        let stream: StreamID
        do { stream = try devices.manualStream(of: person) } catch DeviceIngest.Refusal.gone { throw Refusal.gone }
        for stream in others.contains(stream) ? others : [stream] + others {
            _ = try deletion.deleteStream(stream, of: person, kinds: [kind], span: time...time, by: actor, now: now())
        }
    }

    /// Reads an entry by the row of its kind.
    /// - Throws: ``EntryProblems``: everything that is wrong, at once.
    static func sample(_ written: WrittenEntry, _ kind: DataKind, now: Milliseconds) throws(EntryProblems) -> ScalarSample {
        var reader = EntryReader(entry: kind.entry)
        let value = reader.value(written), second = reader.second(written)
        if let value, let second, kind.entry.second?.isLower == true, second > value { reader.fail(.second, .aboveFirst) }
        let (time, end) = reader.span(written, now: now)
        guard reader.problems.isEmpty, let value, let time,
            let sample = ScalarSample(kind, time: time, value: value, end: end, second: second)
        else {
            throw EntryProblems(list: reader.problems.isEmpty ? [EntryProblem(field: .value, code: .notAChoice)] : reader.problems)
        }
        return sample
    }
}

private struct EntryReader {
    let entry: KindEntry
    var problems: [EntryProblem] = []

    init(entry: KindEntry) { self.entry = entry }

    mutating func fail(_ field: EntryProblem.Field, _ code: EntryProblem.Code) { problems.append(.init(field: field, code: code)) }

    mutating func value(_ written: WrittenEntry) -> Int64? {
        if !entry.codes.isEmpty { return code(written.value, entry.codes, entry.range, .value) }
        guard let unit = chosen(written) else {
            fail(.unit, .notAChoice)
            return nil
        }
        return number(written.value, entry.range, unit, .value)
    }

    mutating func second(_ written: WrittenEntry) -> Int64? {
        guard let meaning = entry.second else { return nil }
        guard meaning.isRequired || !written.second.isEmpty else { return nil }
        if !meaning.codes.isEmpty { return code(written.second, meaning.codes, meaning.range, .second) }
        guard let unit = chosen(written) else { return nil }
        return number(written.second, meaning.range, unit, .second)
    }

    private func chosen(_ written: WrittenEntry) -> EntryUnit? {
        entry.entryUnits.first { written.unit.isEmpty || $0.name == written.unit }
    }

    private mutating func code(
        _ text: String, _ codes: [String], _ range: ClosedRange<Int64>, _ field: EntryProblem.Field
    ) -> Int64? {
        guard !text.isEmpty else {
            fail(field, .missing)
            return nil
        }
        guard let index = codes.firstIndex(of: text), range.contains(Int64(index)) else {
            fail(field, .notAChoice)
            return nil
        }
        return Int64(index)
    }

    private mutating func number(
        _ text: String, _ range: ClosedRange<Int64>, _ unit: EntryUnit, _ field: EntryProblem.Field
    ) -> Int64? {
        guard text.contains(where: { $0 != " " }) else {
            fail(field, .missing)
            return nil
        }
        guard let number = WrittenNumber(text) else {
            fail(field, .notANumber)
            return nil
        }
        guard number.places <= entry.places(in: unit) else {
            fail(field, .tooExact(places: entry.places(in: unit)))
            return nil
        }
        guard let value = entry.value(of: number.value, in: unit), range.contains(value) else {
            fail(field, .outside(entry.bounds(range, in: unit), unit))
            return nil
        }
        return value
    }

    /// Begin and end.
    mutating func span(_ written: WrittenEntry, now: Milliseconds) -> (Milliseconds?, Milliseconds?) {
        let time = instant(written.time, written.hasTime, isRequired: true, .time, now)
        let longest: Milliseconds
        switch entry.span {
        case .none: return (time, nil)
        case .optional(let max), .required(let max): longest = max
        }
        let isRequired = if case .required = entry.span { true } else { false }
        let end = instant(written.end, written.hasEnd, isRequired: isRequired, .end, now)
        if let time, let end {
            if end < time { fail(.end, .endBeforeStart) } else if end - time > longest { fail(.end, .tooLong(longest)) }
        }
        return (time, end)
    }

    private mutating func instant(
        _ time: Milliseconds?, _ isGiven: Bool, isRequired: Bool, _ field: EntryProblem.Field, _ now: Milliseconds
    ) -> Milliseconds? {
        guard isGiven || isRequired else { return nil }
        guard isGiven else {
            fail(field, .missing)
            return nil
        }
        guard let time else {
            fail(field, .notATime)
            return nil
        }
        guard time <= now + ManualEntry.ahead else {
            fail(field, .inTheFuture)
            return nil
        }
        guard time >= SampleLimits.earliest else {
            fail(field, .tooLongAgo)
            return nil
        }
        return time
    }
}
