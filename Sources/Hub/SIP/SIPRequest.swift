/// One header of a request.
struct SIPHeader: Sendable, Equatable {
    let name: String, value: String

    init(_ name: String, _ value: String) { (self.name, self.value) = (name, value.headerSafe) }
}

/// The shared part of the transactions of one message, and the own part of each (RFC 3261, 8.1.1).
struct SIPIdentity: Sendable {
    var callID: String
    var tag: String
    var sequence: UInt32 = 1
    var branch: String

    /// `random` gives 64 random bits at a time.
    init(random: () -> UInt64) {
        func text() -> String { String(random(), radix: 36) + String(random(), radix: 36) }
        (callID, tag, branch) = (text(), text(), Self.cookie + text())
    }

    /// For the next request of the same message.
    mutating func next(random: () -> UInt64) {
        sequence += 1
        branch = Self.cookie + String(random(), radix: 36) + String(random(), radix: 36)
    }

    /// RFC 3261, 8.1.1.7: how a branch of this protocol begins.
    private static let cookie = "z9hG4bK"
}

/// A request as bytes.
struct SIPRequest: Sendable {
    let message: SIPMessage
    let target: SIPTarget
    /// For the first request that of the message, after a redirection the new one; To stays as it is (RFC 3261, 8.1.3.4).
    let uri: String
    var identity: SIPIdentity
    /// Answer to a challenge.
    var authorization: SIPHeader?

    /// The same with an answer to a challenge (RFC 3261, 22.2); nil where there is none to give, and for a second challenge.
    func answering(_ response: SIPIncoming, random: () -> UInt64) -> SIPRequest? {
        // A challenge to OPTIONS is an answer like any other: somebody is there.
        guard authorization == nil, message.method == "MESSAGE", case .response(let status, _) = response.start,
            status == 401 || status == 407,
            let credentials = target.credentials,
            let header = SIPDigest.header(
                for: response, credentials: credentials, uri: uri, clientNonce: String(random(), radix: 36))
        else { return nil }
        var next = self
        next.identity.next(random: random)
        next.authorization = header
        return next
    }

    /// - Parameter local: address and port that answers come to.
    func bytes(local: String, transport: SIPTarget.Transport) -> [UInt8] {
        let body = message.body(boundary: "part-\(identity.tag)")
        var headers = [
            SIPHeader("Via", "SIP/2.0/\(transport.token) \(local);branch=\(identity.branch);rport"), SIPHeader("Max-Forwards", "70"),
        ]
        if !uri.hasPrefix("sip") { headers.append(SIPHeader("Route", target.route)) }
        headers += [
            SIPHeader("From", "<\(message.from)>;tag=\(identity.tag)"), SIPHeader("To", "<\(message.requestURI)>"),
            SIPHeader("Call-ID", identity.callID), SIPHeader("CSeq", "\(identity.sequence) \(message.method)"),
            SIPHeader("User-Agent", "TrackMe"),
        ]
        if message.method == "MESSAGE" { headers.append(SIPHeader("Priority", "emergency")) }
        headers += message.headers + body.headers + [authorization].compactMap { $0 }
        headers.append(SIPHeader("Content-Length", "\(body.bytes.count)"))
        let lines = ["\(message.method) \(uri) SIP/2.0"] + headers.map { "\($0.name): \($0.value)" } + ["", ""]
        return Array(lines.joined(separator: "\r\n").utf8) + body.bytes
    }
}
