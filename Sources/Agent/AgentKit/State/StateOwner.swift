internal import CoreFoundation
internal import Glibc

/// Commands that an administrator runs write files of the service.
public enum StateOwner {
    /// As root, becomes the owner of the state directory, so that the service can read what is written. Does nothing otherwise.
    /// - Throws: when root cannot become the owner.
    public static func become(of directory: String) throws(AgentProblem) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
        guard initgroups(name ?? "", status.st_gid) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
            throw AgentProblem(
                "The owner of \(directory) (user \(status.st_uid)) cannot be taken on",
                advice: "Run the command as that user: sudo -u \(name ?? "#\(status.st_uid)") trackme-agent …")
        }
    }
}
