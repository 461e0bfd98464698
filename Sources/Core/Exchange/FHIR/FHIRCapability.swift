/// The CapabilityStatement (FHIR R4) of a hub: what may be read and searched, and how.
public enum FHIRCapability {
    /// - Parameter base: the address of the FHIR interface, without a slash at its end.
    public static func json(base: String) -> [UInt8] {
        var quoted: [UInt8] = []
        quoted.append(json: base)
        let address = String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
        return Array(text(address).utf8)
    }

    private static func text(_ base: String) -> String {
        let kinds = FHIRKind.all.map { $0.display.lowercased() }.joined(separator: ", ")
        let profiles = FHIRKind.all.compactMap { $0.profile.map { "\"\($0)\"" } }.joined(separator: ",\n")
        let codes = FHIRKind.all.map { kind in
            kind.codes(base: base).map { "\($0.system)|\($0.code)" }.joined(separator: " or ") + " (\(kind.display.lowercased()))"
        }.joined(separator: ", ")
        let categories = FHIRKind.Category.allCases.map(\.rawValue).joined(separator: ", ")
        return """
            {"resourceType":"CapabilityStatement","url":"\(base)/metadata","name":"TrackMe","title":"TrackMe for organisations",
            "status":"active","date":"2026-11-23","publisher":"TrackMe","kind":"instance","software":{"name":"TrackMe hub"},
            "description":"Observations (\(kinds)) of people who agreed, under a pseudonym that each organisation has for itself.",
            "implementation":{"description":"This hub","url":"\(base)"},
            "fhirVersion":"4.0.1","format":["json","application/fhir+json"],
            "rest":[{"mode":"server",
            "security":{"service":[{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/restful-security-service","code":"OAuth",
            "display":"OAuth"}]}],"description":"A bearer token of the API for organisations (RFC 7523, private_key_jwt)."},
            "resource":[
            {"type":"Observation","supportedProfile":[\(profiles)],
            "documentation":"Of consents that last. A consent for one delivery is read as samples, outside of FHIR.",
            "interaction":[{"code":"read"},{"code":"search-type"}],
            "searchParam":[
            {"name":"patient","type":"reference","documentation":"Needed: the pseudonym."},
            {"name":"subject","type":"reference","documentation":"As patient."},
            {"name":"code","type":"token","documentation":"\(codes)."},
            {"name":"category","type":"token","documentation":"\(categories)."},
            {"name":"date","type":"date","documentation":"Twice at most; with eq, ge, gt, sa, le, lt, eb. Sorted by it with _sort=date or -date."}],
            "operation":[{"name":"events","definition":"\(base)/OperationDefinition/events",
            "documentation":"GET Observation/$events?consent=ID&cursor=CURSOR: what arrived behind the cursor while the consent held, in the order of arrival."}]},
            {"type":"Patient","documentation":"A pseudonym and nothing else.","interaction":[{"code":"read"}]},
            {"type":"Consent","documentation":"The organisation's own. A patient is named once they have agreed.",
            "interaction":[{"code":"read"},{"code":"search-type"}],
            "searchParam":[{"name":"patient","type":"reference"},{"name":"status","type":"token"}]},
            {"type":"MeasureReport","documentation":"Summaries of groups that the organisation asked about: one for each period and kind. They have no subject.",
            "interaction":[{"code":"read"},{"code":"search-type"}]}
            ]}]}

            """
    }
}
