/// A mistake in a scenario file: where, what, and what to write instead.
public struct ScenarioProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// From 1.
    public var line: Int
    public var what: String
    public var advice: String

    public var description: String { "line \(line): \(what). \(advice)." }
}
