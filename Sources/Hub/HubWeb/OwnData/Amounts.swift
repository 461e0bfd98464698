import Foundation
import HubServices
import Vitals

/// Values of scalar kinds in words, all from the kind's row.
extension Texts {
    /// A UCUM unit as people write it; itself where no text says otherwise.
    func unit(_ name: String) -> String { find("unit.\(name)") ?? name }

    /// The name of a coded value; as exports write it where no text says otherwise.
    func code(_ kind: DataKind, _ name: String) -> String { find("code.\(kind.name)_\(name)") ?? name }

    /// The same in the units of the table of kinds: as values are entered, and sent to programs.
    var inTableUnits: Texts {
        var texts = self
        let hasNoon = measures.hasNoon
        texts.measures = Measures()
        texts.measures.hasNoon = hasNoon
        return texts
    }

    /// A distance in the reader's unit: `4.2 km`, `850 m`, `2.61 mi`.
    func distance(_ metres: Double) -> String {
        measures.hasMiles ? "\(decimal((metres / Measures.mile * 100).rounded() / 100, 2)) mi" : kilometres(metres)
    }

    /// `72.50 kg`, `160.0 lb`, `120 / 80 mmHg`, `deep sleep`, in the reader's unit.
    func amount(_ sample: ScalarSample) -> String {
        let entry = sample.kind.entry, stored = Double(sample.value) * sample.kind.scale
        if sample.kind == .height, measures.hasInches { return Measures.feet(stored) }
        if let own = measures.unit(of: sample.kind) { return "\(decimal(own.value(stored), own.decimals)) \(own.name)" }
        func text(_ value: Int64, _ codes: [String]) -> String {
            guard codes.isEmpty else {
                return codes.indices.contains(Int(clamping: value)) ? code(sample.kind, codes[Int(clamping: value)]) : String(value)
            }
            return value.text(places: entry.decimals).replacingOccurrences(of: ".", with: self["date.decimal"])
        }
        let first = text(sample.value, entry.codes), second = sample.second.map { text($0, entry.second?.codes ?? []) }
        guard entry.codes.isEmpty else { return ([first] + [second].compactMap(\.self)).joined(separator: ", ") }
        return ([first] + [second].compactMap(\.self)).joined(separator: " / ") + (entry.unit.isEmpty ? "" : " \(unit(entry.unit))")
    }

    /// From when to when a value is, or at which instant.
    func span(_ sample: ScalarSample) -> String {
        sample.end.map { filled("entry.span", ["from": instant(sample.time), "to": instant($0)]) } ?? instant(sample.time)
    }
}
