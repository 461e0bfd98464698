public import Vitals

/// Kinds of data in what is stored of consents, policies, offers and ledgers.
///
/// They are written by name, and mean just these kinds. Release 0.3.0 wrote numbers, and meant by each what it held then: heart rate with RR
/// intervals and energy, events with those that a device flagged. So what was granted keeps its content, and no kind of a later version is
/// ever added to it. Names that this version does not know are left out: less is granted, never more.
@propertyWrapper
public struct StoredKinds: Sendable, Hashable, Codable {
    public var wrappedValue: Set<DataKind>

    public init(wrappedValue: Set<DataKind>) { self.wrappedValue = wrappedValue }

    /// - Throws: `DecodingError` for what is no list of names or numbers.
    public init(from decoder: any Decoder) throws {
        var list = try decoder.unkeyedContainer()
        wrappedValue = []
        while !list.isAtEnd {
            if let number = try? list.decode(UInt8.self) {
                wrappedValue.formUnion(DataKind(rawValue: number)?.contentIn030 ?? [])
            } else if let kind = DataKind(name: try list.decode(String.self)) {
                wrappedValue.insert(kind)
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var list = encoder.unkeyedContainer()
        for kind in DataKind.allCases where wrappedValue.contains(kind) { try list.encode(kind.name) }
    }
}

extension DataKind {
    /// The meaning of the kind in release 0.3.0: the kind with its parts of then.
    public var contentIn030: Set<DataKind> {
        switch self {
        case .heartRate: [.heartRate, .rrIntervals, .energyExpended]
        case .event: [.event, .flaggedEvent]
        default: [self]
        }
    }
}

extension Set<DataKind> {
    /// These with the kinds whose parts they are: RR intervals tell the heart rate, so whoever asks for them asks for both, and it is said.
    public var withWholes: Set<DataKind> { union(map(\.column)) }
}
