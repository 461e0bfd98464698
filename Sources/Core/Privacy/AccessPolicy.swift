public import Vitals

/// Which kinds of a person's data may ever be asked for, and by whom (CONS-13). It keeps questions away; what runs, runs on.
public struct AccessPolicy: Sendable, Hashable, Codable {
    /// The kinds that anybody may ask for; an empty set means that nobody may ask.
    @StoredKinds public var anybody: Set<DataKind>
    /// The kinds that some may ask for instead: fewer kinds, more, or none.
    public var exceptions: [Reader: Set<DataKind>] {
        get { apart.mapValues(\.wrappedValue) }
        set { apart = newValue.mapValues(StoredKinds.init(wrappedValue:)) }
    }
    private var apart: [Reader: StoredKinds]

    private enum CodingKeys: String, CodingKey {
        case anybody
        case apart = "exceptions"
    }

    /// By default everything may be asked for: to ask is not to get.
    public init(anybody: Set<DataKind> = Set(DataKind.allCases), exceptions: [Reader: Set<DataKind>] = [:]) {
        _anybody = StoredKinds(wrappedValue: anybody)
        apart = exceptions.mapValues(StoredKinds.init(wrappedValue:))
    }

    /// Whether the person may be asked: one kind that may not be asked for keeps the whole question away.
    public func allows(_ scope: ConsentScope) -> Bool { scope.kinds.isSubset(of: exceptions[scope.asker] ?? anybody) }
}
