/// A language that people read and hear, by its code of ISO 639-1. English and Italian are built in; ``Languages`` adds others.
public struct Language: RawRepresentable, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// Two or three small letters: `en`.
    public let rawValue: String

    init(code: String) { rawValue = code }

    /// nil for a language that there are no texts in.
    public init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    /// The language of a BCP 47 tag such as `it-CH`; English for one that there are no texts in.
    public init(tag: String) {
        self = Language(rawValue: String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()) ?? .english
    }

    /// One that there are no texts in, such as that of a folder which is gone, is English.
    public init(from decoder: any Decoder) throws { self.init(tag: try decoder.singleValueContainer().decode(String.self)) }

    public static let english = Language(code: "en"), italian = Language(code: "it")

    /// Those built in, then those of the folder.
    public static let allCases: [Language] = [.english, .italian] + Languages.folder.codes.map(Language.init(code:))

    /// This language first, then the others: a message may reach somebody who reads only English.
    public var andOthers: [Language] { [self] + Self.allCases.filter { $0 != self } }

    public var description: String { rawValue }
}
