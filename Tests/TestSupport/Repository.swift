public import Foundation

/// The clone in which the tests were built.
public enum Repository {
    /// Its top folder.
    public static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A file or folder of it.
    /// - Parameter path: from the top folder, such as `docs/alerts.md`.
    public static func url(_ path: String) -> URL { root.appending(path: path) }
}
