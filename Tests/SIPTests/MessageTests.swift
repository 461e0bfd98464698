import Foundation
import Testing

@testable import SIP

@Suite struct MessageTests {
    private let target = SIPTarget(host: "192.0.2.1", transport: .udp)
    private var identity: SIPIdentity { SIPIdentity { 0x1234_5678_9ABC_DEF0 } }

    private func text(_ message: SIPMessage) -> String {
        let request = SIPRequest(message: message, target: target, uri: message.requestURI, identity: identity)
        return String(decoding: request.bytes(local: "192.0.2.2:4711", transport: .udp), as: UTF8.self)
    }

    @Test("SOS-17: RFC 8876: the alarm goes to urn:service:sos as CAP, with its place beside it, along a route that was set")
    func emergency() throws {
        let sent = text(
            .emergency(
                cap: Array("<alert/>".utf8), location: Array("<presence/>".utf8), isDrill: false, from: "sip:sos@hub.example", id: "x1"))
        let message = try #require(SIPReader.message(datagram: Array(sent.utf8)))
        #expect(message.start == .request(method: "MESSAGE") && sent.hasPrefix("MESSAGE urn:service:sos SIP/2.0\r\n"))
        #expect(message.header("to") == "<urn:service:sos>" && message.header("route") == "<sip:192.0.2.1:5060;transport=udp;lr>")
        #expect(message.header("from")?.hasPrefix("<sip:sos@hub.example>;tag=") == true && message.header("max-forwards") == "70")
        #expect(message.branch?.hasPrefix("z9hG4bK") == true && message.header("via")?.hasPrefix("SIP/2.0/UDP 192.0.2.2:4711;") == true)
        #expect(
            message.header("cseq") == "1 MESSAGE"
                && message.header("call-info") == "<cid:alert-x1@hub.example>;purpose=EmergencyCallData.cap")
        #expect(message.header("geolocation") == "<cid:place-x1@hub.example>" && message.header("contact") == nil)
        let body = String(decoding: message.body, as: UTF8.self)
        #expect(message.header("content-length") == "\(message.body.count)")
        let boundary = try #require(message.header("content-type")?.split(separator: "boundary=").last)
        let parts = body.components(separatedBy: "--\(boundary)")
        #expect(parts.count == 4 && parts[3] == "--\r\n")
        #expect(
            parts[1] == "\r\nContent-Type: application/EmergencyCallData.cap+xml\r\nContent-ID: <alert-x1@hub.example>\r\n\r\n<alert/>\r\n")
        #expect(parts[2].contains("Content-Type: application/pidf+xml\r\n") && parts[2].hasSuffix("\r\n\r\n<presence/>\r\n"))
    }

    @Test("SOS-6, SOS-19: without a position the CAP is the whole body, and a drill goes to the test service")
    func drill() throws {
        let sent = text(.emergency(cap: Array("<alert/>".utf8), location: nil, isDrill: true, from: "sip:sos@hub.example", id: "x1"))
        let message = try #require(SIPReader.message(datagram: Array(sent.utf8)))
        #expect(sent.hasPrefix("MESSAGE urn:service:test.sos SIP/2.0\r\n") && message.header("geolocation") == nil)
        #expect(
            message.header("content-type") == "application/EmergencyCallData.cap+xml"
                && message.header("content-id") == "<alert-x1@hub.example>")
        #expect(message.body == Array("<alert/>".utf8))
    }

    @Test("SOS-17: SCAIP goes to the control room's own address")
    func scaip() throws {
        let sent = text(.scaip(Array("<mrq/>".utf8), to: "sip:alarm@control.example", from: "sip:sos@hub.example"))
        #expect(sent.hasPrefix("MESSAGE sip:alarm@control.example SIP/2.0\r\n") && !sent.contains("\r\nRoute:"))
        #expect(sent.contains("\r\nContent-Type: application/scaip+xml\r\n") && sent.hasSuffix("\r\nContent-Length: 6\r\n\r\n<mrq/>"))
    }

    @Test("SOS-17: nothing that somebody sets can add a header")
    func injection() throws {
        let evil = "sip:a@b\r\nX-Evil: 1\r\n\r\n"
        let messages = [
            SIPMessage.scaip([], to: evil, from: evil), .emergency(cap: [], location: [], isDrill: false, from: evil, id: evil),
            SIPMessage(requestURI: evil, from: evil, parts: [.init(mediaType: evil, bytes: [], contentID: evil)]),
        ]
        for message in messages { #expect(!text(message).contains("\nX-Evil")) }
    }

    @Test("SOS-17: identities differ from message to message, and the next request of one keeps its Call-ID")
    func identities() {
        func random() -> UInt64 { UInt64.random(in: .min ... .max) }
        let all = (0..<1000).map { _ in SIPIdentity(random: random) }
        #expect(Set(all.map(\.callID)).count == 1000 && Set(all.map(\.branch)).count == 1000)
        var next = all[0]
        next.next(random: random)
        #expect(next.callID == all[0].callID && next.tag == all[0].tag && next.sequence == 2 && next.branch != all[0].branch)
    }

    @Test("SOS-17: responses are read with folded lines, short names, any case and blanks, and cut messages are told apart")
    func reading() throws {
        let text =
            "SIP/2.0 200 All  fine\r\nv:  SIP/2.0/UDP a:1 ;x ; branch=z9hG4bKq;rport\r\n\tignored\r\nCSEQ : 1  MESSAGE\r\nl: 2\r\nc: a/b\r\n\r\nhi there"
        let message = try #require(SIPReader.message(datagram: Array(text.utf8)))
        #expect(message.start == .response(status: 200, reason: "All  fine") && message.branch == "z9hG4bKq" && message.method == "MESSAGE")
        #expect(message.body == Array("hi".utf8) && message.header("content-type") == "a/b")
        let whole = "SIP/2.0 200 OK\r\nContent-Length: 2\r\n\r\nhi"
        for length in 0..<whole.utf8.count { #expect(SIPReader.message(datagram: Array(whole.utf8.prefix(length))) == nil) }
        for text in [
            "HTTP/1.1 200 OK\r\n\r\n", "SIP/2.0 99 No\r\n\r\n", "SIP/2.0 200 OK\r\nl: -1\r\n\r\n", "SIP/2.0 200 OK\r\nl: x\r\n\r\n",
            "\r\n\r\n",
        ] {
            #expect(SIPReader.message(datagram: Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("SOS-17: a stream is cut into its messages wherever it is split", arguments: [1, 2, 3, 7, 50, 1000])
    func stream(size: Int) throws {
        let text =
            "\r\n\r\nSIP/2.0 100 Trying\r\nl: 0\r\n\r\nSIP/2.0 200 OK\r\nContent-Length: 4\r\n\r\n\r\n\r\n\r\nMESSAGE sip:x SIP/2.0\n\nSIP/2.0 503 X\r\n"
        var reader = SIPReader(), messages: [SIPIncoming] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            messages += try reader.append(bytes[start..<min(start + size, bytes.count)])
        }
        #expect(
            messages.map(\.start) == [
                .response(status: 100, reason: "Trying"), .response(status: 200, reason: "OK"), .request(method: "MESSAGE"),
            ])
        #expect(messages[1].body == Array("\r\n\r\n".utf8))
    }

    @Test("SOS-17: a stream that never ends, or is no SIP, is refused and not kept")
    func hostileStream() {
        func failure(_ text: String) -> SIPReader.Failure? {
            var reader = SIPReader()
            do {
                _ = try reader.append(Array(text.utf8))
                return nil
            } catch { return error }
        }
        #expect(failure(String(repeating: "x", count: 20_000)) == .tooLarge)
        #expect(failure("SIP/2.0 200 OK\r\nContent-Length: 99999999\r\n\r\n") == .tooLarge)
        #expect(failure("HTTP/1.1 400 Bad Request\r\n\r\n") == .malformed)
        #expect(failure("SIP/2.0 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n") == .malformed)
        #expect(failure("SIP/2.0 200 OK\r\n" + String(repeating: "a:b\r\n", count: 300) + "\r\n") == .malformed)
    }

    @Test(
        "SOS-17: a bad alert is explained by its code (RFC 8876)",
        arguments: [(100, "another form"), (101, "found no alert"), (103, "damaged")])
    func badAlert(code: Int, words: String) throws {
        let answer = try response(425, headers: ["AlertMsg-Error: \(code);code=\"Words\""])
        let refusal = SIPRefusal(answer, status: 425, reason: "Bad Alert Message")
        #expect(refusal.alertError == code && refusal.isPermanent && refusal.advice.contains(words))
        #expect(refusal.what == "the control room answered 425 (Bad Alert Message; \(code);code=\"Words\")")
    }

    @Test("SOS-17: what is tried again and what is not, and when")
    func refusals() throws {
        func refusal(_ status: Int, _ headers: [String] = []) throws -> SIPRefusal {
            SIPRefusal(try response(status, headers: headers), status: status, reason: "")
        }
        #expect(try refusal(503, ["Retry-After: 18000 (at five);duration=3600"]).retryAfter == 18_000)
        #expect(try refusal(503, ["Retry-After: 999999999999"]).retryAfter == 86_400)
        #expect(try refusal(503).isPermanent == false && refusal(413, ["Retry-After: 5"]).isPermanent == false && refusal(413).isPermanent)
        #expect(try refusal(415, ["Accept: text/plain"]).advice.contains("only text/plain"))
        #expect(try [403, 404, 405, 425].allSatisfy { try refusal($0).isPermanent })
    }

    @Test("SOS-17: a redirection is followed, and never out of TLS")
    func redirects() throws {
        func followed(_ contact: String, _ transport: SIPTarget.Transport = .udp) -> String? {
            SIPRedirect.place(contact, from: SIPTarget(host: "a", transport: transport)).map { "\($0.0.transport.token) \($0.0.authority)" }
        }
        let tls = SIPTarget.Transport.tls(try SIPTrust())
        #expect(
            followed("<sip:x@pbx.example>") == "UDP pbx.example:5060"
                && followed("sip:192.0.2.9:5070;transport=tcp") == "TCP 192.0.2.9:5070")
        #expect(followed("Desk <sip:x@[2001:db8::1]:5070;user=phone>;q=1") == "UDP [2001:db8::1]:5070")
        #expect(
            followed("<sip:b;transport=tls>", tls) == "TLS b:5061" && followed("<sips:b:5099>", tls) == "TLS b:5099"
                && followed("<sip:b>", tls) == "TLS b:5061")
        for contact in ["<sip:b;transport=udp>", "<sip:b;transport=tcp>", "<mailto:x@y>", "<sip:>", "<sip:b:99999>", "", "<"] {
            #expect(followed(contact, tls) == nil, "\(contact)")
        }
        #expect(followed("<sips:b>") == nil && followed("<sip:b;transport=tls>") == nil && SIPRedirect.place(nil, from: target) == nil)
    }

    @Test("SOS-17: a challenge is answered as RFC 3261 (22.4) says, and in SHA-256 where that is offered")
    func digest() throws {
        let credentials = SIPCredentials(user: "bob", password: "zanzibar")
        func header(_ challenge: String...) throws -> String? {
            let answer = try response(401, headers: challenge.map { "WWW-Authenticate: \($0)" })
            return SIPDigest.header(for: answer, credentials: credentials, uri: "sip:bob@biloxi.com", clientNonce: "0a4f113b")?.value
        }
        let md5 = try #require(
            try header(
                "Digest realm=\"biloxi.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5c\\\"c\", qop=\"auth,auth-int\""))
        #expect(
            md5.contains("username=\"bob\"") && md5.contains("qop=auth, nc=00000001, cnonce=\"0a4f113b\"")
                && md5.hasSuffix("opaque=\"5c\\\"c\""))
        #expect(md5.contains("response=\"24fe9a2e9ec1b679e1d555989373bd63\""))
        #expect(
            try header("Digest realm=\"a\", nonce=\"b\", algorithm=MD5", "Digest realm=\"a\", nonce=\"b\", algorithm=SHA-256")?.contains(
                "SHA-256") == true)
        #expect(try header("Basic realm=\"a\"") == nil && header("Digest realm=\"a\", nonce=\"b\", algorithm=X") == nil && header() == nil)
        #expect(try header("Digest realm=\"a\", nonce=\"b\", qop=\"auth-int\"") == nil && header("Digest realm=") == nil)
        #expect(!"\(credentials)".contains("zanzibar"))
    }
}
