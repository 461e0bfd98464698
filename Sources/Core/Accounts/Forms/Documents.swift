/// The versions of what people and organisations accept when they sign up: short texts such as "2025-10".
public struct Documents: Sendable, Hashable {
    public let terms: String
    /// Names position, health, and the anonymous use in groups (ACC-1).
    public let privacy: String
    /// An organisation's undertaking about the data that it gets (ACC-2).
    public let dataDuties: String

    public init(terms: String, privacy: String, dataDuties: String) {
        (self.terms, self.privacy, self.dataDuties) = (terms, privacy, dataDuties)
    }
}
