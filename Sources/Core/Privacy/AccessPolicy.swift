public import Vitals

/// Which kinds of a person's data may ever be asked for, and by whom (CONS-13). It keeps questions away; what runs, runs on.
public struct AccessPolicy: Sendable, Hashable, Codable {
    /// What anybody may ask for; nothing at all means that nobody may ask.
    public var anybody: Set<DataKind>
    /// What some may ask for instead: fewer kinds, more, or none.
    public var exceptions: [Reader: Set<DataKind>]

    public init(anybody: Set<DataKind> = Set(DataKind.allCases), exceptions: [Reader: Set<DataKind>] = [:]) {
        self.anybody = anybody
        self.exceptions = exceptions
    }

    /// Whether the person may be asked: one kind that may not be asked for keeps the whole question away.
    public func allows(_ scope: ConsentScope) -> Bool { scope.kinds.isSubset(of: exceptions[scope.asker] ?? anybody) }
}
