import Accounts
import Crypto
import Foundation
import HubServices
import Seams
import Vitals

/// The terms and the privacy statement of whoever runs the hub, in each language: files `KIND.LANGUAGE.txt` of one folder. A file begins with a head,
/// `version: 2027-01` in a line, then an empty line and the text.
struct OperatorDocuments: Sendable {
    enum Kind: String, Sendable, CaseIterable {
        case terms, privacy

        /// What its head has to say beside the version. A privacy statement names these (GDPR, Article 13).
        var facts: [String] { self == .privacy ? ["controller", "contact", "basis", "retention", "rights"] : [] }
    }

    /// One document in one language.
    struct Text: Sendable {
        let version: String
        /// In the order of ``Kind/facts``.
        let facts: [(name: String, value: String)]
        let paragraphs: [String]
        let bytes: [UInt8]
    }

    private let texts: [Kind: [String: Text]]
    /// As accounts accept them: the operator's version, and a digest of the text in all languages, so that any other text is accepted anew.
    let versions: Documents

    /// Bytes of a file, at most.
    static let sizeMax = 200_000
    private static let versionMax = 20

    /// - Throws: ``HubConfigurationError`` with every mistake in the folder.
    init(_ folder: String, languages: [String], files: any FileSystem) throws {
        var texts: [Kind: [String: Text]] = [:], mistakes = HubMistakes()
        for kind in Kind.allCases {
            for language in languages {
                mistakes.look {
                    texts[kind, default: [:]][language] = try Self.read("\(folder)/\(kind.rawValue).\(language).txt", kind, files)
                }
            }
            let versions = Set((texts[kind] ?? [:]).values.map(\.version))
            mistakes.unless(
                versions.count <= 1,
                "hub.documents.folder: \(kind.rawValue) has the versions \(versions.sorted().joined(separator: " and ")): all languages have one."
            )
        }
        try mistakes.end()
        self.texts = texts
        func version(_ kind: Kind) -> String {
            let all = languages.compactMap { texts[kind]?[$0] }, digest = SHA256.hash(data: all.flatMap(\.bytes))
            return "\(all.first?.version ?? "")-\(Hexadecimal.string(digest.prefix(4)))"
        }
        versions = Documents(terms: version(.terms), privacy: version(.privacy), dataDuties: AccountService.documents.dataDuties)
    }

    private static func read(_ path: String, _ kind: Kind, _ files: any FileSystem) throws -> Text {
        guard let bytes = try? files.read(path), bytes.count <= sizeMax, let whole = String(validating: bytes, as: UTF8.self) else {
            throw HubConfigurationError(
                "\(path) is not there, or is no UTF-8 text of \(sizeMax) bytes at most: docs/documents.md shows one.")
        }
        let lines = whole.split(separator: "\n", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
        let end = lines.firstIndex(of: "") ?? lines.count
        var head: [String: String] = [:], mistakes = HubMistakes()
        for (number, line) in lines[..<end].enumerated() {
            let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, (["version"] + kind.facts).contains(parts[0]), head.updateValue(parts[1], forKey: parts[0]) == nil
            else {
                mistakes.add(
                    "\(path), line \(number + 1): write \(kind.facts.isEmpty ? "version" : "version, controller, …") once, a colon and the words."
                )
                continue
            }
        }
        for name in ["version"] + kind.facts where head[name] == nil {
            mistakes.add("\(path) does not say \(name): write it before the first empty line, as \(name): …")
        }
        let version = head["version"] ?? "1"
        mistakes.unless(
            version.utf8.count <= versionMax && version.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") },
            "\(path) has the version \(version): write up to \(versionMax) letters, digits, dots and hyphens.")
        let paragraphs = lines[end...].filter { !$0.isEmpty }
        mistakes.unless(!paragraphs.isEmpty, "\(path) has no text behind its head: write it behind an empty line.")
        try mistakes.end()
        return Text(version: version, facts: kind.facts.map { ($0, head[$0] ?? "") }, paragraphs: Array(paragraphs), bytes: bytes)
    }

    /// A document in a reader's language.
    func text(_ kind: Kind, in language: String) -> Text? { texts[kind]?[language] }

    /// The version with its digest, as ``versions`` has it.
    func version(_ kind: Kind) -> String { kind == .terms ? versions.terms : versions.privacy }

    /// Keeps a copy of each text under its version, so that it can be shown later what somebody accepted.
    /// - Parameter folder: in the hub's directory.
    func keep(in folder: String, files: any FileSystem) throws {
        try files.makeFolder(folder)
        for (kind, languages) in texts {
            for (language, text) in languages {
                let path = "\(folder)/\(kind.rawValue)-\(version(kind)).\(language).txt"
                try files.make(path, with: text.bytes, draft: path + ".new")
            }
        }
    }
}
