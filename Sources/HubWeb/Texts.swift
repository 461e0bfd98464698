import Foundation
import HTTPTypes
import Hummingbird

/// The texts of the pages, one file a language.
struct Texts: Sendable {
    let lang: String
    let t: [String: String]

    private static let english = load(PackageResources.en_json)
    private static let italian = load(PackageResources.it_json)

    private static func load(_ bytes: [UInt8]) -> Texts {
        let t = (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
        return Texts(lang: t["lang"] ?? "en", t: t)
    }

    static var all: [Texts] { [english, italian] }

    /// The language that the browser prefers among those that there are (RFC 9110, 12.5.4).
    static func preferred(_ request: Request) -> Texts {
        let accepted = (request.headers[.acceptLanguage] ?? "").split(separator: ",").map { item -> (String, Double) in
            let parts = item.split(separator: ";")
            let quality = parts.dropFirst().compactMap { part -> Double? in
                let text = part.trimmingCharacters(in: .whitespaces)
                return text.hasPrefix("q=") ? Double(text.dropFirst(2)) : nil
            }.first
            let tag = (parts.first ?? "").trimmingCharacters(in: .whitespaces).lowercased()
            return (String(tag.prefix { $0 != "-" }), quality ?? 1)
        }
        let best = accepted.filter { entry in all.contains { $0.lang == entry.0 } }.max { $0.1 < $1.1 }
        return all.first { $0.lang == best?.0 } ?? english
    }

    subscript(_ key: String) -> String { t[key] ?? key }
}
