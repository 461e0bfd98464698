public import Languages

/// The text to a contact where there is no sign of life of somebody who was asked, and when there is one again: no emergency call.
public enum InactivityText {
    /// The sign that was not seen or heard.
    public enum Missing: String, Hashable, Sendable {
        /// Sensors were heard, and nothing moved.
        case movement
        /// Neither a position nor steps were heard: nobody can say whether the person moved.
        case sensors
        /// The box is not heard.
        case box
    }

    /// The person's telephone stands behind it where it is known.
    /// - Parameters:
    ///   - missing: nil: there is a sign of life again.
    ///   - hours: for how long, about.
    public static func text(person: String, phone: String?, missing: Missing?, hours: Int, in language: Language) -> String {
        let words = language.words
        let text = missing.map { words.inactivity(of: person, $0, hours: hours) } ?? words.activity(of: person)
        return text + (phone.map { ": \($0)" } ?? ".")
    }
}
