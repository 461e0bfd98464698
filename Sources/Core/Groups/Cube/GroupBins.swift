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
    /// How many values a class holds, in the resolution.
    public let width: Int64
    /// A usual mean, in the resolution: for plans, which say an error before there is data.
    public let typical: Int64

    private init(_ kind: DataKind, _ first: Int64, width: Int64, typical: Int64, unit: String? = nil) {
        (self.kind, self.first, self.width, self.typical) = (kind, first, width, typical)
        self.unit = unit ?? kind.entry.unit
        decimals = unit == nil ? kind.entry.decimals : 0
    }

    /// The classes of a kind; nil for one that is not grouped. Positions have a ``PositionGrid`` instead.
    public init?(_ kind: DataKind) {
        switch kind {
        case .heartRate: self.init(kind, 40, width: 5, typical: 72)
        case .rrIntervals: self.init(kind, 400, width: 50, typical: 850)
        case .bodyTemperature: self.init(kind, 3_500, width: 25, typical: 3_670)
        case .steps: self.init(kind, 0, width: 1_500, typical: 7_000)
        case .cadence: self.init(kind, 400, width: 100, typical: 1_200)
        case .distance: self.init(kind, 0, width: 10_000, typical: 50_000)
        case .speed: self.init(kind, 0, width: 50, typical: 200)
        case .weight: self.init(kind, 1_000, width: 750, typical: 7_200)
        case .height: self.init(kind, 800, width: 75, typical: 1_690)
        case .bloodPressure: self.init(kind, 80, width: 8, typical: 124)
        case .oxygenSaturation: self.init(kind, 840, width: 10, typical: 965)
        case .activeEnergy: self.init(kind, 0, width: 1_000, typical: 4_500)
        case .restingEnergy: self.init(kind, 8_000, width: 1_000, typical: 15_500)
        case .standHours: self.init(kind, 0, width: 1, typical: 10)
        case .sleep: self.init(kind, 180, width: 30, typical: 420, unit: "min")
        case .nutritionEnergy: self.init(kind, 5_000, width: 2_500, typical: 21_000)
        case .water: self.init(kind, 0, width: 250, typical: 1_600)
        case .activity: self.init(kind, 0, width: 15, typical: 45, unit: "min")
        case .position: self.init(kind, 0, width: 1, typical: 7, unit: "")
        case .energyExpended, .event, .flaggedEvent, .gap, .clock, .ecg: return nil
        }
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
