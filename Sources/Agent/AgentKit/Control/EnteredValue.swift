/// A value that a person enters in place of a sensor (DATA-2), with ``ControlRequest/Action/enter``.
public struct EnteredValue: Codable, Sendable, Hashable {
    /// A kind of data by its name in the table of kinds, such as `weight`.
    public var kind: String
    /// A number, or a word for kinds that have words.
    public var value: String
    /// Of kinds with two values, such as the diastolic blood pressure.
    public var second: String?
    /// UCUM; nil for the kind's own.
    public var unit: String?
    /// UTC milliseconds: when it was measured, or began; nil for now.
    public var time: Int64?
    /// UTC milliseconds, of kinds with a span.
    public var end: Int64?

    public init(kind: String, value: String, second: String? = nil, unit: String? = nil, time: Int64? = nil, end: Int64? = nil) {
        (self.kind, self.value, self.second, self.unit, self.time, self.end) = (kind, value, second, unit, time, end)
    }
}
