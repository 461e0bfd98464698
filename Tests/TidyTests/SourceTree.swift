import Foundation

/// A text file of the repository, with its path from the root.
struct SourceFile: Sendable {
    let path: String
    let text: String
    /// Of a Swift file, the text without what stands in comments and strings, line for line.
    let code: String

    init(path: String, text: String) {
        self.path = path
        self.text = text
        code = path.hasSuffix(".swift") ? SwiftCode.withoutCommentsAndStrings(text) : ""
    }

    var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

    /// `Vitals` for a file below `Sources/Core/Vitals`, `TestSupport` below `Tests/TestSupport`; nil for other tests and outside Sources.
    var target: String? {
        let parts = path.split(separator: "/")
        if parts.count > 2, parts[0] == "Tests", parts[1] == "TestSupport" { return String(parts[1]) }
        return parts.count > 3 && parts[0] == "Sources" ? String(parts[2]) : nil
    }

    var isSwift: Bool { path.hasSuffix(".swift") }
}

/// The files of the repository as they lie on disk, without what .gitignore keeps out.
enum SourceTree {
    private static let ignored: Set<String> = [".git", ".swiftpm", "__pycache__", "Package.resolved"]
    /// Larger files are recordings, not text that somebody wrote.
    private static let sizeMax = 4 << 20

    static let root: URL = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Every file. Bytes that are no UTF-8 are replaced, so that recordings can be searched too.
    static let files: [SourceFile] = {
        var found: [SourceFile] = []
        let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
        guard let walk = FileManager.default.enumerator(at: root, includingPropertiesForKeys: keys) else { return [] }
        for case let url as URL in walk {
            let name = url.lastPathComponent
            if ignored.contains(name) || name.hasPrefix(".build") {
                walk.skipDescendants()
                continue
            }
            guard let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
                let size = values.fileSize, size <= sizeMax, let data = try? Data(contentsOf: url)
            else { continue }
            let path = url.path.dropFirst(root.path.count + 1)
            found.append(SourceFile(path: String(path), text: String(decoding: data, as: UTF8.self)))
        }
        return found.sorted { $0.path < $1.path }
    }()

    /// The Swift files of targets.
    static let sources: [SourceFile] = files.filter { $0.isSwift && $0.target != nil }
}

/// Something that a rule does not allow, and where.
struct Violation: CustomStringConvertible, Equatable {
    let path: String
    let line: Int
    let what: String

    var description: String { "\(path):\(line): \(what)" }
}

extension Sequence<Violation> {
    /// One a line, for the message of a failed expectation.
    var list: String { map(\.description).joined(separator: "\n") }
}
