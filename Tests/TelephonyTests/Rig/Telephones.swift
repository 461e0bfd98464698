import Foundation

@testable import Telephony

/// A telephone that is baresip: it answers, records what it hears, and presses keys (RFC 4733).
final class BaresipTelephone: Sendable {
    let number: String
    /// The port on which it takes keys.
    private let keys = freePort()
    private let process: RigProcess

    init(_ number: String, at trunk: KamailioTrunk) async throws {
        self.number = number
        let keys = keys, folder = FileManager.default.temporaryDirectory.appending(path: "voice-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Sound.silence(milliseconds: 120_000).wav).write(to: folder.appending(path: "silence.wav"))
        process = try RigProcess(
            "/usr/bin/baresip", ["-f", "FOLDER", "-v"],
            files: [
                "config": """
                poll_method epoll
                sip_listen 127.0.0.1:0
                audio_source aufile,\(folder.path)/silence.wav
                audio_alert aufile,/dev/null
                ausrc_srate 8000
                auplay_srate 8000
                ausrc_channels 1
                auplay_channels 1
                module_path /usr/lib/baresip/modules
                module cons.so
                cons_listen 127.0.0.1:\(keys)
                module g711.so
                module aufile.so
                module sndfile.so
                module_tmp account.so
                module_app menu.so

                """,
                "accounts":
                    "<sip:\(number)@127.0.0.1:\(trunk.port);transport=udp>;auth_pass=x;regint=60;answermode=auto;audio_codecs=PCMA\n",
            ], in: folder)
        let process = process
        guard try await comes({ process.log.contains("200 OK") }) else { throw RigProblem("the telephone: \(process.log)") }
    }

    func isAnswered() async throws -> Bool { try await comes { process.log.contains("Call established") } }
    var isOver: Bool { process.log.contains("terminated (duration") || process.log.contains("session closed") }
    func press(_ key: String) { sendDatagram(key, port: keys) }

    /// What was heard so far, at 8,000 samples a second. The file is whole when the call is over.
    func heard() throws -> [Int16] {
        let file = process.files("dump-").first { $0.lastPathComponent.hasSuffix("-dec.wav") }
        guard let file else { throw RigProblem("nothing was recorded: \(process.log.suffix(2000))") }
        let bytes = try Array(Data(contentsOf: file)).dropFirst(44)
        return stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }
}

/// A telephone that is Linphone's `linphonec`, with a file for a microphone and another one for a loudspeaker.
final class LinphoneTelephone: Sendable {
    let number: String
    private let process: RigProcess

    init(_ number: String, at trunk: KamailioTrunk) async throws {
        self.number = number
        let folder = FileManager.default.temporaryDirectory.appending(path: "voice-\(UUID().uuidString)")
        // Without a place for its database it registers nowhere.
        try FileManager.default.createDirectory(at: folder.appending(path: ".local/share/linphone"), withIntermediateDirectories: true)
        try Data(Sound.silence(milliseconds: 120_000).wav).write(to: folder.appending(path: "microphone.wav"))
        process = try RigProcess(
            "/usr/bin/linphonec", ["-a", "-c", "linphonerc"],
            files: [
                "linphonerc": """
                [sip]
                sip_port=\(freePort())
                sip_tcp_port=0
                sip_tls_port=0
                default_proxy=0
                contact="\(number)" <sip:\(number)@127.0.0.1>
                [proxy_0]
                reg_proxy=<sip:127.0.0.1:\(trunk.port);transport=udp>
                reg_identity=sip:\(number)@127.0.0.1:\(trunk.port)
                reg_expires=60
                reg_sendregister=1
                publish=0
                [net]
                mtu=1300
                stun_server=
                [video]
                capture=0
                display=0

                """
            ], in: folder)
        let process = process
        try process.type("soundcard use files\nplay microphone.wav\nrecord heard.wav\n")
        // It says so when it is asked alone.
        for _ in 0..<60 where !process.log.contains("registered, identity=") {
            try process.type("status register\n")
            try await Task.sleep(for: .seconds(1))
        }
        guard process.log.contains("registered, identity=") else { throw RigProblem("linphonec: \(process.log)") }
    }

    func isAnswered() async throws -> Bool { try await comes { process.log.contains("connected") } }
    func press(_ key: String) throws { try process.type("\(key)\n") }
    var log: String { process.log }
}

/// A telephone, or a voicemail, that SIPp plays step by step.
final class SIPpTelephone: Sendable {
    let number: String
    private let process: RigProcess

    /// - Parameter steps: elements of a scenario, behind the INVITE.
    init(_ steps: [String]) async throws {
        let port = freePort()
        number = "+3977\(port)"
        let scenario =
            "<?xml version=\"1.0\"?>\n<scenario name=\"telephone\">\n\(Self.invite)\n\(steps.joined(separator: "\n"))\n<Reference variables=\"from,to\"/>\n</scenario>\n"
        process = try RigProcess(
            "/usr/bin/sipp",
            [
                "-sf", "scenario.xml", "-i", "127.0.0.1", "-p", "\(port)", "-m", "1", "-nostdin", "-trace_msg", "-message_file",
                "messages.log",
                "-trace_err", "-error_file", "errors.log", "-timeout", "120s", "-timeout_error",
            ], files: ["scenario.xml": scenario])
        let process = process
        let hex = String(port, radix: 16, uppercase: true), wanted = ":" + String(repeating: "0", count: 4 - hex.count) + hex + " "
        guard try await comes({ try process.isRunning && (String(contentsOfFile: "/proc/net/udp", encoding: .utf8)).contains(wanted) })
        else {
            throw RigProblem("sipp: \(process.log) \(process.text("errors.log"))")
        }
    }

    /// Whether all went as the scenario says. SIPp waits half a minute behind the end of its call.
    func ended() async throws -> Bool {
        let process = process
        func calls(_ name: String) -> String? {
            process.log.split(separator: "\n").last { $0.contains("\(name) call") }?.split(separator: "|").last.map {
                $0.filter(\.isNumber)
            }
        }
        return try await comes(within: 90) { process.log.contains("Test Terminated") } && calls("Successful") == "1"
            && calls("Failed") == "0"
    }

    var messages: String { process.text("messages.log") }
    var errors: String { process.text("errors.log") }

    /// - Parameter isFirst: there is no dialogue yet.
    static func answer(_ status: String, media: Bool = false, isFirst: Bool = true) -> String {
        let sdp = """
            Contact: <sip:phone@[local_ip]:[local_port]>
            Content-Type: application/sdp
            Content-Length: [len]

            v=0
            o=phone 1 1 IN IP4 [local_ip]
            s=-
            c=IN IP4 [media_ip]
            t=0 0
            m=audio [media_port] RTP/AVP 8 101
            a=rtpmap:8 PCMA/8000
            a=rtpmap:101 telephone-event/8000
            """
        let head = [
            "SIP/2.0 \(status)", "[last_Via:]", "[last_From:]", "[last_To:]\(isFirst ? ";tag=phone" : "")", "[last_Call-ID:]",
            "[last_CSeq:]",
            "[last_Record-Route:]",
        ]
        return "<send\(media ? " retrans=\"500\"" : "")><![CDATA[\n\n" + head.joined(separator: "\n") + "\n"
            + (media ? sdp : "Contact: <sip:phone@[local_ip]:[local_port]>\nContent-Length: 0\n") + "\n]]></send>"
    }

    /// Answers, and the other side knows that.
    static let takesUp = [answer("180 Ringing"), answer("200 OK", media: true), "<recv request=\"ACK\"/>"]
    /// Somebody else hangs up, and that is right.
    static let isHungUp = ["<recv request=\"BYE\" timeout=\"100000\"/>", answer("200 OK", isFirst: false)]

    private static let invite = """
        <recv request="INVITE" rrs="true"><action>
        <ereg regexp=".*" search_in="hdr" header="From:" assign_to="from"/>
        <ereg regexp=".*" search_in="hdr" header="To:" assign_to="to"/>
        </action></recv>
        """

    /// The one who was called hangs up.
    static let hangsUp = [
        """
        <send retrans="500"><![CDATA[

        BYE [next_url] SIP/2.0
        Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
        From:[$to];tag=phone
        To:[$from]
        [routes]
        Call-ID: [call_id]
        CSeq: 6 BYE
        Max-Forwards: 70
        Content-Length: 0

        ]]></send>
        """, "<recv response=\"200\"/>",
    ]

    static func pause(_ milliseconds: Int) -> String { "<pause milliseconds=\"\(milliseconds)\"/>" }

    /// A key by SIP INFO.
    static func info(_ key: String) -> [String] {
        [
            """
            <send retrans="500"><![CDATA[

            INFO [next_url] SIP/2.0
            Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=[branch]
            From:[$to];tag=phone
            To:[$from]
            [routes]
            Call-ID: [call_id]
            CSeq: 5 INFO
            Max-Forwards: 70
            Content-Type: application/dtmf-relay
            Content-Length: [len]

            Signal=\(key)
            Duration=160
            ]]></send>
            """, "<recv response=\"200\"/>",
        ]
    }
}
