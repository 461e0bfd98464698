internal import Foundation

/// SQLite's write-ahead log beside the buffer, made so that a commit costs the memory card the log's own blocks and no others.
///
/// A log that grows makes the file system write its journal with each commit, to tell the new length; so the log is as long as it ever gets
/// from the start, and full of written zeros. Its index would lie in a file that other processes can read, and be written with each commit;
/// one process alone keeps it in memory.
enum WriteAheadLog {
    /// After so many frames SQLite brings the log into the database and begins it anew.
    static let frames = 8000
    /// Of a page of 512 bytes and its head, behind the log's head; the last commit before a checkpoint may go a little beyond.
    private static let length = 32 + (frames + 64) * (24 + 512)

    /// The name under which SQLite opens the file for this process alone: others find it locked (https://sqlite.org/vfs.html, "unix-excl";
    /// the name is a URI, which Debian's SQLite takes).
    static func unshared(_ path: String) -> String {
        "file:" + path.map { ["%": "%25", "?": "%3f", "#": "%23"][$0] ?? String($0) }.joined() + "?vfs=unix-excl"
    }

    /// Space that must be free on the disk beside it: a disk that is nearly full keeps its room for samples.
    private static let room = 64 << 20

    /// Fills the log up with zeros, which SQLite takes for the end of the log; the first commit syncs them, so that the start does not wait
    /// for the card. On a disk without the room the log goes on growing: nothing
    /// but writes is lost.
    static func fill(_ path: String) {
        guard let free = DiskSpace.free(at: path), free > room else { return }
        guard let log = FileHandle(forWritingAtPath: path) else { return }
        defer { try? log.close() }
        guard let end = try? log.seekToEnd(), end < length else { return }
        try? log.write(contentsOf: Data(count: length - Int(end)))
    }
}
