import Foundation
import Testing

/// Programs from outside that judge what is written. A test that needs one that is not installed is skipped and says so.
enum Checks {
    static let hasXMLLint = FileManager.default.isExecutableFile(atPath: "/usr/bin/xmllint")

    /// What xmllint has against `xml`; nil when it is well-formed, and valid where there is a schema.
    static func xmllint(_ xml: [UInt8], schema: String? = nil) throws -> String? {
        let folder = FileManager.default.temporaryDirectory.appending(path: "alerts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data(xml).write(to: folder.appending(path: "x.xml"))
        var arguments = ["--noout", "--nonet"]
        if let schema {
            try Data(schema.utf8).write(to: folder.appending(path: "x.xsd"))
            arguments += ["--schema", "x.xsd"]
        }
        let process = Process(), errors = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/xmllint")
        process.arguments = arguments + ["x.xml"]
        process.currentDirectoryURL = folder
        process.standardError = errors
        try process.run()
        let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? nil : words
    }
}
