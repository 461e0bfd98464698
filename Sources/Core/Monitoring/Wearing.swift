/// A conclusion about a sensor and its wearer. None of them says anything about the heart: only ``worn`` lets readings count.
public enum Wearing: String, Hashable, Sendable, Codable, CaseIterable {
    /// Nothing was heard of the sensor since the start.
    case unknown
    /// Readings come, and nothing speaks against skin contact.
    case worn
    /// Connected, and the sensor says that it has no contact, or sends 0.
    case notWorn
    /// Connected or lost a moment ago, and no reading comes.
    case noSignal
    /// Out of range for long while the box stands where it is.
    case away
    /// The sensor is being charged.
    case charging
    /// The same value again and again: it is not taken for valid.
    case frozen
}
