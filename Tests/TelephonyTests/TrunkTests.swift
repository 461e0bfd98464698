import Foundation
import Testing

@testable import Telephony

/// The account of a trunk, and the files that are made of it.
@Suite struct TrunkTests {
    @Test("SOS-23: an account becomes baresip's: with the trunk's own registrar, transport and name for the password")
    func accounts() throws {
        let plain = try Trunk(account: "sip:hub@trunk.example", password: "p4ss")
        #expect(
            BaresipFiles.accounts(plain)
                == "<sip:hub@trunk.example;transport=udp>;auth_user=hub;auth_pass=p4ss;regint=30;answermode=manual;audio_codecs=PCMA/8000/1,PCMU/8000/1\n"
        )
        let rich = try Trunk(
            account: "sip:+390212345@trunk.example:5070", login: "u77", password: "p", registrar: "10.0.0.1:5080", transport: .tcp,
            caller: "TrackMe SOS")
        let text = BaresipFiles.accounts(rich)
        #expect(text.hasPrefix("\"TrackMe SOS\" <sip:+390212345@trunk.example:5070;transport=tcp>;auth_user=u77;auth_pass=p;"))
        #expect(text.contains("outbound=\"sip:10.0.0.1:5080;transport=tcp\""))
        #expect(rich.uri(of: "+391") == "sip:+391@trunk.example:5070" && rich.peer == ("10.0.0.1", "5080"))
        let known = try Trunk(account: "sip:hub@[2001:db8::1]:5070", password: "", registers: false)
        #expect(BaresipFiles.accounts(known).contains(";regint=0;") && !BaresipFiles.accounts(known).contains("auth_"))
        #expect(known.peer == ("2001:db8::1", "5070"))
    }

    @Test("SOS-23: wrong settings say which one, and what to write")
    func mistakes() {
        func problem(_ body: () throws(TrunkProblem) -> Trunk) -> String {
            do throws(TrunkProblem) {
                _ = try body()
                return ""
            } catch { return error.description }
        }
        for account in ["hub@trunk", "sip:trunk", "sip:a b@trunk", "sip:a@trunk:99999", "sip:a@b@c", "sip:a@tr;x", "sip:a>@b", "sip:@b"] {
            #expect(problem { () throws(TrunkProblem) in try Trunk(account: account, password: "p") }.contains("Write sip:USER@HOST"))
        }
        #expect(
            problem { () throws(TrunkProblem) in try Trunk(account: "sip:a@b", password: "") }.contains("hub.voice.passwordFile"))
        for password in ["xq;7", "xq 7", "xq\"7", "xqä7", "xq\n7"] {
            let told = problem { () throws(TrunkProblem) in try Trunk(account: "sip:a@b", password: password) }
            // The password itself is told to nobody.
            #expect(told.contains("baresip cannot take") && !told.contains(password))
        }
        #expect(
            problem { () throws(TrunkProblem) in try Trunk(account: "sip:a@b", password: "p", registrar: "x y") }.contains(
                "hub.voice.registrar"))
        #expect(
            problem { () throws(TrunkProblem) in try Trunk(account: "sip:a@b", password: "p", caller: "a\"b") }.contains("hub.voice.caller")
        )
    }

    @Test("SOS-23: the password lies in a folder and a file for this user alone, which go with their owner")
    func folder() throws {
        var folder: PrivateFolder? = try PrivateFolder()
        let path = try #require(folder?.path)
        #expect(folder?.write(Array("secret".utf8), to: "accounts") == true)
        func mode(_ file: String) -> Int? { (try? FileManager.default.attributesOfItem(atPath: file))?[.posixPermissions] as? Int }
        #expect(mode(path) == 0o700 && mode("\(path)/accounts") == 0o600)
        folder = nil
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("SOS-23: commands come from this machine alone, SIP is spoken on one address, and no sound card is used")
    func config() {
        let lines = BaresipFiles.config(address: "10.0.0.7", port: 4444, silence: "/x/silence.wav").split(separator: "\n").map(String.init)
        #expect(lines.contains("ctrl_tcp_listen 127.0.0.1:4444") && lines.contains("sip_listen 10.0.0.7:0"))
        #expect(!lines.contains { $0.contains("alsa") || $0.contains("pulse") || $0.contains("httpd") || $0.contains("stdio") })
        #expect(BaresipFiles.config(address: "fd00::7", port: 1, silence: "").contains("sip_listen [fd00::7]:0"))
    }
}
