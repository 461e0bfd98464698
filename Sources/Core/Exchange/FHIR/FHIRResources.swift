public import Vitals

/// A resource that is written whole.
public protocol FHIRResource: Sendable {
    /// The name of its type, as in its address.
    static var resourceType: String { get }
    var id: FHIRID { get }
    /// The resource as `GET [base]/[type]/[id]` answers it.
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    func json(base: String) -> [UInt8]
}

/// A Patient (FHIR R4) with nothing but a pseudonym: who reads it knows from the hub whom it means, or does not.
public struct FHIRPatient: FHIRResource {
    public static let resourceType = "Patient"
    public let id: FHIRID

    public init(_ pseudonym: FHIRID) { id = pseudonym }

    public func json(base: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"Patient\",\"id\":")
        json.append(json: id.description)
        json.append(",\"identifier\":[{\"system\":")
        json.append(json: base + "/identifier/pseudonym")
        json.append(",\"value\":")
        json.append(json: id.description)
        json.append("}]}")
        return json
    }
}

/// A Consent (FHIR R4, scope patient-privacy): what one person lets one organisation read, until when.
public struct FHIRConsent: FHIRResource {
    public static let resourceType = "Consent"

    /// `Consent.status` (required binding).
    public enum Status: String, Sendable, CaseIterable {
        /// Asked, not answered.
        case proposed
        case active
        /// Denied, or not answered in time.
        case rejected
        /// Ended, or revoked.
        case inactive
    }

    public var id: FHIRID
    public var status: Status
    /// The person's pseudonym; nil as long as nobody agreed: whether there is such a person is not told.
    public var patient: FHIRID?
    /// When it was given, denied or asked for, UTC.
    public var date: Milliseconds
    /// The organisation that may read: its id and its name.
    public var recipient: FHIRID
    public var recipientName: String
    /// Its stated purpose of the data.
    public var purpose: String
    public var kinds: Set<DataKind>
    /// From when to when it may read, UTC; nil is open.
    public var start: Milliseconds?
    public var end: Milliseconds?

    public init(
        id: FHIRID, status: Status, patient: FHIRID?, date: Milliseconds, recipient: FHIRID, recipientName: String, purpose: String,
        kinds: Set<DataKind>, start: Milliseconds?, end: Milliseconds?
    ) {
        (self.id, self.status, self.patient, self.date) = (id, status, patient, date)
        (self.recipient, self.recipientName, self.purpose) = (recipient, recipientName, purpose)
        (self.kinds, self.start, self.end) = (kinds, start, end)
    }

    private static let fixed: StaticString = """
        ,"scope":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/consentscope","code":"patient-privacy",\
        "display":"Privacy Consent"}]},"category":[{"coding":[{"system":"http://loinc.org","code":"59284-0",\
        "display":"Consent Document"}]}],"policyRule":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ActCode",\
        "code":"OPTIN","display":"opt-in"}]}
        """
    private static let role: StaticString = """
        {"coding":[{"system":"http://terminology.hl7.org/CodeSystem/v3-ParticipationType","code":"IRCP",\
        "display":"information recipient"}]}
        """
    private static let access: StaticString = """
        [{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/consentaction","code":"access","display":"Access"}]}]
        """

    public func json(base: String) -> [UInt8] {
        var json: [UInt8] = []
        json.append("{\"resourceType\":\"Consent\",\"id\":")
        json.append(json: id.description)
        json.append(",\"status\":")
        json.append(json: status.rawValue)
        json.append(Self.fixed)
        json.append(",\"patient\":")
        if let patient {
            json.append("{\"reference\":")
            json.append(json: "Patient/\(patient)")
            json.append("},\"performer\":[{\"reference\":")
            json.append(json: "Patient/\(patient)")
            json.append("}]")
        } else {
            // A consent about privacy has a patient (ppc-2).
            json.append("{\"type\":\"Patient\",\"display\":\"Whoever was asked\"}")
        }
        json.append(",\"dateTime\":")
        json.append(time: date)
        json.append(",\"provision\":")
        provision(base, &json)
        json.append("}")
        return json
    }

    private func provision(_ base: String, _ json: inout [UInt8]) {
        json.append("{\"type\":\"permit\"")
        if start != nil || end != nil {
            json.append(",\"period\":{")
            if let start {
                json.append("\"start\":")
                json.append(time: start)
            }
            if let end {
                json.append(start == nil ? "\"end\":" : ",\"end\":")
                json.append(time: end)
            }
            json.append("}")
        }
        json.append(",\"actor\":[{\"role\":")
        json.append(Self.role)
        json.append(",\"reference\":{\"type\":\"Organization\",\"identifier\":{\"system\":")
        json.append(json: base + "/identifier/organisation")
        json.append(",\"value\":")
        json.append(json: recipient.description)
        json.append("}")
        if !recipientName.isEmpty {
            json.append(",\"display\":")
            json.append(json: recipientName)
        }
        json.append("}}],\"action\":")
        json.append(Self.access)
        json.append(",\"purpose\":[{\"display\":")
        json.append(json: purpose)
        json.append("}],\"class\":[{\"system\":\"http://hl7.org/fhir/resource-types\",\"code\":\"Observation\"}]")
        codes(base, &json)
        json.append("}")
    }

    /// The codes of the Observations that may be read.
    private func codes(_ base: String, _ json: inout [UInt8]) {
        let granted = FHIRKind.all.filter { kinds.contains($0.kind) }
        guard !granted.isEmpty else { return }
        json.append(",\"code\":[")
        for (index, kind) in granted.enumerated() {
            if index > 0 { json.append(",") }
            json += kind.concept(base: base)
        }
        json.append("]")
    }
}

extension [UInt8] {
    /// UTC milliseconds as a JSON string.
    fileprivate mutating func append(time: Milliseconds) {
        var utc = UTCText()
        append("\"")
        utc.append(time, to: &self)
        append("\"")
    }
}
