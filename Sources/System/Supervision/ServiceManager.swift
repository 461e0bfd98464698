import CSystemd
import Glibc
public import Vitals

/// The service's word to systemd (sd_notify(3), Type=notify). Without systemd every call does nothing.
///
/// The unit says NotifyAccess=main: programs that the service starts inherit the socket's name and are not heard.
public enum ServiceManager {
    /// systemd, or something that speaks like it, listens to this process.
    public static var isUnderSystemd: Bool { getenv("NOTIFY_SOCKET").map { $0.pointee != 0 } ?? false }

    /// Half the time within which systemd wants ``watchdog()`` (sd_watchdog_enabled(3)), in milliseconds: call it that often.
    /// nil when systemd watches no such time.
    public static var watchdogInterval: Milliseconds? {
        var microseconds: UInt64 = 0
        guard sd_watchdog_enabled(0, &microseconds) > 0 else { return nil }
        return Milliseconds(max(1, microseconds / 2000))
    }

    /// The service does its work from here on: units ordered after it start.
    /// - Throws: when systemd is there and cannot be told. It ends the service when its start takes too long.
    public static func ready(status: String? = nil) throws(ServiceManagerProblem) {
        try tell("READY=1" + (status.map { "\n" + line($0) } ?? ""))
    }

    /// What `systemctl status` shows. Only the first 200 characters, in one line.
    public static func status(_ text: String) throws(ServiceManagerProblem) { try tell(line(text)) }

    /// The service is alive. To be called only while everything that must not stick was seen to move.
    public static func watchdog() throws(ServiceManagerProblem) { try tell("WATCHDOG=1") }

    /// The service ends; what it does until then is no failure.
    public static func stopping() throws(ServiceManagerProblem) { try tell("STOPPING=1") }

    /// A line break in the text would begin another assignment.
    private static func line(_ status: String) -> String {
        "STATUS=" + status.prefix(200).map { $0.isNewline ? " " : String($0) }.joined()
    }

    private static func tell(_ message: String) throws(ServiceManagerProblem) {
        let code = sd_notify(0, message)
        if code < 0 { throw ServiceManagerProblem(code: -code) }
    }

    /// The sockets that systemd listens on for this process (sd_listen_fds(3)): descriptors, in the order of the unit, from now on this process's.
    public static func takeListeners() -> [Int32] {
        let count = sd_listen_fds(1)
        return count > 0 ? Array(SD_LISTEN_FDS_START..<SD_LISTEN_FDS_START + count) : []
    }

    /// Whether a descriptor is a TCP socket, of IPv4 or IPv6, that listens (sd_is_socket_inet(3)).
    public static func isListener(_ descriptor: Int32) -> Bool {
        sd_is_socket_inet(descriptor, AF_UNSPEC, Int32(SOCK_STREAM.rawValue), 1, 0) > 0
    }
}

/// systemd is there and did not take a word.
public struct ServiceManagerProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The number of the error (`errno`).
    public let code: Int32

    public var description: String {
        "systemd cannot be told how the service is (\(String(cString: strerror(code)))). Look whether the unit says Type=notify and NotifyAccess=main"
    }
}
