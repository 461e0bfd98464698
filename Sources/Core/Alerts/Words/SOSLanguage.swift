/// A language that alarms are told in.
public enum SOSLanguage: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case italian = "it"

    /// The language of the place, from a BCP 47 tag such as `it-CH`; English for one that there are no words in.
    public init(tag: String) {
        self = SOSLanguage(rawValue: String(tag.prefix { $0 != "-" && $0 != "_" }).lowercased()) ?? .english
    }

    var words: any Words {
        switch self {
        case .english: English()
        case .italian: Italian()
        }
    }

    /// This language first, then the others: a control room may have sent somebody who reads only English.
    var andOthers: [SOSLanguage] { [self] + Self.allCases.filter { $0 != self } }
}
