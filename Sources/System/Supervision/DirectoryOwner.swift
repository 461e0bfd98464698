import Glibc

/// Commands that an administrator runs write files of the service.
public enum DirectoryOwner {
    /// Root could not become the owner.
    public struct Refused: Error, Sendable, Hashable {
        public let user: UInt32
        /// nil where the user has no name.
        public let name: String?
    }

    /// As root, becomes the owner of a directory, so that the service can read what is written there. Does nothing otherwise.
    public static func become(of directory: String) throws(Refused) {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return }
        let name = getpwuid(status.st_uid).map { String(cString: $0.pointee.pw_name) }
        guard initgroups(name ?? "", status.st_gid) == 0, setgid(status.st_gid) == 0, setuid(status.st_uid) == 0 else {
            throw Refused(user: status.st_uid, name: name)
        }
    }
}
