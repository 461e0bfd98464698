public import Vitals

/// Writes strips as FHIR R4 Observations: a component for each lead, with SampledData in microvolts, coded as the specification's example of
/// an ECG is (LOINC 11524-6, ISO/IEEE 11073-10101).
public enum FHIRECG {
    /// MDC_ECG_ELEC_POTL; a standard lead adds its ``Vitals/ECGLeadName/number``.
    static let potential = 131_328
    private static let mdc: StaticString = "urn:oid:2.16.840.1.113883.6.24"

    /// One Observation.
    /// - Parameters:
    ///   - id: of the resource.
    ///   - patient: whom it is about; nil leaves the subject out.
    public static func observation(_ strip: ECGStrip, id: FHIRID, patient: FHIRID?) -> [UInt8] {
        var buffer: [UInt8] = []
        append(strip, id: id, patient: patient, to: &buffer)
        return buffer
    }

    /// A Bundle of the type `collection`: its beginning, ``entry(_:patient:isFirst:)`` for each strip, and ``bundleEnd``.
    public static func bundleBegin(created: Milliseconds) -> [UInt8] {
        var buffer: [UInt8] = [], utc = UTCText()
        buffer.append("{\"resourceType\":\"Bundle\",\"type\":\"collection\",\"timestamp\":\"")
        utc.append(created, to: &buffer)
        // A list without anything in it is no FHIR: whoever has no strip writes no Bundle.
        buffer.append("\",\"entry\":[")
        return buffer
    }

    /// One strip of a Bundle.
    public static func entry(_ named: NamedECGStrip, patient: FHIRID?, isFirst: Bool) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.append(isFirst ? "\n{\"resource\":" : ",\n{\"resource\":")
        append(named.strip, id: named.id, patient: patient, to: &buffer)
        buffer.append("}")
        return buffer
    }

    /// The text behind the last strip of a Bundle.
    public static let bundleEnd = Array("\n]}\n".utf8)

    private static func append(_ strip: ECGStrip, id: FHIRID, patient: FHIRID?, to buffer: inout [UInt8]) {
        var utc = UTCText()
        buffer.append("{\"resourceType\":\"Observation\",\"id\":")
        buffer.append(json: id.description)
        buffer.append(",\"status\":\"final\",\"category\":[{\"coding\":[{\"system\":")
        buffer.append(json: FHIRKind.Category.system)
        buffer.append(",\"code\":\"procedure\",\"display\":\"Procedure\"}]}],\"code\":{\"coding\":[{\"system\":\"http://loinc.org\",")
        buffer.append("\"code\":\"11524-6\",\"display\":\"EKG study\"},{\"system\":")
        buffer.append(quoted: mdc)
        buffer.append(",\"code\":\"131328\",\"display\":\"MDC_ECG_ELEC_POTL\"}],\"text\":\"ECG\"}")
        if let patient {
            buffer.append(",\"subject\":{\"reference\":")
            buffer.append(json: "Patient/\(patient)")
            buffer.append("}")
        }
        buffer.append(",\"effectiveDateTime\":\"")
        utc.append(strip.time, to: &buffer)
        buffer.append("\"")
        if let source = strip.source {
            buffer.append(",\"device\":{\"display\":")
            buffer.append(json: source)
            buffer.append("}")
        }
        if let said = strip.said {
            // No `interpretation`: that is where a clinician's reading stands.
            buffer.append(",\"note\":[{\"text\":")
            buffer.append(json: "Said by the device, no diagnosis: \(said)")
            buffer.append("}]")
        }
        for (index, lead) in strip.leads.enumerated() {
            buffer.append(index == 0 ? ",\"component\":[" : ",")
            append(lead, strip.millihertz, to: &buffer)
        }
        buffer.append("]}")
    }

    private static func append(_ lead: ECGStrip.Lead, _ millihertz: Int, to buffer: inout [UInt8]) {
        buffer.append("{\"code\":{\"coding\":[{\"system\":")
        buffer.append(quoted: mdc)
        buffer.append(",\"code\":\"")
        buffer.append(number: potential + (lead.name.number ?? 0))
        buffer.append("\",\"display\":")
        buffer.append(json: "MDC_ECG_ELEC_POTL" + (lead.name.number == nil ? "" : "_\(lead.name.description.uppercased())"))
        buffer.append("}]")
        if !lead.name.description.isEmpty {
            buffer.append(",\"text\":")
            buffer.append(json: lead.name.description)
        }
        buffer.append("},\"valueSampledData\":{\"origin\":{\"value\":0,\"unit\":\"uV\",\"system\":")
        buffer.append(quoted: FHIRCodes.ucum)
        buffer.append(",\"code\":\"uV\"},\"period\":")
        // Milliseconds with six decimals: 1.953125 at 512 Hz.
        buffer.append(fixed: (2_000_000_000_000 + Int64(millihertz)) / (2 * Int64(millihertz)), places: 6)
        buffer.append(",\"dimensions\":1,\"data\":\"")
        for (index, value) in lead.values.enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: " ")) }
            if let value { buffer.append(number: value) } else { buffer.append(UInt8(ascii: "E")) }
        }
        buffer.append("\"}}")
    }
}
