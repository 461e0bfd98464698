/// Ways of a notice beside the page of notices, on which each one stands (ACC-15).
public struct NoticeWays: OptionSet, Sendable, Hashable {
    public let rawValue: Int64
    public init(rawValue: Int64) { self.rawValue = rawValue }

    public static let mail = NoticeWays(rawValue: 1)
    /// To the browsers that its reader turned on.
    public static let push = NoticeWays(rawValue: 2)
    /// To the page and the status of the person's boxes.
    public static let box = NoticeWays(rawValue: 4)
}
