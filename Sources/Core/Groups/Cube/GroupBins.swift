public import Vitals

/// The 16 classes into which a person's value of a kind falls: equally wide, fixed for good, so that nobody's data decides about them.
///
/// A value below the first class counts in the first, one above the last in the last. docs/groups.md lists them.
public struct GroupBins: Sendable, Hashable {
    public static let count = 16

    public let kind: DataKind
    /// UCUM; of ``first`` and ``width``, once divided by 10^``decimals``.
    public let unit: String
    public let decimals: Int
    /// The lowest value of the first class, in the resolution.
    public let first: Int64
    /// Width of a class, in the resolution.
    public let width: Int64
    /// A usual mean, in the resolution: for plans, which say an error before there is data.
    public let typical: Int64

    /// The classes of a kind; nil for one that is not grouped. Positions have a ``PositionGrid`` instead.
    public init?(_ kind: DataKind) {
        let entry = kind.entry
        guard let classes = entry.classes else { return nil }
        (self.kind, first, width, typical) = (kind, classes.first, classes.width, classes.typical)
        (unit, decimals) = (classes.unit ?? entry.unit, classes.unit == nil ? entry.decimals : 0)
    }

    /// Kinds that have classes.
    public static let kinds: [DataKind] = DataKind.allCases.filter { GroupBins($0) != nil }

    /// Kinds that may have a share of the budget: nothing puts a person into one of the places of positions, so that a share would buy nothing.
    public static let counted: [DataKind] = kinds.filter { $0 != .position }

    /// Whether classes are in an order that has a mean: those of positions are places.
    public var isOrdered: Bool { kind != .position }

    /// The class of a value in the resolution.
    public func bin(of value: Int64) -> Int {
        Int(max(0, min(Int64(Self.count - 1), (min(max(value, first), first + width * Int64(Self.count)) - first) / width)))
    }

    /// A place on the axis of classes as a value in ``unit``: 0 is the lower edge of the first class, 16 the upper edge of the last.
    ///
    /// Values are whole numbers of the resolution: an edge lies half of one below the first value of its class.
    public func value(at place: Double) -> Double { (Double(first) - 0.5 + place * Double(width)) / scale }

    /// The middle of a class in ``unit``.
    public func middle(of bin: Int) -> Double { value(at: Double(bin) + 0.5) }

    /// The width of a class in ``unit``.
    public var step: Double { Double(width) / scale }

    /// The edge next to a value in ``unit``, as the first class above it: 1 to 15. A question for a share above a value becomes one for
    /// the share from that class on.
    public func edge(nearest value: Double) -> Int {
        let place = ((value * scale - Double(first)) / Double(width)).rounded()
        return Int(min(Double(Self.count - 1), max(1, place.isNaN ? 1 : place)))
    }

    /// The lowest value of a class in ``unit``, as it is written.
    public func lowest(of bin: Int) -> Double { Double(first + Int64(bin) * width) / scale }

    private var scale: Double { (0..<decimals).reduce(1.0) { product, _ in product * 10 } }
}
