/// The files from which one baresip reads how to behave.
enum BaresipFiles {
    static let modules = "/usr/lib/baresip/modules"
    /// So often the trunk is told that the line is there, seconds. A trunk that wants longer says so.
    private static let registerEvery = 30

    /// Sound comes from files and goes nowhere; commands come by a connection of this machine alone; nothing answers calls.
    /// A telephone may send no sound while nobody speaks there: that ends no call.
    /// - Parameters:
    ///   - address: of this machine, on which SIP is spoken; nil for all.
    ///   - port: of the control connection.
    ///   - silence: a sound file for what a line plays while it is not told what.
    static func config(address: String?, port: UInt16, silence: String) -> String {
        """
        poll_method epoll
        \(address.map { "sip_listen \($0.contains(":") ? "[\($0)]" : $0):0" } ?? "")
        call_max_calls 1
        call_local_timeout 20
        audio_source aufile,\(silence)
        audio_player aufile,/dev/null
        audio_alert aufile,/dev/null
        ausrc_srate 8000
        auplay_srate 8000
        ausrc_channels 1
        auplay_channels 1
        ausrc_format s16
        auplay_format s16
        rtp_tos 184
        rtp_timeout 0
        module_path \(modules)
        module g711.so
        module aufile.so
        module_tmp account.so
        module_app menu.so
        module_app ctrl_tcp.so
        ctrl_tcp_listen 127.0.0.1:\(port)

        """
    }

    static func accounts(_ trunk: Trunk) -> String {
        let name = trunk.caller.map { "\"\($0)\" " } ?? ""
        var parts = ["\(name)<sip:\(trunk.user)@\(trunk.domain);transport=\(trunk.transport.rawValue)>"]
        if !trunk.password.isEmpty { parts += ["auth_user=\(trunk.login)", "auth_pass=\(trunk.password)"] }
        if let registrar = trunk.registrar { parts.append("outbound=\"sip:\(registrar);transport=\(trunk.transport.rawValue)\"") }
        parts += ["regint=\(trunk.registers ? registerEvery : 0)", "answermode=manual", "audio_codecs=PCMA/8000/1,PCMU/8000/1"]
        return parts.joined(separator: ";") + "\n"
    }
}
