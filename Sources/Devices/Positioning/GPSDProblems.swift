import Glibc
import Sensing
import Vitals

/// Problems of gpsd, in words for the person at the box.
extension SourceProblem {
    static func unreachable(_ address: GPSDAddress, code: Int32) -> SourceProblem {
        let what = "No connection to gpsd at \(address): \(String(cString: strerror(code)))"
        let advice =
            switch code {
            case ECONNREFUSED:
                "Nothing listens there. Start gpsd (systemctl start gpsd.socket), or give the host and port where it runs "
                    + "(2947 unless changed; on another machine it needs the option -G)"
            case ETIMEDOUT, EHOSTUNREACH, ENETUNREACH:
                "Check that the machine is on and reachable and that no firewall closes the port"
            default: "Check the host, the port and this machine's network"
            }
        return SourceProblem(what: what, advice: advice, retries: true, kind: .noGPSD)
    }

    static func unknownHost(_ address: GPSDAddress, reason: String) -> SourceProblem {
        SourceProblem(
            what: "The host of gpsd at \(address) cannot be found: \(reason)",
            advice: "Check its name; a numeric address needs no name service", retries: true, kind: .noGPSD)
    }

    static func foreignProtocol(_ address: GPSDAddress, sent bytes: [UInt8]) -> SourceProblem {
        let seen = bytes.prefix(40).map { (32...126).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        return SourceProblem(
            what: bytes.isEmpty
                ? "\(address) accepts connections but says nothing, which gpsd would"
                : "\(address) does not speak gpsd's protocol: it sent \"\(seen)\"",
            advice: "Another service has this port. gpsd's is 2947 unless changed", retries: true, kind: .noGPSD)
    }

    static func protocolVersion(_ address: GPSDAddress, release: String, major: Int) -> SourceProblem {
        SourceProblem(
            what: "gpsd \(release) at \(address) speaks version \(major) of its protocol, this program version 3",
            advice: "Install a gpsd that speaks version 3 (3.0 or later)", retries: true, kind: .noGPSD)
    }

    static func closed(_ address: GPSDAddress, code: Int32) -> SourceProblem {
        SourceProblem(
            what: "gpsd at \(address) ended the connection" + (code == 0 ? "" : ": \(String(cString: strerror(code)))"),
            advice: "It is tried again by itself. If gpsd does not come back, look at journalctl -u gpsd", retries: true, kind: .noGPSD)
    }

    static func hung(_ address: GPSDAddress, seconds: Int64) -> SourceProblem {
        SourceProblem(
            what: "gpsd at \(address) has not answered for \(seconds) s",
            advice: "It is tried again by itself. If gpsd hangs, run systemctl restart gpsd; if it runs elsewhere, check the network",
            retries: true, kind: .noGPSD)
    }

    static func receiverGone(_ path: String) -> SourceProblem {
        SourceProblem(
            what: "The receiver \(path) is gone", advice: "Plug it in again; it is then used by itself", retries: true, kind: .noReceiver)
    }

    static let noReceiver = SourceProblem(
        what: "gpsd runs but has no receiver",
        advice: "Plug the receiver in; if it is, name it in DEVICES of /etc/default/gpsd or run gpsdctl add /dev/ttyACM0",
        retries: true, kind: .noReceiver)

    static let simulated = SourceProblem(
        what: "The receiver says that it simulates its positions", advice: "End the receiver's simulation before relying on it",
        retries: true, kind: .simulated)

    static func gpsdComplains(_ text: String) -> SourceProblem {
        SourceProblem(what: "gpsd reports an error: \(text)", advice: "Look at journalctl -u gpsd", retries: true)
    }

    static func unreadable(lines: Int, _ address: GPSDAddress) -> SourceProblem {
        SourceProblem(
            what: "\(lines) lines from gpsd at \(address) could not be read and were left out",
            advice: "If the number grows, update gpsd and libgps together", retries: true)
    }

    /// `isRollover`: 1024 weeks later it would be a credible one.
    static func date(_ utc: Milliseconds, isRollover: Bool) -> SourceProblem {
        SourceProblem(
            what: "The receiver's date (\(day(of: utc))) cannot be right" + (isRollover ? ": perhaps it is 1024 weeks off" : ""),
            advice: "Positions are kept, the receiver's clock is not used. "
                + (isRollover ? "Update gpsd (3.20 to 3.22 err so) or the receiver" : "Check the receiver"), retries: true)
    }

    private static func day(of utc: Milliseconds) -> String {
        var seconds = time_t(clamping: utc / 1000), fields = tm()
        guard gmtime_r(&seconds, &fields) != nil else { return "\(utc) ms" }
        func padded(_ value: Int32) -> String { value < 10 ? "0\(value)" : "\(value)" }
        return "\(1900 + Int(fields.tm_year))-\(padded(fields.tm_mon + 1))-\(padded(fields.tm_mday))"
    }
}
