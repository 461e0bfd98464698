import Testing
import Vitals

struct EntryUnitTests {
    @Test("DATA-2: what people write in their own unit is stored in the kind's resolution")
    func conversion() throws {
        func stored(_ kind: DataKind, _ text: String, _ unit: String) throws -> Int64? {
            let unit = try #require(kind.entry.entryUnits.first { $0.name == unit }), number = try #require(WrittenNumber(text))
            return kind.entry.value(of: number.value, in: unit)
        }
        #expect(try stored(.weight, "72.35", "kg") == 7235 && stored(.weight, "72,35", "kg") == 7235)
        #expect(try stored(.weight, "160", "[lb_av]") == 7257)
        #expect(
            try stored(.height, "1.755", "m") == 1755 && stored(.height, "175.5", "cm") == 1755 && stored(.height, "70", "[in_i]") == 1778)
        #expect(try stored(.bodyTemperature, "98.6", "[degF]") == 3700 && stored(.bodyTemperature, "36.7", "Cel") == 3670)
        #expect(try stored(.water, "0.25", "L") == 250 && stored(.nutritionEnergy, "8368", "kJ") == 20_000)
        #expect(try stored(.distance, "42.195", "km") == 421_950)
        #expect(DataKind.weight.entry.value(of: 1e300, in: EntryUnit.all(for: "kg")[0]) == nil)
    }

    @Test("DATA-2: the bounds of a unit are those of the stored one", arguments: KindEntry.entered)
    func bounds(kind: DataKind) {
        let entry = kind.entry
        #expect(entry.entryUnits.isEmpty == !entry.codes.isEmpty)
        for unit in entry.entryUnits {
            let bounds = entry.bounds(entry.range, in: unit)
            #expect(entry.value(of: bounds.lowerBound, in: unit) == entry.range.lowerBound, "\(unit.name)")
            #expect(entry.value(of: bounds.upperBound, in: unit) == entry.range.upperBound, "\(unit.name)")
            #expect(entry.places(in: unit) >= entry.decimals)
        }
        #expect(entry.entryUnits.first.map { $0.name == entry.unit } ?? true)
    }

    @Test("DATA-2: marks between thousands are seen as more digits than the kind has, and nothing else than digits is a number")
    func numbers() {
        #expect(WrittenNumber("1,200").map(\.places) == 3 && DataKind.nutritionEnergy.entry.places(in: EntryUnit.all(for: "kcal")[0]) == 1)
        #expect(WrittenNumber(" 12.5 ")?.value == 12.5 && WrittenNumber("-3")?.value == -3 && WrittenNumber("+3")?.places == 0)
        for text in [
            "", " ", ".", "1.", ".5", "1,234.5", "1e3", "12 kg", "0x10", "nan", "inf", "--1", "1 2", "12345678901234567", "½", "１２",
        ] {
            #expect(WrittenNumber(text) == nil, "\(text)")
        }
    }
}
