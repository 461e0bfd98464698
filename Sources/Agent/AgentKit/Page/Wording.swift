public import Languages
public import Monitoring

/// The words that people next to the box read and hear, in their language: the page, desktop notifications, the voice.
///
/// One file a language in Assets, with the same keys in each.
public struct Wording: Sendable {
    private static let tables = TextTables(.box, english: PackageResources.en_json, italian: PackageResources.it_json)

    /// Gaps of the files of further languages, each as a sentence that names the file.
    static var problems: [String] { tables.problems }

    public let language: Language
    private let table: TextTable

    public init(_ language: Language) { (self.language, table) = (language, Self.tables[language]) }

    /// All of them, by their keys.
    var words: [String: String] { table.sections[""] ?? [:] }

    /// The words under `key`; the key itself when there are none, which a test keeps from happening.
    public subscript(_ key: String) -> String { table[key] }

    /// The words under `key` with `values` in place of their names in braces.
    public func callAsFunction(_ key: String, _ values: [String: String] = [:]) -> String { table.filled(key, values) }

    /// A few words: the head of a notification.
    public func title(_ notice: Notice) -> String { self["notice.\(notice.rawValue).title"] }
    /// The meaning, and the remedy.
    public func text(_ notice: Notice) -> String { self["notice.\(notice.rawValue).text"] }
    /// One sentence to be heard.
    public func say(_ notice: Notice) -> String { self["notice.\(notice.rawValue).say"] }
}
