import Foundation

/// The folder of further languages: one folder a language, named by its code (`de`), with up to three files, one for each ``TextPart``.
/// It is `/etc/trackme/languages`, or what `TRACKME_LANGUAGES` says, and is read once. What a file lacks stays English.
enum Languages {
    static let folder = LanguageFolder(ProcessInfo.processInfo.environment["TRACKME_LANGUAGES"] ?? "/etc/trackme/languages")
}

/// Who reads a file of texts.
public enum TextPart: String, Sendable, CaseIterable {
    /// Texts, calls and messages of an emergency, from box and hub.
    case alarms
    /// The page, the notices and the voice of a box.
    case box
    /// The hub's pages, mails and notices.
    case pages
}

struct LanguageFolder: Sendable {
    let path: String
    /// In alphabetical order, without those that are built in.
    let codes: [String]

    init(_ path: String) {
        self.path = path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        codes = names.filter { (2...3).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
            .filter { $0 != "en" && $0 != "it" }.sorted()
    }

    func file(_ part: TextPart, _ code: String) -> String { "\(path)/\(code)/\(part.rawValue).json" }
}
