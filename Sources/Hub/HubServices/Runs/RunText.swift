import Foundation
import HubStore

/// Text of strangers, as others may read it.
enum RunText {
    /// One line: no control or direction characters, blanks as one.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : " " })).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// The same by lines.
    static func text(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }.joined(separator: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        // Joiners hold letters and pictures together; what turns the direction of writing does not.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Without capitals and accents: what is searched, and what is looked for.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    static func search(_ plan: RunPlan) -> String { folded("\(plan.name) \(plan.place)") }

    static func zone(_ name: String) -> TimeZone? {
        TimeZone.knownTimeZoneIdentifiers.contains(name) || name == "UTC" ? TimeZone(identifier: name) : nil
    }
}
