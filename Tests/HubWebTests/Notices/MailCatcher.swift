import Foundation
import Testing

/// Stands where the machine's `sendmail` stands: a program that takes a message on its input and keeps it as a file.
struct MailCatcher {
    let program: URL
    private let folder: URL

    init(directory: URL) {
        program = directory.appendingPathComponent("sendmail")
        folder = directory.appendingPathComponent("mails")
    }

    /// Makes the program.
    init(makingIn directory: URL) throws {
        self.init(directory: directory)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let script = "#!/bin/sh\nf=$(mktemp '\(folder.path)/.XXXXXX') && cat > \"$f\" && mv \"$f\" \"$f.eml\"\n"
        try Data(script.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    /// All that came, as text with soft line breaks undone, in no order.
    func mails() throws -> [String] {
        try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasSuffix(".eml") }
            .map {
                try String(contentsOf: $0, encoding: .utf8).replacingOccurrences(of: "=\n", with: "").replacingOccurrences(
                    of: "=3D", with: "=")
            }
    }

    /// The first mail to an address that holds a text, as soon as there is one. The test's time limit ends the wait.
    func mail(to address: String, with text: String) async throws -> String {
        while true {
            if let mail = try mails().first(where: { $0.contains("To: \(address)\n") && $0.contains(text) }) { return mail }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// The path of the link in a mail.
    func link(in mail: String, _ prefix: String) throws -> String {
        let start = try #require(mail.range(of: prefix))
        return String(mail[start.lowerBound...].prefix { !$0.isWhitespace })
    }
}
