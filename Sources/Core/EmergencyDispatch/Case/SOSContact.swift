/// Somebody who is called when the person is in distress. They need no account.
public struct SOSContact: Sendable, Hashable, Codable {
    public var name: String
    /// E.164; nil where only a mail goes.
    public var phone: String?
    public var email: String?
    /// BCP 47.
    public var language: String
    public var isTexted: Bool
    /// By the person's box, which has a voice.
    public var isCalled: Bool

    public init(name: String, phone: String?, email: String?, language: String, isTexted: Bool = true, isCalled: Bool = true) {
        (self.name, self.phone, self.email, self.language) = (name, phone, email, language)
        (self.isTexted, self.isCalled) = (isTexted, isCalled)
    }
}
