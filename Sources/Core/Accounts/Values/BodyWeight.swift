/// A person's weight. The energy of a run is worked out with it (RUN-10), and nothing else is.
public struct BodyWeight: Sendable, Hashable {
    /// Whole kilograms, 20 to 300.
    public let kilograms: Int

    private static let range = 20...300

    /// - Throws: ``FieldError`` `.formWeight`.
    public init(_ text: String) throws(FieldError) {
        let digits = Normalisation.trimmed(text)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let kilograms = Int(digits), Self.range.contains(kilograms) else {
            throw FieldError(.formWeight)
        }
        self.kilograms = kilograms
    }
}
