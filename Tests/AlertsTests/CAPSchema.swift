/// The rules of CAP 1.2 (OASIS Standard, 1 July 2010, chapter 3.2) that a schema can hold, in our own words: which elements there are, in
/// which order, how often, with which values. It is not the schema of OASIS, which is not at hand where this is built.
let capRules = """
    <?xml version="1.0" encoding="UTF-8"?>
    <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns="urn:oasis:names:tc:emergency:cap:1.2"
        targetNamespace="urn:oasis:names:tc:emergency:cap:1.2" elementFormDefault="qualified">
      <xs:simpleType name="moment"><xs:restriction base="xs:dateTime">
        <xs:pattern value="\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[-+]\\d\\d:\\d\\d"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="token"><xs:restriction base="xs:string"><xs:pattern value="[^\\s,&lt;&amp;]+"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="reference"><xs:restriction base="xs:string">
        <xs:pattern value="([^\\s,]+,[^\\s,]+,\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[-+]\\d\\d:\\d\\d)( [^\\s,]+,[^\\s,]+,[-+:T\\d]+)*"/>
        </xs:restriction></xs:simpleType>
      <xs:simpleType name="circle"><xs:restriction base="xs:string">
        <xs:pattern value="-?\\d{1,2}\\.\\d+,-?\\d{1,3}\\.\\d+ \\d+(\\.\\d+)?"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="text"><xs:restriction base="xs:string"><xs:minLength value="1"/></xs:restriction></xs:simpleType>
      <xs:simpleType name="headline"><xs:restriction base="text"><xs:maxLength value="160"/></xs:restriction></xs:simpleType>
      \(choice("status", ["Actual", "Exercise", "System", "Test", "Draft"]))
      \(choice("msgType", ["Alert", "Update", "Cancel", "Ack", "Error"]))
      \(choice("scope", ["Public", "Restricted", "Private"]))
      \(choice("category", ["Geo", "Met", "Safety", "Security", "Rescue", "Fire", "Health", "Env", "Transport", "Infra", "CBRNE", "Other"]))
      \(choice(
        "responseType", ["Shelter", "Evacuate", "Prepare", "Execute", "Avoid", "Monitor", "Assess", "AllClear", "None"]))
      \(choice("urgency", ["Immediate", "Expected", "Future", "Past", "Unknown"]))
      \(choice("severity", ["Extreme", "Severe", "Moderate", "Minor", "Unknown"]))
      \(choice("certainty", ["Observed", "Likely", "Possible", "Unlikely", "Unknown"]))
      <xs:element name="alert"><xs:complexType><xs:sequence>
        \(one("identifier", "token"))\(one("sender", "token"))\(one("sent", "moment"))\(one("status", "status"))
        \(one("msgType", "msgType"))\(maybe("source", "text"))\(one("scope", "scope"))\(maybe("restriction", "text"))
        \(maybe("addresses", "text"))\(many("code", "text"))\(maybe("note", "text"))\(maybe("references", "reference"))
        \(maybe("incidents", "text"))\(many("info", "info"))
      </xs:sequence></xs:complexType></xs:element>
      <xs:complexType name="info"><xs:sequence>
        \(maybe("language", "xs:language"))<xs:element name="category" type="category" maxOccurs="unbounded"/>\(one("event", "text"))
        \(many("responseType", "responseType"))\(one("urgency", "urgency"))\(one("severity", "severity"))\(one("certainty", "certainty"))
        \(maybe("audience", "text"))\(many("eventCode", "pair"))\(maybe("effective", "moment"))\(maybe("onset", "moment"))
        \(maybe("expires", "moment"))\(maybe("senderName", "text"))\(maybe("headline", "headline"))\(maybe("description", "text"))
        \(maybe("instruction", "text"))\(maybe("web", "xs:anyURI"))\(maybe("contact", "text"))\(many("parameter", "pair"))
        \(many("area", "area"))
      </xs:sequence></xs:complexType>
      <xs:complexType name="pair"><xs:sequence>\(one("valueName", "text"))\(one("value", "text"))</xs:sequence></xs:complexType>
      <xs:complexType name="area"><xs:sequence>
        \(one("areaDesc", "text"))\(many("polygon", "text"))\(many("circle", "circle"))\(many("geocode", "pair"))
        \(maybe("altitude", "xs:decimal"))\(maybe("ceiling", "xs:decimal"))
      </xs:sequence></xs:complexType>
    </xs:schema>
    """

private func one(_ name: String, _ type: String) -> String { "<xs:element name=\"\(name)\" type=\"\(type)\"/>" }
private func maybe(_ name: String, _ type: String) -> String { "<xs:element name=\"\(name)\" type=\"\(type)\" minOccurs=\"0\"/>" }
private func many(_ name: String, _ type: String) -> String {
    "<xs:element name=\"\(name)\" type=\"\(type)\" minOccurs=\"0\" maxOccurs=\"unbounded\"/>"
}
private func choice(_ name: String, _ values: [String]) -> String {
    "<xs:simpleType name=\"\(name)\"><xs:restriction base=\"xs:string\">"
        + values.map { "<xs:enumeration value=\"\($0)\"/>" }.joined() + "</xs:restriction></xs:simpleType>"
}
