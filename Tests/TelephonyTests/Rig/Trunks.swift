import Foundation

@testable import Telephony

/// A telephone company played by Kamailio: it knows the hub by its password, telephones by their registration, and leads `+3977PORT` to whoever
/// speaks SIP on that port.
final class KamailioTrunk: Sendable {
    static let user = "hub", password = "s3cret+word"
    let port: Int
    private let process: RigProcess

    init(port: Int = freePort()) async throws {
        self.port = port
        process = try RigProcess(
            "/usr/sbin/kamailio", ["-DD", "-E", "-f", "kamailio.cfg", "-P", "FOLDER/pid", "-Y", "FOLDER", "-m", "32", "-M", "4"],
            files: ["kamailio.cfg": Self.configuration(port)])
        let process = process
        guard try await comes({ process.log.contains("SO_RCVBUF is finally") }) else { throw RigProblem("kamailio: \(process.log)") }
    }

    /// The company is gone from one moment to the next.
    func end() { process.end() }

    func account(password: String = password, transport: Trunk.Transport = .udp) throws(TrunkProblem) -> Trunk {
        try Trunk(account: "sip:\(Self.user)@127.0.0.1:\(port)", password: password, transport: transport, caller: "TrackMe SOS")
    }

    private static func configuration(_ port: Int) -> String {
        """
        #!KAMAILIO
        debug=2
        log_stderror=yes
        children=1
        listen=udp:127.0.0.1:\(port)
        listen=tcp:127.0.0.1:\(port)
        auto_aliases=no
        loadmodule "tm.so"
        loadmodule "sl.so"
        loadmodule "rr.so"
        loadmodule "pv.so"
        loadmodule "maxfwd.so"
        loadmodule "textops.so"
        loadmodule "siputils.so"
        loadmodule "usrloc.so"
        loadmodule "registrar.so"
        loadmodule "auth.so"
        modparam("registrar", "min_expires", 10)
        modparam("tm", "fr_timer", 5000)
        request_route {
          if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
          if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
          if (has_totag()) {
            if (loose_route()) { t_relay(); exit; }
            if (is_method("ACK")) { if (t_check_trans()) t_relay(); exit; }
            sl_send_reply("404", "Not here"); exit;
          }
          if (is_method("REGISTER")) {
            if ($fU == "\(user)") {
              if (!pv_www_authenticate("trunk", "\(password)", "0")) { www_challenge("trunk", "0"); exit; }
            }
            save("location"); exit;
          }
          if (is_method("INVITE")) {
            if (!pv_proxy_authenticate("trunk", "\(password)", "0")) { proxy_challenge("trunk", "0"); exit; }
            consume_credentials();
            record_route();
            if ($rU =~ "^.3977") { $ru = "sip:" + $rU + "@127.0.0.1:" + $(rU{s.substr,5,0}); t_relay(); exit; }
            if (lookup("location")) { t_relay(); exit; }
          }
          sl_send_reply("404", "Not Found");
        }
        """
    }
}

struct RigProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What the rig needs.
enum Rig {
    static let programs = [
        "/usr/bin/baresip", "/usr/bin/espeak-ng", "/usr/sbin/kamailio", "/usr/bin/sipp", "/usr/bin/linphonec",
    ]
    static var isInstalled: Bool { programs.allSatisfy(FileManager.default.isExecutableFile) }
}
