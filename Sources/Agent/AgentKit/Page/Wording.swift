internal import Foundation
public import Monitoring

/// What people next to the box read and hear, in their language: the page, desktop notifications, the voice.
///
/// One file a language in Assets, with the same keys in each.
public struct Wording: Sendable {
    public let language: Language
    let words: [String: String]

    private static let english = read(PackageResources.en_json), italian = read(PackageResources.it_json)

    public init(_ language: Language) {
        self.language = language
        words =
            switch language {
            case .en: Self.english
            case .it: Self.italian
            }
    }

    private static func read(_ bytes: [UInt8]) -> [String: String] {
        (try? JSONDecoder().decode([String: String].self, from: Data(bytes))) ?? [:]
    }

    /// The words under `key`; the key itself when there are none, which a test keeps from happening.
    public subscript(_ key: String) -> String { words[key] ?? key }

    /// The words under `key` with `values` in place of their names in braces.
    public func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String {
        var text = self[key]
        for (name, value) in values {
            text = text.split(separator: "{\(name)}", omittingEmptySubsequences: false).joined(separator: value)
        }
        return text
    }

    /// A few words: the head of a notification.
    public func title(_ notice: Notice) -> String { self["notice.\(notice.rawValue).title"] }
    /// What it means and what to do.
    public func text(_ notice: Notice) -> String { self["notice.\(notice.rawValue).text"] }
    /// One sentence to be heard.
    public func say(_ notice: Notice) -> String { self["notice.\(notice.rawValue).say"] }
}
