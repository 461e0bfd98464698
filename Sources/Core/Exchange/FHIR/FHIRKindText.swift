internal import Vitals

/// Text that every Observation of one kind repeats.
struct FHIRKindText: Sendable {
    /// The beginning of its id.
    let prefix: [UInt8]
    /// `"profile":["…"]`, empty without one.
    let profile: [UInt8]
    /// Status, category, code and subject.
    let head: [UInt8]
    /// How the values of a scalar kind are written.
    let first: FHIRValueText, second: FHIRValueText?
    /// Whether the first value is a component, too.
    let isPanel: Bool

    init(_ known: FHIRKind, base: String, subject: [UInt8], detail: FHIRDetail) {
        prefix = Array(FHIRObservationID.prefix(known.kind, detail).utf8)
        profile = known.profile.map { Array("\"profile\":[\"\($0)\"]".utf8) } ?? []
        let entry = known.kind.entry
        var head = Array(",\"status\":\"final\"".utf8)
        if let category = known.category {
            head.append(",\"category\":[")
            head += FHIRCodes.concept([.init(system: FHIRKind.Category.system, code: category.rawValue, display: category.display)])
            head.append("]")
        }
        head.append(",\"code\":")
        head += known.concept(base: base)
        self.head = head + subject
        isPanel = known.vitalSign?.isPanel == true
        first = FHIRValueText(known.vitalSign?.first ?? entry.name, loinc: entry.loinc, codes: entry.codes, entry, base)
        second = entry.second.map { FHIRValueText($0.name, loinc: $0.loinc, codes: $0.codes, entry, base) }
    }
}

/// How one value of a scalar kind is written.
struct FHIRValueText: Sendable {
    private let name: String, base: String
    /// Its CodeableConcept where it is a component.
    let code: [UInt8]
    private let places: Int
    /// The text behind the number of a Quantity.
    private let unit: [UInt8]
    /// Names of the values, where they are codes.
    private let codes: [String]

    init(_ name: String, loinc: String?, codes: [String], _ entry: KindEntry, _ base: String) {
        (self.name, self.codes, self.base, places) = (name, codes, base, entry.decimals)
        let display = FHIRKind.display(name)
        let own = FHIRCoding(system: FHIRCodes.system("observation", base), code: name, display: display)
        code = FHIRCodes.concept([loinc.map { FHIRCoding(system: FHIRCodes.loinc, code: $0) } ?? own], text: display)
        var unit: [UInt8] = []
        unit.append(",\"unit\":")
        unit.append(json: entry.unit)
        unit.append(",\"system\":")
        unit.append(quoted: FHIRCodes.ucum)
        unit.append(",\"code\":")
        unit.append(json: entry.unit)
        unit.append("}")
        self.unit = unit
    }

    /// The element for a value, behind a comma: a Quantity, or a code of the hub's own CodeSystem of the value's name.
    func append(_ value: Int64, to buffer: inout [UInt8]) {
        guard codes.isEmpty else {
            let code = ScalarSample.name(of: value, codes)
            let coding = FHIRCoding(system: FHIRCodes.system(name, base), code: code, display: FHIRKind.display(code))
            buffer.append(",\"valueCodeableConcept\":")
            buffer += FHIRCodes.concept([coding], text: FHIRKind.display(code))
            return
        }
        buffer.append(",\"valueQuantity\":{\"value\":")
        buffer.append(fixed: value, places: places)
        buffer += unit
    }
}
