internal import Vitals

/// A sport as a file names it, and what the kind ``Vitals/DataKind/activity`` makes of it.
public struct ActivitySport: Sendable, Hashable {
    /// A code of the kind `activity`, such as 2 for running; 0 for what it has no code for.
    public let code: Int64
    /// Where the file says so.
    public let isIndoor: Bool?
    /// The file's own word, at most ``nameMax`` characters.
    public let name: String

    public static let nameMax = 60

    /// - Parameter code: of the kind `activity`. A code that it does not have becomes 0.
    public init(code: Int64, isIndoor: Bool? = nil) {
        let names = DataKind.activity.entry.codes
        self.code = Int(exactly: code).map(names.indices.contains) == true ? code : 0
        self.isIndoor = isIndoor
        name = names.isEmpty ? "" : names[Int(self.code)]
    }

    init(code: Int64, isIndoor: Bool?, name: String) {
        (self.code, self.isIndoor, self.name) = (code, isIndoor, String(name.prefix(Self.nameMax)))
    }

    /// By a word of a GPX or TCX file, or the name of a profile.
    init(name: String) {
        let word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        let code = Self.byNumber[word] ?? Self.byWord.first { word.contains($0.word) }?.code ?? 0
        self.init(code: code, isIndoor: Self.indoor.contains { word.contains($0) } ? true : nil, name: name)
    }

    /// Whether cadence counts steps, of which files count those of one foot.
    var isOnFoot: Bool { Self.onFoot.contains(code) }

    /// Walking, running, hiking.
    private static let onFoot: Set<Int64> = [1, 2, 4]
    /// Parts of words, the more special ones first.
    private static let byWord: [(word: String, code: Int64)] = [
        ("snow", 7), ("ski", 7), ("run", 2), ("jog", 2), ("walk", 1), ("hik", 4), ("trek", 4), ("mountaineer", 4), ("cycl", 3), ("bik", 3),
        ("ride", 3), ("swim", 5), ("row", 6), ("strength", 9), ("weight", 9), ("gymnast", 8), ("yoga", 8), ("pilates", 8), ("danc", 10),
        ("soccer", 11), ("football", 11), ("basketball", 11), ("volleyball", 11), ("hockey", 11), ("teamsport", 11),
    ]
    /// Numbers that a large service writes into `type` of its GPX files.
    private static let byNumber: [String: Int64] = ["1": 3, "4": 4, "9": 2, "10": 1]
    private static let indoor = ["indoor", "treadmill", "virtual", "spinning"]
}
