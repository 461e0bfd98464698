internal import Vitals

/// Units as Apple Health (HKUnit) and UCUM write them, by the unit in which a kind is stored.
struct ImportUnit: Sendable {
    /// Number of stored units in one of this unit.
    let factor: Double
    /// Zero of this unit, in the stored unit.
    var zero = 0.0

    /// Nil for a unit that does not measure the same.
    init?(_ name: String, storedIn unit: String) {
        guard let found = Self.units[unit]?[name] else { return nil }
        self = found
    }

    private init(_ factor: Double, zero: Double = 0) { (self.factor, self.zero) = (factor, zero) }

    /// A number in this unit, in the resolution of a kind.
    func value(_ number: Double, _ entry: KindEntry) -> Int64? {
        let scale = (0..<entry.decimals).reduce(1.0) { scale, _ in scale * 10 }
        return Int64(exactly: ((number * factor + zero) * scale).rounded())
    }

    private static let units: [String: [String: ImportUnit]] = [
        "kg": same(["kg"]).merging(
            [
                "g": .init(0.001), "mg": .init(0.000_001), "lb": .init(pound), "[lb_av]": .init(pound), "st": .init(pound * 14),
                "oz": .init(pound / 16), "[oz_av]": .init(pound / 16),
            ], uniquingKeysWith: { $1 }),
        "cm": lengths.mapValues { .init($0 * 100) },
        "m": lengths.mapValues { .init($0) },
        "Cel": same(["Cel", "degC"]).merging(
            [
                "degF": .init(5.0 / 9, zero: -160.0 / 9), "[degF]": .init(5.0 / 9, zero: -160.0 / 9), "K": .init(1, zero: -273.15),
            ], uniquingKeysWith: { $1 }),
        "kcal": same(["kcal", "Cal", "[Cal]"]).merging(
            ["cal": .init(0.001), "kJ": .init(1 / 4.184), "J": .init(1 / 4184)], uniquingKeysWith: { $1 }),
        "mL": volumes.mapValues { .init($0) },
        "%": same(["%"]),
        "mm[Hg]": same(["mmHg", "mm[Hg]"]).merging(["kPa": .init(1 / 0.133_322_387_415)], uniquingKeysWith: { $1 }),
        "{steps}": same(["count", "{steps}", "{step}", "{#}", "{count}", "1", "steps"]),
        "/min": same(["count/min", "/min", "1/min", "{beats}/min", "{beat}/min", "{Beats}/min", "beats/minute", "beats/min", "bpm"])
            .merging(["count/s": .init(60), "/s": .init(60), "Hz": .init(60)], uniquingKeysWith: { $1 }),
        "m/s": same(["m/s"]).merging(
            [
                "km/hr": .init(1 / 3.6), "km/h": .init(1 / 3.6), "mi/hr": .init(mile / 3600), "[mi_i]/h": .init(mile / 3600),
            ], uniquingKeysWith: { $1 }),
        "h": same(["h", "hr"]).merging(["min": .init(1.0 / 60), "s": .init(1.0 / 3600)], uniquingKeysWith: { $1 }),
    ]

    private static let pound = 0.453_592_37
    private static let mile = 1609.344
    private static let lengths: [String: Double] = [
        "m": 1, "km": 1000, "cm": 0.01, "mm": 0.001, "mi": mile, "[mi_i]": mile, "ft": 0.3048, "[ft_i]": 0.3048, "in": 0.0254,
        "[in_i]": 0.0254, "yd": 0.9144, "[yd_i]": 0.9144,
    ]
    private static let volumes: [String: Double] = [
        "mL": 1, "ml": 1, "cL": 10, "dL": 100, "L": 1000, "l": 1000, "fl_oz_us": 29.573_529_562_5, "[foz_us]": 29.573_529_562_5,
        "fl_oz_imp": 28.413_062_5, "[foz_br]": 28.413_062_5, "cup_us": 236.588_236_5, "[cup_us]": 236.588_236_5,
        "cup_imp": 284.130_625, "pt_us": 473.176_473, "[pt_us]": 473.176_473, "pt_imp": 568.261_25, "[pt_br]": 568.261_25,
    ]

    private static func same(_ names: [String]) -> [String: ImportUnit] {
        Dictionary(uniqueKeysWithValues: names.map { ($0, ImportUnit(1)) })
    }
}
