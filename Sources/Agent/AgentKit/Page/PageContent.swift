internal import Foundation
internal import Languages
internal import NIOCore

/// The page in each language, and its files: made once, handed out as they are.
struct PageContent: Sendable {
    struct File: Sendable {
        var type: String
        var bytes: ByteBuffer
    }

    static let assets: [String: File] = [
        "style.css": file("text/css", PackageResources.style_css), "page.js": file("text/javascript", PackageResources.page_js),
        "person.js": file("text/javascript", PackageResources.person_js), "sos.js": file("text/javascript", PackageResources.sos_js),
        "checkin.js": file("text/javascript", PackageResources.checkin_js), "words.js": file("text/javascript", PackageResources.words_js),
        "setup.js": file("text/javascript", PackageResources.setup_js),
        "icon.svg": File(type: "image/svg+xml", bytes: ByteBuffer(bytes: PackageResources.icon_svg)),
    ]

    private let pages: [Language: File]

    /// - Parameter template: HTML with keys of the words in it.
    init(_ template: [UInt8] = PackageResources.page_html) {
        let template = String(decoding: template, as: UTF8.self)
        pages = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, Self.page(template, Wording($0))) })
    }

    func page(_ language: Language) -> File { pages[language] ?? Self.file("text/html", []) }

    private static func file(_ type: String, _ bytes: [UInt8]) -> File {
        File(type: "\(type); charset=utf-8", bytes: ByteBuffer(bytes: bytes))
    }

    /// Puts the words in for each `{{key}}`, and all of them for `{{words}}`, so that whoever has the page has its words too.
    private static func page(_ template: String, _ wording: Wording) -> File {
        var page = ""
        for (index, piece) in template.split(separator: "{{", omittingEmptySubsequences: false).enumerated() {
            let parts = piece.split(separator: "}}", maxSplits: 1, omittingEmptySubsequences: false)
            guard index > 0, parts.count == 2 else {
                page += piece
                continue
            }
            let key = String(parts[0])
            switch key {
            case "words": page += json(wording)
            case "languages": page += links
            default: page += escaped(wording[key])
            }
            page += parts[1]
        }
        return file("text/html", Array(page.utf8))
    }

    /// To the page in each language.
    private static let links = Language.allCases.map { language in
        #"<a href="/?lang=\#(language)" hreflang="\#(language)" lang="\#(language)">\#(escaped(Wording(language)["language.name"]))</a>"#
    }.joined(separator: "\n    ")

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }

    /// As a script element may hold it: no "<" could end that.
    private static func json(_ wording: Wording) -> String {
        guard let data = try? JSONEncoder().encode(wording.words) else { return "{}" }
        return String(decoding: data, as: UTF8.self).split(separator: "<", omittingEmptySubsequences: false).joined(separator: "\\u003c")
    }
}
