/// Where a stream's samples come from (design rule 11). Only ``live`` can call anybody, enter a baseline or the protected state;
/// groups count everything but ``replay`` and ``drill``.
public enum Provenance: UInt8, Sendable, Hashable, Codable, CaseIterable {
    case live = 0
    case replay = 1
    case `import` = 2
    case drill = 3
    /// Somebody typed it on a page of the hub.
    case manual = 4
}

extension Provenance: WireWord {
    /// Whoever calls for help is helped.
    public static let unknown = Provenance.live
    public var nearestIn030: Provenance {
        switch self {
        case .live, .replay, .import, .drill: self
        // It calls nobody either, and counts as data.
        case .manual: .import
        }
    }
}
