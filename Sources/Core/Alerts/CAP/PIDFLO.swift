internal import Exchange
internal import Languages
internal import Vitals

/// A position as a Presence Information Data Format Location Object (RFC 4119, profile of RFC 5491).
public enum PIDFLO {
    public static let mediaType = "application/pidf+xml"
    /// For how long after it was sent a receiver may keep the position, in milliseconds (RFC 4119, 2.2.2 `retention-expiry`).
    static let retention: Milliseconds = 24 * 3_600_000

    /// Nil without a position.
    public static func xml(_ record: SOSRecord) -> [UInt8]? {
        guard let position = record.place.position else { return nil }
        var document = XMLDocument()
        document.element(
            "presence",
            attributes: [
                "xmlns": "urn:ietf:params:xml:ns:pidf", "xmlns:dm": "urn:ietf:params:xml:ns:pidf:data-model",
                "xmlns:gp": "urn:ietf:params:xml:ns:pidf:geopriv10",
                "xmlns:gbp": "urn:ietf:params:xml:ns:pidf:geopriv10:basicPolicy", "xmlns:gml": "http://www.opengis.net/gml",
                "xmlns:gs": "http://www.opengis.net/pidflo/1.0", "entity": "pres:\(record.incident)@trackme.invalid",
            ]
        ) { presence in
            let notes = [
                record.isDrill ? Language.english.words[.drill] : nil, record.placeTime == nil ? Language.english.words.age(record) : nil,
            ].compactMap(\.self)
            if !notes.isEmpty { presence.element("note", notes.joined(separator: ". "), attributes: ["xml:lang": "en"]) }
            presence.element("dm:device", attributes: ["id": "p1"]) { device in
                device.element("gp:geopriv") { geopriv(&$0, position, record) }
                device.element("dm:deviceID", "urn:trackme:\(record.incident)")
                device.element("dm:timestamp", record.placeTime.map { SOSTime(utc: $0).text })
            }
        }
        return document.bytes
    }

    private static func geopriv(_ geopriv: inout XMLDocument, _ position: PositionSample, _ record: SOSRecord) {
        geopriv.element("gp:location-info") { location in
            let point = "\(position.latitudeText) \(position.longitudeText)", system = "urn:ogc:def:crs:EPSG::4326"
            if let radius = position.accuracyMetres {
                location.element("gs:Circle", attributes: ["srsName": system]) {
                    $0.element("gml:pos", point)
                    $0.element("gs:radius", "\(radius)", attributes: ["uom": "urn:ogc:def:uom:EPSG::9001"])
                }
            } else {
                location.element("gml:Point", attributes: ["srsName": system]) { $0.element("gml:pos", point) }
            }
        }
        geopriv.element("gp:usage-rules") {
            // The receiver of an emergency hands it on to those who go there.
            $0.element("gbp:retransmission-allowed", "true")
            // By a clock that may stand in 1970 it would be over before it arrives.
            if record.isClockTrusted { $0.element("gbp:retention-expiry", SOSTime(utc: record.sentAt.utc + retention).text) }
        }
        geopriv.element("gp:method", method(position.source))
    }

    /// IANA's registry of method tokens.
    private static func method(_ source: PositionSource) -> String {
        switch source {
        case .gnss: "GPS"
        case .fixed: "Manual"
        case .network: "802.11"
        }
    }
}
