public import Vitals

/// A kind of data whose samples are Observations, as FHIR R4 names it. Of scalars everything is taken from the table of kinds
/// (``KindEntry``), so that a further one needs no code here.
public struct FHIRKind: Sendable {
    /// `Observation.category` (HL7's observation-category).
    public enum Category: String, Sendable, CaseIterable {
        case vitalSigns = "vital-signs"
        case activity

        /// The CodeSystem of all of them.
        public static let system = "http://terminology.hl7.org/CodeSystem/observation-category"

        var display: String {
            switch self {
            case .vitalSigns: "Vital Signs"
            case .activity: "Activity"
            }
        }
    }

    /// The person of the samples.
    public let kind: DataKind
    /// `Body temperature`, in English as all displays.
    public let display: String
    /// LOINC codes of the whole Observation, that of the profile first.
    public let loinc: [String]
    /// The code in the hub's own CodeSystem `BASE/CodeSystem/observation`; nil where there is none.
    public let own: String?
    /// Nil where HL7 has none that means it: a position, food and drink.
    public let category: Category?
    let vitalSign: FHIRVitalSign?

    /// Heart rate, position, then the exported scalars by their numbers.
    public static let all = DataKind.allCases.compactMap { FHIRKind($0) }

    /// One more than the highest number of a kind.
    static let numbers = Int(DataKind.allCases.map(\.rawValue).max() ?? 0) + 1

    /// Nil for a kind whose samples are no Observations: events and gaps are about the box, and parts stand in the Observations of others.
    public init?(_ kind: DataKind) {
        let entry = kind.entry
        guard entry.uses.contains(.exported), kind.isScalar || kind == .heartRate || kind == .position else { return nil }
        self.kind = kind
        display = FHIRKind.display(entry.name)
        vitalSign = entry.loinc.flatMap { FHIRVitalSign.byLOINC[$0] }
        loinc = [vitalSign?.code, vitalSign?.isPanel == true || vitalSign?.code == entry.loinc ? nil : entry.loinc].compactMap(\.self)
        // Heart rates are named as release 0.3.0 named them.
        own = kind.isScalar || entry.loinc == nil ? entry.name : nil
        category = vitalSign != nil ? .vitalSigns : entry.isActivity ? .activity : nil
    }

    /// By which codes a search finds its Observations.
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    public func codes(base: String) -> [(system: String, code: String)] {
        loinc.map { (FHIRCodes.loinc, $0) } + (own.map { [(FHIRCodes.system("observation", base), $0)] } ?? [])
    }

    /// The address of the profile that its Observations follow; nil where R4 has none.
    public var profile: String? { vitalSign.map { "http://hl7.org/fhir/StructureDefinition/\($0.profile)" } }

    /// Its code as a CodeableConcept.
    func concept(base: String) -> [UInt8] {
        switch kind {
        case .heartRate: Array(FHIRCodes.heartRate.description.utf8)
        default:
            FHIRCodes.concept(
                codes(base: base).map { FHIRCoding(system: $0.system, code: $0.code, display: $0.code == own ? display : nil) },
                text: display)
        }
    }

    /// `body_temperature` as people read it.
    static func display(_ name: String) -> String { name.prefix(1).uppercased() + name.dropFirst().replacing("_", with: " ") }
}

/// A vital sign for which R4 has a profile (observation-vitalsigns): whoever observes one follows it.
struct FHIRVitalSign: Sendable {
    let profile: String
    /// The LOINC code that the profile asks for.
    let code: String
    /// The name of the first value where all values are components, and the Observation has none of its own.
    var first: String?

    var isPanel: Bool { first != nil }

    /// By the LOINC code of the table of kinds: the profile's own, and codes that say more than it, or a part of its panel.
    static let byLOINC: [String: FHIRVitalSign] = [
        "9279-1": FHIRVitalSign(profile: "resprate", code: "9279-1"),
        "8867-4": FHIRVitalSign(profile: "heartrate", code: "8867-4"),
        "2708-6": FHIRVitalSign(profile: "oxygensat", code: "2708-6"),
        "59408-5": FHIRVitalSign(profile: "oxygensat", code: "2708-6"),
        "8310-5": FHIRVitalSign(profile: "bodytemp", code: "8310-5"),
        "8302-2": FHIRVitalSign(profile: "bodyheight", code: "8302-2"),
        "9843-4": FHIRVitalSign(profile: "headcircum", code: "9843-4"),
        "29463-7": FHIRVitalSign(profile: "bodyweight", code: "29463-7"),
        "39156-5": FHIRVitalSign(profile: "bmi", code: "39156-5"),
        "8480-6": FHIRVitalSign(profile: "bp", code: "85354-9", first: "systolic"),
    ]
}
