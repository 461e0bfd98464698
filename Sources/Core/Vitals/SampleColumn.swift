/// A sample at an instant.
public protocol TimedSample: Hashable, Sendable {
    var time: Milliseconds { get }
    /// Moves it to another axis: what it holds beside its time on the same axis moves along.
    mutating func move(to time: Milliseconds)
}

extension HeartRateSample: TimedSample {
    public mutating func move(to time: Milliseconds) { self.time = time }
}

extension PositionSample: TimedSample {
    public mutating func move(to time: Milliseconds) { self.time = time }
}

extension StateEvent: TimedSample {
    public mutating func move(to time: Milliseconds) { self.time = time }
}

extension GapRecord: TimedSample {
    public mutating func move(to time: Milliseconds) { self.time = time }
}

extension ClockRecord: TimedSample {
    public mutating func move(to time: Milliseconds) { self.time = time }
}

extension ScalarSample: TimedSample {
    public mutating func move(to time: Milliseconds) {
        end = end.map { $0 &+ (time &- self.time) }
        self.time = time
    }
}

/// One column of a ``SampleSet``. Whoever takes in a whole set goes through ``SampleSet/columns`` and switches over them without a
/// `default`: a column that nobody handles does not compile.
public enum SampleColumn: Hashable, Sendable {
    case heartRates([HeartRateSample])
    case positions([PositionSample])
    case events([StateEvent])
    case gaps([GapRecord])
    case clocks([ClockRecord])
    /// Of one kind.
    case scalars(DataKind, [ScalarSample])
    case unknown([UnknownColumn])
}

/// An edit that treats all samples with a time alike: sort them, shift them, take some out. See ``SampleSet/edit(_:)``.
public protocol SampleEdit {
    mutating func edit<Sample: TimedSample>(_ samples: inout [Sample])
}

extension SampleSet {
    /// The columns that hold something, scalars by kind. The order of the samples is kept.
    public var columns: [SampleColumn] {
        var columns: [SampleColumn] = []
        if !heartRates.isEmpty { columns.append(.heartRates(heartRates)) }
        if !positions.isEmpty { columns.append(.positions(positions)) }
        if !events.isEmpty { columns.append(.events(events)) }
        if !gaps.isEmpty { columns.append(.gaps(gaps)) }
        if !clocks.isEmpty { columns.append(.clocks(clocks)) }
        columns += scalars.byKind.map { .scalars($0.kind, $0.samples) }
        if !unknown.isEmpty { columns.append(.unknown(unknown)) }
        return columns
    }

    /// Goes through all columns whose samples have a time: through all but the unknown ones. Scalars are edited together, whatever their kind.
    @inlinable
    public mutating func edit(_ edit: inout some SampleEdit) {
        edit.edit(&heartRates)
        edit.edit(&positions)
        edit.edit(&events)
        edit.edit(&gaps)
        edit.edit(&clocks)
        edit.edit(&scalars)
    }
}

extension [ScalarSample] {
    /// By kind in the order of their numbers, each in the order in which it stands here.
    public var byKind: [(kind: DataKind, samples: [ScalarSample])] {
        guard let first else { return [] }
        if allSatisfy({ $0.kind == first.kind }) { return [(first.kind, self)] }
        return Dictionary(grouping: self, by: \.kind).sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}
