internal import Vitals

/// Parts that are coded the same way in every resource.
package enum FHIRCodes {
    static let ucum: StaticString = "http://unitsofmeasure.org"
    package static let heartRate: StaticString = """
        {"coding":[{"system":"http://loinc.org","code":"8867-4","display":"Heart rate"}],"text":"Heart rate"}
        """
    package static let bodyTemperature: StaticString = """
        {"coding":[{"system":"http://loinc.org","code":"8310-5","display":"Body temperature"}],"text":"Body temperature"}
        """
    /// ISO/IEEE 11073-10101 (MDC_ECG_TIME_PD_RR_GL): LOINC has no code for the intervals of a chest strap.
    static let interval: StaticString = """
        {"coding":[{"system":"urn:iso:std:iso:11073:10101","code":"147240","display":"MDC_ECG_TIME_PD_RR_GL"}],"text":"RR interval"}
        """
    package static let vitalSigns: StaticString = """
        [{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/observation-category","code":"vital-signs",\
        "display":"Vital Signs"}]}]
        """
    /// The sensor was not worn, so nothing was measured: never 0.
    static let notPerformed: StaticString = """
        {"coding":[{"system":"http://terminology.hl7.org/CodeSystem/data-absent-reason","code":"not-performed",\
        "display":"Not Performed"}],"text":"The sensor had no skin contact"}
        """
    /// A drill, or a recording played again.
    package static let test: StaticString = """
        "tag":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActReason","code":"HTEST","display":"test health data"}]
        """

    static let loinc = "http://loinc.org"
    /// A value of a panel that is not there.
    static let unknown: StaticString = """
        {"coding":[{"system":"http://terminology.hl7.org/CodeSystem/data-absent-reason","code":"unknown","display":"Unknown"}]}
        """

    /// A CodeSystem of the hub's own.
    static func system(_ name: String, _ base: String) -> String { "\(base)/CodeSystem/\(name)" }

    /// A CodeableConcept of the hub's own.
    static func own(_ code: String, _ display: String, _ base: String) -> [UInt8] {
        concept([FHIRCoding(system: system("observation", base), code: code, display: display)], text: display)
    }

    /// A CodeableConcept (R4, datatypes).
    static func concept(_ codings: [FHIRCoding], text: String? = nil) -> [UInt8] {
        var concept: [UInt8] = []
        for (index, coding) in codings.enumerated() {
            concept.append(index == 0 ? "{\"coding\":[{\"system\":" : ",{\"system\":")
            concept.append(json: coding.system)
            concept.append(",\"code\":")
            concept.append(json: coding.code)
            if let display = coding.display {
                concept.append(",\"display\":")
                concept.append(json: display)
            }
            concept.append("}")
        }
        concept.append("]")
        if let text {
            concept.append(",\"text\":")
            concept.append(json: text)
        }
        concept.append("}")
        return concept
    }
}

/// A Coding (R4, datatypes).
struct FHIRCoding {
    let system: String, code: String
    var display: String?
}

/// A unit as people read it and as UCUM codes it.
package struct FHIRUnit: Sendable {
    let text: StaticString, code: StaticString

    package static let perMinute = FHIRUnit(text: "beats/minute", code: "/min")
    static let milliseconds = FHIRUnit(text: "ms", code: "ms")
    static let degrees = FHIRUnit(text: "degrees", code: "deg")
    static let metres = FHIRUnit(text: "m", code: "m")
    package static let degreesCelsius = FHIRUnit(text: "degrees C", code: "Cel")
    static let metresPerSecond = FHIRUnit(text: "m/s", code: "m/s")
}

/// The parts of a position, as components of its Observation.
struct FHIRPositionPart: Sendable {
    let code: String, display: String, unit: FHIRUnit, places: Int
    let value: @Sendable (PositionSample) -> Int32?

    static let all = [
        FHIRPositionPart(code: "latitude", display: "Latitude (WGS 84)", unit: .degrees, places: 7) { $0.latitude },
        FHIRPositionPart(code: "longitude", display: "Longitude (WGS 84)", unit: .degrees, places: 7) { $0.longitude },
        FHIRPositionPart(code: "altitude", display: "Altitude above mean sea level", unit: .metres, places: 1) { $0.altitude },
        FHIRPositionPart(code: "speed", display: "Speed over ground", unit: .metresPerSecond, places: 2) { $0.speed },
        FHIRPositionPart(code: "course", display: "Course clockwise from true north", unit: .degrees, places: 2) { $0.course },
        FHIRPositionPart(code: "horizontal-error", display: "Estimated horizontal error", unit: .metres, places: 1) { $0.horizontalError },
    ]
}

extension [UInt8] {
    /// A Quantity (R4, datatypes).
    package mutating func append(quantity value: Int64, places: Int, _ unit: FHIRUnit) {
        append("{\"value\":")
        append(fixed: value, places: places)
        append(",\"unit\":")
        append(quoted: unit.text)
        append(",\"system\":")
        append(quoted: FHIRCodes.ucum)
        append(",\"code\":")
        append(quoted: unit.code)
        append(UInt8(ascii: "}"))
    }

    /// A SampledData (R4, datatypes): values with a blank between them, `E` where there is none. `period`: milliseconds from one to the next.
    mutating func append(sampled values: some Sequence<Int64?>, period: Int64, places: Int, _ unit: FHIRUnit) {
        append("{\"origin\":")
        append(quantity: 0, places: 0, unit)
        append(",\"period\":")
        append(number: period)
        append(",\"dimensions\":1,\"data\":\"")
        for (index, value) in values.enumerated() {
            if index > 0 { append(UInt8(ascii: " ")) }
            if let value { append(fixed: value, places: places) } else { append(UInt8(ascii: "E")) }
        }
        append("\"}")
    }
}
