public import Languages

/// The text to a contact about a pause of the heart that was asked about and not answered: no emergency call, and nobody else comes.
public enum PauseText {
    /// One sentence, the person's telephone behind it where it is known.
    /// - Parameter seconds: how long the pause was, about.
    public static func text(person: String, phone: String?, seconds: Int, in language: Language) -> String {
        language.words.pause(of: person, seconds: seconds) + (phone.map { ": \($0)" } ?? ".")
    }
}
