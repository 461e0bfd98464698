import Alerts
import Foundation
import Languages
import SIP
import Testing
import Vitals

/// Against SIPp: alarms as they are sent, judged by a SIP implementation that is not ours.
@Suite(.serialized, .enabled(if: ControlRoom.isInstalled, ControlRoom.why)) struct SIPpTests {
    private let sender = SIPSender()

    static let record = SOSRecord(
        incident: "5f0c6f1a9e3b4d27", status: .test, sentAt: SOSTime(utc: 1_795_230_245_000, offsetMinutes: 60),
        sender: .init(name: "Hub", address: "sos@hub.example"), recipient: .init(name: "Room", address: "room@control.example"),
        person: SOSPerson(name: "Maria Rossi ❤️", age: 71, phone: "+39 333 0000000"),
        place: .known(PositionSample(time: 1_795_230_240_000, latitude: 454_642_035, longitude: 91_899_820, horizontalError: 118)),
        cause: .heartRateHigh(limit: 160), question: .unanswered, raisedAt: 1_795_230_244_000)

    private var emergency: SIPMessage {
        .emergency(
            cap: CAPAlert.xml(Self.record, language: .italian), location: PIDFLO.xml(Self.record), isDrill: true,
            from: "sip:sos@hub.example",
            id: "x1")
    }

    /// Small enough for a datagram.
    private var scaip: (message: SIPMessage, reference: String) {
        var settings = SCAIPRequest.Settings(controllerID: "TM1")
        settings.hasTexts = false
        let request = SCAIPRequest(Self.record, settings: settings, language: .english)
        return (.scaip(request.xml, to: "sip:alarm@127.0.0.1", from: "sip:sos@hub.example"), request.reference)
    }

    private func receipt(_ outcome: SIPOutcome) throws -> SIPReceipt {
        guard case .delivered(let receipt) = outcome else {
            Issue.record("\(outcome)")
            throw CancellationError()
        }
        return receipt
    }

    private func refusal(_ status: String, headers: [String] = []) async throws -> SIPRefusal {
        let room = try await ControlRoom("u1", steps: [ControlRoom.take, ControlRoom.answer(status, headers: headers)])
        let outcome = await sender.send(scaip.message, to: SIPTarget(host: "127.0.0.1", port: room.port, transport: .udp))
        guard case .refused(let refusal) = outcome else {
            Issue.record("\(outcome)")
            throw CancellationError()
        }
        #expect(try await room.ended())
        return refusal
    }

    @Test("SOS-17: SIPp takes an alarm in SCAIP by datagram, and its answer in the 200 is read")
    func datagram() async throws {
        let (message, reference) = scaip
        let answer = ControlRoom.answer("200 OK", body: ("application/scaip+xml", "<mrs><snu>00</snu><ref>\(reference)</ref></mrs>"))
        let room = try await ControlRoom("u1", steps: [ControlRoom.take, answer])
        let receipt = try receipt(await sender.send(message, to: SIPTarget(host: "127.0.0.1", port: room.port, transport: .udp)))
        #expect(receipt.status == 200 && receipt.peer == "127.0.0.1:\(room.port)" && receipt.transport == "UDP" && receipt.server == "SIPp")
        #expect(try #require(SCAIPAnswer(xml: receipt.answer)).verdict(for: reference) == .accepted)
        #expect(try await room.ended())
        #expect(room.messages.contains("Call-ID: \(receipt.callID)") && room.messages.contains("<stc>0102</stc>"))
    }

    @Test("SOS-17: SIPp takes the whole alarm of RFC 8876, which is too large for a datagram, by TCP, unchanged")
    func largeGoesByTCP() async throws {
        let room = try await ControlRoom("t1", steps: [ControlRoom.take, ControlRoom.answer("202 Accepted")])
        let receipt = try receipt(await sender.send(emergency, to: SIPTarget(host: "127.0.0.1", port: room.port, transport: .udp)))
        #expect(receipt.status == 202 && receipt.transport == "TCP" && receipt.answer.isEmpty)
        #expect(try await room.ended())
        let log = room.messages
        #expect(log.contains("MESSAGE urn:service:test.sos SIP/2.0") && log.contains("<status>Test</status>") && log.contains("<gs:Circle"))
        let cap = String(decoding: CAPAlert.xml(Self.record, language: .italian), as: UTF8.self)
        #expect(log.replacing("\r", with: "").contains(cap))
    }

    @Test("SOS-17: where nobody takes TCP the large alarm still goes by datagram")
    func largeFallsBack() async throws {
        let room = try await ControlRoom("u1", steps: [ControlRoom.take, ControlRoom.answer("200 OK")])
        let receipt = try receipt(await sender.send(emergency, to: SIPTarget(host: "127.0.0.1", port: room.port, transport: .udp)))
        #expect(receipt.transport == "UDP")
        #expect(try await room.ended())
    }

    @Test("SOS-17: a control room that takes its time gets the datagram again, and one answer is enough")
    func retransmission() async throws {
        let room = try await ControlRoom(
            "u1", steps: [ControlRoom.take, "<pause milliseconds=\"2500\"/>", ControlRoom.answer("200 OK")])
        _ = try receipt(await sender.send(scaip.message, to: SIPTarget(host: "127.0.0.1", port: room.port, transport: .udp)))
        #expect(try await room.ended())
        // At 0, 0.5 and 1.5 s.
        #expect(room.received == 3, "\(room.messages)")
    }

    @Test("SOS-17: a provisional response first, then the answer in a message of its own, which is acknowledged to SIPp")
    func answerMessage() async throws {
        let (message, reference) = scaip
        let own = """
            <send retrans="500"><![CDATA[

            MESSAGE sip:sos@[remote_ip]:[remote_port] SIP/2.0
            Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
            From: <sip:alarm@[local_ip]>;tag=room
            To: <sip:sos@hub.example>
            Call-ID: [call_id]
            CSeq: 2 MESSAGE
            Max-Forwards: 70
            Content-Type: application/scaip+xml
            Content-Length: [len]

            <mrs><ref>\(reference)</ref><snu>0</snu></mrs>
            ]]></send>
            <recv response="200"/>
            """
        for transport in ["u1", "t1"] {
            let room = try await ControlRoom(
                transport, steps: [ControlRoom.take, ControlRoom.answer("100 Trying"), ControlRoom.answer("200 OK"), own])
            let target = SIPTarget(host: "127.0.0.1", port: room.port, transport: transport == "u1" ? .udp : .tcp)
            let receipt = try receipt(await sender.send(message, to: target))
            #expect(try #require(SCAIPAnswer(xml: receipt.answer)).verdict(for: reference) == .accepted)
            #expect(receipt.answerType == "application/scaip+xml")
            #expect(try await room.ended(), "\(room.messages)")
        }
    }

    @Test("SOS-17: a bad alert (425) is told with the reason that SIPp gives")
    func badAlert() async throws {
        let refusal = try await refusal("425 Bad Alert Message", headers: ["AlertMsg-Error: 103;code=\"Alert payload was corrupted\""])
        #expect(refusal.status == 425 && refusal.alertError == 103 && refusal.isPermanent)
        #expect(refusal.what.contains("Alert payload was corrupted") && refusal.advice.contains("TLS"))
    }

    @Test("SOS-17: trouble that passes is told apart from a refusal, with when to try again")
    func refusals() async throws {
        let busy = try await refusal("503 Service Unavailable", headers: ["Retry-After: 7"])
        #expect(busy.retryAfter == 7 && !busy.isPermanent)
        let large = try await refusal("413 Request Entity Too Large")
        #expect(large.isPermanent && large.advice.contains("without texts"))
    }

    @Test("SOS-17: a redirection of SIPp is followed to another SIPp")
    func redirect() async throws {
        let last = try await ControlRoom("t1", steps: [ControlRoom.take, ControlRoom.answer("200 OK")])
        let first = try await ControlRoom(
            "u1",
            steps: [
                ControlRoom.take,
                ControlRoom.answer("302 Moved Temporarily", headers: ["Contact: <sip:night@127.0.0.1:\(last.port);transport=tcp>"]),
            ])
        let receipt = try receipt(await sender.send(scaip.message, to: SIPTarget(host: "127.0.0.1", port: first.port, transport: .udp)))
        #expect(receipt.peer == "127.0.0.1:\(last.port)" && receipt.transport == "TCP")
        #expect(try await first.ended())
        #expect(try await last.ended())
        #expect(last.messages.contains("MESSAGE sip:night@127.0.0.1:\(last.port);transport=tcp SIP/2.0"))
        #expect(last.messages.contains("To: <sip:alarm@127.0.0.1>"))
    }

    @Test("SOS-17: SIPp's challenge is answered with name and password, and a wrong password is told")
    func digest() async throws {
        for (password, isRight) in [("secret", true), ("wrong", false)] {
            // SIPp checks the digest, and leads to one answer or the other.
            let room = try await ControlRoom(
                "u1",
                steps: [
                    ControlRoom.take,
                    ControlRoom.answer(
                        "401 Unauthorized", headers: ["WWW-Authenticate: Digest realm=\"room\", nonce=\"47ebe028cda119c35d4877b383027d28\""]
                    ),
                    """
                    <recv request="MESSAGE"><action>
                    <verifyauth assign_to="right" username="box" password="secret"/></action></recv>
                    <nop hide="true" test="right" next="yes"/>
                    """,
                    ControlRoom.answer("403 Forbidden"), "<nop hide=\"true\" next=\"end\"/>", "<label id=\"yes\"/>",
                    ControlRoom.answer("200 OK"),
                    "<label id=\"end\"/>",
                ])
            let target = SIPTarget(
                host: "127.0.0.1", port: room.port, transport: .udp, credentials: SIPCredentials(user: "box", password: password))
            let outcome = await sender.send(scaip.message, to: target)
            #expect(outcome.isDelivered == isRight, "\(outcome) \(room.messages)")
        }
    }
}

/// TLS in front of SIPp, by stunnel.
@Suite(.serialized, .enabled(if: ControlRoom.hasTLS, ControlRoom.why)) struct SIPTLSTests {
    private let message = SIPMessage.emergency(
        cap: CAPAlert.xml(SIPpTests.record, language: .english), location: nil, isDrill: true, from: "sip:sos@hub.example", id: "x1")

    @Test("SOS-17: an alarm goes by TLS to a control room with the right name or address, checked with the authority that was set")
    func trusted() async throws {
        for (names, name) in [("IP:127.0.0.1", nil), ("DNS:pbx.example", "pbx.example")] {
            let room = try await ControlRoom("t1", steps: [ControlRoom.take, ControlRoom.answer("200 OK")])
            let tunnel = try await Tunnel(to: room.port, names: names)
            let trust = try SIPTrust(certificates: tunnel.certificate, name: name)
            let outcome = await SIPSender().send(message, to: SIPTarget(host: "127.0.0.1", port: tunnel.port, transport: .tls(trust)))
            guard case .delivered(let receipt) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(receipt.transport == "TLS")
            #expect(try await room.ended())
            #expect(room.messages.contains("Via: SIP/2.0/TLS ") && room.messages.contains("<status>Test</status>"))
        }
    }

    @Test("SOS-17: a control room that asks for the sender's certificate gets it, and one that gets none takes nothing")
    func ownCertificate() async throws {
        let room = try await ControlRoom("t1", steps: [ControlRoom.take, ControlRoom.answer("200 OK")])
        let tunnel = try await Tunnel(to: room.port, names: "IP:127.0.0.1", wantsCertificate: true)
        let stranger = SIPTarget(
            host: "127.0.0.1", port: tunnel.port, transport: .tls(try SIPTrust(certificates: tunnel.certificate)))
        #expect(await SIPSender().send(message, to: stranger).isDelivered == false)
        let own = try SIPTrust(certificates: tunnel.certificate, own: (tunnel.certificate, tunnel.key))
        let outcome = await SIPSender().send(message, to: SIPTarget(host: "127.0.0.1", port: tunnel.port, transport: .tls(own)))
        #expect(outcome.isDelivered, "\(outcome)")
    }

    @Test("SOS-17: an alarm is not handed to somebody with another name or an unknown authority")
    func refused() async throws {
        let room = try await ControlRoom("t1", steps: [ControlRoom.take, ControlRoom.answer("200 OK")])
        let tunnel = try await Tunnel(to: room.port, names: "DNS:evil.example")
        for (trust, words) in [
            (try SIPTrust(certificates: tunnel.certificate, name: "pbx.example"), "another name"),
            (try SIPTrust(certificates: tunnel.certificate), "another name"), (try SIPTrust(name: "evil.example"), "not from an authority"),
        ] {
            let outcome = await SIPSender().send(message, to: SIPTarget(host: "127.0.0.1", port: tunnel.port, transport: .tls(trust)))
            guard case .noAnswer(let what, _) = outcome else {
                Issue.record("\(outcome)")
                return
            }
            #expect(what.contains(words), "\(what)")
        }
        #expect(room.received == 0)
    }
}
