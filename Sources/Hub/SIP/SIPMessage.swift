/// The contents of one request: a SIP MESSAGE (RFC 3428), or OPTIONS, which carries nothing.
public struct SIPMessage: Sendable {
    /// One body, or one of several.
    public struct Part: Sendable {
        public var mediaType: String
        public var bytes: [UInt8]
        /// How headers name it (`cid:`); without angle brackets.
        public var contentID: String?

        public init(mediaType: String, bytes: [UInt8], contentID: String? = nil) {
            (self.mediaType, self.bytes, self.contentID) = (mediaType.headerSafe, bytes, contentID?.headerSafe)
        }
    }

    /// The recipient: `urn:service:sos`, `sip:alarm@control.example`.
    public var requestURI: String
    /// The sender: a SIP URI that a receiver can answer to.
    public var from: String
    public var parts: [Part]
    var method = "MESSAGE"
    /// Beside those that every request has.
    var headers: [SIPHeader] = []
    /// Whether the receiver is to answer with a message of its own, which is waited for if its 2xx has no body (SCAIP).
    var expectsAnswer = false

    /// A plain message.
    public init(requestURI: String, from: String, parts: [Part]) {
        (self.requestURI, self.from, self.parts) = (requestURI.headerSafe, from.headerSafe, parts)
    }

    /// An emergency call without a conversation (RFC 8876): the alarm as CAP, and the position beside it (RFC 6442).
    /// - Parameters:
    ///   - cap: the alarm in CAP 1.2.
    ///   - location: a PIDF-LO, where there is a position.
    ///   - isDrill: goes to `urn:service:test.sos` (RFC 6881, 17) instead of `urn:service:sos`.
    ///   - from: the SIP URI of the sender.
    ///   - id: unique for this message, of letters and digits; names the parts.
    public static func emergency(cap: [UInt8], location: [UInt8]?, isDrill: Bool, from: String, id: String) -> SIPMessage {
        let domain = from.split(separator: "@").last.map { $0.prefix { $0 != ";" && $0 != ":" && $0 != ">" } } ?? "trackme.invalid"
        let alert = "alert-\(id)@\(domain)".headerSafe, place = "place-\(id)@\(domain)".headerSafe
        var message = SIPMessage(
            requestURI: isDrill ? "urn:service:test.sos" : "urn:service:sos", from: from,
            parts: [Part(mediaType: "application/EmergencyCallData.cap+xml", bytes: cap, contentID: alert)])
        message.headers = [
            SIPHeader("Call-Info", "<cid:\(alert)>;purpose=EmergencyCallData.cap"), SIPHeader("Accept", "text/plain, multipart/mixed"),
        ]
        if let location {
            message.parts.append(Part(mediaType: "application/pidf+xml", bytes: location, contentID: place))
            message.headers += [
                SIPHeader("Geolocation", "<cid:\(place)>"), SIPHeader("Geolocation-Routing", "yes"), SIPHeader("Supported", "geolocation"),
            ]
        }
        return message
    }

    /// An alarm in SCAIP (SS 91100) to one control room.
    public static func scaip(_ xml: [UInt8], to requestURI: String, from: String) -> SIPMessage {
        var message = SIPMessage(
            requestURI: requestURI, from: from, parts: [Part(mediaType: "application/scaip+xml", bytes: xml)])
        message.headers = [SIPHeader("Accept", "application/scaip+xml")]
        message.expectsAnswer = true
        return message
    }

    /// Asks whether anybody answers there (RFC 3261, 11).
    static func options(to target: SIPTarget, from: String) -> SIPMessage {
        let scheme = target.transport.token == "TLS" ? "sips" : "sip"
        var message = SIPMessage(requestURI: "\(scheme):\(target.authority)", from: from, parts: [])
        message.method = "OPTIONS"
        return message
    }

    /// Body and its type: none, the only part, or all of them (RFC 2046, 5.1.3). `boundary` stands in none of the parts.
    func body(boundary: String) -> (headers: [SIPHeader], bytes: [UInt8]) {
        guard !parts.isEmpty else { return ([], []) }
        guard parts.count != 1 else {
            let part = parts[0]
            let id = part.contentID.map { [SIPHeader("Content-ID", "<\($0)>")] } ?? []
            return (id + [SIPHeader("Content-Type", part.mediaType)], part.bytes)
        }
        var bytes: [UInt8] = []
        for part in parts {
            bytes += Array("--\(boundary)\r\nContent-Type: \(part.mediaType)\r\n".utf8)
            if let id = part.contentID { bytes += Array("Content-ID: <\(id)>\r\n".utf8) }
            bytes += Array("\r\n".utf8) + part.bytes + Array("\r\n".utf8)
        }
        return ([SIPHeader("Content-Type", "multipart/mixed; boundary=\(boundary)")], bytes + Array("--\(boundary)--\r\n".utf8))
    }
}
