public import Foundation

/// A directory for one test, removed with its last reference.
public final class TemporaryDirectory: Sendable {
    public let url: URL

    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("trackme-test-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// A copy of everything that lies in another directory: a backup, or a copied card.
    public convenience init(copyOf other: URL) throws {
        try self.init()
        for name in try FileManager.default.contentsOfDirectory(atPath: other.path) {
            try FileManager.default.copyItem(at: other.appendingPathComponent(name), to: url.appendingPathComponent(name))
        }
    }

    deinit { try? FileManager.default.removeItem(at: url) }
}
