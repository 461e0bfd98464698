/// One value of a scalar kind: what it means, its unit and its bounds stand in the kind's ``KindEntry``.
public struct ScalarSample: Hashable, Sendable {
    public let kind: DataKind
    /// When it was measured or began, in the segment's clock domain.
    public var time: Milliseconds
    /// In the kind's resolution: 3672 of body temperature are 36.72 degrees; or one of its codes.
    public var value: Int64
    /// When a value with a span ended, not before ``time``: the 312 steps of ten minutes, an hour of deep sleep.
    public var end: Milliseconds?
    /// A second measured value: the diastolic pressure, whether an activity was indoors.
    public var second: Int64?

    /// - Returns: nil for a kind whose samples are not scalars: it has a column of its own.
    public init?(_ kind: DataKind, time: Milliseconds, value: Int64, end: Milliseconds? = nil, second: Int64? = nil) {
        guard kind.isScalar else { return nil }
        self.kind = kind
        self.time = time
        self.value = value
        self.end = end
        self.second = second
    }

    /// The violation of the table of kinds (DATA-3), in words for the sender; nil for nothing.
    public var problem: String? {
        let entry = kind.entry
        guard entry.range.contains(value) else { return "\(kind.name): \(value) is outside \(entry.range)" }
        switch (entry.second, second) {
        case (nil, nil): break
        case (nil, _?): return "\(kind.name): it has no second value"
        case (let wanted?, nil): if wanted.isRequired { return "\(kind.name): \(wanted.name) is missing" }
        case (let wanted?, let second?):
            guard wanted.range.contains(second) else { return "\(kind.name): \(wanted.name) \(second) is outside \(wanted.range)" }
            if wanted.isLower, second > value { return "\(kind.name): \(wanted.name) \(second) is above \(value)" }
        }
        let longest: Milliseconds
        switch (entry.span, end) {
        case (.none, nil), (.optional, nil): return nil
        case (.none, _?): return "\(kind.name): it is an instant and has no end"
        case (.required, nil): return "\(kind.name): the end is missing"
        case (.optional(let max), _?), (.required(let max), _?): longest = max
        }
        let (length, overflow) = (end ?? time).subtractingReportingOverflow(time)
        guard !overflow, (0...longest).contains(length) else { return "\(kind.name): its span is outside 0 to \(longest) ms" }
        return nil
    }
}
