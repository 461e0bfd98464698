/// A unit in which people write values of a kind, beside the one in which they are stored.
public struct EntryUnit: Sendable, Hashable {
    /// UCUM.
    public let name: String
    /// Number of stored units in one of this unit.
    public let factor: Double
    /// Zero of this unit, in the stored unit.
    public let zero: Double

    init(_ name: String, factor: Double = 1, zero: Double = 0) { (self.name, self.factor, self.zero) = (name, factor, zero) }

    /// By the stored unit, which is one of them by itself.
    private static let others: [String: [EntryUnit]] = [
        "kg": [EntryUnit("[lb_av]", factor: 0.453_592_37)],
        "cm": [EntryUnit("m", factor: 100), EntryUnit("[in_i]", factor: 2.54)],
        "m": [EntryUnit("km", factor: 1000), EntryUnit("[mi_i]", factor: 1609.344)],
        "Cel": [EntryUnit("[degF]", factor: 5.0 / 9, zero: -160.0 / 9)],
        "kcal": [EntryUnit("kJ", factor: 1 / 4.184)],
        "mL": [EntryUnit("L", factor: 1000)],
    ]

    /// All in which a kind with this unit can be written, the stored one first.
    public static func all(for unit: String) -> [EntryUnit] { [EntryUnit(unit)] + (others[unit] ?? []) }
}

extension KindEntry {
    /// The kinds that a person may enter by hand instead of a sensor: the scalar kinds whose row names ``Source/manual``.
    public static let entered: [DataKind] = DataKind.scalars.filter { $0.entry.sources.contains(.manual) }

    /// In which units a person can write a value; none for codes.
    public var entryUnits: [EntryUnit] { codes.isEmpty ? EntryUnit.all(for: unit) : [] }

    private var scale: Double { (0..<decimals).reduce(1) { scale, _ in scale * 10 } }

    /// Number of decimals that can be told apart in a unit. `1,200` of a kind with one decimal is 1200 to whoever wrote it: more
    /// digits are refused, not rounded.
    public func places(in unit: EntryUnit) -> Int {
        var places = decimals, factor = unit.factor
        while factor >= 10 { (places, factor) = (places + 1, factor / 10) }
        return places
    }

    /// A number in a unit, rounded to the kind's resolution.
    /// - Returns: nil for one that is not finite or beyond all that can be stored.
    public func value(of number: Double, in unit: EntryUnit) -> Int64? {
        Int64(exactly: ((number * unit.factor + unit.zero) * scale).rounded())
    }

    /// The range of a value in a unit.
    public func bounds(_ range: ClosedRange<Int64>, in unit: EntryUnit) -> ClosedRange<Double> {
        func number(_ value: Int64) -> Double { (Double(value) / scale - unit.zero) / unit.factor }
        return number(range.lowerBound)...number(range.upperBound)
    }
}

/// A number as a person writes it.
public struct WrittenNumber: Sendable, Hashable {
    public let value: Double
    /// Digits behind the point or comma.
    public let places: Int

    /// Longer texts are no numbers of a person's body.
    static let charactersMax = 16

    /// Digits with one point or comma between them, with a sign or without; blanks around it do not count.
    /// - Returns: nil for anything else, such as `1,234.5`, `1e3` and `12 kg`.
    public init?(_ text: some StringProtocol) {
        let blank = UInt8(ascii: " "), bare = Array(Array(text.utf8.drop { $0 == blank }.reversed()).drop { $0 == blank }.reversed())
        guard (1...Self.charactersMax).contains(bare.count) else { return nil }
        let isSigned = bare.first.map { "+-".utf8.contains($0) } == true, digits = bare.dropFirst(isSigned ? 1 : 0)
        let parts = digits.split(omittingEmptySubsequences: false) { ".,".utf8.contains($0) }
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (48...57).contains($0) } }),
            let value = Double(String(decoding: bare.map { $0 == UInt8(ascii: ",") ? UInt8(ascii: ".") : $0 }, as: UTF8.self))
        else { return nil }
        (self.value, places) = (value, parts.count == 2 ? parts[1].count : 0)
    }
}
